"""vmstat: which lines are of the time since boot, and in what its columns count.

Source: procps-ng 3.2.8 and 4.0.2, vmstat.c: new_format() (-t printed the zone behind each time; si
and so go through unitConvert()), disksum_format() and diskformat() (divided by 1000).
"""

from __future__ import annotations

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, read

HEAD = (
    "procs -----------memory---------- ---swap-- -----io---- --system-- -----cpu------\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
)
ROW = " 2  0    100   4000   1000   2000    3    0    20    40  150  300  5  3 90  2  0{}\n"


@pytest.mark.parametrize(("command", "rows", "expected"), [
    ("vmstat 1", 1, None), ("vmstat -w 2 5", 1, None), ("vmstat -S M 1", 1, None),
    ("vmstat", 1, True), ("vmstat -S M", 1, True), ("vmstat 1 1", 1, True), ("vmstat 1", 2, True),
    ("vmstat -y 1", 1, False),
])  # fmt: skip
def test_a_single_line_of_many_may_be_any(command: str, rows: int, expected: bool | None) -> None:
    (host,) = counters(f"$ {command}\n{HEAD}{ROW.format('') * rows}")
    assert host.values["since_boot"] is expected


@pytest.mark.parametrize("stamp", [
    "", "   2019-03-04 10:11:12 CEST", " 2019-03-04 10:11:12",
])  # fmt: skip
def test_times_with_and_without_a_zone(stamp: str) -> None:
    (host,) = counters(f"$ vmstat -t 1 2\n{HEAD}{ROW.format(stamp) * 2}")
    assert host.values["blocks_out"] == [40 * 1024] * 2


def test_what_cannot_be_read_is_told_once_and_not_denied() -> None:
    (unread,) = read(f"$ vmstat 1 2\n{HEAD}{ROW.format(' broken off')}")
    assert isinstance(unread, Unread)
    assert unread.reason == "no line below its head can be read"


@pytest.mark.parametrize(("unit", "expected"), [
    ("-S M", 3 << 20), ("-S m", 3e6), ("-S k", 3000), ("", 3 << 10),
])  # fmt: skip
def test_what_is_swapped_is_in_the_unit_of_memory(unit: str, expected: float) -> None:
    (host,) = counters(f"$ vmstat {unit} 1 2\n{HEAD}{ROW.format('') * 2}")
    assert host.values["swap_in"] == [expected] * 2
    assert host.values["blocks_in"] == [20 * 1024] * 2
    assert ("swap_out" in host.values) is (unit not in {"-S M", "-S m"})


def test_sums_of_disks_that_vmstat_divides() -> None:
    (host,) = counters(
        "            2 disks\n            1 partitions\n         5000 total reads\n"
        "           10 merged reads\n        40000 read sectors\n        90000 milli reading\n"
        "            3 inprogress IO\n          120 milli spent IO\n"
        "          340 milli weighted IO\n"
    )
    assert host.values["busy_seconds"] == 120
    assert host.values["weighted_io_seconds"] == 340
    assert host.values["milli_reading"] == 90000
    assert not {"inprogress_io", "milli_spent_io"} & host.values.keys()


def test_pages_paged_in_are_kibibytes_and_pages_swapped_in_are_pages() -> None:
    (host,) = counters("         700 pages paged in\n           5 pages swapped in\n")
    assert host.values == {"paged_in": 700 * 1024, "pages_swapped_in": 5}


def test_a_disk_says_nothing_of_what_is_in_progress() -> None:
    (disk,) = counters(
        "disk- ------------reads------------ ------------writes----------- -----IO------\n"
        "       total merged sectors      ms  total merged sectors      ms    cur    sec\n"
        "sdq      100      2    3000     400    200      4    5000     600      0      7\n"
    )
    assert disk.values["busy_time"] == 7
    assert "in_flight" not in disk.values
