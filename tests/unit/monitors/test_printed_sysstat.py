"""mpstat, pidstat -d, sar -u, -b and -n DEV. Oracle: sysstat's own sums and averages."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import PrintedCounters
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "sysstat-12.6"
TEXTS = {
    name: (OUTPUTS / f"{name}.txt").read_text()
    for name in ("mpstat", "pidstat-d", "sar-b", "sar-n", "sar-u")
}


def figure(counted: PrintedCounters, name: str) -> float:
    return cast("float", counted.values[name])


def test_shares_of_a_processor_are_all_of_it() -> None:
    rows = counters(TEXTS["mpstat"]) + counters(TEXTS["sar-u"])
    assert [row.tool for row in rows] == ["mpstat"] * 6 + ["sar"] * 3
    assert [row.name for row in rows[:6]] == ["", "cpu0", "cpu1"] * 2
    for row in rows:
        shares = [value for name, value in row.values.items() if name.startswith("cpu_")]
        assert sum(cast("list[float]", shares)) == pytest.approx(1, abs=2e-3)


def test_requests_of_sar_are_the_sum_of_their_kinds() -> None:
    rows = counters(TEXTS["sar-b"])
    assert [row.values["time"] for row in rows] == ["09:55:32", "09:55:33", "Average"]
    for row in rows:
        kinds = sum(figure(row, f"{kind}.iops") for kind in ("read", "write", "discard"))
        assert figure(row, "iops") == pytest.approx(kinds, abs=0.02)
    assert figure(rows[0], "read.bandwidth") == 56 * 512


def test_averages_of_pidstat_are_those_of_its_intervals() -> None:
    rows = [row for row in counters(TEXTS["pidstat-d"]) if row.name == "1160"]
    first, second, average = (figure(row, "write.bandwidth") for row in rows)
    assert (first + second) / 2 == pytest.approx(average, rel=0.01)
    assert first == pytest.approx(121.57 * 1024)
    assert rows[0].values["command"] == "fio"


def test_interfaces() -> None:
    text = TEXTS["sar-n"].replace(
        "eth0      0.00      0.00      0.00", "eth0     12.00      8.00     64.50"
    )
    rows = counters(text)
    assert [(row.kind, row.name) for row in rows] == [("link", "lo"), ("link", "eth0")] * 2
    assert figure(rows[1], "receive.bandwidth") == 64.5 * 1024


def test_clocks_of_twelve_hours() -> None:
    text = TEXTS["sar-u"].replace("09:55:35  ", "09:55:35 AM").replace("09:55:34  ", "09:55:34 AM")
    rows = counters(text.replace("09:55:36  ", "09:55:36 AM"))
    assert [row.values["time"] for row in rows] == ["09:55:35 AM", "09:55:36 AM", "Average"]


@pytest.mark.parametrize("name", TEXTS)
def test_every_shape(name: str) -> None:
    expected = [(row.name, dict(row.values)) for row in counters(TEXTS[name])]
    assert expected
    for shape, text in mangled(TEXTS[name]):
        assert [(row.name, dict(row.values)) for row in counters(text)] == expected, shape


@pytest.mark.parametrize(
    "text",
    [
        "See %iowait and %idle in the manual: CPU %usr %nice %sys %iowait %irq %idle\n",
        'printf("%*s  rxpck/s   txpck/s    rxkB/s    txkB/s\\n");\n',
        "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n",
        "bread/s is the amount read in blocks per second, bwrtn/s the amount written.\n",
    ],
)
def test_manuals_and_source(text: str) -> None:
    assert read(text) == []


def test_tables_of_sar_in_the_clocks_of_other_languages() -> None:
    rows = counters((OUTPUTS / "sar-tables.txt").read_text())
    assert [row.tool for row in rows] == ["sar"] * 9
    first, second, average = rows[:3]
    assert [row.values["time"] for row in rows[:3]] == ["09时00分01秒", "09时10分01秒", "Average"]
    assert (figure(first, "paged_in") + figure(second, "paged_in")) / 2 == figure(
        average, "paged_in"
    )
    scanned = figure(first, "scanned_pages_by_kswapd") + figure(first, "scanned_pages_directly")
    assert figure(first, "reclaimed_pages") / scanned == figure(first, "reclaim_efficiency")
    memory = rows[3]
    whole = figure(memory, "memory_free") + figure(memory, "memory_used")
    assert figure(memory, "memory_used") / whole == figure(memory, "memory_used_share")
    assert [row.values["time"] for row in rows[4:7]] == ["Average", "09:00:01", "Average"]
    assert (rows[5].values["load_1m"], rows[5].values["blocked"]) == (1.28, 2)
    assert (rows[7].name, rows[7].values["receive.dropped"]) == ("eth0", 1.5)
    mount = rows[8]
    assert (mount.kind, mount.name) == ("mount", "/dev/sda1")
    whole = figure(mount, "used") + figure(mount, "free")
    assert figure(mount, "used") / whole == figure(mount, "used_share")


def test_pidstat_with_all_its_columns() -> None:
    dd, rsync, systemd = counters((OUTPUTS / "pidstat-h.txt").read_text())
    assert dd.values["command"] == "dd if=/dev/zero of=/srv/x"
    assert figure(dd, "cpu_user") + figure(dd, "cpu_system") == figure(dd, "cpu_all")
    assert (dd.values["cpu"], dd.values["io_delay_ticks"]) == ("2", 17)
    assert figure(rsync, "cancelled.bandwidth") == 4096
    assert (systemd.name, systemd.values["involuntary_switches"]) == ("1", 0.5)


@pytest.mark.parametrize("text", [
    "The columns runq-sz plist-sz ldavg-1 are explained below\n10:00:01 1 2 3\n",
    "10:00:01 kbmemfree is what I look at\n10:00:02 12 13 14 15 16\n",
    "10:00:01   UID  PID  %usr  Command is how it looks\n",
])  # fmt: skip
def test_what_looks_like_a_table_of_sysstat(text: str) -> None:
    assert not counters(text)


def test_tables_whose_clock_was_cut_off() -> None:
    head, *rows = TEXTS["mpstat"].split("Average:")[0].strip().split("\n")[2:]
    lines = [line.split(maxsplit=1)[1] for line in (head, *rows[:3])]
    drawn = "-----\n".join(f"{line}\n".replace(" 0.00 ", " |0.00| ") for line in lines)
    whole, first, second = counters(drawn)
    assert [row.name for row in (whole, first, second)] == ["", "cpu0", "cpu1"]
    same = counters(TEXTS["mpstat"])[0]
    assert whole.values == {key: value for key, value in same.values.items() if key != "time"}
    assert not counters("CPU %usr %iowait %irq %idle are columns\nall 1 2 3\n")


@pytest.mark.parametrize("word", ["Average", "Keskiarvo", "Moyenne", "Gj.snitt"])
def test_an_average_is_no_host(word: str) -> None:
    given = TEXTS["pidstat-d"]
    rows = [line for line in given.splitlines() if line.startswith("Average:")]
    (row, *_) = counters("\n".join(line.replace("Average", word) for line in rows) + "\n")
    assert row.host == ""
    assert row.values["time"] == "Average"


def test_a_host_before_every_line_is_one() -> None:
    rows = [line for line in TEXTS["pidstat-d"].splitlines() if line.startswith("Average:")]
    (row, *_) = counters("\n".join(f"db1: {line}" for line in rows) + "\n")
    assert row.host == "db1"


def test_retransmissions_are_of_their_table() -> None:
    text = (
        "12:17:19 AM  atmptf/s  estres/s retrans/s isegerr/s   orsts/s\n"
        "12:17:20 AM      0.00      0.00      2.00      0.00      0.00\n\n"
        "12:17:19 AM    call/s retrans/s    read/s   write/s  access/s  getatt/s\n"
        "12:17:20 AM      7.00      3.00      1.00      0.00      0.00      0.00\n"
    )
    tcp, nfs = counters(text)
    assert (tcp.values["tcp_retransmissions"], nfs.values["nfs_retransmissions"]) == (2.0, 3.0)
    assert "nfs_retransmissions" not in tcp.values
