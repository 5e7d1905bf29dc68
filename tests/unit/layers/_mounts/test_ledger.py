"""The extents of a file under test, as filefrag(8) prints them, in bytes of the device."""

from __future__ import annotations

import pytest

from iosonde._core import Segment, Segments
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._mounts.ledger import extents_of_file
from tests.unit.predict.discovered_stacks import DISKS, KIB, layer

FILE = layer("xfs", "m", (f"disk:{DISKS[0].device[5:]}",))
HEAD = "File size of /m/f is 12288 (24 blocks of 512 bytes)\n ext: logical: physical: length:\n"


def _look(rows: str) -> Look:
    return Look((FILE, DISKS[0]), {"h": {"filefrag": HEAD + rows}})


def test_extents_follow_each_other_in_the_file_and_lie_anywhere() -> None:
    """In sectors of 512 bytes: 16 at 2048 and 8 at 100."""
    rows = "   0:        0..      15:       2048..      2063:     16:\n"
    rows += "   1:       16..      23:        100..       107:      8: last,eof\n"
    finding = extents_of_file(_look(rows), FILE)
    assert finding.rule == Segments(
        segments=[
            Segment(start=0, length=8 * KIB, child=0, at=1024 * KIB),
            Segment(start=8 * KIB, length=4 * KIB, child=0, at=100 * 512),
        ]
    )
    assert finding.size == 12 * KIB


@pytest.mark.parametrize(
    "rows",
    ["",
     "   0:        0..      15:       2048..      2063:     16:\n"
     "   1:       24..      31:        100..       107:      8: last,eof\n"],
    ids=["nothing", "a hole"],
)  # fmt: skip
def test_a_file_with_a_hole_or_without_extents_is_not_covered(rows: str) -> None:
    with pytest.raises(NotCovered, match="where its file lies"):
        extents_of_file(_look(rows), FILE)
