"""What layers of several kinds make of requests.

Source: Linux 6.1, block/blk-settings.c (requests of at most 1280 KiB: `BLK_DEF_MAX_SECTORS`),
drivers/block/virtio_blk.c (254 segments under QEMU).
"""

from __future__ import annotations

from collections.abc import Sequence

from iosonde._core import Far, Limits, Same, Segment, Segments
from iosonde.layers._ledger.look import Look, NotCovered, targets_of
from iosonde.layers._ledger.rule import LedgerContext, LedgerLayer, accounting_of
from iosonde.layers._mapper.facts import TABLE, MapperTarget, read_linear, target_of
from iosonde.layers.layer import kernel_name
from iosonde.layers.site import Site
from iosonde.records.stack import StackLayer
from iosonde.units import KIB, SECTOR

REQUEST = 1280 * KIB
SEGMENTS = 254


def queue(scene: LedgerContext) -> Limits:
    """The limits of a device that has requests."""
    most = int(scene.extra.get("max_sectors_kb", REQUEST // KIB)) * KIB
    return Limits(most=most, merges=True, segments=SEGMENTS)


def _queue_as_found(look: Look, layer: StackLayer) -> Limits:
    place = f"/sys/class/block/{kernel_name(layer)}/queue"
    most = look.figure(layer, f"{place}/max_sectors_kb") or REQUEST // KIB
    segments = look.figure(layer, f"{place}/max_segments") or SEGMENTS
    # Where the device takes as many as there can be, the kernel says 65535.
    return Limits(most=most * KIB, merges=True, segments=0 if segments > 1024 else segments)


def device(look: Look, layer: StackLayer) -> LedgerLayer:
    """A device like a disk: what no rule covers ends the way down there."""
    return LedgerLayer(Same(), layer.size or 0, _queue_as_found(look, layer))


def pieces(rows: Sequence[tuple[int, int, int, int]]) -> LedgerLayer:
    """Parts of a layer: the place of the layer below, start, length and place on it, bytes."""
    order = tuple(sorted({row[0] for row in rows}))
    segments = [
        Segment(start=start, length=length, child=order.index(child), at=at)
        for child, start, length, at in rows
    ]
    return LedgerLayer(Segments(segments=segments), rows[-1][1] + rows[-1][2], order=order)


def far(rule: Far, scene: LedgerContext, *notes: str) -> LedgerLayer:
    """A layer whose data go over a network."""
    return LedgerLayer(rule, scene.size, queue(scene), (), notes)


def far_as_found(look: Look, layer: StackLayer, most: int = REQUEST) -> LedgerLayer:
    """A layer as found whose data go over a network: what one message carries, bytes."""
    limits = _queue_as_found(look, layer)
    return LedgerLayer(Far(read=most, write=most), layer.size or 0, limits, order=(0,))


def same(_site: Site, scene: LedgerContext) -> LedgerLayer:
    """A layer that hands requests on as they are."""
    return LedgerLayer(Same(), scene.size)


def server(_site: Site, scene: LedgerContext) -> LedgerLayer:
    """A server, whose own metadata are not counted."""
    notes = ("what it writes besides data, and its flushes",)
    return LedgerLayer(Same(), scene.size, notes=notes)


def handed_down(_: Look, layer: StackLayer) -> LedgerLayer:
    """A target as found: what comes over the network goes on as it is."""
    return LedgerLayer(Same(), layer.size or 0, order=(0,))


def mapped(look: Look, layer: StackLayer) -> LedgerLayer:
    """A device of device-mapper, whichever tool made it: by its table."""
    targets = targets_of(layer, look.text(layer, TABLE))
    if not targets:
        raise NotCovered("its table was not to be had")
    names = {target.name for target in targets}
    if names == {"linear"}:
        return _segments(look, layer, targets)
    target = accounting_of(target_of(targets[0].name).kind).target
    if len(targets) == 1 and target:
        return target(look, layer, targets[0])
    raise NotCovered(f"a table of {', '.join(sorted(names))} is not covered")


def _segments(look: Look, layer: StackLayer, targets: Sequence[MapperTarget]) -> LedgerLayer:
    tables = [(target, table) for target in targets if (table := read_linear(target.arguments))]
    if len(tables) < len(targets):
        raise NotCovered("its table is not known")
    return pieces(
        [
            (look.numbered(layer, table.device), target.start * SECTOR, target.length * SECTOR,
             table.offset)
            for target, table in tables
        ]
    )  # fmt: skip
