"""/proc/buddyinfo. Oracle: pieces of an order are that power of two of pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import counters, mangled

TEXT = (Path(__file__).parents[2] / "outputs/monitors-composed/buddyinfo.txt").read_text()


def test_each_zone_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        rows = {row.name: row.values for row in counters(given, "buddyinfo")}
        assert list(rows) == [
            "node 0, DMA", "node 0, DMA32", "node 0, Normal", "node 1, Normal",
        ], shape  # fmt: skip
        assert rows["node 0, DMA"]["free_pages"] == 256 + 512 + 3 * 1024, shape
        assert rows["node 1, Normal"] == {
            "free_pieces": [123456, 512, *[0] * 9], "free_pages": 123456 + 2 * 512,
        }, shape  # fmt: skip
        assert len({row.command for row in counters(given, "buddyinfo")}) == 1, shape


def test_twice_shown_and_by_grep() -> None:
    again = TEXT.partition("\n")[2]
    assert len(counters(TEXT + again, "buddyinfo")) == 8
    (row,) = counters("/proc/buddyinfo:" + again.split("\n")[2] + "\n", "buddyinfo")
    assert row.values["free_pages"] == 20000 + 2 * 3000 + 4 * 200 + 8 * 10


@pytest.mark.parametrize("text", [
    "Node    0, zone   Normal, type    Unmovable    1    0    0    0    0    0    0    0    0\n",
    "Node 0, zone      DMA\n  pages free     3976\n",
    "Node 0, zone   Normal  20000   3000\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not counters(text, "buddyinfo")
