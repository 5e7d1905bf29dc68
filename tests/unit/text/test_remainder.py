"""What no reader took: kept as printed, told as unread, or left alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest

from iosonde.explain.gather import of_run
from iosonde.records.printed import AS_PRINTED, PRINTED, PrintedCounters, StoredExtra, Unread
from iosonde.records.run import Run, RunState
from iosonde.records.sheet import RunSheet
from iosonde.text import figures
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find_and_tell
from iosonde.text.find_state import TakenLines
from iosonde.text.kernel_lines import is_kernel_line
from iosonde.text.prose import is_sentence
from iosonde.text.remainder import remainder
from iosonde.text.shell import command_at, prints_figures
from iosonde.verbs.import_ import imported
from tests.growth import grows_faster
from tests.mangle import kept_as_printed, read

_CONTROLLER = """\
Controllers found: 1
----------------------------------------------------------------------
Controller information
----------------------------------------------------------------------
   Controller Status                        : Optimal
   Temperature                              : 51 C/ 123 F (Normal)
   Installed memory                         : 128 MB
"""
_ERRORS = """\
---------------------------
EID PNO  Invalid  Losses
---------------------------
 12   4        0      17
(snip)
 12  34      236       2
---------------------------
"""


def rest(text: str, taken: Sequence[TakenLines] = ()) -> list[FoundOutput | Unread]:
    return list(remainder(of_bytes("ticket.txt", text.encode()), taken))


def kept(text: str) -> list[tuple[str, object]]:
    """Names and values of what is kept as printed; nothing may be told as unread."""
    outputs = rest(text)
    assert not [output for output in outputs if isinstance(output, Unread)]
    return [
        (counters.name, counters.values)
        for output in outputs
        if isinstance(output, FoundOutput)
        for counters in output.counters
    ]


@pytest.mark.parametrize(
    ("prompt", "host"),
    [
        ("# ", ""), ("$ ", ""), ("[root@db1 ~]# ", "db1"), ("root@db1:/home# ", "db1"),
        ("db1:~ # ", "db1"), ("/opt/tools# ", ""), ("[root ~]# ", ""), ("sh-5.1# ", ""),
        ("bash-4.4$ ", ""), ("[root@esx1:~] ", "esx1"), ("[root@esx1:/vmfs/volumes] ", "esx1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mark", ["", "> ", "> > "])
def test_a_list_below_a_command_is_kept(prompt: str, host: str, mark: str) -> None:
    text = f"{prompt}arrayctl getconfig 1 -v\n{_CONTROLLER}\nSo what is wrong with it?\n"
    quoted = "".join(mark + line for line in text.splitlines(keepends=True))
    outputs = rest(quoted)
    assert len(outputs) == 1
    assert isinstance(outputs[0], FoundOutput)
    output = outputs[0]
    assert (output.place.first_line, output.place.last_line) == (2, 8)
    assert output.tool == PRINTED
    assert output.counters == (
        PrintedCounters(
            PRINTED, AS_PRINTED, "arrayctl getconfig 1 -v", {"Controllers found": "1"}, host,
            "arrayctl getconfig 1 -v",
        ),
        PrintedCounters(
            PRINTED, AS_PRINTED, "arrayctl getconfig 1 -v: Controller information",
            {
                "Controller Status": "Optimal", "Temperature": "51 C/ 123 F (Normal)",
                "Installed memory": "128 MB",
            },
            host, "arrayctl getconfig 1 -v",
        ),
    )  # fmt: skip


def test_a_table_below_a_command_is_kept() -> None:
    table = {
        "columns": ["EID", "PNO", "Invalid", "Losses"],
        "rows": [["12", "4", "0", "17"], ["12", "34", "236", "2"]],
    }
    assert kept(f"```\n./raidcli /c1 show errors\n{_ERRORS}```\n") == [
        ("./raidcli /c1 show errors", table)
    ]
    assert kept(f"```\nkubectl describe pod a-0\n{_ERRORS}```\n") == [
        ("kubectl describe pod a-0", table)
    ]
    assert kept(f"```\nkubectl can describe errors, so:\n{_ERRORS}```\n") == []
    assert kept(f"the errors, by `raidcli /c1 show errors`:\n```\n{_ERRORS}```\n") == [("", table)]


def test_a_row_with_fewer_cells_has_them_where_they_stand() -> None:
    text = (
        "$ memory -m\n"
        "             total       used       free     cached\n"
        "Mem:         24082      23654        428       7430\n"
        "-/+ cache:              15849       8232\n"
        "Swap:         2047        553       1494\n"
    )
    assert kept(text) == [
        (
            "memory -m",
            {
                "columns": ["", "total", "used", "free", "cached"],
                "rows": [
                    ["Mem:", "24082", "23654", "428", "7430"],
                    ["-/+ cache:", "", "15849", "8232", ""],
                    ["Swap:", "2047", "553", "1494", ""],
                ],
            },
        )
    ]


def test_columns_may_be_drawn_by_dashes_under_a_head_of_two_lines() -> None:
    text = (
        "The states are:\n\n"
        "disk      sector failure holds\n"
        "name        size   group metadata  status\n"
        "--------- ------ ------- --------- ----------\n"
        "nsd09        512      -1 yes       ready\n"
        "nsd10       4096       2 no        being emptied\n\nSee the manual.\n"
    )
    assert kept(text) == [
        (
            "",
            {
                "columns": [
                    "disk name",
                    "sector size",
                    "failure group",
                    "holds metadata",
                    "status",
                ],
                "rows": [
                    ["nsd09", "512", "-1", "yes", "ready"],
                    ["nsd10", "4096", "2", "no", "being emptied"],
                ],
            },
        )
    ]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("reads=12, writes=7 errors=0", {"reads": "12", "writes": "7", "errors": "0"}),
        ("reads = 12, writes = 0x7f", {"reads": "12", "writes": "0x7f"}),
        ("Bytes read ........... 4096 MB", {"Bytes read": "4096 MB"}),
        ("E: MAJOR=8", {"E: MAJOR": "8"}),
        ("rxq0: rx_bytes: 176801887745990", {"rxq0: rx_bytes": "176801887745990"}),
        ("Size: 0     Blocks: 8     Block: 4096", {"Size": "0", "Blocks": "8", "Block": "4096"}),
    ],
)
def test_names_and_values_are_as_they_stand_there(line: str, values: dict[str, str]) -> None:
    assert kept(f"$ tool --stats\n{line}\n") == [("tool --stats", values)]


@pytest.mark.parametrize(
    "line",
    [
        "Device: 33h/51d Inode: 3659174697263184  Links: 1",  # two names before one value
        "Swap:    2047    553    1494",  # three values of one name
    ],
)
def test_what_says_not_which_value_is_whose_is_kept_line_by_line(line: str) -> None:
    assert kept(f"$ tool --stats\n{line}\n\nRegards\n") == [("tool --stats", {"lines": [line]})]
    (lines, unread) = rest(f"$ fio --stats\n{line}\n\nRegards\n")  # of which there is a reader
    assert isinstance(lines, FoundOutput)
    assert isinstance(unread, Unread)
    assert unread.reason == "output of `fio --stats`: in no form that its reader knows"
    assert (unread.place.first_line, unread.place.last_line) == (2, 2)


@pytest.mark.parametrize(("command", "output"), [
    ("ls -d mnt/file", "mnt/file"),
    ("ls /dev/mapper", "control\nvg0-root\nvg0-swap"),
    ("file disk.img", "disk.img: Linux rev 1.0 ext4 filesystem data (extents) (large files)"),
    ("git log --oneline", "1234567 first: 12"),
    ("echo done", "done"),
    ("tool -x", "tool: /dev/sdz is in use by the system and cannot be opened"),
    ("od -Ad x", "0000000 0000 0001 0002 0003\n*\n0004096"),
    ("ls -l", "total 4\n-rw-r--r-- 1 root root 35 Jan  1 18:52 a"),
    ("cmp x y 2>&1", "x y differ: byte 17, line 1"),
])  # fmt: skip
def test_an_output_of_no_form_is_kept_line_by_line(command: str, output: str) -> None:
    assert kept(f"$ {command}\n{output}\n\nRegards\n") == [(command, {"lines": output.split("\n")})]


@pytest.mark.parametrize(("command", "below"), [
    ("cd /mnt", "and there was 1 file in it"),
    ("echo 1 > /sys/block/sda/device/delete", "gone at once"),
    ("cat /etc/lvm/lvm.conf", "devices 12"),
    ("tool -x", "that took an hour of the day and it was the end of it,\nso I went 2 km"),
    ("cat a.c", "int size = 12;\nreturn size;"),
    ("tool -x", "the pool is 35 % full"),
    ("tool -x", "0000000 0000 0000 1234 0000"),
    ("git diff", "diff --git a/x b/x\nindex 1234567..7654321 100644\n@@ -1,2 +1,2 @@"),
    ("mount /dev/sdb1 /mnt", "\nIt took 35 s and then it was there."),
])  # fmt: skip
def test_what_stands_below_a_command_and_is_no_output(command: str, below: str) -> None:
    assert not [output for output in rest(f"$ {command}\n{below}\n")
                if isinstance(output, FoundOutput)]  # fmt: skip


def test_an_output_of_many_lines_is_told_as_unread() -> None:
    below = "".join(f"{'x' * number} is odd {number}\n" for number in range(1, 80))
    (unread,) = rest(f"$ tool -x\n{below}")
    assert isinstance(unread, Unread)
    assert unread.reason == "output of `tool -x`: no reader for it"


def test_a_value_that_a_mail_broke_is_not_kept_in_part() -> None:
    text = (
        "$ tool info\n"
        "Major: 8\n"
        "Minor: 64\n"
        "Path: /devices/pci0000:00/0000:00:01.0/0000:01:00.7/host3/rport-3:0-\n"
        "0/target3:0:0/3:0:0:4/block\n"
    )
    outputs = rest(text)
    assert isinstance(outputs[0], FoundOutput)
    assert [counters.values for counters in outputs[0].counters] == [{"Major": "8", "Minor": "64"}]
    assert isinstance(outputs[1], FoundOutput)
    (kept,) = outputs[1].counters
    assert kept.values == {"lines": [line.strip() for line in text.splitlines()[3:]]}
    assert outputs[1].place.first_line == 4


def test_a_value_beside_its_name_that_a_mail_broke_is_not_kept_in_part() -> None:
    """It was gone over again and again, for ever."""
    rows = (
        " 6.08MiB      49 mm/slab_common.c:950 module:slab_common func:order",
        " 4.54MiB      78 mm/page_alloc.c:5777 module:page_alloc func:alloc_pages_exact",
        " 734KiB     5380 fs/xfs/kmem.c:20 module:xfs func:kmem_alloc",
    )
    outputs = rest("# sort -h alloc_info\n" + "\n".join(rows) + "\n and more\n")
    assert len(outputs) <= 2


def test_messages_of_the_kernel_are_kept_under_their_times() -> None:
    text = (
        "$ dmesg | tail\n"
        "[ 4528.074716] frobnicate: check failed: block 17 is not what\n"
        "was wanted\n"
        "[ 4528.074728] kernel BUG at drivers/frob.c:1155!\n"
        "[ 4528.074833] RIP: 0010:frob_release+0x19/0x75\n"
        "[ 4528.075207]  frob_end+0x1c/0x27\n"
        "[ 4528.075255] frob0: stopped\n"
    )
    assert kept(text) == [
        (
            "dmesg | tail",
            {
                "[ 4528.074716]": "frobnicate: check failed: block 17 is not what was wanted",
                "[ 4528.074728]": "kernel BUG at drivers/frob.c:1155!",
                "[ 4528.075255]": "frob0: stopped",
            },
        )
    ]


def test_what_programs_write_to_a_log_is_kept_behind_their_names() -> None:
    text = (
        "It says:\n\n"
        "Jul 09 07:33:56 nas rpc.frob[51641]: access by\n"
        "192.0.2.7 was allowed\n"
        "Jul 09 07:33:57 nas systemd[1]: Mounting /srv/a...\n"
        "Jul 09 07:33:57 nas kernel: frob0: mounted 3 parts\n"
        "That is what I see on 12 hosts.\n"
    )
    (output,) = rest(text)
    assert (output.place.first_line, output.place.last_line) == (3, 6)
    assert isinstance(output, FoundOutput)
    (record,) = output.counters
    assert (record.host, record.values) == (
        "nas",
        {
            "Jul 09 07:33:56": "rpc.frob[51641]: access by 192.0.2.7 was allowed",
            "Jul 09 07:33:57": [
                "systemd[1]: Mounting /srv/a...", "frob0: mounted 3 parts",
            ],
        },
    )  # fmt: skip


def test_two_forms_of_the_kernels_lines_are_two_messages() -> None:
    text = (
        "[593764.644269] stripe state: 2003\n"
        "kernel: [593764.644299] ------------[ cut here ]------------\n"
        "kernel: [593764.644310] frob0: stopped\n"
    )
    assert kept(text) == [
        ("", {"[593764.644269]": "stripe state: 2003", "[593764.644310]": "frob0: stopped"})
    ]


_CHECKED = (
    "Checking device in read-write mode\n"
    "From block 0 to 2047\n"
    "The first test is with a random pattern: done\n"
    "\n"
    "Pass completed, 3 bad blocks were seen. (0/2/1 errors)\n"
)


@pytest.mark.parametrize(
    "text",
    [
        f"So it was:\n\n```sh\n$ fio --check /dev/sdb\n{_CHECKED}```\n\nWhat does it mean?\n",
        f"So it was:\n\n`fio --check /dev/sdb`\n\n```\n{_CHECKED}```\n",
        f"> root@db1:~# fio --check /dev/sdb\n```\n{_CHECKED}```\n",
    ],
)
def test_sentences_within_a_fence_belong_to_the_output(text: str) -> None:
    lines = [
        line
        for output in rest(text)
        if isinstance(output, FoundOutput)
        for counters in output.counters
        for line in cast("list[str]", counters.values["lines"])
    ]
    assert lines == [line for line in _CHECKED.splitlines() if line]


def test_sentences_below_a_command_that_nothing_encloses_are_prose() -> None:
    text = "$ fio --check /dev/sdb\nThe first 3 tests went well, and so we stopped it then.\n"
    assert not [output for output in rest(text) if isinstance(output, FoundOutput)]


def test_a_usage_is_no_output_with_figures() -> None:
    usage = "Usage: tool [-n 4096]\n  -a, --all  all of 3 sorts\n"
    assert not [output for output in rest(f"$ tool --help\n{usage}") if isinstance(output, Unread)]


def test_a_part_of_a_crash_is_kept_as_it_is_printed() -> None:
    registers = "[  116.977805] RSP: 0018:ffffb5d30ed27aa0 EFLAGS: 00010006\n"
    says = {"[  116.977805]": "RSP: 0018:ffffb5d30ed27aa0 EFLAGS: 00010006"}
    assert kept(f"x\n\n{registers}") == [("", says)]
    beside = f"{registers}[  116.977806] frob0: stopped\n"
    assert kept(f"x\n\n{beside}") == [("", {"[  116.977806]": "frob0: stopped"})]
    assert kept("x\n\n[  116.977805] ----------------\n") == []


def test_a_line_of_a_log_is_no_output_without_its_line_breaks() -> None:
    line = (
        "Nov 26 19:20:56 nas frobd: [51175.525506] sd 0:1:0:5: [sdf] tag#36 FAILED Result: "
        "hostbyte=DID_OK driverbyte=DRIVER_SENSE cmd_age=3s 4 5 6 7 8 9 10 11 12 13 14 15"
    )
    ((_, values),) = kept(f"x\n\n{line}\n")
    assert values == {"[51175.525506]": line.replace("[51175.525506] ", "").partition("nas ")[2]}


@pytest.mark.parametrize(("before", "after"), [
    ("Begin: Loading essential drivers ... ", True), ("(initramfs) ", True),
    ("[*** ] A start job is running for a file system (20s / no limit)", True),
    ("It says in the log of the machine that it was started: ", False),
])  # fmt: skip
def test_a_message_of_the_kernel_in_a_line_of_another_program(before: str, *, after: bool) -> None:
    text = f"x\n\n{before}[   11.484104] frob0: a thing was found on the bus by its driver\n"
    message = ("", {"[   11.484104]": "frob0: a thing was found on the bus by its driver"})
    for each in (text, text.replace("[   ", "[\u00a0\u00a0 ")):
        assert (message in kept(each)) is after


def test_programs_that_name_themselves_and_no_time() -> None:
    text = "frobd[986]: sdc: 3 of 4 paths\nsystemd[1]: Dependency failed for /data.\n"
    assert kept(f"x\n\n{text}") == [("", {"": text.splitlines()})]
    for line in ("bucket[3]: it is full", "queue[300]: 17 MB", "queue[300]: -3.5", "a[986]:b 7"):
        assert not is_kernel_line(line)


def test_a_time_without_its_date() -> None:
    line = "21:42:17 nas kernel: frob0: stopped\n"
    assert kept(f"x\n\n{line}") == [("", {"21:42:17": "frob0: stopped"})]
    assert not is_kernel_line("21:42:17 nas colonel: frob0: stopped")


@pytest.mark.parametrize("line", [
    "2020-01-02 10:11:12 UTC", "Mon Jan 12 12:26:23 2020", "kernel: 5.10.0-8-amd64",
    "2020-06-16 14:59:00 1.2 3.4 5.6", "[12:34:56] frob: 17", "Jan 12 12:26:23 2020",
    "-rw-r--r-- 1 root root 12 Jan 12 12:26 file: 3", "[    1.5] 12.3", "node1: 12:26:23 up 3 days",
])  # fmt: skip
def test_what_begins_like_a_line_of_a_log(line: str) -> None:
    assert not is_kernel_line(line)


_NEAR_MISSES = {
    "prose": "The first test ran fine on that host.\nIt says: 35 MB/s.\nThe second: 12 MB/s.\n",
    "code": "int size = 12;\nint count = 17;\nlong total = size * count;\nreturn total;\n",
    "json": '{\n  "size": 12,\n  "count": 17,\n  "total": 204\n}\n',
    "yaml": "- size: 12\n  count: 17\n  total: 204\n- size: 13\n  count: 18\n  total: 234\n",
    "listing": "total 12\n-rw-r--r-- 1 root root 35 Jan  1 18:52 a\n"
    "drwxr-xr-x 2 root root 4096 Jan  1 18:52 b\n-rw-r--r-- 1 root root 17 Jan  1 18:52 c\n",
    "mail": "From: A <a@b.c>\nDate: 3 May 2024\nSubject: 35 MB/s\nMessage-ID: 12345\n",
    "signature": "-- \nDr. A. Admin: storage\nPhone: 0123 456\nFax: 0123 457\nRoom: 12\n",
    "dump": "0000000 0000 0001 0002 0003\n0000020 0010 0011 0012 0013\n0000040 0020 0021 0022\n",
    "bug": "Bug ID: 218349\nSummary: it is slow\nProduct: File System\nVersion: 2.5\nStatus: NEW\n"
    "Severity: normal\nPriority: P3\nComponent: pool\n",
    "diffstat": " fs/a.c | 29 +++++--\n fs/b.c |  3 +-\n 2 files changed, 30 insertions(+)\n",
}


@pytest.mark.parametrize("line", [
    "[admin@node1] arrayctl getconfig 1 -v", "[root] arrayctl getconfig 1 -v",
    "[Mon 12:00] arrayctl getconfig 1 -v", "sh-5.1 arrayctl getconfig 1 -v",
])  # fmt: skip
def test_what_looks_like_a_prompt_is_none(line: str) -> None:
    assert command_at([line], 0) is None


_NO_LISTS = {
    "ini": "[pool]\nsize = 12\ncount = 17\n[disk]\ntotal = 204\nspare = 1\n",
    "log": "2024-05-03 12:00:01 app: took: 35\n2024-05-03 12:00:02 app: took: 36\n"
    "2024-05-03 12:00:03 app: took: 37\n",
    "packages": "libfoo1      1.2.3-4\nlibbar2      2.0.1-1\nlibbaz       3.4-2ubuntu1\n",
    "registers": "RSP: 0018:ffffc184c04fb9e0 EFLAGS: 00010246\nRAX: 0000000000000000\n"
    "RBX: ffff88871f1fd340\nRCX: 0000000000000007\n",
    "calls": 'open("/a", O_RDONLY) = 3\nread(3, "x", 4096) = 1\nclose(3) = 0\n',
}


@pytest.mark.parametrize("name", _NO_LISTS)
@pytest.mark.parametrize("form", ["{}", "```\n{}```\n"])
def test_what_is_no_list_and_looks_like_an_output_is_kept_line_by_line(
    name: str, form: str
) -> None:
    text = "Hello\n\n" + form.format(_NO_LISTS[name]) + "\nRegards\n"
    assert kept(text) == [("", {"lines": _NO_LISTS[name].splitlines()})]


@pytest.mark.parametrize("name", _NEAR_MISSES)
@pytest.mark.parametrize("form", ["{}", "```\n{}```\n"])
def test_what_is_no_output_is_left_alone(name: str, form: str) -> None:
    if name in {"bug", "signature"} and form != "{}":
        pytest.skip("in a fenced block it is a list that somebody shows")
    text = "Hello\n\n" + form.format(_NEAR_MISSES[name]) + "\nRegards\n"
    assert rest(text) == []


@pytest.mark.parametrize(("command", "printed"), [
    ("ls -l /srv/oak.txt", "-rw-r--r-- 1 anna domain users 13 Mar  4 19:12 /srv/oak.txt"),
    ("for i in /srv /tmp/x ; do mountpoint -d $i ; done", "0:83\n0:84"),
])  # fmt: skip
def test_lines_of_a_listing_and_of_a_loop_are_printed_by_the_command(
    command: str, printed: str
) -> None:
    text = f"anna@oak:/home/example.com/anna> {command}\n{printed}\n"
    assert kept(text) == [(command, {"lines": printed.split("\n")})]


def test_a_file_is_shown_below_a_remark_in_a_block() -> None:
    command = "grep -v '^#' /etc/fio/ports.conf | grep PORT"
    settings = 'MOUNTD_PORT="20048"\nSTATD_PORT="33081"'
    assert kept(f"```\n# SUSE\n{command}\n{settings}\n```\n") == [
        ("/etc/fio/ports.conf", {"MOUNTD_PORT": "20048", "STATD_PORT": "33081"})
    ]
    assert kept("```\n# first\nmount /dev/sdb1 /srv\nmount /dev/sdc1 /srv\n```\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "# create a 4G ramdisk on /dev/ram0\nsudo modprobe brd rd_size=4194304\n",
        "# Results: 35 MB/s\n\nand no more: 12\n",
        "# socket = /var/lib/x.sock\nlimit 12\n",
        "$ sudo mount /dev/sdb1 /mnt\n\nIt took 35 s and then it was there.\n",
        "See user@example.com> On Behalf Of 12\n3 of them\n",
    ],
)
def test_what_is_no_command_with_figures_is_left_alone(text: str) -> None:
    assert rest(text) == []


def test_what_a_reader_took_is_not_read_again() -> None:
    text = f"$ arrayctl getconfig 1\n{_CONTROLLER}"
    assert rest(text, [TakenLines(1, 8, "arrayctl")]) == []


def test_a_reader_goes_first_and_the_rest_comes_last() -> None:
    text = (
        "$ tapectl status 1\nDrives loaded: 1\n   Drive Status             : Ready\n"
        "   Cartridge                : LTO-6\n   Blocks written           : 118234\n"
        "\n$ dd if=/dev/zero of=/mnt/x bs=1M count=1024\n"
        "1073741824 bytes (1.1 GB) copied, 3.2 s, 335 MB/s\n"
    )
    document = of_bytes("ticket.txt", text.encode())
    names = [output.tool for output in find_and_tell(document, lambda output: output, rest=True)
             if isinstance(output, FoundOutput)]  # fmt: skip
    assert list(dict.fromkeys(names)) == ["dd", PRINTED]
    alone = find_and_tell(document, lambda output: output)
    assert PRINTED not in [output.tool for output in alone]


def test_it_is_labelled_and_nothing_is_concluded_from_it() -> None:
    outputs = rest(f"$ arrayctl getconfig 1\n{_CONTROLLER}")
    assert isinstance(outputs[0], FoundOutput)
    records = [record.to_json() if hasattr(record, "to_json") else record
               for record in imported(outputs[0])]  # fmt: skip
    assert {getattr(record, "kind", "") for record in records} == {"printed, not interpreted"}
    extra = StoredExtra(outputs[0].place, outputs[0].counters[0])
    run = Run("r1", "import", {}, 0.0, RunState.FINISHED)
    assert of_run(RunSheet(run, ()), [extra]).counters == ()


@pytest.mark.parametrize(
    "unit",
    [
        "# fio --rw=read /dev/sda\nfoo 12 bar\n",
        "```\nkey: 12\nother: 13\nthird: 14\n```\n",
        "```\n",
        "[   12.345678] foo: bar 17\n",
        "    a = 1\n",
        "alpha beta gamma\n12 13 14\n\n",
        "> > x: 1\n",
        "[1.1] [ [ ( ( (\n",
        "a . . . . . . . . . . . . . . . .\n",
    ],
)
def test_the_work_grows_with_the_text(unit: str) -> None:
    assert grows_faster(rest, unit, 300) == ""


@pytest.mark.parametrize(
    ("broken", "command"),
    [
        (
            "$ frobctl --create /dev/md0 -n 4 -c 128 -l 5 --assume-clean --readonly\n"
            "/dev/loop0 missing /dev/loop2\n",
            "frobctl --create /dev/md0 -n 4 -c 128 -l 5 --assume-clean --readonly "
            "/dev/loop0 missing /dev/loop2",
        ),
        (
            '$ frobdump -L "Test of one" -f /dev/nst0 -M tape1 -f /dev/nst1 -M\ntape2 /boot\n',
            'frobdump -L "Test of one" -f /dev/nst0 -M tape1 -f /dev/nst1 -M tape2 /boot',
        ),
        ("$ frobctl --list /sys/fs\n/dev/loop0\n", "frobctl --list /sys/fs"),  # its output
        (
            "$ frobctl --create /dev/md0 -n 4 -c 128 -l 5 --assume-clean --readonly\n"
            "/dev/loop0 is busy\n",  # in prose: a message
            "frobctl --create /dev/md0 -n 4 -c 128 -l 5 --assume-clean --readonly",
        ),
    ],
)
def test_a_mail_breaks_a_command_before_its_arguments(broken: str, command: str) -> None:
    output = rest(f"{broken}blocks: 17\nchunks: 4\n")[0]
    assert isinstance(output, FoundOutput)
    assert output.counters[0].command == command


_BROKEN_LOG = (
    "$ mount /dev/sdz /mnt\n"
    "[248226.221469] EXT4-fs (sdz): mounted filesystem 06dd464f-1c3a-4a2b-b3dd-\n"
    "e937c1e7624f r/w with ordered data mode. Quota mode: none.\n"
)


def test_a_message_that_a_mail_broke_below_a_command_is_of_the_log() -> None:
    ((_, messages),) = kept(_BROKEN_LOG)
    assert isinstance(messages, dict)
    assert str(messages["[248226.221469]"]).endswith("Quota mode: none.")


def test_a_table_below_one_message_is_no_log() -> None:
    table = "".join(f"{number}:{number * 7}:frob\n" for number in range(9))
    ((name, values),) = kept(f"$ frobctl -t\n[12.345678] frob: starts\n{table}")
    assert name == "frobctl -t"
    assert isinstance(values, dict)
    assert list(values) == ["lines"]


def test_a_long_log_is_kept_in_records_of_200_messages() -> None:
    log = "".join(f"[{at}.000000] frob {at}: state {at * 7}\n" for at in range(100, 550))
    outputs = rest(log)
    records = [output for output in outputs if isinstance(output, FoundOutput)]
    sizes = [len(record.counters[0].values) for record in records]
    assert len(records) == len(outputs)
    assert max(sizes) == 200
    assert sum(sizes) == 450
    lines = [(record.place.first_line, record.place.last_line) for record in records]
    assert [last - first + 1 for first, last in lines] == sizes


def test_what_a_shell_traces_is_no_output() -> None:
    assert not rest("+ modprobe -r frob\n+ frob_load queue_mode=2\n")


def test_lines_that_are_only_drawn_in_a_log_say_nothing() -> None:
    assert not rest("[ 1170.050701] =========================================\n")
    registers = "[ 1170.050701] RAX: 0000000000000007\n"
    assert kept(registers) == [("", {"[ 1170.050701]": "RAX: 0000000000000007"})]


def test_a_thread_of_a_program_is_no_register() -> None:
    ((_, messages),) = kept(
        "2021-04-27T11:57:03.467+0800 7fccbd3be700  4 mds.0.server handles request 12\n"
    )
    assert isinstance(messages, dict)
    assert "handles request 12" in str(list(messages.values()))


def test_messages_above_those_that_a_reader_took_are_kept() -> None:
    text = "# dmesg\n[    1.000000] frob 7: starts\n[    2.000000] EXT4-fs error: 8\n"
    (output,) = rest(text, [TakenLines(3, 3, "kernel log")])
    assert isinstance(output, FoundOutput)
    assert output.counters[0].values == {"[    1.000000]": "frob 7: starts"}


def test_a_head_above_what_a_reader_took_is_kept_where_it_has_a_figure() -> None:
    head = "$ frobctl\nError reading device /dev/sdz at 7965.\nstate: 7\n"
    (output,) = rest(head, [TakenLines(3, 3, "frobctl")])
    assert isinstance(output, FoundOutput)
    assert output.counters[0].values == {"lines": ["Error reading device /dev/sdz at 7965."]}
    assert not rest(head.replace("7965", "end"), [TakenLines(3, 3, "frobctl")])


@pytest.mark.parametrize("line", [
    "Rausfinden, welche Platten noch haben: 16 und 17",
    "Il faut que le disque 3 soit dans les 7 baies",
    "Диск 7 не виден в системе, что делать",
    "El disco 7 no aparece para los usuarios",
    "Dysk 7 nie jest widoczny",
])  # fmt: skip
def test_prose_in_other_languages_is_no_output(line: str) -> None:
    assert is_sentence(line)
    assert not rest(f"# blkid\n{line}\n\nEnde.\n")


@pytest.mark.parametrize("line", [
    "Sys. de fichiers blocs de 1K Utilisé Disponible Uti% Monté sur",
    "/dev/sda1: clean, 311/524288 files, 38511/2096896 blocks",
    "Dateisystem 1K-Blöcke Benutzt Verfügbar Verw% Eingehängt auf",
])  # fmt: skip
def test_heads_of_tables_in_other_languages_are_no_prose(line: str) -> None:
    assert not is_sentence(line)


def test_a_long_aligned_list_needs_few_figures() -> None:
    block = (
        "Basic information:\n-----------\nProcessor  : Heron 7 Series\nCPU cores  : 2 @ 2400 MHz\n"
        "RAM        : 976.4 MiB\nDistro     : Pondlinux 11\nVM Type    : KVM\nAES        : on\n"
    )
    (output,) = rest(f"My host:\n\n{block}\nIt is slow.\n")
    assert isinstance(output, FoundOutput)
    assert output.counters[0].values["RAM"] == "976.4 MiB"
    ragged = block.replace("Distro     :", "Distro:")
    assert all(isinstance(output, FoundOutput) for output in rest(f"{ragged}\n"))
    names = (
        "Author : A. Person\nTitle  : On the river\nTopic  : water\nPlace  : here\nMood   : good\n"
    )
    assert not rest(f"A poem:\n\n{names}Year   : none\n\nEnd.\n")


def test_a_table_whose_first_figure_stands_far_below_is_kept() -> None:
    rows = "".join(f"disk{'x' * (number % 3)}     idle      none\n" for number in range(60))
    head = "NAME       STATE     ERRORS\n"
    (table,) = kept_as_printed(f"$ acmectl list\n{head}{rows}disk       idle      7\n")
    listed = table.values["rows"]
    assert isinstance(listed, list)
    assert len(listed) == 61
    assert not kept_as_printed(f"Prose.\n\n{head}{rows}")


def test_rows_without_a_figure_take_little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line may be a head, below which hundreds of others stand in its columns."""
    asked = 0

    def counted(*_: object, **__: object) -> None:
        nonlocal asked
        asked += 1

    monkeypatch.setattr(figures, "_cells", counted)
    figures.read_figures(["<U0028>     /x28         LEFT PARENTHESIS"] * 400)
    assert asked == 0
    figures.read_figures(["<U0028>     /x28         LEFT PARENTHESIS"] * 399 + ["1  2  3  4"])
    assert asked > 0


def test_an_output_in_a_fence_ends_where_the_next_command_begins_without_a_prompt() -> None:
    (output,) = rest(
        "```\n# checker -n /dev/sdb\n12 blocks are good\nfio --check /dev/sdc\nlsblk -f\n```\n"
    )
    assert isinstance(output, FoundOutput)
    assert output.counters[0].values == {"lines": ["12 blocks are good"]}
    assert output.place.last_line == 3


def test_comments_below_a_command_are_no_output() -> None:
    assert not rest("```\n$ checker -n /dev/sdb\n# made on Sat Jan 16 21:53:32 2016\n#\n```\n")


@pytest.mark.parametrize("tail", [
    "\n# the next one\nmkdir -p /mnt/data\nfio --name=x\n", "\n// so far\n## and now\n",
    "\n</section>\n<h4> Tuning </h4>\n", "\nsudo chown -R db:db /mnt/data\n",
])  # fmt: skip
def test_comments_and_commands_below_a_blank_line_end_an_output(tail: str) -> None:
    (output,) = rest(f"```\n$ checker -n /dev/sdb\n12 blocks are good\n{tail}```\n")
    assert isinstance(output, FoundOutput)
    assert output.counters[0].values == {"lines": ["12 blocks are good"]}
    assert output.place.last_line == 3


@pytest.mark.parametrize("below", [
    "... 12 of them are now good", "sudo chmod 644 /mnt/data/12.img", "fio --name=x --size=12",
])  # fmt: skip
def test_what_somebody_wrote_below_a_command_is_no_output(below: str) -> None:
    assert not rest(f"```\n$ checker -n /dev/sdb\n{below}\n```\n")


def test_comments_within_an_output_belong_to_it() -> None:
    lines = ["# types: 12", "type 0 osd", "", "# rules", "rule 0 at 35"]
    (output,) = rest("```\n$ checker -d map\n" + "\n".join(lines) + "\n```\n")
    assert isinstance(output, FoundOutput)
    assert output.counters[0].values == {"lines": [line for line in lines if line]}


@pytest.mark.parametrize("comment", [
    "check current ipv4 range", "for GPU", "time", "mount log", "find duplicates", "check",
])  # fmt: skip
def test_a_comment_that_begins_like_a_command_is_none(comment: str) -> None:
    assert command_at([f"# {comment}", "12 of them"], 0) is None


@pytest.mark.parametrize("command", [
    "mount", "free -m", "check -g quick", "mount -t nfs srv:/data /mnt", "watch fio x",
    "sort -h sizes.txt", "find /data -type f",
])  # fmt: skip
def test_a_command_that_begins_like_a_comment_is_one(command: str) -> None:
    at_prompt = command_at([f"# {command}"], 0)
    assert at_prompt is not None
    assert at_prompt.text == command


def test_a_command_without_a_prompt_goes_on_in_the_next_line() -> None:
    assert not rest("```\nfio --name=a \\\n  /dev/sda3 /dev/sdb3 \\\n  --size=12\n```\n")
    assert not rest("```\nfio --name=a\n--size=12\n--rw=read\n```\n")
    (output, _) = rest("```\nfio --name=a\n/data/12.0.0\n/data/13.0.0\n```\n")
    assert output.place.first_line == 3


def test_an_arrow_below_a_command_is_no_option_of_it() -> None:
    lines = ["$ checker batch --report /dev/sdb /dev/sdc /dev/sdd", "--> passed devices: 3"]
    command = command_at(lines, 0)
    assert command is not None
    assert command.last == 0


def test_what_a_tool_of_many_commands_prints_is_kept_and_not_told_as_unread() -> None:
    text = "```\n# {} osd pool set data size 3\nset pool 3 size to 3\n```\n"
    for program, count in (("ceph", 1), ("mdadm", 2)):
        document = of_bytes("ticket.txt", text.format(program).encode())
        outputs = list(remainder(document, ()))
        assert len(outputs) == count


def test_prose_and_queries_have_not_lost_their_line_breaks() -> None:
    """Anchors of outputs stand in both; nobody's output is in one line."""
    cores = 'rate(node_cpu_seconds_total{instance="$server",mode="%s"}[5m]) by (mode) > 0.%d'
    query = " or ".join(cores % (mode, at) for at, mode in enumerate(("idle", "iowait", "user")))
    assert not [output for output in rest(query + "\n") if isinstance(output, Unread)]


def test_a_line_with_the_programs_version_is_no_next_command() -> None:
    (output,) = rest("```\n$ checker -i 0 /dev/sdb\nchecker 1.45 (07-Jan-2020)\nset to 0 s\n```\n")
    assert isinstance(output, FoundOutput)
    assert output.counters[0].values == {"lines": ["checker 1.45 (07-Jan-2020)", "set to 0 s"]}


def test_a_row_of_many_processors_has_not_lost_its_line_breaks() -> None:
    row = " 138: " + "0 " * 61 + "379 IR-PCI-MSI 13107200-edge nvme0q0"
    output, _ = rest(f"```\n$ cat /proc/interrupts | tr -s ' ' | grep nvme0\n{row}\n```\n")
    assert isinstance(output, FoundOutput)
    assert output.counters[0].values == {"lines": [row.strip()]}


def test_a_table_of_markdown_below_an_output_is_the_authors() -> None:
    table = "| disk | read |\n|---|---|\n| sda | 500 MB/s |\n"
    outputs = rest(f"$ checker -n /dev/sdb\nsize: 12\nspare: 3\n\n{table}")
    assert [
        counters.name
        for output in outputs
        if isinstance(output, FoundOutput)
        for counters in output.counters
    ] == ["checker -n /dev/sdb", ""]


@pytest.mark.parametrize(
    ("above", "heading"),
    [
        ("## Disk\n\nprose\n\n<a name='two'></a>\n## Two\n\n", "Two"),
        ("## Disk\n\n- a\n- b\n- c\n### Two\n\n", "Two"),
        ("## Disk\n\n```\na = 1\nb = 2\n## Two\n```\n\n", "Disk"),
        ("## Disk\n\na line\n# Two\n\n", "Disk"),  # one sign alone begins a comment, too
    ],
)
def test_a_heading_directly_below_other_lines(above: str, heading: str) -> None:
    text = f"{above}$ tool --show\nReads: 5\nWrites: 7\nErrors: 9\n"
    *_, last = rest(text)
    assert last.place.heading == heading


@pytest.mark.parametrize("text", [
    "運用中は `mon osd full ratio` の既定は 0.95 で、使用率が 95% になると書き込みを止める。 "
    "`mon osd nearfull ratio` の既定は 0.85 で、85% になると警告が出る。 大切なことである。\n",
    "1. `fio -filename=/dev/zd0 -rw=write -ioengine=psync -iodepth=16 -numjobs=1 -ramp_time=30 "
    "-direct=1 -runtime=300 -time_based -group_reporting -bs=1MB -size=10GB -name=test`\n",
    "`[root@gl2 ~]# mount -t glusterfs gl1:/gv0 /mnt`\n\n"
    "Dữ liệu trong thư mục `/mnt` ở cả 2 nodes đều giống nhau.\n",
    "`$ sudo zpool create -f pool1 /dev/sdb\n`\n\nThat was it.\n",
], ids=["Japanese", "command", "Vietnamese", "backtick"])  # fmt: skip
def test_prose_with_commands_in_it_is_no_output_that_could_not_be_read(text: str) -> None:
    assert not [entry for entry in read(text) if isinstance(entry, Unread)]
    assert not kept_as_printed(text)


@pytest.mark.parametrize("below", [
    "zfs set compress=on xattr=sa atime=off tank", "zpool add tank log nvme1n1p2",
    "dd if=/dev/zero of=/dev/sdb bs=4096 count=512", "sudo ./x.sh \\\n  iqn.2000-01.com.example:a8",
])  # fmt: skip
def test_the_next_command_at_no_prompt_is_no_output(below: str) -> None:
    text = f"```bash\nzpool create tank -o ashift=12 raidz1 sda4 sdb4\n{below}\n```\n"
    assert not list(remainder(of_bytes("notes.md", text.encode()), ()))


def test_what_looks_like_the_next_command_stays() -> None:
    text = "```bash\nzpool create tank -o ashift=12 raidz1 sda4 sdb4\nzpool: bad size 512\n```\n"
    assert list(remainder(of_bytes("notes.md", text.encode()), ()))


def test_a_long_command_is_no_output_whose_line_breaks_are_lost() -> None:
    text = (
        "Check the writes:\n\nfio -filename=/dev/rbd0 -direct=1 -iodepth 1 -thread -rw=write "
        "-ioengine=libaio -bs=4K -size=1G -numjobs=1 -runtime=60 -group_reporting -name=mytest\n"
    )
    assert not [entry for entry in read(text) if isinstance(entry, Unread)]


def test_a_fence_that_says_it_is_a_log_is_kept_without_figures() -> None:
    said = "controller started\ncontroller done reconciling\n"
    (output,) = kept_as_printed(f"Both must stand there:\n\n```log\n{said}```\n")
    assert output.values == {"lines": said.splitlines()}
    assert not kept_as_printed(f"Both must stand there:\n\n```\n{said}```\n")


def test_a_row_of_ls_is_no_option_of_the_command_above_it() -> None:
    row = "-rw-r--r-- 1 root root 120M Jan 17 20:13 /srv/pond/of.tar"
    (output,) = kept_as_printed(f"root@db1:/srv# ls -lh /srv/pond/of.tar\n{row}\n")
    assert (output.name, output.values) == ("ls -lh /srv/pond/of.tar", {"lines": [row]})


def test_prose_about_many_levels_of_raid_is_no_output_without_line_breaks() -> None:
    text = (
        "Las configuraciones de RAID utilizadas son RAID-0, RAID-1, RAID-5 y RAID-6, pero existen "
        "otras; aquí vamos a usar solamente la primera: **RAID-0**.\n"
    )
    assert not rest(text)


def test_how_a_command_may_be_called_is_no_call_of_it() -> None:
    assert not prints_figures("MegaCli adpBIOS -Enbl|-Dsbl| SOE | BE |")
    assert prints_figures("MegaCli -adpBIOS -Dsply -a0|grep -v mode")
