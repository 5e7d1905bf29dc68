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
    assert [row.values["time"] for row in rows] == ["09:55:35AM", "09:55:36AM", "Average"]


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
