"""dm-writecache in `dmsetup table` and `dmsetup status`."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedSubject
from tests.mangle import counters, states

REAL = Path(__file__).parents[3] / "outputs" / "dmsetup-1.02.185"
TABLE = (REAL / "table.txt").read_text()
STATUS = (REAL / "status.txt").read_text()


def subject(text: str) -> PrintedSubject:
    (printed_subject,) = [
        each for state in states(text) for each in state.subjects if each.name == "written"
    ]
    return printed_subject


def test_what_a_table_says() -> None:
    assert subject(TABLE).values == {
        "medium": "ssd", "block_size": 4096, "options": "high_watermark 60", "size": 102400000,
        "origin_device": "98:48", "cache_device": "98:64",
        "lines": "0 200000 writecache s 98:48 98:64 4096 2 high_watermark 60",
    }  # fmt: skip


def test_what_a_status_says_and_counts() -> None:
    (counted,) = [counter for counter in counters(STATUS) if counter.name == "written"]
    assert (counted.tool, counted.kind) == ("dm-writecache", "dm_writecache")
    assert counted.values["write_requests"] == 5400
    assert counted.values["writes_allocated"] == 4800
    assert subject(STATUS).values["used_share"] == pytest.approx(4800 / 153002)
