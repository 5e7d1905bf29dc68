"""The write-intent bitmap of md: how large it is and where it lies.

Source: mdadm 4.2, super1.c (`choose_bm_space()`: 4, 64 or 128 KiB of a member;
`add_internal_bitmap1()`: 64 MiB a bit, or as many as fit); Linux 6.1, drivers/md/md-bitmap.c.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from iosonde._core import Bitmap, Parity, Striped
from iosonde.layers._ledger.rule import Layer, Scene
from iosonde.units import KIB, MIB

if TYPE_CHECKING:
    from iosonde.layers.site import Site

_HEAD = 256  # bytes of a bitmap before its bits
_BIT = 64 * MIB
SUPERBLOCKS = {"1.1": 0, "1.2": 4 * KIB}
"""Version of the metadata → where its superblock lies on a member (Linux 6.1, drivers/md/md.c,
`super_1_load()`); of others that depends on the member's size."""
_BEHIND = 4 * KIB  # from the superblock to the bitmap


def with_bitmap(array: Layer, site: Site, scene: Scene) -> Layer:
    """An array with its bitmap, if it is declared with one.

    The first write to each chunk is exact, and so are the pages that are written when bits are
    cleared after the load. That this may happen during it is not counted: it is done by the clock.
    """
    declared: Any = site.declared
    if declared.bitmap != "internal" or isinstance(array.rule, Striped):
        return array
    if declared.metadata not in SUPERBLOCKS:
        return unmapped(array)
    member = min(one.size for one in scene.below) - max(array.starts, default=0)
    at = SUPERBLOCKS[declared.metadata] + _BEHIND
    mapped = mapped_by(array, member, at, int(scene.extra.get("bitmap_chunk", 0)))
    note = (
        "that bits of its bitmap are cleared during the load: some seconds after the last write to "
        "a chunk its page is written again, and the next write sets the bit anew; and its "
        "superblock"
    )
    return replace(mapped, notes=(note, *array.notes))


def mapped_by(array: Layer, member: int, at: int, chunk: int = 0) -> Layer:
    """An array with a bitmap on each of its members.

    Args:
        array: none of the striped ones, which have no bitmap.
        member: bytes of a member for data, which have the bits with parity; else the array's have.
        at: where it lies on each member.
        chunk: bytes of a bit; 0: as mdadm chooses.
    """
    covered = member if isinstance(array.rule, Parity) else array.size
    bitmap = Bitmap(chunk=chunk or _default(covered, member), covers=covered, at=at)
    return replace(array, bitmap=bitmap)


def unmapped(array: Layer) -> Layer:
    """An array whose bitmap lies where the model does not know."""
    return replace(array, notes=("its write-intent bitmap", *array.notes))


def _default(covered: int, member: int) -> int:
    """Bytes that a bit stands for where nobody says."""
    room = 4 * KIB if member <= 8 * 1024 * MIB else 64 * KIB
    if member >= 200 * 1024 * MIB:
        room = 128 * KIB
    chunk = _BIT
    while -(-covered // chunk) > (room - _HEAD) * 8:
        chunk *= 2
    return chunk
