"""Lines of the kernel's log: counted by device, and what looks like them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import AS_PRINTED, PRINTED
from iosonde.text.document import Document
from iosonde.text.find import FoundOutput, find
from tests.mangle import counters

SAMPLES = Path(__file__).parents[3] / "outputs" / "kernel-log"


def _counted(text: str) -> dict[tuple[str, str, str], dict[str, object]]:
    counted: dict[tuple[str, str, str], dict[str, object]] = {}
    for output in find(Document("text", text.encode())):
        assert isinstance(output, FoundOutput)
        for thing in output.counters:
            if thing.kind == AS_PRINTED or thing.tool == "kernel trace":
                continue
            assert thing.tool == "kernel log"
            counted[thing.host, thing.kind, thing.name] = dict(thing.values)
    return counted


def _counters_of(values: dict[str, object]) -> set[str]:
    """What a record counts beside what is only kept of a line without a time."""
    return set(values) - {"other_messages", "notices", "messages"}


def test_dmesg_of_a_drive_with_a_bad_sector() -> None:
    counted = _counted((SAMPLES / "dmesg-sata.txt").read_text())
    drive, link, disk = (counted["", "disk", name] for name in ("ata2.00", "ata2", "sdb"))
    assert (drive["timeout_exceptions"], drive["first"]) == (1, "86401.220145")
    assert drive["masks"] == ["0x4 (timeout)"]
    assert (link["link_resets"], link["first"], link["last"]) == (
        1, "86401.220188", "86401.220188",
    )  # fmt: skip
    assert (disk["medium_errors"], disk["buffer_errors"]) == (2, 1)
    assert (disk["first"], disk["last"]) == ("86419.003149", "86422.551873")


@pytest.mark.parametrize(("line", "kind", "name", "key", "value"), [
    ("I/O error, dev sdq, sector 771 op 0x0:(READ) flags 0x0 phys_seg 1", "disk", "sdq",
     "sectors", [771]),
    ("device offline error, dev sdq, sector 771 op 0x0:(READ) flags 0x0", "disk", "sdq",
     "offline_errors", 1),
    ("sd 3:0:1:0: [sdq] tag#17 FAILED Result: hostbyte=DID_ERROR driverbyte=DRIVER_OK cmd_age=2s",
     "disk", "sdq", "host_bytes", ["DID_ERROR"]),
    ("sd 3:0:1:0: [sdq] tag#17 Sense Key : Hardware Error [current]", "disk", "sdq",
     "sense_keys", ["Hardware Error"]),
    ("sd 3:0:1:0: [sdq]  Sense Key : Medium Error [current] [descriptor]", "disk", "sdq",
     "sense_keys", ["Medium Error"]),
    ("sd 3:0:1:0: [sdq] Add. Sense: Internal target failure", "disk", "sdq",
     "additional_senses", ["Internal target failure"]),
    ("sdq: Current: sense key: Aborted Command", "disk", "sdq", "sense_keys", ["Aborted Command"]),
    ("ata7.00: failed command: WRITE DMA EXT", "disk", "ata7.00", "commands", ["WRITE DMA EXT"]),
    ("ata7.00: error: { ICRC ABRT }", "disk", "ata7.00", "errors", ["ICRC ABRT"]),
    ("ata7: SATA link up 1.5 Gbps (SStatus 113 SControl 310)", "disk", "ata7",
     "link_speeds", ["1.5 Gbps"]),
    ("ata7.00: disable device", "disk", "ata7.00", "disabled_devices", 1),
    ("ata7.00: disabled", "disk", "ata7.00", "disabled_devices", 1),
    ("nvme nvme4: Abort status: 0x371", "disk", "nvme4", "abort_statuses", ["0x371"]),
    ("nvme nvme4: Device not ready; aborting reset, CSTS=0x1", "disk", "nvme4",
     "failed_controller_resets", 1),
    ("nvme nvme4: Removing after probe failure status: -19", "disk", "nvme4", "statuses", [-19]),
    ("nvme nvme4: I/O 71 QID 9 timeout, aborting", "disk", "nvme4", "queues", [9]),
    ("md/raid:md7: read error NOT corrected!! (sector 640 on sdq2).", "md", "md7",
     "sectors", [640]),
    ("md: recovery of RAID array md7", "md", "md7", "actions", ["recovery"]),
    ("EXT4-fs warning (device dm-3): ext4_end_bio:343: I/O error 10 writing to inode 77 "
     "starting block 900)", "ext4", "dm-3", "inodes", [77]),
    ("BTRFS error (device sdq1): bdev /dev/sdr1 errs: wr 3, rd 9, flush 0, corrupt 2, gen 0",
     "btrfs", "sdr1", "rd", [9]),
    ("BTRFS error (device sdq1): unable to fixup (regular) error at logical 409600 on dev /dev/x",
     "btrfs", "sdq1", "unrepaired_errors", 1),
    ("BTRFS warning (device sdq1): devid 4 uuid 0b6d2e1c-5a3f-4c10-9b7e-6f1d2c3b4a59 is missing",
     "btrfs", "sdq1", "missing_devices", 1),
    ("BTRFS info (device sdq1): scrub: finished on devid 1 with status: -125", "btrfs", "sdq1",
     "scrub_statuses", [-125]),
    ("bcache: bch_count_io_errors() sdq2: IO error on reading from cache, recovering.", "bcache",
     "sdq2", "cache_errors", 1),
    ("ata7.00: qc timeout after 7000 msecs (cmd 0xec)", "disk", "ata7.00", "waited_ms", [7000]),
    ("ata7.00: qc timeout (cmd 0xa1)", "disk", "ata7.00", "command_codes", ["0xa1"]),
    ("ata7.00: VERIFY failed (err_mask=0x4)", "disk", "ata7.00", "err_masks", ["0x4"]),
    ("ata7.00: failed to IDENTIFY (I/O error, err_mask=0x40)", "disk", "ata7.00", "reasons",
     ["I/O error"]),
    ("ata7.00: revalidation failed (errno=-5)", "disk", "ata7.00", "errnos", [-5]),
    ("ata7: COMRESET failed (errno=-16)", "disk", "ata7", "failures", ["COMRESET failed"]),
    ("sd 3:0:1:0: [sdq] tag#4 CDB: Write(16) 8a 00 00 00 00 00 24 f7 b1 00 00 00 00 80 00 00",
     "disk", "sdq", "commands", ["Write(16)"]),
    ("sd 3:0:1:0: [sdq] Test Unit Ready failed: Result: hostbyte=DID_NO_CONNECT "
     "driverbyte=DRIVER_OK", "disk", "sdq", "commands", ["Test Unit Ready"]),
    ("sd 3:0:1:0: [sdq] Write cache: disabled, read cache: enabled, doesn't support DPO or FUA",
     "disk", "sdq", "write_caches", ["disabled"]),
    ("sd 3:0:1:0: alua: port group 01 state S non-preferred supports tolUSNA", "disk", "3:0:1:0",
     "states", ["S"]),
    ("nvme nvme4: controller is down; will reset: CSTS=0x3, PCI_STATUS=0x10", "disk", "nvme4",
     "csts", ["0x3"]),
    ("nvme nvme4: queue 7: timeout request 0x14 type 4", "disk", "nvme4", "queues", [7]),
    ("nvme nvme4: I/O tag 12 (700c) type 4 opcode 0x1 (Write) QID 3 timeout", "disk", "nvme4",
     "queues", [3]),
    ("nvme nvme4: 8/0/2 default/read/poll queues", "disk", "nvme4", "queue_counts", ["8/0/2"]),
    ("nvme4n1: Read(0x2) @ LBA 8192, 8 blocks, Unrecovered Read Error (sct 0x2 / sc 0x81) DNR",
     "disk", "nvme4n1", "lbas", [8192]),
    ("block nvme4n1: no usable path - requeuing I/O", "disk", "nvme4n1", "requests_without_path",
     1),
    ("EXT4-fs error (device dm-3): ext4_lookup:1855: inode #77: comm find: iget: checksum invalid",
     "ext4", "dm-3", "errors", ["iget: checksum invalid"]),
    ("EXT4-fs error (device dm-3): ext4_mb_free_metadata:4921: inode #77: block 91: comm rm: twice",
     "ext4", "dm-3", "blocks", [91]),
    ("EXT4-fs (dm-3): mounted filesystem without journal. Opts: (null)", "ext4", "dm-3",
     "journals", ["without journal"]),
    ("BTRFS info (device sdq1: state EA): forced readonly", "btrfs", "sdq1", "shutdowns", 1),
    ("BTRFS info (device sdq1 state EA): forced readonly", "btrfs", "sdq1", "shutdowns", 1),
    ("BTRFS: error (device sdq1: state A) in btrfs_commit_transaction:2279: errno=-28 No space left"
     " (late)", "btrfs", "sdq1", "errors", [-28]),
    ("BTRFS: Transaction aborted (error -22)", "btrfs", "", "errors", [-22]),
    ("BTRFS info (device sdq1): read error corrected: ino 0 off 4096 (dev /dev/sdr sector 776)",
     "btrfs", "sdq1", "sectors", [776]),
    ("BTRFS error (device sdq1): open_ctree failed", "btrfs", "sdq1", "failed_mounts", 1),
    ("XFS (sdq1): Metadata CRC error detected at xfs_agf_read_verify+0x10e/0x140 [xfs], xfs_agf "
     "block 0x8001", "xfs", "sdq1", "functions", ["xfs_agf_read_verify"]),
    ("XFS (sdq1): log mount/recovery failed: error -117", "xfs", "sdq1", "errors", [-117]),
    ("md/raid:md7: raid level 6 active with 11 out of 12 devices, algorithm 2", "md", "md7",
     "active", ["11 out of 12"]),
    ("md/raid10:md7: not enough operational mirrors.", "md", "md7", "failed_starts", 1),
    ("md: md7: reshape interrupted.", "md", "md7", "endings", ["reshape interrupted"]),
    ("bcache: bch_cached_dev_error() stop bcache7: too many IO errors on backing device sdq",
     "bcache", "bcache7", "others", ["sdq"]),
    ("megaraid_sas 0000:41:00.0: 3117 (712345678s/0x0001/FATAL) - VD 03/3 is now OFFLINE", "disk",
     "megaraid_sas 0000:41:00.0", "events", ["VD 03/3 is now OFFLINE"]),
    ("block nbd3: Receive control failed (result -104)", "nbd", "nbd3", "errors", [-104]),
    ("libceph: mon2 (1)10.4.0.7:6789 session lost, hunting for new mon", "ceph", "mon2",
     "addresses", ["10.4.0.7:6789"]),
    ("nvmet: ctrl 3 keep-alive timer (15 seconds) expired!", "nvmeof_target", "",
     "keep_alive_seconds", [15]),
    (" connection4:0: detected conn error (1021)", "iscsi", "connection4:0", "errors", [1021]),
    ("blk_update_request: 31 callbacks suppressed", "host", "", "suppressed", [31]),
    ("WARNING: CPU: 3 PID: 88 at drivers/md/raid5.c:4971 handle_stripe+0x1c/0x40", "host", "",
     "warned_at", ["drivers/md/raid5.c:4971"]),
])  # fmt: skip
def test_what_a_message_names(line: str, kind: str, name: str, key: str, value: object) -> None:
    """Forms by the kernel's source, as each technology's kernel_log.py names it."""
    counted = _counted(f"[  100.000000] {line}\n")
    assert list(counted) == [("", kind, name)]
    values = counted["", kind, name]
    assert values[key] == value
    assert values["messages"] == [line.strip()]
    assert _counted(f"I looked and “{line}” was there.\n") == {}


def test_a_hung_task_with_its_kernel() -> None:
    values = _counted(
        "[ 900.000100] INFO: task tar:4711 blocked for more than 122 seconds.\n"
        "[ 900.000200]       Not tainted 6.1.0-13-amd64 #1 Debian 6.1.55-1\n"
    )["", "host", ""]
    assert values["tasks"] == ["tar:4711"]
    assert values["blocked_seconds"] == [122]
    assert values["kernels"] == ["6.1.0-13-amd64"]


def test_what_a_mail_broke_in_two() -> None:
    broken = (
        "Nov  3 02:11:09 db1 kernel: blk_update_request: I/O error, dev\n"
        "sdq, sector 640 op 0x1:(WRITE) flags 0x700 phys_seg 1 prio\nclass 0\n"
    )
    assert _counted(broken)["db1", "disk", "sdq"]["sectors"] == [640]
    whole = broken.replace("dev\nsdq", "dev\nNov  3 02:11:10 db1 kernel: sdq")
    assert _counted(whole) == {}


def test_the_time_of_news_is_not_the_time_of_trouble() -> None:
    values = _counted(
        "[    1.000000] ata7: SATA link up 6.0 Gbps (SStatus 133 SControl 300)\n"
        "[  700.000000] ata7: hard resetting link\n"
        "[  701.000000] ata7: SATA link up 3.0 Gbps (SStatus 123 SControl 320)\n"
    )["", "disk", "ata7"]
    assert (values["first"], values["last"]) == ("700.000000", "700.000000")
    assert values["link_speeds"] == ["6.0 Gbps", "3.0 Gbps"]


def test_messages_of_a_mirror_that_loses_a_member() -> None:
    counted = _counted((SAMPLES / "messages-md.txt").read_text())
    assert counted["db1", "md", "md0"]["others"] == ["sdc1"]
    assert counted["db1", "ext4", "md0"]["read_only_remounts"] == 1
    assert counted["db1", "host", ""]["others"] == ["jbd2/md0-8"]
    assert counted["db1", "disk", "sdc"]["first"] == "Nov  3 02:11:09"


def test_lines_between_the_command_and_the_first_message_of_a_device_are_kept() -> None:
    text = (
        "# dmesg\n"
        "[  200.776161] pci 0000:2d:00.1: [144d:a824] type 00 class 0x010802\n"
        "[  200.776785] pci 0000:2d:00.1: Adding to iommu group 37\n"
        "[  200.777073] nvme nvme1: pci function 0000:2d:00.1\n"
        "[  200.777149] nvme 0000:2d:00.1: enabling device (0000 -> 0002)\n"
    )
    (printed,) = counters(text, PRINTED)
    assert list(printed.values) == ["[  200.776161]", "[  200.776785]"]
    below = text.replace("# dmesg\n", "# uptime\n12:00 up 3 days\n# dmesg\n")
    (again,) = counters(below, PRINTED)
    assert again.values == printed.values


@pytest.mark.parametrize(("op", "count"), [("0x3:(DISCARD)", 0), ("0x1:(WRITE)", 1)])
def test_a_request_counts_by_its_operation_also_where_a_mail_broke_the_line(
    op: str, count: int
) -> None:
    text = (
        f"[   29.405344] critical target error, dev sda, sector 65535 op\n{op} flags 0x4800 "
        "phys_seg 1 prio class 0\n"
    )
    values = _counted(text).get(("", "disk", "sda"), {})
    assert values.get("target_errors", 0) == count


@pytest.mark.parametrize("line", [
    "I/O error, dev sda, sector 2048 op 0x3:(DISCARD) flags 0x800 phys_seg 1 prio class 2",
    "I/O error, dev sda, sector 20480 op 0x9:(WRITE_ZEROES) flags 0x800 phys_seg 0 prio class 2",
    'printk(KERN_ERR "%s: I/O error, dev %s, sector %llu", ...);',
    "My log is full of “I/O error, dev sda, sector 2048” since yesterday.",
    "ata1.00: exception Emask is what libata prints when a port is frozen.",
    "operation not supported error, dev loop0, sector 0 op 0x9:(WRITE_ZEROES) flags 0x800",
    "INFO: task runner finished; no task was blocked for more than a second",
    "ata1: SATA link up and then down again, all day",
    "sd 0:0:0:0: [sda] Sense Key : is what I see first",
    "net_ratelimit: 31 callbacks suppressed",
    "WARNING: CPU: 3 PID: 88 at net/sched/sch_generic.c:525 dev_watchdog+0x1/0x2",
    'btrfs_info(fs_info, "bdev %s errs: wr %u, rd %u, flush %u, corrupt %u, gen %u",',
    "EXT4-fs (sda1): mounting ext3 file system using the ext4 subsystem",
    "ata1.00: READ LOG DMA EXT may be tried (errno= is what it prints)",
    "nvme nvme0: timeout is what I set, 30 seconds",
    "BTRFS error (device sda): is all that I see",
    "md: md7 stopped for a reason of its own",
    "sd 0:0:0:0: [sda] Write cache: is what hdparm -W shows",
    "XFS (sda1): Mounting is slow",
    "nfs: server is not responding, still trying to find out why",
    "usb 1-4: reset button pressed on device number 3",
    "The oops: 0002 of [#1] is the one I mean",
    "Kernel panic - not syncing is what the screen ends with",
    "Skipping RIP: 0010 of the trace, it says nothing",
])  # fmt: skip
def test_what_looks_like_a_failure_and_is_none(line: str) -> None:
    assert not any(map(_counters_of, _counted(f"{line}\n").values()))
    assert _counted(f"[  100.000000] {line}\n[  101.000000] sda: sda1 sda2\n") == {}


@pytest.mark.parametrize("before", [
    "", "[12345.678901] ", "<3>[12345.678901] ", "Nov  3 02:11:09 db1 kernel: ", "kernel: ",
    "[Mon Nov  3 02:11:09 2025] ", "2026-03-02T14:20:31+0100 web3 kernel: ", "> [   12.345678] ",
    "Mar 02 14:20:31 web3 kernel: [   12.345678] ", "kernel: [   12.345678] ",
    "kern  :err   : [   12.345678] ", "kern  :err   : [   12.345678] [   T4552] ",
    "kern :err : [Mar 2 14:20] ", "[Mar12 14:20] ", "[März12 14:20] ",
    "[  +0.000022] ", "[Mo Mär  2 14:20:31 2026] ",
    "[Mon Mar 2 14:20:31 2026] ", "Okt 12 14:20:31 web3 kernel: ", "дек 12 14:20:31 web3 kernel: ",
    "11月 02 14:20:31 web3 kernel: ", "Mar 02 14:20:31 kernel: ", "Mar 02 14:20:31 [kernel] ",
    "Mar 02 14:20:31 [localhost] kernel: [   12.345678] ", "web3: [   12.345678] ",
    "2026-03-02T14:20:31+01:00 web3 kernel: [   12.345678] ",
    "2026-03-02T14:20:31.8117 warning kern kernel  [   12.345678] ",
    "2026-03-02T14:20:31.118245+01:00 web3 kernel - - - ",
    "2026-03-02 14:20:31 notice kernel: [   12.345678] ", "4,3526,4363269454,-;",
    "[   12.345678] 003: ", "2026-03-02T14:20:31.1182455Z [   12.345678] ",
    "2026-03-02T14:20:31.1182455Z [ 12.345678] ",
])  # fmt: skip
def test_every_form_of_a_line(before: str) -> None:
    line = f"{before}I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1\n"
    for text in (line, f"The disk says:\n\n{line}\nWhat can I do?\n", line * 3):
        (values,) = _counted(text).values()
        assert values["io_errors"] == text.count("I/O error")


@pytest.mark.parametrize(("before", "host", "first"), [
    ("kernel: [   12.345678] ", "", "12.345678"),
    ("web3: [   12.345678] ", "web3", "12.345678"),
    ("Okt 12 14:20:31 web3 kernel: [   12.345678] ", "web3", "Okt 12 14:20:31"),
    ("2026-03-02T14:20:31+0100 kernel: ", "", "2026-03-02T14:20:31+0100"),
    ("[Mo Mär  2 14:20:31 2026] ", "", "Mo Mär  2 14:20:31 2026"),
    ("[   12.345678] 003: ", "", "12.345678"),
    ("2026-03-02T14:20:31.1182455Z [   12.345678] ", "", "2026-03-02T14:20:31.1182455Z"),
])  # fmt: skip
def test_whose_log_it_is_and_when(before: str, host: str, first: str) -> None:
    line = f"{before}I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1\n"
    counted = _counted(line * 2)
    assert counted[host, "disk", "sda"]["first"] == first


def test_what_a_program_says_of_a_disk_is_not_the_kernels() -> None:
    line = "Mar 02 14:20:31 web3 backup[17]: I/O error, dev sda, sector 2048 op 0x0:(READ)\n"
    assert _counted(line * 2) == {}


def test_a_log_with_other_outputs_in_it_swallows_none() -> None:
    log = "[    1.000000] Buffer I/O error on dev sda, logical block 1, async page read\n"
    mdstat = (
        "$ cat /proc/mdstat\nPersonalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n"
        "      1048512 blocks [2/2] [UU]\n\nunused devices: <none>\n"
    )
    outputs = list(find(Document("text", (log + mdstat + log).encode())))
    assert [output.tool for output in outputs] == ["kernel log", "mdstat", "kernel log"]


def test_a_console_that_ends_in_a_crash() -> None:
    text = (SAMPLES / "console-crash.txt").read_text()
    (output,) = find(Document("text", text.encode()))
    assert isinstance(output, FoundOutput)
    counted = {(thing.kind, thing.name): thing.values for thing in output.counters}
    assert counted["nfs", "nas7"]["unanswered_calls"] == 1
    assert counted["nfs", "nas7"]["answers_again"] == 1
    assert counted["multipath", "253:4"]["others"] == ["8:48"]
    assert counted["disk", "rport-2:0-1"]["lost_ports"] == 1
    assert counted["drbd", "r1"]["unanswered_pings"] == 1
    host = counted["host", ""]
    assert (host["kernel_crashes"], host["kernel_panics"]) == (1, 1)
    assert host["crashed_in"] == ["bch_data_insert+0x44/0x90"]
    assert host["kernels"] == ["4.4.99-1-default"]


def test_what_nobody_names_between_messages_is_kept_as_it_is_printed() -> None:
    name = "[    {}.000000] Buffer I/O error on dev sda, logical block 1, async page read\n"
    strange = "[    2.000000] md: md7 stopped for a reason of its own\n"
    text = name.format(1) + strange + name.format(3)
    (output,) = find(Document("text", text.encode()))
    assert isinstance(output, FoundOutput)
    (kept,) = (thing for thing in output.counters if thing.kind == AS_PRINTED)
    assert kept.values == {"[    2.000000]": "md: md7 stopped for a reason of its own"}
    (output,) = find(Document("text", (name.format(1) + name.format(3)).encode()))
    assert isinstance(output, FoundOutput)
    assert all(thing.kind != AS_PRINTED for thing in output.counters)


def test_more_strange_messages_than_a_record_takes_are_several_records() -> None:
    strange = "".join(f"[    2.{place:06}] strange: message {place}\n" for place in range(450))
    name = "[    {}.000000] Buffer I/O error on dev sda, logical block 1, async page read\n"
    (output,) = find(Document("text", (name.format(1) + strange + name.format(3)).encode()))
    assert isinstance(output, FoundOutput)
    kept = [thing for thing in output.counters if thing.kind == AS_PRINTED]
    assert sum(len(thing.values) for thing in kept) == 450


def test_the_end_of_a_message_that_a_mail_broke_is_kept() -> None:
    broken = (
        "[ 8758.157075] device-mapper: table: 252:3: multipath: error getting\n"
        "device (-EBUSY)\n[ 8758.158039] device-mapper: ioctl: error adding target to table\n"
    )
    counted = _counted(broken)
    assert counted["", "dm", "252:3"]["refused"] == ["multipath: error getting device (-EBUSY)"]
    short = "[ 8758.1570] device-mapper: table: 252:3: refused\nThat is all I see.\n"
    assert _counted(short)["", "dm", "252:3"]["refused"] == ["refused"]


def test_a_stack_parts_no_log_in_two() -> None:
    stack = "".join(f"[  900.0010{place:02}]  step_{place}+0x1/0x2\n" for place in range(30))
    text = (
        "[  900.000000] INFO: task tar:11 blocked for more than 120 seconds.\n"
        f"{stack}\n"
        "[  901.000000] INFO: task cp:12 blocked for more than 120 seconds.\n"
    )
    (output,) = find(Document("text", text.encode()))
    assert isinstance(output, FoundOutput)
    assert output.counters[0].values["tasks"] == ["tar:11", "cp:12"]
    apart = text.replace(stack, "and\nso\nit\nwent\non\n")
    assert len(list(find(Document("text", apart.encode())))) == 2


@pytest.mark.parametrize(("line", "name", "key"), [
    ("EXT4-fs (dm-7): Could not load journal inode", "dm-7", "unloaded_journals"),
    ("Aborting journal on device dm-7.", "dm-7", "journal_aborts"),
    ("Aborting journal on device dm-7-8.", "dm-7", "journal_aborts"),
    ("JBD2: Aborting journal on device sdb1-8.", "sdb1", "journal_aborts"),
    ("EXT3-fs (dm-7): error in ext3_new_blocks: Journal has aborted", "dm-7",
     "aborted_operations"),
    ("EXT3-fs (dm-7): error: remounting filesystem read-only", "dm-7", "read_only_remounts"),
])  # fmt: skip
def test_journals_that_stop(line: str, name: str, key: str) -> None:
    (counted,) = _counted(f"[  100.000000] {line}\n").items()
    assert (counted[0][2], counted[1][key]) == (name, 1)


@pytest.mark.parametrize(
    ("clock", "at"),
    [("[  +0.000045]", None), ("[  +0,002137]", None), ("[    3.600045]", "3.600045"),
     ("[Sep 5 02:22]", "Sep 5 02:22")],
)  # fmt: skip
def test_what_went_by_since_the_line_before_is_no_time(clock: str, at: str | None) -> None:
    (log,) = counters(f"{clock} BTRFS error (device sdq2) in btrfs_x:1: errno=-5 IO failure\n")
    assert (log.values.get("first"), log.values.get("last")) == (at, at)


def test_a_command_below_a_message_is_no_part_of_it() -> None:
    line = "[12827.695610] sdq: detected capacity change from 0 to 53687091200"
    (alone,) = counters(f"{line}\n")
    (above,) = counters(f"{line}\n# insmod host/test_verify.ko\n")
    assert above.values == alone.values


def test_where_the_kernel_was_is_not_said_of_the_drive_above() -> None:
    counted = _counted(
        "[  900.000100] I/O error, dev sdb, sector 5374 op 0x1:(WRITE) flags 0x0 phys_seg 1\n"
        "[  900.000200] ------------[ cut here ]------------\n"
        "[  900.000300] WARNING: CPU: 0 PID: 77 at lib/refcount.c:28 refcount_warn+0xa7/0xe8\n"
        "[  900.000400] CPU: 0 PID: 77 Comm: md0_raid1 Not tainted 5.16.5 #1\n"
        "[  900.000500] RIP: 0010:refcount_warn+0xa7/0xe8\n"
        "[  900.000600] Call Trace:\n"
        "[  900.000700]  blk_mq_free_request+0xad/0xc2\n"
        "[  900.000800]  md_thread+0x12c/0x155\n"
        "[  900.000900] ---[ end trace 15dc74ae2e04f738 ]---\n"
        "[  901.000100] I/O error, dev sdb, sector 5390 op 0x1:(WRITE) flags 0x0 phys_seg 1\n"
    )
    drive, host = counted["", "disk", "sdb"], counted["", "host", ""]
    assert (drive["io_errors"], drive["sectors"]) == (2, [5374, 5390])
    assert "crashed_in" not in drive
    assert host["crashed_in"] == ["refcount_warn+0xa7/0xe8"]


@pytest.mark.parametrize(
    ("state", "counter"),
    [
        ("0x0 SAct 0x40000000 SErr 0x0 action 0x0", "command_exceptions"),
        ("0x1 SAct 0x8000 SErr 0x0 action 0x0", "command_exceptions"),
        ("0x9 SAct 0x8000 SErr 0x0 action 0x0", "command_exceptions"),
        ("0x4 SAct 0x8000 SErr 0x0 action 0x0", "link_exceptions"),
        ("0x10 SAct 0x8000 SErr 0x0 action 0x0", "link_exceptions"),
        ("0x0 SAct 0x40000000 SErr 0x0 action 0x6 frozen", "timeout_exceptions"),
        ("0x4 SAct 0x0 SErr 0x0 action 0x6 frozen", "timeout_exceptions"),
        ("0x10 SAct 0x0 SErr 0x0 action 0x6 frozen", "link_exceptions"),
        ("0x0 SAct 0x0 SErr 0x50000 action 0x6 frozen", "link_exceptions"),
        ("0x0 SAct 0x0 SErr 0x0 action 0xe frozen", "link_exceptions"),
        ("0x0 SAct 0x40000000 SErr 0x0 action 0x0 frozen", "link_exceptions"),
        ("0x0 SAct 0x40000000 SErr 0x4050002 action 0x0", "link_exceptions"),
    ],
)
def test_an_exception_of_a_drive_that_answers_is_none_of_its_link(state: str, counter: str) -> None:
    counted = _counted(f"[609750.100525] ata1.00: exception Emask {state}\n")
    values = counted["", "disk", "ata1.00"]
    assert values[counter] == 1
    every = {"command_exceptions", "link_exceptions", "timeout_exceptions"}
    assert every & set(values) == {counter}


def test_what_a_command_says_on_the_console_is_no_rest_of_a_message() -> None:
    failed = (
        "[  112.397315][  T256] I/O error, dev sdq, sector 609800 op 0x1:(WRITE)\n"
        "[  112.465758][    T7] nvme nvme7: Removing after probe failure status: -19\n"
    )
    for complaint in (
        "dd: error writing '/dev/nvme7n1': No space left on device",
        "mount: /mnt: wrong fs type, bad option, bad superblock on /dev/sdq.",
        "-bash: /root/a: Input/output error",
    ):
        (controller,) = (
            thing for thing in counters(f"{failed}{complaint}\n") if thing.name == "nvme7"
        )
        assert controller.values["messages"] == [
            "nvme nvme7: Removing after probe failure status: -19"
        ], complaint
    whole = _counted(failed.replace("failure status", "failure\nstatus"))["", "disk", "nvme7"]
    assert whole["statuses"] == [-19]


@pytest.mark.parametrize("prompt", ["# ", "/ # ", "root@board:~# ", "$ "])
def test_a_message_behind_a_prompt(prompt: str) -> None:
    line = "[  112.935768] I/O error, dev sdq, sector 609800 op 0x1:(WRITE) flags 0x0\n"
    assert _counted(prompt + line)["", "disk", "sdq"]["sectors"] == [609800]


@pytest.mark.parametrize("text", [
    "# [ 112 ] I/O error, dev sdq, sector 609800\n",
    "# [ -b /dev/sdq ] && echo I/O error, dev sdq\n",
])  # fmt: skip
def test_a_prompt_with_a_test(text: str) -> None:
    assert ("", "disk", "sdq") not in _counted(text)
