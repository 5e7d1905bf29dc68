"""The write-intent bitmap of md: how large it is and where it lies.

Source: mdadm 4.2, super1.c (`choose_bm_space()`: 4, 64 or 128 KiB of a member;
`add_internal_bitmap1()`: 64 MiB a bit, or as many as fit); Linux 6.1, drivers/md/md-bitmap.c.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from iosonde.predict.layer import Layer, Scene
from iosonde.units import KIB, MIB

if TYPE_CHECKING:
    from iosonde.layers.site import Site

_SUPERBLOCK = 256  # bytes before the bits
_BIT = 64 * MIB
_PLACE = {"1.1": 4 * KIB, "1.2": 8 * KIB}


def with_bitmap(array: Layer, site: Site, scene: Scene) -> Layer:
    """An array with its bitmap, if it is declared with one.

    The first write to each chunk is exact, and so are the pages that are written when bits are
    cleared after the load. That this may happen during it is not counted: it is done by the clock.
    """
    declared: Any = site.declared
    if declared.bitmap != "internal" or array.rule == "striped":
        return array
    if declared.metadata not in _PLACE:
        return replace(array, notes=("its write-intent bitmap", *array.notes))
    member = min(one.size for one in scene.below) - max(array.starts, default=0)
    parity = array.figures.get("parity", 0)
    data = len(array.starts) - parity if parity else 0
    covered = member if parity else array.size
    chunk = int(scene.extra.get("bitmap_chunk", 0)) or _default(covered, member)
    figures = bitmap_figures(chunk, covered, _PLACE[declared.metadata], data)
    note = (
        "that bits of its bitmap are cleared during the load: some seconds after the last write to "
        "a chunk its page is written again, and the next write sets the bit anew; and its "
        "superblock"
    )
    return replace(array, figures={**array.figures, **figures}, notes=(note, *array.notes))


def bitmap_figures(chunk: int, covered: int, at: int, data: int) -> dict[str, int]:
    """A bitmap for the core.

    Args:
        chunk: bytes of a bit.
        covered: bytes of all that has bits.
        at: where it lies on each member.
        data: members that hold data of a row; 0 where bits stand for places of the array.
    """
    return {
        "bitmap_chunk": chunk, "bitmap_covers": covered, "bitmap_at": at, "bitmap_data": data,
    }  # fmt: skip


def _default(covered: int, member: int) -> int:
    """Bytes that a bit stands for where nobody says."""
    room = 4 * KIB if member <= 8 * 1024 * MIB else 64 * KIB
    if member >= 200 * 1024 * MIB:
        room = 128 * KIB
    chunk = _BIT
    while -(-covered // chunk) > (room - _SUPERBLOCK) * 8:
        chunk *= 2
    return chunk
