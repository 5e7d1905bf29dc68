"""Geometry of RAID levels: parity, copies, stripes, sizes, losses, and md's layouts by number.

Levels are written as md and the makers of controllers write them: "raid0" to "raid60". A layout is
md's number of it; LVM's RAID is md's, and controllers are taken to lay out as md's defaults.

Source: md(4); mdadm(8), --layout; mdadm 4.2, maps.c (names of layouts) and Detail.c; Linux 6.1,
drivers/md/raid5.h (ALGORITHM_…) and raid10.c (`setup_geo()`: near copies, far copies << 8, offset
<< 16; `raid10_size()`, `calc_sectors()`, `raid10_nr_stripes()`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iosonde.records.stack import Scalar
from iosonde.units import SECTOR

PARITY = {"raid4": 1, "raid5": 1, "raid6": 2, "raid50": 1, "raid60": 2}
"""Level → members that hold parity in each stripe; with spans: of each span."""
MIRRORED = frozenset({"raid1", "raid10"})
SPANNED = frozenset({"raid50", "raid60"})
STRIPED = frozenset({"raid0", "raid10", *PARITY})
LEVELS = STRIPED | MIRRORED

NEAR_TWO = 2 | 1 << 8
"""md's RAID 10 where nobody says otherwise: two copies side by side."""
LEFT_SYMMETRIC = 2
PARITY_LAST = 5  # as RAID 4 has it

_LAYOUTS_5 = {
    0: "left-asymmetric", 1: "right-asymmetric", 2: "left-symmetric", 3: "right-symmetric",
    4: "parity-first", 5: "parity-last",
}  # fmt: skip
# RAID 6 has Q beside P; those from 16 on are RAID 5's with Q on the last member.
_LAYOUTS_6 = {
    **_LAYOUTS_5,
    8: "ddf-zero-restart", 9: "ddf-N-restart", 10: "ddf-N-continue",
    16: "left-asymmetric-6", 17: "right-asymmetric-6", 18: "left-symmetric-6",
    19: "right-symmetric-6", 20: "parity-first-6",
}  # fmt: skip
_LAYOUTS = {"raid0": {1: "original", 2: "alternate"}, "raid5": _LAYOUTS_5, "raid6": _LAYOUTS_6}
_SHORT = {
    "la": "left-asymmetric", "ra": "right-asymmetric", "ls": "left-symmetric",
    "rs": "right-symmetric",
}  # fmt: skip
_COPIES = re.compile(r"([nfo])([1-9][0-9]?)")


def near_copies(layout: int) -> int:
    """Copies of a chunk of RAID 10 side by side."""
    return layout & 0xFF


def far_copies(layout: int) -> int:
    """Copies of a chunk of RAID 10 in other parts of the members."""
    return layout >> 8 & 0xFF


def copies_layout(near: int = 1, far: int = 1, *, offset: bool = False) -> int:
    """The number of a RAID 10: `offset`: the far copies lie in the next chunks instead."""
    return near | far << 8 | offset << 16


def data_members(level: str, disks: int, layout: int = NEAR_TWO, spans: int = 1) -> int | None:
    """Members that hold data in each stripe; None where the level has no stripes.

    Where the copies of RAID 10 do not divide its members, the pattern begins anew only after as
    many chunks as there are members, and so the kernel reports its stripe (`optimal_io_size`).

    Args:
        level: "raid5" and so on.
        disks: members, without spares.
        layout: of RAID 10.
        spans: of RAID 50 and 60.
    """
    if level in PARITY:
        data = disks - PARITY[level] * spans
        return data if data > 0 else None
    if level == "raid0":
        return disks
    near = near_copies(layout)
    if level != "raid10" or not near:
        return None
    return disks if disks % near else disks // near


def array_size(level: str, members: Sequence[int], chunk: int = 0, layout: int = NEAR_TWO) -> int:
    """Bytes that an array of md offers; RAID 0 goes on over the larger members.

    Args:
        level: "raid0" to "raid10".
        members: bytes for data on each, without spares.
        chunk: bytes; 0 of RAID 1, which has none.
        layout: of RAID 10.
    """
    unit = chunk or SECTOR
    if level == "raid0":
        return sum(member // unit * unit for member in members)
    rows, disks = min(members) // unit, len(members)
    if level == "raid10":
        return rows // far_copies(layout) * disks // near_copies(layout) * unit
    return rows * unit * (data_members(level, disks) or 1)


def member_size(size: int, disks: int, chunk: int, layout: int) -> int:
    """Bytes of each member that a RAID 10 of some bytes fills (`calc_sectors()`)."""
    copies = near_copies(layout) * far_copies(layout)
    return -(-(size // chunk * copies) // disks) * chunk


def tolerance(level: str, disks: int, layout: int = NEAR_TWO) -> int:
    """Members (of each span) that may be lost whichever they are, without loss of data."""
    if level == "raid1":
        return max(disks - 1, 0)
    if level == "raid10":
        return max(near_copies(layout) * far_copies(layout) - 1, 0)
    return PARITY.get(level, 0)


def small_write(level: str) -> int | None:
    """Drive I/Os of one small write: old data and parity read, both written; or two copies."""
    if level in PARITY:
        return 2 * (1 + PARITY[level])
    return {"raid0": 1}.get(level, 2 if level in MIRRORED else None)


def layout_names(level: str) -> tuple[str, ...]:
    """The names of layouts that mdadm knows for a level; RAID 10 has a letter and a number."""
    return tuple(_LAYOUTS.get(level, {}).values())


def full_name(name: str) -> str:
    """A layout's name in full: "left-symmetric" of "ls"."""
    return _SHORT.get(name, name)


def layout_number(level: str, name: str) -> int | None:
    """The number of a layout that mdadm spells "left-symmetric" or "f2"; None: there is none.

    Without a name it is md's default.
    """
    if level == "raid10":
        word = _COPIES.fullmatch(name or "n2")
        if word is None:
            return None
        letter, count = word[1], int(word[2])
        near, far = (count, 1) if letter == "n" else (1, count)
        return copies_layout(near, far, offset=letter == "o")
    wanted = full_name(name or "left-symmetric").lower()
    return next(
        (number for number, word in _LAYOUTS.get(level, {}).items() if word.lower() == wanted), None
    )


def layout_name(level: str, number: Scalar) -> str | None:
    """A layout as mdadm spells it; None where its number is not known, or has no name."""
    if not isinstance(number, int):
        return None
    if level != "raid10":
        return _LAYOUTS.get(level, {}).get(number)
    near, far = near_copies(number), far_copies(number)
    letter = "o" if number & 1 << 16 else "f" if far > 1 else "n"
    return f"{letter}{max(near, far)}"
