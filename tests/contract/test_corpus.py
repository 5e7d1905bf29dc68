"""How `tools/corpus.py` judges an import against what was written down by reading."""

from __future__ import annotations

from typing import Any

import pytest

from tools.corpus import documents, is_held_back, judged

OUTPUT: dict[str, Any] = {
    "tool": "fio", "line": 10, "last": 20,
    "figures": [
        {"name": "read.iops", "value": 81_200, "step": 50},
        {"name": "scheduler", "value": "mq-deadline", "step": 0},
    ],
}  # fmt: skip


def _record(first: int, last: int, iops: float, scheduler: str = "[mq-deadline] none") -> Any:
    return {
        "tool": "fio", "source": {"first_line": first, "last_line": last},
        "metrics": {"read.iops": {"mean": iops, "median": iops, "loops": [iops]}},
        "details": {"queue": {"scheduler": scheduler}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("imported", "outcome"),
    [
        ({"trials": [_record(9, 20, 81_249.0)]}, "right"),
        ({"trials": [_record(12, 14, 81_151.0)]}, "right"),
        ({"trials": [_record(9, 20, 81_300.0)]}, "wrong"),
        ({"trials": [_record(9, 20, 81_200.0, "none")]}, "partly"),
        ({"trials": [_record(1, 9, 81_200.0)]}, "lost"),
        ({"trials": [_record(30, 40, 81_200.0)]}, "lost"),
        ({"trials": [_record(9, 13, 999.0), _record(14, 20, 81_200.0)]}, "right"),
        ({"unread": [{"source": {"first_line": 11, "last_line": 12}, "reason": "cut"}]}, "unread"),
        ({}, "lost"),
    ],
)
def test_an_output_is_judged_by_its_lines_and_figures(imported: Any, outcome: str) -> None:
    assert judged("0a1b2c3d4e5f", OUTPUT, 10, 20, 30, imported).outcome == outcome


def test_a_record_that_begins_with_the_next_output_is_not_this_one_s() -> None:
    imported = {"trials": [_record(18, 30, 81_200.0)]}
    assert judged("0a1b2c3d4e5f", OUTPUT, 10, 20, 18, imported).outcome == "lost"
    assert judged("0a1b2c3d4e5f", OUTPUT, 10, 20, 19, imported).outcome == "right"


def test_no_document_is_there_twice_and_a_third_is_held_back() -> None:
    read = documents(None)
    assert len({document["key"] for document in read}) == len(read)
    held = sum(is_held_back(document["key"]) for document in read)
    assert len(documents(True)) == held
    assert len(documents(False)) == len(read) - held
