"""What fuzzing found: damaged figures, journals and answers, and texts made to be slow."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from iosonde.change import journal as journal_module
from iosonde.change.journal import Journal
from iosonde.change.settings_journal import parse_journal
from iosonde.errors import HostFailed, LoadFailed
from iosonde.layers._routes import route_device
from iosonde.layers.drbd.facts import parse_volumes
from iosonde.layers.xfs.facts import parse_sections
from iosonde.loads import LOADS
from iosonde.loads.fio.result import find_document
from iosonde.loads.load import result_of
from iosonde.records.load import RawOutput
from iosonde.records.printed import Unread
from iosonde.settings.sysfs import parse_attribute
from iosonde.text.cursor import command_before
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find
from iosonde.text.page import text_of_page
from tests.growth import grows_faster

_LONG = 30_000


def _seconds(text: str) -> float:
    begun = time.process_time()
    list(find(of_bytes("a", text.encode())))
    return time.process_time() - begun


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("hdparm", b" Timing cached reads: 1 MB in 2.00 seconds = . MB/sec\n"),
        ("hdparm", b" Timing cached reads: 1 MB in 2.00 seconds = 1.2.3 MB/sec\n"),
        ("iozone", b'"Throughput report"CPU utilization report"d" .\n'),
        ("iozone", b'"Throughput report Y-axis"\n"  Read " ...\n'),
        ("fio", b'{"fio version":"","jobs":[{"read":{"iops":[]}}]}'),
        ("fio", b'{"fio version":"fio-3.33","jobs":[{"read":' + b'{"a":' * 5000),
    ],
)
def test_a_load_that_prints_nonsense_is_a_failed_loop(engine: str, said: bytes) -> None:
    with suppress(LoadFailed):  # and nothing else
        result_of(LOADS.load(engine)(), RawOutput(0, said, b"", {}))


@pytest.mark.parametrize(
    "line",
    [
        {"state": "begun"}, {"number": [], "state": "done"}, {"number": "x", "state": "done"},
        {"number": 1}, {"number": 1, "state": "begun", "there": []},
        {"number": 1, "state": "own"}, {"number": 1e999, "state": "removed"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("last", [False, True])
def test_a_damaged_line_of_a_build_journal_is_named(
    line: dict[str, Any], last: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Kept:
        name = "x"

        async def read(self, path: str) -> bytes:
            lines = [json.dumps(line)] if last else [json.dumps(line), "{}"]
            return "".join(f"{text}\n" for text in lines).encode()

    async def nothing(*_arguments: object, **_options: object) -> None:
        return None

    for name in ("require_private", "finished"):
        monkeypatch.setattr(journal_module, name, nothing)
    with pytest.raises(HostFailed, match="line 1 of iosonde's record is damaged"):
        asyncio.run(Journal.read(Kept(), "x"))  # type: ignore[arg-type]


def test_numbers_too_long_for_a_number_are_no_batches() -> None:
    long = "9" * 5000
    assert parse_journal(f"begin\t{long}\tboot\t1\tme\nbegin\t1\tboot\t{long}\tme\n") == {}
    assert list(parse_journal("begin\t7\tboot\t1\tme\nready\t7\t2\n")) == [7]


def test_json_of_another_shape_names_no_device() -> None:
    for answer in (b"1", b"null", b'"dev"', b"{}", b"[1]", b"["):
        assert route_device(answer) is None
    assert route_device(b'[{"dev":"eth0"}]') == "eth0"


def test_an_infinite_figure_is_not_read() -> None:
    good = (
        '{\n"fio version" : "fio-3.33",\n"jobs" : [\n{\n"jobname" : "a",\n"read" : {\n'
        '"total_ios" : 2, "iops" : FIGURE, "bw" : 8, "runtime" : 1000, "lat_ns" : '
        '{"min": 1, "max" : 8, "mean" : 4, "stddev" : FIGURE, "N" : 2}\n},\n'
        '"job_runtime" : 6\n}]}\n'
    )
    for figure, kind in (("2.5", FoundOutput), ("1e999", Unread)):
        (output,) = find(of_bytes("a", good.replace("FIGURE", figure).encode()))
        assert isinstance(output, kind), output


@pytest.mark.parametrize(
    "text",
    [
        "fc: 0 3902860928 flashcache stats: \n\treads(1), writes(2)\n" + "clea" * _LONG,
        "r0 role:Primary\n  disk:UpToDate\n    " + "peer" * _LONG,
        "--- /x (ext4 /dev/vda 252.0 GiB) ioping statistics ---\n" + "1844674407" * _LONG,
        "4 requests completed in 584.0 us, " + "9" * _LONG * 4,
        "/sys/block/bcache0" * _LONG + "/bcache/state\n",
        "fio-3.33\na: (groupid=0, jobs=1): err= 0: pid=1: Mon Jun 28 18:39:00 2021\n  read: "
        "IOPS=1, BW=2KiB/s (2kB/s)(2MiB/1msec)\n    clat (nsec): min=1, max=2, avg=1, stdev=1\n"
        "    clat percentiles (nsec):\n     |  1.00th=[ 1],\n" + ("9" * 5000 + "\n") * 12,
        "  LV   VG Attr       LSize Devices\n  pool vg twi-aotz-- 4.00m " + "1_rimage_1(0),a" * 500,
        "/sys/block/bcache0/bcache.0M\n" * _LONG, "sysctl " * _LONG,
        "echo " + " " * _LONG * 4 + "\n", "a" * _LONG * 4 + " on /x type",
        "dd Sequential Disk Speed Tests:\n" + "-" * 40 + " | Test 1\n",
        "$ " + "a/" * 40 + "zfs get sync\nNAME  PROPERTY  VALUE     SOURCE\n"
        "tank  sync      standard  default\n",
        "[" + "1" * _LONG + ".000000] I/O error, dev " + "a" * _LONG,
    ],
    ids=[
        "flashcache", "drbd", "ioping", "digits", "path", "percentiles", "lvm", "bcache",
        "sysctl", "echo", "mount", "yabs", "zfs", "kernel-log",
    ],
)  # fmt: skip
def test_a_text_made_to_be_slow_is_not(text: str) -> None:
    assert _seconds(text) < 5


def test_time_is_no_power_of_the_number_of_slashes() -> None:
    class Lines:
        at, host = 1, ""

        def has(self, index: int) -> bool:
            return index == 0

        def line(self, index: int) -> str:
            return "/a" * 4000 if index == 0 else ""

        stamped = line

        def block(self, first: int, most: int) -> list[str]:
            return []

    begun = time.process_time()
    assert command_before(Lines(), 1, ("fio",)) == (1, ("", ""))
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("line", ["/usr/bin/fio --name=a", "sudo fio --name=a", "fio x.fio",
                                  "time /usr/local/bin/fio x", "sudo time ./fio x",
                                  "# numactl -N0 fio --name=a"])  # fmt: skip
def test_commands_are_found_behind_what_stands_before_them(line: str) -> None:
    class Lines:
        at, host = 1, ""

        def has(self, index: int) -> bool:
            return index == 0

        def line(self, index: int) -> str:
            return line if index == 0 else ""

        stamped = line

        def block(self, first: int, most: int) -> list[str]:
            return []

    _, prompt = command_before(Lines(), 1, ("fio",))
    assert "fio" in prompt.command


def test_blank_lines_and_long_words_of_tools_take_no_time() -> None:
    begun = time.process_time()
    assert list(parse_volumes("\n" * _LONG)) == []
    parse_sections("data = " + "a" * _LONG)
    assert time.process_time() - begun < 2
    text = " 1: cs:Connected ro:Primary/Secondary ds:UpToDate/UpToDate C r-----\n"
    (volume,) = parse_volumes(text)
    assert (volume.minor, volume.states["role"]) == (1, "Primary")
    assert (
        parse_sections("data     =    bsize=4096 blocks=1, imaxpct=25")["data"]["bsize"] == "4096"
    )


def test_long_lines_that_are_right_are_read_whole() -> None:
    """JSON without line ends is longer than lines of other tools may be."""
    devices = [{"name": f"sd{n}", "kname": f"sd{n}", "type": "disk", "size": n, "ro": False}
               for n in range(400)]  # fmt: skip
    text = json.dumps({"blockdevices": devices}, separators=(",", ":"))
    assert len(text) > 1 << 14
    outputs = [
        output for output in find(of_bytes("a", text.encode())) if isinstance(output, FoundOutput)
    ]
    assert [len(state.subjects) for found_output in outputs for state in found_output.states] == [
        400
    ]


@pytest.mark.parametrize(
    ("work", "unit"),
    [
        (lambda text: text_of_page(text.encode()), "<bo"),
        (lambda text: text_of_page(text.encode()), "<!--x>"),
        (lambda text: find_document("}" + text.replace("x", " ") + "!\n{"), "xxxxxxxx"),
        (find_document, "{\n"),
    ],
    ids=["tags", "comments", "blanks", "braces"],
)
def test_what_nothing_ends_costs_no_more_than_its_length(
    work: Callable[[str], object], unit: str
) -> None:
    assert not grows_faster(work, unit, 4000)


def test_a_page_goes_on_after_what_nothing_ends() -> None:
    page = b'<p>a &lt; b<p>x <!-- no end <b>bold</b>\n<a href="y>z</a><p>last &amp; <i'
    text, numbers = text_of_page(page)
    assert text.decode().split("\n") == [
        "a < b", 'x <!-- no end <b>bold<a href="y>z', "last & <i",
    ]  # fmt: skip
    assert list(numbers) == [1, 1, 2]


def test_an_attribute_of_many_brackets_takes_no_longer_than_its_length() -> None:
    assert not grows_faster(parse_attribute, "[31m,", 4000)
    assert parse_attribute("none [mq-deadline] bfq") == "mq-deadline"


def test_a_member_of_an_array_with_a_run_of_blanks_takes_no_longer_than_its_length() -> None:
    def read(blanks: str) -> None:
        lines = f"/dev/md0:\n  Raid Level : raid6\n   3   98   112    3    {blanks}x\n"
        list(find(of_bytes("a", lines.encode())))

    assert not grows_faster(read, " \t", 100)
