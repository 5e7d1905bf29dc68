"""md in the ledger: which rule of the core an array is, declared or found, and its bitmap.

Source: mdadm 4.2, super1.c (where data begin; `choose_bm_space()`: 4, 64 or 128 KiB of a member for
the write-intent bitmap; `add_internal_bitmap1()`: 64 MiB a bit, or as many as fit); md(4); Linux
6.1, drivers/md/md-bitmap.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from iosonde._core import Bitmap, Limits, Parity, Raid1, Raid10, Striped
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import REQUEST
from iosonde.layers._raid.geometry import (
    PARITY,
    PARITY_LAST,
    array_size,
    layout_number,
    member_size,
)
from iosonde.layers.layer import kernel_name
from iosonde.layers.md.facts import array_facts, parse_member
from iosonde.layers.site import Site
from iosonde.records.stack import Scalar, StackLayer
from iosonde.units import KIB, MIB, SECTOR

_CHUNKS = tuple(4 * KIB << shift for shift in range(9))
_MOST = Limits(most=REQUEST)
_STRIPES = (264, 272, 288, 320, 384, 512, 768, 1024, 1536, 2048, 4096)
"""Sizes to which md's stripe cache may have grown.

It grows when a load needs more stripes at once and shrinks when memory is short; sysfs shows the
least alone. Source: Linux 6.1, drivers/md/raid5.c, `raid5_get_active_stripe()` (R5_ALLOC_MORE),
`raid5d()`, `raid5_show_stripe_cache_size()`.
"""
_SUPERBLOCKS = {"1.1": 0, "1.2": 4 * KIB}
"""Version of the metadata → where its superblock lies on a member (Linux 6.1, drivers/md/md.c,
`super_1_load()`); of others that depends on the member's size."""
_BITMAP_BEHIND = 4 * KIB  # from the superblock to the bitmap
_BITMAP_HEAD = 256  # bytes of a bitmap before its bits
_BIT = 64 * MIB


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    array = _with_bitmap(_array(site, scene), site, scene)
    # drivers/md, `blk_queue_io_min()`: the chunk of all but mirrors
    io_min = 0 if site.declared.level == 1 else site.declared.chunk_size  # type: ignore[attr-defined]
    return replace(array, io_min=io_min)


def _array(site: Site, scene: LedgerContext) -> LedgerLayer:
    declared: Any = site.declared
    count = len(scene.below) - declared.spares
    chunk = 0 if declared.level == 1 else declared.chunk_size
    members = scene.below[:count]
    starts = tuple(data_offset(member.size, chunk) for member in members)
    sizes = [member.size - start for member, start in zip(members, starts, strict=True)]
    # Where members differ, RAID 0 goes on over the larger ones: that is not followed.
    level, layout = f"raid{declared.level}", _layout(declared, site)
    size = array_size(level, [min(sizes)] * count, chunk, layout)
    failed = _bits(scene.extra.get("failed", ""), count, site)
    if declared.level == 0:
        if failed:
            raise site.wrong("RAID 0 does not survive the loss of a member")
        return replace(_striped(chunk, size), starts=starts)
    if declared.level == 1:
        return LedgerLayer(Raid1(failed=failed), size, _MOST, starts)
    if declared.level == 10:
        each = min(sizes) // chunk * chunk
        rule = Raid10(chunk=chunk, layout=layout, size=each, failed=failed)
        notes = ("which copy of a read larger than its chunk is taken",)
        return LedgerLayer(rule, size, _MOST, starts, notes)
    array = Parity(
        parity=PARITY[level], chunk=chunk, layout=layout, failed=failed,
        rmw_level=int(scene.extra.get("rmw_level", 1)),
        stripe_cache=int(scene.extra.get("stripe_cache_size", 256)),
    )  # fmt: skip
    notes = ("how many writes a request's later stripes are merged into",)
    return LedgerLayer(array, size, Limits(most=MIB), starts, notes)


def _striped(chunk: int, size: int) -> LedgerLayer:
    return LedgerLayer(
        Striped(chunk=chunk, latter_first=True), size, Limits(most=min(chunk, REQUEST))
    )


def _layout(declared: Any, site: Site) -> int:
    """The number of the layout declared; 0 where the level has none."""
    if declared.level in {0, 1}:
        return 0
    if declared.level == 4:
        return PARITY_LAST
    number = layout_number(f"raid{declared.level}", declared.layout)
    if number is None:
        raise site.wrong(f"{declared.layout!r} is not a layout of RAID {declared.level}")
    return number


def data_offset(size: int, chunk: int) -> int:
    """The place where md's data begin on a member with metadata 1.2, bytes.

    mdadm leaves room for a reshape: 128 MiB, halved until it is at most a thousandth of the member
    or four chunks; then the next MiB.

    Args:
        size: of the member.
        chunk: bytes, 0 without.
    """
    sectors, headroom = size // SECTOR, 128 * MIB // SECTOR
    while headroom << 10 > sectors and (not chunk or headroom > 4 * chunk // KIB):
        headroom >>= 1
    least = (24 + 8 + headroom) * SECTOR
    return -(-least // MIB) * MIB


def _bits(text: object, members: int, site: Site) -> int:
    """Bits of the members that are named as lost: "1" or "0 3"."""
    bits = 0
    for word in str(text).replace("+", " ").split():
        if not word.isdecimal() or int(word) >= members:
            raise site.wrong(f"{word!r} is not a member: members are 0 to {members - 1}")
        bits |= 1 << int(word)
    return bits


# ── the write-intent bitmap ───────────────────────────────────────────────────────────────────


def _with_bitmap(array: LedgerLayer, site: Site, scene: LedgerContext) -> LedgerLayer:
    """An array with its bitmap, if it is declared with one.

    The first write to each chunk is exact, and so are the pages that are written when bits are
    cleared after the load. That this may happen during it is not counted: it is done by the clock.
    """
    declared: Any = site.declared
    if declared.bitmap != "internal" or isinstance(array.rule, Striped):
        return array
    if declared.metadata not in _SUPERBLOCKS:
        return _unmapped(array)
    member = min(lower.size for lower in scene.below) - max(array.starts, default=0)
    at = _SUPERBLOCKS[declared.metadata] + _BITMAP_BEHIND
    mapped = _mapped(array, member, at, int(scene.extra.get("bitmap_chunk", 0)))
    note = (
        "that bits of its bitmap are cleared during the load: some seconds after the last write to "
        "a chunk its page is written again, and the next write sets the bit anew; and its "
        "superblock"
    )
    return replace(mapped, notes=(note, *array.notes))


def _mapped(array: LedgerLayer, member: int, at: int, chunk: int = 0) -> LedgerLayer:
    """An array with a bitmap on each of its members.

    Args:
        array: none of the striped ones, which have no bitmap.
        member: bytes of a member for data, which have the bits with parity; else the array's have.
        at: where it lies on each member.
        chunk: bytes of a bit; 0: as mdadm chooses.
    """
    covered = member if isinstance(array.rule, Parity) else array.size
    bitmap = Bitmap(chunk=chunk or _bitmap_chunk(covered, member), covers=covered, at=at)
    return replace(array, bitmap=bitmap)


def _unmapped(array: LedgerLayer) -> LedgerLayer:
    """An array whose bitmap lies where the model does not know."""
    return replace(array, notes=("its write-intent bitmap", *array.notes))


def _bitmap_chunk(covered: int, member: int) -> int:
    """Bytes that a bit stands for where nobody says."""
    room = 4 * KIB if member <= 8 * 1024 * MIB else 64 * KIB
    if member >= 200 * 1024 * MIB:
        room = 128 * KIB
    chunk = _BIT
    while -(-covered // chunk) > (room - _BITMAP_HEAD) * 8:
        chunk *= 2
    return chunk


# ── as found ──────────────────────────────────────────────────────────────────────────────────


def _discovered(look: Look, layer: StackLayer) -> LedgerLayer:
    """An array with the write-intent bitmap that it was found with.

    Source: Linux 6.1, Documentation/admin-guide/md.rst (`bitmap/location`: sectors from the
    superblock, `component_size` in KiB).
    """
    array, files = _array_as_found(look, layer), _files(look, layer)
    location, version = files.get("bitmap/location", ""), files.get("metadata_version")
    if isinstance(array.rule, Striped) or location in {"", "none"}:
        return array
    chunk, member = array_facts(files).get("bitmap_chunk"), files.get("component_size", "")
    if not (location[0] == "+" and chunk and member.isdecimal() and version in _SUPERBLOCKS):
        return _unmapped(array)
    at = _SUPERBLOCKS[version] + int(location) * SECTOR
    return _mapped(array, int(member) * KIB, at, int(chunk))


def _files(look: Look, layer: StackLayer) -> dict[str, str]:
    """The files of an array that were read: path below md/ → text."""
    place = f"/sys/block/{kernel_name(layer)}/md/"
    return {
        path.removeprefix(place): text
        for path, text in look.facts.get(layer.host, {}).items()
        if path.startswith(place)
    }


def _array_as_found(look: Look, layer: StackLayer) -> LedgerLayer:
    level = str(look.value(layer, "level") or "").removeprefix("raid")
    if level not in {"0", "1", "4", "5", "6", "10"}:
        raise NotCovered(f"md of level {level or 'unknown'} is not covered")
    disks, size = look.value(layer, "raid_disks"), layer.size or 0
    members = _members(look, layer)
    if not isinstance(disks, int) or not members:
        raise NotCovered("the places of its members are not known")
    lost = set(range(disks)) - members.keys()
    # Whatever stands in for a lost member is never touched.
    standing = next(iter(members.values()))
    order = tuple(members.get(slot, standing)[0] for slot in range(disks))
    starts = tuple(members.get(slot, standing)[1] for slot in range(disks))
    failed = sum(1 << slot for slot in lost) | int(look.value(layer, "model.failed") or 0)
    if level == "1":
        return LedgerLayer(Raid1(failed=failed), size, _MOST, starts, order=order)
    chunk, layout = look.value(layer, "chunk_size"), look.value(layer, "layout")
    if not isinstance(chunk, int):
        raise NotCovered("its chunk is not known")
    if level == "0":
        if _has_zones(look, layer, members, chunk):
            raise NotCovered("its members are not of one size, so it has zones")
        return replace(_striped(chunk, size), starts=starts, order=order)
    if not isinstance(layout, int):
        raise NotCovered("its layout is not known")
    if level == "10":
        each = member_size(size, disks, chunk, layout)
        rule = Raid10(chunk=chunk, layout=layout, size=each, failed=failed)
        return LedgerLayer(rule, size, _MOST, starts, order=order)
    rmw_level, stripe_cache = _parity_settings(look, layer)
    array = Parity(
        parity=PARITY[f"raid{level}"], chunk=chunk, failed=failed,
        layout=PARITY_LAST if level == "4" else layout,
        rmw_level=rmw_level, stripe_cache=stripe_cache,
    )  # fmt: skip
    return LedgerLayer(array, size, Limits(most=MIB), starts, order=order)


def _has_zones(
    look: Look, layer: StackLayer, members: Mapping[int, tuple[int, int]], chunk: int
) -> bool:
    """Whether a RAID 0 goes on over fewer members where the smallest one ends (raid0.c).

    Its layout, -1 where none was chosen, speaks of those zones alone (md(4), "RAID0").
    """
    below = look.below(layer)
    sizes = {((below[place].size or 0) - start) // chunk for place, start in members.values()}
    return len(sizes) > 1 and sum(
        ((below[place].size or 0) - start) // chunk for place, start in members.values()
    ) * chunk == (layer.size or 0)


def _parity_settings(look: Look, layer: StackLayer) -> tuple[int, int]:
    """`rmw_level`, and how many stripes are kept."""
    place = f"/sys/block/{kernel_name(layer)}/md"
    rmw = look.value(layer, "model.rmw_level")
    if rmw is None:
        rmw = look.figure(layer, f"{place}/rmw_level")
    stripes = look.value(layer, "model.stripe_cache")
    if stripes is None:
        stripes = look.figure(layer, f"{place}/stripe_cache_size") or 256
    return 1 if rmw is None else int(rmw), int(stripes)


def _members(look: Look, layer: StackLayer) -> dict[int, tuple[int, int]]:
    """Slot → the place among those below, and where data begin on it, bytes."""
    files = _files(look, layer)
    members = [parse_member(kernel_name(below), files) for below in look.below(layer)]
    return {
        member.slot: (place, member.offset or 0)
        for place, member in enumerate(members)
        if member.slot is not None and member.role != "faulty"
    }


def _facts(keys: Mapping[str, Scalar], shown: Mapping[str, Scalar]) -> dict[str, Scalar]:
    facts: dict[str, Scalar] = {"level": f"raid{keys['level']}"}
    if shown.get("chunk_size"):
        facts["chunk_size"] = keys["chunk_size"]
    return facts


def _recognised(facts: Mapping[str, Scalar]) -> str:
    level = str(facts.get("level"))
    chunk = "" if level == "raid1" else f", chunks of {facts.get('chunk_size')} bytes"
    return f"{level} of {facts.get('raid_disks')} members{chunk}"


def _alternatives(look: Look, layer: StackLayer) -> Iterator[tuple[str, Scalar]]:
    for chunk in _CHUNKS:
        if look.value(layer, "chunk_size") not in {None, chunk}:
            yield "chunk_size", chunk
    if layer.facts.get("level") != look.value(layer, "level"):
        yield "level", layer.facts.get("level")
    if look.value(layer, "level") in PARITY:
        for level in (0, 1, 2):
            yield "model.rmw_level", level
        for stripes in _STRIPES:
            yield "model.stripe_cache", stripes
    disks = look.value(layer, "raid_disks")
    for slot in range(disks if isinstance(disks, int) else 0):
        yield "model.failed", 1 << slot


ACCOUNTING = Accounting(
    declared=_declared,
    discovered=_discovered,
    extra={
        "rmw_level": "0, 1 or 2",
        "stripe_cache_size": "stripes",
        "bitmap_chunk": "bytes that a bit of its bitmap stands for",
        "failed": "numbers of the members that are lost, joined by +",
    },
    files=(
        *(f"md/{file}" for file in (
            "stripe_cache_size", "rmw_level", "metadata_version", "component_size",
            "bitmap/location", "bitmap/chunksize",
        )),
        *(f"md/dev-*/{file}" for file in ("slot", "offset", "state")),
    ),
    facts=_facts,
    recognised=_recognised,
    alternatives=_alternatives,
)  # fmt: skip
