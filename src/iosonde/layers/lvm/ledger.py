"""LVM in the ledger.

Source: lvm2 2.03, lib/metadata/pv_manip.c and metadata.c (extents begin at 1 MiB, or at a
multiple of md's stripe width; `set_pe_align_offset()`: they are moved by the device's
`alignment_offset`, lvm.conf, `data_alignment_offset_detection`).
"""

from __future__ import annotations

from typing import Any

from iosonde._core import Mirror, Raid1, Segment, Segments, Striped
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import mapped
from iosonde.layers.site import Site
from iosonde.units import MIB

_EXTENT = 4 * MIB


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    declared: Any = site.declared
    if declared.type in {"thin", "thin-pool"}:
        raise site.wrong("where a thin volume's blocks lie cannot be predicted")
    starts = tuple(map(_first_extent, site.below, scene.below))
    extents = [
        (lower.size - start) // _EXTENT for lower, start in zip(scene.below, starts, strict=True)
    ]
    if min(extents) < 1:
        raise site.wrong("a physical volume has no room for an extent of 4 MiB")
    notes = (
        ("where lvm allocates it, if other volumes of its group are there",)
        if declared.group
        else ()
    )
    if declared.type in {"raid1", "mirror"}:
        each = min(extents) - (1 if declared.type == "raid1" else 0)  # one for the rmeta volume
        size = min(declared.size or each * _EXTENT, each * _EXTENT)
        if declared.type == "mirror":
            return LedgerLayer(Mirror(), size, starts=starts, notes=(*notes, "its log"))
        return LedgerLayer(Raid1(), size, starts=starts, notes=(*notes, "the bitmap of its copies"))
    if declared.type == "striped":
        stripes = declared.stripes or len(extents)
        if stripes != len(extents):
            raise site.wrong("`predict` knows volumes that are striped over all they stand on")
        size = min(
            declared.size or min(extents) * stripes * _EXTENT, min(extents) * stripes * _EXTENT
        )
        return LedgerLayer(Striped(chunk=declared.stripe_size), size, starts=starts, notes=notes)
    return _concatenated(declared.size, extents, starts, notes)


def _concatenated(
    wanted: int | None, extents: list[int], starts: tuple[int, ...], notes: tuple[str, ...]
) -> LedgerLayer:
    """One physical volume behind the other."""
    total = min(wanted or sum(extents) * _EXTENT, sum(extents) * _EXTENT)
    segments: list[Segment] = []
    begin = 0
    for child, count in enumerate(extents):
        length = min(count * _EXTENT, total - begin)
        if length <= 0:
            break
        segments.append(Segment(start=begin, length=length, child=child, at=starts[child]))
        begin += length
    return LedgerLayer(Segments(segments=segments), total, notes=notes)


def _first_extent(below: Site, layer: LedgerLayer) -> int:
    """Where extents begin on a physical volume: moved onto the grid of what is below it."""
    width = below.stripe[0] * below.stripe[1] if below.stripe else MIB
    align = width if width and MIB % width else MIB
    return -(-MIB // align) * align + layer.alignment_offset


ACCOUNTING = Accounting(declared=_declared, discovered=mapped)
