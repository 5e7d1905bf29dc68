"""Tables and states of the multipath target, with a sentence behind them."""

from __future__ import annotations

import pytest

from tests.mangle import subjects_in

TABLE = (
    "heron: 0 20971520 multipath 1 queue_if_no_path 1 alua 2 1 service-time 0 2 2 8:16 1 1 "
    "8:32 1 1 service-time 0 1 2 8:48 1 1"
)
STATUS = "heron: 0 20971520 multipath 2 0 0 0 1 1 A 0 2 1 8:16 A 3 309 8:32 F 7 44"


@pytest.mark.parametrize(("line", "paths"), [(TABLE, 3), (STATUS, 2)])
@pytest.mark.parametrize(
    "below", ["", "\n\nSo 8:96 has a queue of 309 A 0 there.\n", " (8:0 A 1 is odd)"]
)
def test_paths_up_to_the_last_one(line: str, paths: int, below: str) -> None:
    (subject,) = subjects_in(f"# dmsetup table\n{line}{below}")
    assert subject.values["paths"] == paths
    assert subject.values["lines"] == line.removeprefix("heron: ")
    assert subject.values.get("failed_paths", 1) == 1
