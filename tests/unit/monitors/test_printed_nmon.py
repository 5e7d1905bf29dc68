"""nmon's file. Oracle: what a disk reads and writes is its transfers times their size."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import counters, mangled, unread_in

TEXT = (Path(__file__).parents[2] / "outputs" / "monitors-composed" / "nmon.txt").read_text()


def test_disks_and_processors_of_each_snapshot() -> None:
    rows = counters(TEXT, "nmon")
    assert [(row.kind, row.name) for row in rows] == [
        ("host", ""), ("host", ""), *(("disk", name) for name in ("sda", "sda1", "nvme0n1")),
        *(("disk", name) for name in ("sda", "sda1", "nvme0n1")),
    ]  # fmt: skip
    assert {row.host for row in rows} == {"heron"}
    for row in rows:
        assert row.values["interval"] == 10
        values = cast("dict[str, float]", row.values)
        if row.kind == "disk":
            moved = values["read.bandwidth"] + values["write.bandwidth"]
            assert moved == pytest.approx(values["iops"] * values["size"], rel=0.1)
        else:
            shares = [value for name, value in values.items() if name.startswith("cpu_")]
            assert sum(shares) == pytest.approx(1)
    assert rows[4].values["util"] == pytest.approx(0.999)
    assert rows[-1].values["time"] == "11-JAN-2024 10:00:21"


def test_more_disks_stand_in_further_sections() -> None:
    text = (
        "AAA,progname,nmon\nDISKBUSY,Disk %Busy h,sda\nDISKBUSY1,Disk %Busy h,sdb\n"
        "ZZZZ,T0001,10:00:11,11-JAN-2024\nDISKBUSY,T0001,5.0\nDISKBUSY1,T0001,7.5\n"
    )
    assert [(row.name, row.values["util"]) for row in counters(text, "nmon")] == [
        ("sda", 0.05), ("sdb", 0.075),
    ]  # fmt: skip


def test_rows_whose_columns_nobody_names_say_nothing() -> None:
    text = "ZZZZ,T0001,10:00:11,11-JAN-2024\nDISKBUSY,T0001,5.0,6.0\n"
    assert not counters(text, "nmon")
    assert unread_in(text)
    cut = TEXT.replace("DISKBUSY,T0002,10.3,10.3,98.9", "DISKBUSY,T0002,10.3")
    assert "util" not in counters(cut, "nmon")[-1].values


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(TEXT, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled(shape: str, text: str) -> None:
    given = [(row.name, row.values) for row in counters(text, "nmon")]
    assert given == [(row.name, row.values) for row in counters(TEXT, "nmon")], shape
