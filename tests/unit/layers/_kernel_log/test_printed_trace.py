"""Call traces. Oracle: the frames as they stand in the text, and what looks alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters, Unread
from tests.mangle import counters, read

OUTPUTS = Path(__file__).parents[3] / "outputs" / "kernel-composed"
HUNG, OOPS = ((OUTPUTS / f"{name}.txt").read_text() for name in ("trace", "oops"))


def traces(text: str) -> list[PrintedCounters]:
    return counters(text, "kernel trace")


def sure(text: str) -> list[str]:
    """The functions of a trace in which the kernel is sure of them, by a pattern of this test."""
    return re.findall(r"^(?:\[[ .\d]+\])? {1,2}(\w[\w.]+)\+0x", text, re.MULTILINE)


def test_the_functions_of_an_oops() -> None:
    (trace,) = traces(OOPS)
    assert trace.values["functions"] == sure(OOPS)


def test_a_warning_says_in_which_process() -> None:
    text = OOPS.split("\n", 5)[5].replace(
        "CPU: 3 PID: 2207 Comm: kworker/3:1H Tainted: G           OE      6.1.0-21-amd64",
        "WARNING: at block/mq-deadline.c:77\n"
        "CPU: 3 PID: 2207 Comm: kworker/3:1H Not tainted 6.1.90",
    )
    (trace,) = traces(text)
    assert trace.values["at"] == "dd_dispatch_request"
    assert trace.values["title"] == "WARNING: at block/mq-deadline.c:77"
    assert (trace.name, trace.values["pid"], trace.values["cpu"]) == ("kworker/3:1H", 2207, 3)
    assert (trace.values["kernel"], trace.values["tainted"]) == ("6.1.90", "Not tainted")


@pytest.mark.parametrize(("title", "place"), [
    ("WARNING: CPU: 2 PID: 411 at lib/refcount.c:28 refcount_warn_saturate+0xc5/0x110",
     "lib/refcount.c:28"),
    ("WARNING: block/mq-deadline.c:77 at dd_dispatch_request+0x1/0x20, CPU#1: fio/9",
     "block/mq-deadline.c:77"),
    ("kernel BUG at fs/ext4/inode.c:2749!", "fs/ext4/inode.c:2749"),
    ("UBSAN: shift-out-of-bounds in fs/btrfs/super.c:91:14", "fs/btrfs/super.c:91"),
    ("WARNING: possible circular locking dependency detected", None),
])  # fmt: skip
def test_where_in_the_sources_it_happened(title: str, place: str | None) -> None:
    text = OOPS.split("\n", 5)[5]
    (trace,) = traces(f"{title}\n{text}")
    assert trace.values["title"] == title
    assert trace.values.get("place") == place


def test_who_touched_freed_memory_where_the_line_of_the_processor_is_cut_off() -> None:
    text = (
        "BUG: KASAN: slab-use-after-free in md_check_recovery+0x2f1/0x6d0\n"
        "Read of size 8 at addr ffff88810a2b3c40 by task md7_raid6/911\n\n"
        "Call Trace:\n <TASK>\n kasan_report+0xca/0x100\n md_check_recovery+0x2f1/0x6d0\n"
        " raid5d+0x4a1/0x6f0\n </TASK>\n"
    )
    (trace,) = traces(text)
    assert (trace.name, trace.values["pid"]) == ("md7_raid6", 911)
    assert (trace.values["access"], trace.values["access_size"]) == ("Read", 8)
    (trace,) = traces(text.replace(" by task md7_raid6/911", " is what I see"))
    assert "access" not in trace.values


def test_the_frames_of_drgn() -> None:
    text = (
        "#0  context_switch (kernel/sched/core.c:4940:2)\n"
        "#1  __schedule (kernel/sched/core.c:6287:8)\n#2  schedule (kernel/sched/core.c:6366:3)\n"
        "#3  wait_on_page_bit_common (mm/filemap.c:1356:4)\n#4  0x7f2a\n"
    )
    (trace,) = traces(f"It hangs:\n\n{text}\nWhat can I do?\n")
    assert trace.values["functions"] == [
        "context_switch", "__schedule", "schedule", "wait_on_page_bit_common",
    ]  # fmt: skip
    assert not traces("#0  first of all (see a.c:12)\n#1  then (b.c:3)\n#2  c (c.c)\n")


def test_where_the_processor_was_and_where_it_would_have_gone_back() -> None:
    text = (
        "NIP [c000000000e1683c] _raw_spin_lock_irqsave+0x2c/0xc0\n"
        "LR [c00800000e433338] md_wakeup_thread+0x40/0xa0 [md_mod]\nCall Trace:\n"
        "[c0000000156ffa10] [c0080000] raid5d+0x2a0/0x370 [raid456]\n"
        "[c0000000156ffa20] [c0080000] md_thread+0x20/0x370 [md_mod]\n"
    )
    (trace,) = traces(text)
    assert trace.values["ip"] == "_raw_spin_lock_irqsave+0x2c/0xc0"
    assert trace.values["lr"] == "md_wakeup_thread+0x40/0xa0"


def test_a_hung_task_of_which_the_log_s_own_line_was_cut_off() -> None:
    text = HUNG.split("\n", 3)[3]
    (trace,) = traces(text)
    assert trace.values["functions"] == sure(HUNG)
    assert (trace.name, trace.values["state"], trace.values["pid"]) == ("md7_raid6", "D", 911)
    bare = re.sub(r"(?m)^\[[ .\d]+\] ", "", text)
    assert (trace.values["ppid"], trace.values["flags"]) == (2, "0x00004000")
    assert {"time": trace.values["time"], **traces(bare)[0].values} == trace.values


def test_old_frames_with_their_addresses() -> None:
    text = (
        "Call Trace:\n [<ffffffff8104f1c1>] ? wake_up+0x31/0x50\n"
        " [<ffffffffa0123456>] raid5d+0x4a1/0x6f0 [raid456]\n"
        " [<ffffffff81070f9f>] kthread+0xcf/0xe0\n"
    )
    (trace,) = traces(text)
    assert trace.values["functions"] == ["raid5d", "kthread"]


def test_a_trace_of_arm_and_one_of_powerpc() -> None:
    arm = (
        "Unable to handle kernel NULL pointer dereference at virtual address 0000000000000028\n"
        "Mem abort info:\n  ESR = 0x0000000096000004\n"
        "CPU: 1 UID: 0 PID: 88 Comm: (udev-worker) Tainted: G        W          6.12.0+ #1\n"
        "pstate: 80000005 (Nzcv daif -PAN -UAO -TCO -DIT -SSBS BTYPE=--)\n"
        "pc : blk_set_limits+0x364/0x3c0\nlr : blk_alloc+0x84/0x240\nsp : ffff800081a3b9c0\n"
        "x29: ffff800081a3b9c0 x28: 0000000000000000 x27: 0000000000000000\nCall trace:\n"
        " blk_set_limits+0x364/0x3c0 (P)\n blk_alloc+0x84/0x240\n"
    )
    (trace,) = traces(arm)
    assert trace.values == {
        "title": "Unable to handle kernel NULL pointer dereference at virtual address "
        "0000000000000028",
        "error_syndrome": "0x0000000096000004",
        "cpu": 1, "pid": 88, "tainted": "Tainted: G W", "kernel": "6.12.0+",
        "at": "blk_set_limits", "ip": "blk_set_limits+0x364/0x3c0", "lr": "blk_alloc+0x84/0x240",
        "functions": ["blk_set_limits", "blk_alloc"],
    }  # fmt: skip
    power = (
        "NIP [c0080000154093d0] lookup_lun+0x1f8/0x3d0 [target_core_mod]\n"
        "LR [c00800001542ab34] submit_cmd+0x11c/0x300 [target_core_mod]\nCall Trace:\n"
        "[c0000007f8a37a90] [c0080000154093d0] submit_cmd+0x11c/0x300 [tcm_mod] (unreliable)"
        "\n[c0000007f8a37b90] [c008000015409fff] do_work+0x1/0x2 [qla2xxx]\n"
    )
    (trace,) = traces(power)
    assert trace.values == {
        "at": "lookup_lun",
        "ip": "lookup_lun+0x1f8/0x3d0",
        "lr": "submit_cmd+0x11c/0x300",
        "functions": ["submit_cmd", "do_work"],
    }


def test_frames_with_their_lines_in_the_source() -> None:
    decoded = (
        "[  990.166483] Call Trace:\n[  990.169666]  <TASK>\n"
        "[  990.172504] __schedule (kernel/sched/core.c:5304 kernel/sched/core.c:6622)\n"
        "[  990.176810] ? io_wait (kernel/sched/core.c:6504)\n"
        "[  990.181994] raid5d (drivers/md/raid5.c:12 (discriminator 3)) raid456\n"
    )
    inlined = (
        "Call Trace:\n context_switch kernel/sched/core.c:4940 [inline]\n"
        " __schedule+0xcd9/0x2530 kernel/sched/core.c:6287\n raid5d+0x1/0x2 drivers/md/raid5.c:12\n"
    )
    assert traces(decoded)[0].values["functions"] == ["__schedule", "raid5d"]
    assert traces(inlined)[0].values["functions"] == ["context_switch", "__schedule", "raid5d"]


def test_what_a_mail_broke_is_whole() -> None:
    text = (
        "> WARNING: CPU: 0 PID: 6659 at fs/btrfs/extent-tree.c:3077\n"
        "> free_extent+0xa18/0xf50 [btrfs]\n> Modules linked in: raid1 nvme nvme_core\n> wmi\n"
        "> CPU: 0 PID: 6659 Comm: btrfs Tainted: G        W  O\n> 6.2.0-23-generic #23\n"
        "> RIP: 0010:free_extent+0xa18/0xf50 [btrfs]\n"
        "> Code: e9 64 fb ff ff 8b 7d 90 e8 b9 04 ff ff 84 c0 0f 85 f1 01 00\n> 48 8b\n"
        "> RSP: 0018:ffffb05e4746fa38 EFLAGS: 00010246\n> Call Trace:\n>  <TASK>\n"
        ">  run_refs+0x1/0x2 [btrfs]\n>  commit+0x1/0x2 [btrfs]\n>  </TASK>\n"
        "> ---[ end trace 0000000000000000 ]---\n\nWhat can I do?\n"
    )
    (trace,) = traces(text)
    assert trace.values == {
        "title": "WARNING: CPU: 0 PID: 6659 at fs/btrfs/extent-tree.c:3077 "
        "free_extent+0xa18/0xf50 [btrfs]", "place": "fs/btrfs/extent-tree.c:3077",
        "ip": "free_extent+0xa18/0xf50",
        "cpu": 0, "pid": 6659, "tainted": "Tainted: G W O", "kernel": "6.2.0-23-generic",
        "at": "free_extent", "functions": ["run_refs", "commit"],
    }  # fmt: skip


def test_a_trace_within_a_log_is_a_record_and_splits_no_message() -> None:
    error = "[    {}.000000] Buffer I/O error on dev sda, logical block 1, async page read\n"
    frames = "[    2.000001]  raid5d+0x1/0x2\n[    2.000002]  md_thread+0x1/0x2\n"
    text = (
        error.format(1) + "[    2.000000] Call Trace:\n" + frames
        + "[    2.500000] usb 1-1: new device\n" + error.format(3)
    )  # fmt: skip
    rows = counters(text)
    (trace,) = [row for row in rows if row.tool == "kernel trace"]
    assert trace.values == {"time": 2.0, "functions": ["raid5d", "md_thread"]}
    (disk,) = [row for row in rows if row.tool == "kernel log"]
    assert disk.values["buffer_errors"] == 2
    (rest,) = [row for row in rows if row.tool == "printed"]
    assert rest.values == {"[    2.500000]": "usb 1-1: new device"}


def test_a_trace_in_which_the_kernel_is_sure_of_nothing() -> None:
    (trace,) = traces("Call Trace:\n ? a_one+0x1/0x2\n ? a_two+0x1/0x2\n")
    assert trace.values == {"unsure_functions": ["a_one", "a_two"]}


def test_the_stack_of_a_process_in_proc_is_another_reader_s() -> None:
    text = "".join(f"[<0>] {name}+0x1/0x2\n" for name in ("io_wait", "read", "do_sys", "entry"))
    assert [row.tool for row in counters(text)] == ["process stack"]


def test_two_traces_are_two() -> None:
    assert len(traces(OOPS + OOPS.replace("2207", "2208"))) == 2


@pytest.mark.parametrize("text", [
    "Call Trace: of the hang is below, but I lost it.\n",
    "RIP: 0010:foo+0x1/0x2 is where it stops\n",
    "#0  0x00007f2b in raise () from /lib/libc.so.6\n#1  main () at a.c:3\n",
    "#0  main (argc=1) at a.c:3\n#1  0x000055 in start+0x12 ()\n",
    "  92.1%  fio  [kernel.kallsyms]  [k] copy_user\n     --- entry_SYSCALL_64\n         do_sys\n",
    "fio 4711 [003] 12.5: cycles:\n  ffffffff810 do_sys+0x12 ([kernel.kallsyms])\n",
    "{ stacktrace:\n  __schedule+0x1/0x2\n  schedule+0x1/0x2\n  io_wait+0x1/0x2\n} hitcount: 3\n",
    "The function raid5d+0x4a1/0x6f0 waits, as md_thread+0xae/0x190 does.\n",
    "WARNING: The device is in use, and it may be lost\nINFO: task list follows\n",
    "CPU: 3 GHz, PID: 12 Comm: none of it is a trace\n",
    "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    outputs = [entry for entry in read(text) if not isinstance(entry, Unread)]
    assert [entry for entry in outputs if entry.tool != "event histogram"] == []


@pytest.mark.parametrize("prefix", [
    "Dec 17 22:58:05 (none) user.info kernel: ",
    "2024-05-06T07:08:09+02:00 host kernel: ",
    "node7 kernel: ",
    "kern  :info  : [Mon May  6 07:08:09 2024] ",
    "[Mo Mai 6 07:08:09 2024] ",
    "Mär 17 22:58:05 host kernel: ",
    "",
])  # fmt: skip
def test_speeds_of_raid6_and_xor_whatever_stands_before_them(prefix: str) -> None:
    text = "".join(f"{prefix}{line}\n" for line in (
        "raid6: sse2x4   gen() 10998 MB/s", "raid6: .... xor() 7614 MB/s, rmw enabled",
        "raid6: using algorithm sse2x4 gen() 10998 MB/s",
    ))  # fmt: skip
    (log,) = counters(text, "kernel log")
    assert log.values["raid6_speeds"] == ["sse2x4   gen() 10998 MB/s"]
    assert log.values["raid6_xor"] == ["7614 MB/s"]
    assert (log.values["raid6_measurements"], log.values["raid6_rmw_enabled"]) == (1, 1)
    assert log.values["raid6_algorithm"] == ["sse2x4 gen() 10998 MB/s"]


LEAK = """\
unreferenced object 0xffff88801f920120 (size 96):
  comm "sh", pid 102, jiffies 4294892535 (age 713.412s)
  hex dump (first 32 bytes):
    07 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................
  backtrace (crc 1a2b3c4d):
    [<00000000e58a6252>] kmalloc_trace+0x11/0x20
    [<0000000043af4b2f>] frob_alloc_counter+0x17/0x90 [frob]
    [<00000000a7df29b2>] do_syscall_64+0x42/0x90
"""


@pytest.mark.parametrize("prefix", ["", "> ", "[  713.500000] "])
def test_a_leak_says_how_much_whose_and_how_old(prefix: str) -> None:
    text = "".join(f"{prefix}{line}\n" for line in (LEAK * 2).splitlines())
    leaks = counters(text, "kernel trace")
    assert [leak.name for leak in leaks] == ["sh", "sh"]
    values = dict(leaks[0].values)
    assert values.pop("time", None) == (713.5 if "[" in prefix else None)
    assert values == {
        "title": "unreferenced object 0xffff88801f920120", "size": 96, "pid": 102,
        "jiffies": 4294892535, "age": 713.412,
        "functions": ["kmalloc_trace", "frob_alloc_counter", "do_syscall_64"],
    }  # fmt: skip


def test_a_newer_kernel_prints_no_age() -> None:
    (leak,) = counters(LEAK.replace(" (age 713.412s)", ""))
    assert "age" not in leak.values
    assert leak.values["size"] == 96


BACKTRACE = """\
PID: 2384   TASK: ffff94d71fae9c00  CPU: 83   COMMAND: "kworker/83:4"
 #0 [ffffb5f9cdd0fca8] crash_kexec at ffffffffb4db67e9
 #1 [ffffb5f9cdd0fdb0] asm_exc_page_fault at ffffffffb5800b4e
    [exception RIP: frob_stop+73]
    RIP: ffffffffb4d0fee9  RSP: ffffb5f9cdd0fe60  RFLAGS: 00010246
    RAX: 0000000000000000  RBX: 00007fd3f5b21e10  RCX: 0000000000000000
 #2 [ffffb5f9cdd0fe80] frob_free at ffffffffc0b88470 [frob]
"""


@pytest.mark.parametrize("prefix", ["", "> "])
def test_a_backtrace_of_crash(prefix: str) -> None:
    text = "crash> bt\n" + "".join(f"{prefix}{line}\n" for line in BACKTRACE.splitlines())
    (trace,) = counters(text)
    assert trace.name == "kworker/83:4"
    assert trace.values == {
        "pid": 2384, "cpu": 83, "at": "frob_stop",
        "functions": ["crash_kexec", "asm_exc_page_fault", "frob_free"],
    }  # fmt: skip


def test_a_process_whose_line_a_mail_broke_before_its_taint() -> None:
    text = (
        "[   12.345678] WARNING: CPU: 1 PID: 77 at fs/frob.c:7 frob_sync+0x1/0x2\n"
        "[   12.345679] CPU: 1 PID: 77 Comm: kworker/1:4 Kdump: loaded\n"
        "Tainted: G        W         5.10.0 #1\n"
        "[   12.345680] Call Trace:\n[   12.345681]  frob_sync+0x1/0x2\n"
    )
    (trace,) = counters(text, "kernel trace")
    assert trace.name == "kworker/1:4"


@pytest.mark.parametrize("text", [
    "an unreferenced object 0x12 (size 96) is a leak\n",
    'comm "sh", pid 102, jiffies 4294892535 is what it says\n',
    'PID: 12   COMMAND: "sh" is what we started\n',
])  # fmt: skip
def test_sentences_about_leaks_and_backtraces_are_none(text: str) -> None:
    assert not counters(text, "kernel trace")


def test_what_an_oops_says_of_the_host_and_its_work() -> None:
    (trace,) = traces(OOPS)
    assert trace.values["hardware"] == "Example Inc. Server/Board, BIOS 1.2 03/04/2022"
    assert trace.values["workqueue"] == "kblockd blk_mq_run_work_fn"
    assert trace.values["fault"] == "supervisor read access"
    assert trace.values["error_code"] == "0x0000"
    assert "time" not in trace.values


def test_a_trace_of_which_each_line_only_names_the_kernel() -> None:
    lines = OOPS.splitlines()
    for name in ("kernel: ", "nas kernel: "):
        text = "".join(f"{name}{line}\n" for line in lines)
        (trace,) = traces(text)
        assert trace.values["functions"] == sure(OOPS)
    (trace,) = traces(OOPS + "kernel: 5.10.0-8-amd64\n")
    assert trace.values == traces(OOPS)[0].values


def test_a_module_of_which_a_mail_broke_the_bracket() -> None:
    text = (
        "> [   11.007474]  raid10d+0xcad/0x1c00 [raid10\n> ]\n"
        "> [   11.007480]  md_thread+0x1/0x2 [md_mod\n> ]\n> [   11.007490]  kthread+0x1/0x2\n"
    )
    (trace,) = traces(text)
    assert trace.values["functions"] == ["raid10d", "md_thread", "kthread"]


def test_how_long_a_task_waited() -> None:
    (trace,) = traces(HUNG)
    assert trace.values["blocked_seconds"] == int(re.findall(r"more than (\d+) s", HUNG)[0])
