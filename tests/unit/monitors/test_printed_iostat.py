"""iostat's report on CPUs, times that a script prints before each line, and a torn head."""

from __future__ import annotations

import pytest

from iosonde.text.find import FoundOutput
from tests.mangle import counters, read

CPUS = """\
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           3,25    0,00    1,50   61,75    0,00   33,50
"""
HEAD = "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn"
ROW = "sdq              21.00       400.00        40.00       4000        400"


def test_the_shares_of_the_processors() -> None:
    cpus, disk = counters(f"{CPUS}\n{HEAD}\n{ROW}\n")
    assert (cpus.kind, cpus.name, cpus.values["cpu_iowait"]) == ("host", "", 0.6175)
    assert (cpus.values["cpu_user"], cpus.values["cpu_idle"]) == (0.0325, 0.335)
    assert (disk.name, disk.values["iops"]) == ("sdq", 21)


@pytest.mark.parametrize("cpus", [
    "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n           3,25    0,00    1,50\n",
    "avg-cpu: what iostat says of processors\n",
])  # fmt: skip
def test_a_report_on_processors_that_is_none(cpus: str) -> None:
    (disk,) = counters(f"{cpus}\n{HEAD}\n{ROW}\n")
    assert disk.name == "sdq"


def test_a_time_before_every_line() -> None:
    text = "".join(f"09:14:3{second} {line}\n" for second, line in enumerate((HEAD, ROW)))
    (disk,) = counters(text)
    assert (disk.name, disk.values["read.bandwidth"]) == ("sdq", 400 * 1024)


def test_vmstat_with_a_time_before_every_line() -> None:
    (host,) = counters(
        "--time-- procs -----memory---- ---swap-- -----io---- -system-- ------cpu-----\n"
        "          r  b   swpd   free   si   so    bi    bo   in   cs us sy id wa st\n"
        "08:15:30  3  1      0 512000    0    0   120    64  900 1800 20  5 70  5  0\n"
        "08:15:35  2  0      0 512000    0    0   100    60  900 1800 21  5 69  5  0\n"
    )
    assert host.values["cpu_user"] == [0.2, 0.21]


@pytest.mark.parametrize("shape", [" **{}**", " {}%", " {},0"])
def test_a_row_of_plain_figures_says_what_the_same_row_says_otherwise(shape: str) -> None:
    head = "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn"
    plain, other = (
        counters(f"{head}\nsda {' '.join(cells)}\nsdb 1 2 3 4 5\n")
        for cells in (["31", "40", "57", "8", "9"], [shape.format(n) for n in (31, 40, 57, 8, 9)])
    )
    assert [disk.values for disk in plain] == [disk.values for disk in other]
    assert len(plain) == 2
    assert plain[0].values["read.bandwidth"] == 40 * 1024


@pytest.mark.parametrize("cell", ["1.", ".5", "-1", "1e3", "nan", "1_0", "+1"])
def test_what_only_python_takes_for_a_figure_is_none(cell: str) -> None:
    head = "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn"
    assert not counters(f"{head}\nsda 1 2 {cell} {cell} 5\n")


def test_a_report_on_cpus_is_a_part_of_the_first_report() -> None:
    head = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
    rows = "          73.73    0.00    0.42    0.11    0.00   25.74\n{}Device   r/s  wMB/s  %util\n"
    for blank in ("", "\n"):
        given = f"prose above\n\n`{head}{rows.format(blank)}nvme0n1  43.00  2.71  4.00`\n"
        (output,) = read(given)
        assert output.place.first_line == 3
        assert isinstance(output, FoundOutput)
        assert [item.kind for item in output.counters] == ["host", "disk"]
        assert output.counters[0].values["cpu_user"] == pytest.approx(0.7373)


SNIPPED = (
    "$ iostat -x 5\n"
    "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await"
    "  svctm  %util\n{}\n"
    "sdc               0.00    10.00    0.00   50.00     0.00  8000.00   160.00     0.25    5.00"
    "   1.50   7.50\n{}\n"
    "sdd               0.00    10.00    0.00   25.00     0.00  4000.00   160.00     0.25    5.00"
    "   1.50   3.75\n"
)


@pytest.mark.parametrize("sign", ["(snip)", "[snipped]", "...", "[...]", "<snip>", "-- snip --"])
def test_rows_beside_those_that_were_left_out(sign: str) -> None:
    rows = counters(SNIPPED.format(sign, sign))
    assert [(row.name, row.values["write.bandwidth"]) for row in rows] == [
        ("sdc", 8000 * 512), ("sdd", 4000 * 512),
    ]  # fmt: skip
    assert [row.values["report"] for row in rows] == [1, 1]


def test_a_device_again_is_of_a_report_that_is_not_known() -> None:
    rows = counters(SNIPPED.format("...", "...").replace("sdd", "sdc").replace("-x 5", "-x"))
    assert [(row.values["report"], row.values["since_boot"]) for row in rows] == [
        (1, True), (None, None),
    ]  # fmt: skip


def test_words_between_rows_end_a_table() -> None:
    rows = counters(SNIPPED.format("", "(snip) is what I wrote."))
    assert [(row.name, row.values["report"] is None) for row in rows] == [
        ("sdc", False), ("sdd", True),  # a row without its head
    ]  # fmt: skip


SHARES = (
    "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
    "           {}    0.00    2.00    1.00    0.00   {}\n\n"
)
SYSTEM = "Linux 5.4.0-rc (store7)  04/05/2020  _x86_64_  (4 CPU)\n\n"
DISKS = (
    "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n"
    "sdt               2.00         8.00        16.00         80        160\n"
)


@pytest.mark.parametrize("between", ["$ iostat -d\n" + SYSTEM, SYSTEM, "$ iostat -d\n"])
def test_a_report_on_cpus_of_another_command_is_not_of_the_disks(between: str) -> None:
    rows = counters(f"$ iostat -c\n{SYSTEM}{SHARES.format('7.00', '90.00')}{between}{DISKS}")
    assert [row.kind for row in rows] == ["disk"]


def test_a_report_on_cpus_below_the_system_is_of_the_disks() -> None:
    rows = counters(f"$ iostat\n{SYSTEM}{SHARES.format('7.00', '90.00')}{DISKS}")
    assert [row.kind for row in rows] == ["host", "disk"]
    assert rows[0].values["cpu_user"] == pytest.approx(0.07)
