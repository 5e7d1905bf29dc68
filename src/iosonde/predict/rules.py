"""What each kind of declared layer is to the core: a rule with its figures, and how large it is.

A kind is a function and a row of `RULES`. What is only nearly so is said in `Layer.notes`.

Source: Linux 6.1, block/blk-settings.c (requests of at most 1280 KiB: `BLK_DEF_MAX_SECTORS`),
drivers/block/virtio_blk.c (254 segments under QEMU); mdadm 4.2, super1.c (where data begin); lvm2
2.03, lib/metadata/pv_manip.c and metadata.c (extents begin at 1 MiB, or at a multiple of md's
stripe width).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from iosonde.errors import UsageError
from iosonde.frames import aoe_frame_payload, aoe_least_mtu
from iosonde.layers.site import Site
from iosonde.predict.bitmap import with_bitmap
from iosonde.predict.caches import bcache, dm_cache, dm_writecache
from iosonde.predict.hardware import array_of
from iosonde.predict.journal import ext4, file_system
from iosonde.predict.layer import Layer, Scene
from iosonde.units import KIB, MIB, SECTOR

_REQUEST = 1280 * KIB
_SEGMENTS = 254
_EXTENT = 4 * MIB


def layer_of(site: Site, scene: Scene) -> Layer:
    """What a declared layer is to the core.

    Raises:
        UsageError: its I/Os cannot be told beforehand.
    """
    if site.kind not in RULES:
        raise UsageError(
            f"what a layer of kind {site.kind} does with I/Os cannot be told beforehand",
            where=f"layer {site.name}",
            hint=f"`--at` names a layer below it; known: {', '.join(sorted(RULES))}",
        )
    layer = RULES[site.kind](site, scene)
    if layer.size <= 0:
        raise site.wrong("what it stands on has no room for data")
    return layer


def _queue(scene: Scene) -> dict[str, int]:
    """The limits of a device that has requests."""
    most = int(scene.extra.get("max_sectors_kb", _REQUEST // KIB)) * KIB
    return {"most": most, "merges": 1, "segments": _SEGMENTS}


def _disk(site: Site, scene: Scene) -> Layer:
    return Layer("same", site.declared.size, _queue(scene))  # type: ignore[attr-defined]


def _partition(site: Site, scene: Scene) -> Layer:
    declared: Any = site.declared
    size = declared.size or scene.size - declared.start
    return Layer("linear", size, {"start": declared.start})


def _bits(text: object, members: int, site: Site) -> int:
    """Bits of the members that are named as lost: "1" or "0 3"."""
    bits = 0
    for word in str(text).replace("+", " ").split():
        if not word.isdecimal() or int(word) >= members:
            raise site.wrong(f"{word!r} is no member: they are 0 to {members - 1}")
        bits |= 1 << int(word)
    return bits


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


_LAYOUTS5 = {
    "": 2, "left-asymmetric": 0, "la": 0, "right-asymmetric": 1, "ra": 1,
    "left-symmetric": 2, "ls": 2, "right-symmetric": 3, "rs": 3,
    "parity-first": 4, "parity-last": 5,
}  # fmt: skip
_LAYOUTS6 = {
    **_LAYOUTS5, "ddf-zero-restart": 8, "ddf-n-restart": 9, "ddf-n-continue": 10,
    "left-asymmetric-6": 16, "right-asymmetric-6": 17, "left-symmetric-6": 18,
    "right-symmetric-6": 19, "parity-first-6": 20,
}  # fmt: skip


def layout10(text: str, site: Site) -> int:
    """The number that md gives a layout of RAID 10: "n2", "f2", "o3" (md(4))."""
    word = text or "n2"
    if word[0] not in "nfo" or not word[1:].isdecimal():
        raise site.wrong(f"{word!r} is no layout of RAID 10")
    copies = int(word[1:])
    return {"n": copies | 1 << 8, "f": 1 | copies << 8, "o": 1 | copies << 8 | 1 << 16}[word[0]]


def _md(site: Site, scene: Scene) -> Layer:
    return with_bitmap(_array(site, scene), site, scene)


def _array(site: Site, scene: Scene) -> Layer:
    declared: Any = site.declared
    count = len(scene.below) - declared.spares
    chunk = 0 if declared.level == 1 else declared.chunk_size
    members = scene.below[:count]
    starts = tuple(data_offset(one.size, chunk) for one in members)
    sizes = [one.size - start for one, start in zip(members, starts, strict=True)]
    size = min(sizes) // (chunk or SECTOR) * (chunk or SECTOR)
    figures = {"failed": _bits(scene.extra.get("failed", ""), count, site), "most": _REQUEST}
    notes: list[str] = []
    if declared.level == 0:
        figures |= {"chunk": chunk, "most": min(chunk, _REQUEST), "latter_first": 1}
        if figures.pop("failed"):
            raise site.wrong("RAID 0 does not outlive a member")
        return Layer("striped", size * count, figures, starts)
    if declared.level == 1:
        return Layer("raid1", size, figures, starts, tuple(notes))
    if declared.level == 10:
        layout = layout10(declared.layout, site)
        copies = (layout & 0xFF) * (layout >> 8 & 0xFF)
        figures |= {"chunk": chunk, "layout": layout, "size": size}
        notes.append("which copy of a read larger than its chunk is taken")
        total = size // chunk * count // copies * chunk
        return Layer("raid10", total, figures, starts, tuple(notes))
    parity = 2 if declared.level == 6 else 1
    known = _LAYOUTS6 if parity == 2 else _LAYOUTS5
    layout = 5 if declared.level == 4 else known.get(declared.layout.lower(), -1)
    if layout < 0:
        raise site.wrong(f"{declared.layout!r} is no layout of RAID {declared.level}")
    figures |= {
        "parity": parity, "chunk": chunk, "layout": layout, "most": MIB,
        "rmw_level": int(scene.extra.get("rmw_level", 1)),
        "stripe_cache": int(scene.extra.get("stripe_cache_size", 256)),
    }  # fmt: skip
    notes.append("how many writes a request's later stripes are merged into")
    return Layer("parity", size * (count - parity), figures, starts, tuple(notes))


def _lvm(site: Site, scene: Scene) -> Layer:
    declared: Any = site.declared
    if declared.type in {"thin", "thin-pool"}:
        raise site.wrong("where a thin volume's blocks lie cannot be told beforehand")
    starts = tuple(_first_extent(one) for one in site.below)
    extents = [
        (one.size - start) // _EXTENT for one, start in zip(scene.below, starts, strict=True)
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
        rule = "raid1" if declared.type == "raid1" else "mirror"
        more = ("the bitmap of its copies",) if rule == "raid1" else ("its log",)
        return Layer(rule, size, {}, starts, (*notes, *more))
    if declared.type == "striped":
        stripes = declared.stripes or len(extents)
        if stripes != len(extents):
            raise site.wrong("`predict` knows volumes that are striped over all they stand on")
        size = min(
            declared.size or min(extents) * stripes * _EXTENT, min(extents) * stripes * _EXTENT
        )
        return Layer("striped", size, {"chunk": declared.stripe_size}, starts, notes)
    return _concatenated(declared.size, extents, starts, notes)


def _concatenated(
    wanted: int | None, extents: list[int], starts: tuple[int, ...], notes: tuple[str, ...]
) -> Layer:
    """One physical volume behind the other."""
    total = min(wanted or sum(extents) * _EXTENT, sum(extents) * _EXTENT)
    figures, begin = {"segments": 0}, 0
    for child, count in enumerate(extents):
        length = min(count * _EXTENT, total - begin)
        if length <= 0:
            break
        number = figures["segments"]
        figures |= {
            f"start{number}": begin, f"length{number}": length, f"child{number}": child,
            f"at{number}": starts[child], "segments": number + 1,
        }  # fmt: skip
        begin += length
    return Layer("linear", total, figures, (), notes)


def _first_extent(below: Site) -> int:
    """Where extents begin on a physical volume."""
    width = below.stripe[0] * below.stripe[1] if below.stripe else MIB
    align = width if width and MIB % width else MIB
    return -(-MIB // align) * align


def _far(read: int, write: int, scene: Scene, *notes: str) -> Layer:
    return Layer("far", scene.size, {**_queue(scene), "read": read, "write": write}, (), notes)


_BLOCK = 4 * KIB


def _aoe(site: Site, scene: Scene) -> Layer:
    declared: Any = site.declared
    mtu = declared.mtu or scene.mtu
    payload = aoe_frame_payload(mtu)
    layer = _far(payload, payload, scene)
    remarks = (f"{site.name}: {_whole(mtu, payload)}",) if payload % _BLOCK else ()
    return replace(layer, remarks=remarks)


def _whole(mtu: int, payload: int) -> str:
    """Which MTUs keep blocks of 4 KiB whole, where this one does not."""
    least = [aoe_least_mtu(blocks * _BLOCK) for blocks in (1, 2)]
    ranges = " or ".join(f"{one} to {one + SECTOR - 1}" for one in least)
    single = "" if payload > _BLOCK else f"; a single one from {least[0]} on"
    return (
        f"a frame carries {payload} bytes at an MTU of {mtu}, so some blocks of 4 KiB are cut; "
        f"all stay whole at {ranges}{single}"
    )


def _nvmeof(site: Site, scene: Scene) -> Layer:
    """Data of up to four pages come with the command (nvmet: `inline_data_size` of its port)."""
    target: Any = site.only.declared
    layer = _far(_REQUEST, _REQUEST, scene)
    return replace(layer, figures={**layer.figures, "inline": target.inline_data_size or 16 * KIB})


def _iscsi(site: Site, scene: Scene) -> Layer:
    """LIO's own bursts where none are declared: 64 KiB at first, then 256 KiB."""
    declared: Any = site.declared
    first = 0 if declared.immediate_data is False else declared.first_burst_length or 64 * KIB
    bursts = {"first_burst": first, "burst": declared.max_burst_length or 256 * KIB}
    layer = _far(_REQUEST, _REQUEST, scene)
    return replace(layer, figures={**layer.figures, **bursts})


def _nbd(_site: Site, scene: Scene) -> Layer:
    return _far(_REQUEST, _REQUEST, scene, "the page cache of its server")


def _nfs(site: Site, scene: Scene) -> Layer:
    declared: Any = site.declared
    read, write = declared.rsize or MIB, declared.wsize or MIB
    return _far(read, write, scene, "metadata, and writes that are not direct")


_LOG = 32 * KIB  # DRBD 8.4, drbd_int.h: MD_32kB_SECT, the activity log of internal metadata


def _drbd(site: Site, scene: Scene) -> Layer:
    """Its metadata lie behind the data: a bit for each 4 KiB, the log, and a superblock."""
    declared: Any = site.declared
    if len(site.below) != 2:
        raise site.wrong("`predict` knows volumes of two sides")
    smaller = min(one.size for one in scene.below)
    bitmap = -(-smaller // (4 * KIB * 8) // (4 * KIB)) * 4 * KIB
    size = smaller - bitmap - _LOG - 4 * KIB
    hosts = [one.host for one in site.below]
    home = declared.primary or site.host
    primary = hosts.index(home) if home in hosts else 0
    options = {**declared.disk}
    flushes = options.get("disk-flushes", True) not in {False, "no"}
    figures = {
        "most": MIB, "log": size, "flushes": int(flushes),
        "extents": int(options.get("al-extents", 1237)),
    }  # fmt: skip
    notes = ("its bitmap, and the flushes of its own metadata",)
    return Layer("drbd", size, figures, (), notes, (primary, 1 - primary))


def _same(_site: Site, scene: Scene) -> Layer:
    return Layer("same", scene.size)


def _server(_site: Site, scene: Scene) -> Layer:
    return Layer("same", scene.size, {}, (), ("what it writes besides data, and its flushes",))


def _guest(_site: Site, scene: Scene) -> Layer:
    return Layer("same", scene.size, _queue(scene))


RULES: Mapping[str, Callable[[Site, Scene], Layer]] = {
    "disk": _disk,
    "partition": _partition,
    "hwraid": array_of,
    "md": _md,
    "lvm": _lvm,
    "bcache": bcache,
    "dm_cache": dm_cache,
    "dm_writecache": dm_writecache,
    "drbd": _drbd,
    "aoe": _aoe,
    "aoe_target": _same,
    "nvmeof": _nvmeof,
    "nvmeof_target": _same,
    "iscsi": _iscsi,
    "iscsi_target": _same,
    "nbd": _nbd,
    "nbd_server": _server,
    "nfs": _nfs,
    "nfs_server": _server,
    "guest": _guest,
    "xfs": file_system,
    "ext4": ext4,
}

NETWORKED = frozenset({"aoe", "nvmeof", "iscsi", "nbd", "nfs", "drbd"})
"""Kinds whose I/Os go over a network."""
