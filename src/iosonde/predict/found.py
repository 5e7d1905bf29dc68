"""A stack as it was found, in the core: which rule and figures each discovered layer has.

What no rule covers ends the way down: such a layer is a device like a disk, and what lies below it
is named as not covered.

Source: Linux 6.1, Documentation/admin-guide/device-mapper/{linear,striped}.rst (tables in sectors),
md.rst (`dev-NAME/slot`, `offset`); filefrag(8).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product

from iosonde.layers.layer import Target
from iosonde.measure.counting import TABLE
from iosonde.predict import found_bcache, found_dm_cache, found_drbd, found_writecache
from iosonde.predict.bitmap import SUPERBLOCKS, mapped_by, unmapped
from iosonde.predict.layer import Layer
from iosonde.predict.look import Found, Look, NotCovered, Place, targets_of
from iosonde.predict.model import Model
from iosonde.records import StackLayer
from iosonde.stack.model import kernel_name
from iosonde.units import KIB, MIB, SECTOR

_REQUEST = 1280 * KIB
_SEGMENTS = 254
_FAR = frozenset({"aoe", "nvmeof", "iscsi"})
_HANDS_DOWN = frozenset({"aoe_target", "nvmeof_target", "iscsi_target"})
_FILES = frozenset({"xfs", "ext4", "filesystem"})


def model_of_found(look: Look) -> Found:
    """The stack for the core, from its first layer down."""
    rules: dict[str, Layer] = {}
    uncovered = []
    order: list[StackLayer] = []

    def visit(layer: StackLayer) -> None:
        if layer.id in rules:
            return
        rules[layer.id], problem = _ruled(look, layer)
        if problem:
            uncovered.append(f"{layer.id}: {problem}; what lies below it is not predicted")
        for place in reversed(rules[layer.id].order):
            visit(look.below(layer)[place])
        order.append(layer)

    visit(look.layers[0])
    order.reverse()
    places = tuple(Place(one.id, one.kind, one.host, kernel_name(one)) for one in order)
    model, *others = (
        _model(look, order, places, dict(zip(rules, one, strict=True)))
        for one in product(*((rule, *rule.otherwise) for rule in rules.values()))
    )
    arrays = tuple(one.id for one in order if one.kind == "md" and rules[one.id].order)
    return Found(model, places, tuple(uncovered), arrays, tuple(others))


def size_of_found(look: Look) -> int:
    """Bytes of the first layer, as the core would have it."""
    return _ruled(look, look.layers[0])[0].size


def _ruled(look: Look, layer: StackLayer) -> tuple[Layer, str]:
    """A layer's rule; a device's where none covers it, and why."""
    try:
        return _rule(look, layer), ""
    except NotCovered as problem:
        return _device(look, layer), str(problem)


def _model(
    look: Look, order: Sequence[StackLayer], places: tuple[Place, ...], rules: Mapping[str, Layer]
) -> Model:
    numbers = {layer.id: number for number, layer in enumerate(order)}
    nodes = []
    for layer in order:
        rule = rules[layer.id]
        begins = {f"begins{number}": start for number, start in enumerate(rule.starts)}
        below = tuple(numbers[look.below(layer)[place].id] for place in rule.order)
        nodes.append((rule.rule, {**rule.figures, **begins}, below))
    return Model(places, rules, numbers, tuple(nodes))


def _rule(look: Look, layer: StackLayer) -> Layer:
    if not layer.below or not look.below(layer):
        return _device(look, layer)
    if layer.kind in _HANDS_DOWN:
        return Layer("same", layer.size or 0, order=(0,))
    if layer.kind in _FAR:
        return _far(look, layer)
    kind = "file" if layer.kind in _FILES else layer.kind
    if kind not in RULES:
        raise NotCovered(f"a layer of kind {layer.kind} is not covered")
    return RULES[kind](look, layer)


def _queue(look: Look, layer: StackLayer) -> dict[str, int]:
    place = f"/sys/class/block/{kernel_name(layer)}/queue"
    most = look.figure(layer, f"{place}/max_sectors_kb") or _REQUEST // KIB
    segments = look.figure(layer, f"{place}/max_segments") or _SEGMENTS
    # Where the device takes as many as there can be, the kernel says 65535.
    return {"most": most * KIB, "merges": 1, "segments": 0 if segments > 1024 else segments}


def _device(look: Look, layer: StackLayer) -> Layer:
    return Layer("same", layer.size or 0, _queue(look, layer))


def _far(look: Look, layer: StackLayer) -> Layer:
    """What is carried at once: a frame of AoE, else a request of any size."""
    most = look.value(layer, "frame_payload") if layer.kind == "aoe" else _REQUEST
    if not isinstance(most, int):
        raise NotCovered("the payload of its frames is not known")
    return Layer("far", layer.size or 0, {**_queue(look, layer), "read": most, "write": most},
                 order=(0,))  # fmt: skip


def _partition(_: Look, layer: StackLayer) -> Layer:
    start = layer.facts.get("start")
    if not isinstance(start, int):
        raise NotCovered("where it begins is not known")
    return Layer("linear", layer.size or 0, {"start": start}, order=(0,))


def _mapped(look: Look, layer: StackLayer) -> Layer:
    """A device of device-mapper, whichever tool made it: by its table."""
    targets = targets_of(layer, look.text(layer, TABLE))
    if not targets:
        raise NotCovered("its table was not to be had")
    names = {one.name for one in targets}
    if names == {"linear"}:
        return _segments(look, layer, targets)
    if len(targets) == 1 and targets[0].name in TARGETS:
        return TARGETS[targets[0].name](look, layer, targets[0])
    raise NotCovered(f"a table of {', '.join(sorted(names))} is not covered")


def _segments(look: Look, layer: StackLayer, targets: Sequence[Target]) -> Layer:
    rows = [
        (look.numbered(layer, one.words[0]), one.start * SECTOR, one.length * SECTOR,
         int(one.words[1]) * SECTOR)
        for one in targets
    ]  # fmt: skip
    return _pieces(rows)


def _pieces(rows: Sequence[tuple[int, int, int, int]]) -> Layer:
    """Parts of a layer: the place of the layer below, start, length and place on it, bytes."""
    order = tuple(sorted({row[0] for row in rows}))
    figures = {"segments": len(rows)}
    for number, (child, start, length, at) in enumerate(rows):
        figures |= {
            f"start{number}": start, f"length{number}": length,
            f"child{number}": order.index(child), f"at{number}": at,
        }  # fmt: skip
    return Layer("linear", rows[-1][1] + rows[-1][2], figures, order=order)


def _striped(look: Look, layer: StackLayer, target: Target) -> Layer:
    count, chunk = int(target.words[0]), int(target.words[1]) * SECTOR
    pairs = list(zip(target.words[2 : 2 + 2 * count : 2], target.words[3::2], strict=False))
    order = tuple(look.numbered(layer, number) for number, _ in pairs)
    starts = tuple(int(start) * SECTOR for _, start in pairs)
    return Layer("striped", target.length * SECTOR, {"chunk": chunk}, starts, order=order)


def _crypt(look: Look, layer: StackLayer, target: Target) -> Layer:
    """The same I/Os elsewhere.

    Source: Linux 6.1, drivers/md/dm-crypt.c, `crypt_map()`: what is larger than 256 pages is cut.
    """
    if len(target.words) < 5 or not target.words[4].isdecimal():
        raise NotCovered("its table is not known")
    place = look.numbered(layer, target.words[3])
    figures = {"start": int(target.words[4]) * SECTOR, "most": MIB}
    return Layer("linear", target.length * SECTOR, figures, order=(place,))


def _md(look: Look, layer: StackLayer) -> Layer:
    return _with_bitmap(look, layer, _array(look, layer))


def _with_bitmap(look: Look, layer: StackLayer, array: Layer) -> Layer:
    """An array with the write-intent bitmap that it was found with.

    Source: Linux 6.1, Documentation/admin-guide/md.rst (`bitmap/location`: sectors from the
    superblock, `component_size` in KiB).
    """
    place = f"/sys/block/{kernel_name(layer)}/md"
    location = look.text(layer, f"{place}/bitmap/location")
    version = look.text(layer, f"{place}/metadata_version")
    if array.rule == "striped" or location in {"", "none"}:
        return array
    chunk = look.figure(layer, f"{place}/bitmap/chunksize")
    member = look.figure(layer, f"{place}/component_size")
    if not (location[0] == "+" and chunk and member and version in SUPERBLOCKS):
        return unmapped(array)
    return mapped_by(array, member * KIB, SUPERBLOCKS[version] + int(location) * SECTOR, chunk)


def _array(look: Look, layer: StackLayer) -> Layer:
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
    figures = {"failed": failed, "most": _REQUEST}
    if level == "1":
        return Layer("raid1", size, figures, starts, order=order)
    chunk, layout = look.value(layer, "chunk_size"), look.value(layer, "layout")
    if not isinstance(chunk, int) or not isinstance(layout, int):
        raise NotCovered("its chunk or layout is not known")
    if level == "0":
        del figures["failed"]
        figures |= {"chunk": chunk, "most": min(chunk, _REQUEST), "latter_first": 1}
        return Layer("striped", size, figures, starts, order=order)
    if level == "10":
        rows = size // chunk * (layout & 0xFF) * (layout >> 8 & 0xFF) // disks
        figures |= {"chunk": chunk, "layout": layout, "size": rows * chunk}
        return Layer("raid10", size, figures, starts, order=order)
    return Layer("parity", size, figures | _parity(look, layer, level, chunk, layout), starts,
                 order=order)  # fmt: skip


def _parity(look: Look, layer: StackLayer, level: str, chunk: int, layout: int) -> dict[str, int]:
    place = f"/sys/block/{kernel_name(layer)}/md"
    rmw = look.value(layer, "model.rmw_level")
    if rmw is None:
        rmw = look.figure(layer, f"{place}/rmw_level")
    return {
        "parity": 2 if level == "6" else 1, "chunk": chunk,
        "layout": 5 if level == "4" else layout, "most": MIB,
        "rmw_level": 1 if rmw is None else int(rmw),
        "stripe_cache": look.figure(layer, f"{place}/stripe_cache_size") or 256,
    }  # fmt: skip


_MEMBER = re.compile(r"/md/dev-(?P<name>[^/]+)/slot$")


def _members(look: Look, layer: StackLayer) -> dict[int, tuple[int, int]]:
    """Slot → the place among those below, and where data begin on it, bytes."""
    start = f"/sys/block/{kernel_name(layer)}/md/dev-"
    names = [kernel_name(one) for one in look.below(layer)]
    found = {}
    for path, text in look.facts.get(layer.host, {}).items():
        told = _MEMBER.search(path)
        if not path.startswith(start) or told is None or not text.isdecimal():
            continue
        base = path.removesuffix("/slot")
        working = "faulty" not in look.text(layer, f"{base}/state").split(",")
        if told["name"] in names and working:
            offset = look.figure(layer, f"{base}/offset") or 0
            found[int(text)] = (names.index(told["name"]), offset * SECTOR)
    return found


_EXTENT = re.compile(r"^\s*\d+:\s*(\d+)\.\.\s*\d+:\s*(\d+)\.\.\s*\d+:\s*(\d+):", re.MULTILINE)


def _file(look: Look, layer: StackLayer) -> Layer:
    """The file that is the target, by its extents: direct I/O to what is laid out."""
    rows = [
        (0, int(start) * SECTOR, int(length) * SECTOR, int(at) * SECTOR)
        for start, at, length in _EXTENT.findall(look.text(layer, "filefrag"))
    ]
    if not rows or any(one[1] + one[2] != two[1] for one, two in pairwise(rows)):
        raise NotCovered("where its file lies is not known (filefrag)")
    notes = ("its journal and metadata",)
    return replace(_pieces(rows), notes=notes)


TARGETS: Mapping[str, Callable[[Look, StackLayer, Target], Layer]] = {
    "striped": _striped,
    "crypt": _crypt,
    "cache": found_dm_cache.dm_cache,
    "writecache": found_writecache.dm_writecache,
}
"""Targets of device-mapper that a device is wholly made of."""

RULES: Mapping[str, Callable[[Look, StackLayer], Layer]] = {
    "disk": _device,
    "partition": _partition,
    "md": _md,
    "lvm": _mapped,
    "dm": _mapped,
    "dm_crypt": _mapped,
    "dm_cache": _mapped,
    "dm_writecache": _mapped,
    "bcache": found_bcache.bcache,
    "drbd": found_drbd.drbd,
    "file": _file,
}
