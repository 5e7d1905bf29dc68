"""Counters as CSV of Windows and ESXi. Oracle: means and extremes of the samples' columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled, unread_in

PLACE = Path(__file__).parents[2] / "outputs" / "performance-counters-composed"
ESXTOP, TYPEPERF = ((PLACE / f"{name}.txt").read_text() for name in ("esxtop", "typeperf"))
TOOL = "performance counters"


def _things(text: str) -> list[tuple[str, str, str, dict[str, object]]]:
    return [(each.host, each.kind, each.name, dict(each.values)) for each in counters(text, TOOL)]


def test_adapters_processors_and_virtual_disks_of_esxi() -> None:
    span = {"first": "01/11/2024 10:00:00", "last": "01/11/2024 10:00:05", "rows": 2}
    assert _things(ESXTOP) == [
        ("esx7.pond.example", "host", "", {**span, "cpu_busy": 0.3, "cpu_busy.max": 0.35}),
        ("esx7.pond.example", "adapter", "vmhba0", {
            **span, "iops": 200.0, "iops.max": 300.0, "read.bandwidth": 6.0 * 2**20,
            "read.bandwidth.max": 8.0 * 2**20, "await": 0.001, "await.max": 0.0015,
        }),
        ("esx7.pond.example", "guest", "reed:scsi0:0", {
            **span, "read.iops": 100.0, "read.iops.max": 110.0,
        }),
    ]  # fmt: skip


def test_a_disk_of_windows_whose_first_row_has_no_rates() -> None:
    ((host, kind, name, values),) = _things(TYPEPERF)
    assert (host, kind, name, values["rows"]) == ("NEWT", "disk", "0 C:", 3)
    assert values["read.iops"] == 600.0
    assert values["read.bandwidth"] == 600.0 * 4096
    assert values["read.await"] == pytest.approx(0.003)
    assert values["idle"] == pytest.approx(0.3)


def test_a_row_that_is_cut_ends_them() -> None:
    lines = ESXTOP.rstrip("\n").split("\n")
    text = "\n".join([*lines, lines[-1][:60]]) + "\n"
    assert _things(text) == _things(ESXTOP)
    assert unread_in("\n".join([lines[0], lines[1][:40]]) + "\n")


def test_other_columns_are_no_disks() -> None:
    text = '"(PDH-CSV 4.0) (UTC)(0)","\\\\NEWT\\Memory\\Pages/sec"\n"01/11/2024 10:00:00","5.0"\n'
    assert not _things(text)
    assert unread_in(text)


@pytest.mark.parametrize(
    ("shape", "text"),
    [each for each in mangled(ESXTOP, wraps=False) if each[0] != "escaped"],
    ids=lambda each: each[:20],
)
def test_mangled(shape: str, text: str) -> None:
    assert _things(text) == _things(ESXTOP), shape
