"""What each request of a load asks of the devices of a stack: the network for queueing.py.

A write that needs old data or parity reads first and writes then. Everything a request needs of
several devices at the same stage is asked of them at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from iosonde import _core, units
from iosonde.errors import UsageError
from iosonde.extras import LazyModule
from iosonde.layers._ledger.rule import accounting_of
from iosonde.layers._raid.geometry import MIRRORED, NEAR_TWO, PARITY
from iosonde.predict.queueing import Phase, Work
from iosonde.predict.requests import FLUSH, WRITE
from iosonde.predict.serial import Door, door_of, notes_of
from iosonde.predict.service.controller import Controller
from iosonde.predict.service.link import LinkModel
from iosonde.predict.service.service import Access
from iosonde.predict.writeback import Destage, Geometry, destaged

if TYPE_CHECKING:
    import numpy as np

    from iosonde.layers.site import Site
    from iosonde.predict.model import StackModel
    from iosonde.predict.requests import Requests
    from iosonde.predict.service.service import ServiceModel
else:
    np = LazyModule("numpy")

MOST = 2000
"""Requests that are looked at one by one."""


@dataclass(frozen=True, slots=True)
class Network:
    """Requests, and the devices they go to.

    Args:
        works: the requests.
        names: of the devices: a layer, with ">" or "<" behind it for the directions of a link.
        services: the devices.
        cached: bytes of a write-back cache, and the layer; once they are full, `works` holds.
        notes: what is assumed.
        mirrors: number of a device → those that hold the same.
        one_by_one: all requests pass a target that serves one after the other.
    """

    works: tuple[Work, ...]
    names: tuple[str, ...]
    services: tuple[ServiceModel, ...]
    cached: tuple[str, int] | None = None
    notes: tuple[str, ...] = ()
    mirrors: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    one_by_one: bool = False


@dataclass(frozen=True, slots=True)
class _Places:
    """Numbers of the devices in a network."""

    disks: Mapping[str, int]
    out: Mapping[str, int]
    back: Mapping[str, int]
    controllers: Mapping[str, int]


def network_of(
    model: StackModel, requests: Requests, services: Mapping[str, ServiceModel]
) -> Network:
    """What a load asks of a stack's devices.

    Args:
        model: the stack.
        requests: of the load.
        services: layer → device, for every disk, and for links and controllers where known.

    Raises:
        UsageError: a controller's write-back cache lies below what moves requests about.
    """
    places, names, chosen = _placed(model.declared, services)
    jumps = _jumps(requests)
    # What is on its way over a link meanwhile is not told apart: there the door is left out.
    door = None if places.out else door_of(model)
    works = _from_ledger(model, requests, jumps, places, door)
    network = Network(
        works, names, chosen, notes=notes_of(model, door), mirrors=_mirrors(model, places),
        one_by_one=door is not None,
    )  # fmt: skip
    writes = bool((requests.ops == WRITE).any())
    for name in places.controllers:
        device = services[name]
        site = next(site for site in model.declared if site.name == name)
        if isinstance(device, Controller) and device.cache and writes and _writes_back(site):
            own = _through_cache(model, site, requests, device, places)
            if own is None:
                works = _merged(works, [()] * MOST, requests)
                size = units.show_bytes(device.cache)
                note = f"{name}: all that is written stays in its cache of {size}"
                return replace(network, works=works, notes=(*network.notes, note))
            works = _merged(works, own, requests)
            return replace(network, works=works, cached=(name, device.cache))
    return network


def _mirrors(model: StackModel, places: _Places) -> dict[int, tuple[int, ...]]:
    """Devices that hold the same: members of RAID 1, and of RAID 10 where copies lie side by side.

    Members that are made of several devices are left as the ledger has them.
    """
    mirrors: dict[int, tuple[int, ...]] = {}
    for node in model.nodes:
        for group in _groups(node):
            chains = [_chain(model, places, member) for member in group]
            for copies in zip(*chains, strict=True) if len({*map(len, chains)}) == 1 else ():
                mirrors |= dict.fromkeys(copies, copies)
    return mirrors


def _groups(node: _core.Node) -> list[list[int]]:
    """The layers below of which each group holds the same."""
    match node.rule, node.below:
        case _core.Raid1(), below:
            return [below]
        case _core.Raid10(layout=layout), below if layout == NEAR_TWO and len(below) % 2 == 0:
            return [below[at : at + 2] for at in range(0, len(below), 2)]
    return []


def _chain(model: StackModel, places: _Places, place: int) -> tuple[int, ...]:
    """The devices below a layer in their order, as far as each stands on one other."""
    devices: list[int] = []
    while True:
        name = model.sites[place].name
        devices += [
            numbers[name] for numbers in (places.out, places.back, places.disks) if name in numbers
        ]
        below = model.nodes[place].below
        if len(below) != 1:
            return tuple(devices) if not below else ()
        place = below[0]


def _writes_back(site: Site) -> bool:
    return getattr(site.declared, "write_policy", None) != "write_through"


def _placed(
    sites: Sequence[Site], services: Mapping[str, ServiceModel]
) -> tuple[_Places, tuple[str, ...], tuple[ServiceModel, ...]]:
    disks: dict[str, int] = {}
    out: dict[str, int] = {}
    back: dict[str, int] = {}
    controllers: dict[str, int] = {}
    names: list[str] = []
    chosen: list[ServiceModel] = []
    for site in sites:
        device = services.get(site.name)
        if device is None:
            continue
        if isinstance(device, LinkModel):
            out[site.name], back[site.name] = len(names), len(names) + 1
            names += [f"{site.name}>", f"{site.name}<"]
            chosen += [device, replace(device, latency=0.0)]
            continue
        (controllers if accounting_of(site.kind).speed == "controller" else disks)[site.name] = len(
            names
        )
        names.append(site.name)
        chosen.append(device)
    return _Places(disks, out, back, controllers), tuple(names), tuple(chosen)


def _jumps(requests: Requests) -> list[bool]:
    """Whether each request begins elsewhere than where the one before ended."""
    ends = requests.offsets + requests.lengths
    follows = np.zeros(len(requests.offsets), dtype=bool)
    follows[1:] = (requests.offsets[1:] == ends[:-1]) & (requests.ops[1:] == requests.ops[:-1])
    return [not continues for continues in follows.tolist()]


def _from_ledger(
    model: StackModel,
    requests: Requests,
    jumps: Sequence[bool],
    places: _Places,
    door: Door | None,
) -> tuple[Work, ...]:
    """Each request by itself through the core, so that every device's share of it is known."""
    core = _core.Ledger([_through(node) for node in model.nodes])
    layers = {**places.disks, **places.out, **places.controllers}
    before = {name: core.counts(model.places[name]) for name in layers}

    def served(op: int, offset: int, length: int, *, jump: bool) -> Work:
        core.run(np.uint8(op).tobytes(), np.uint64(offset).tobytes(), np.uint64(length).tobytes())
        moved = {}
        for name in layers:
            now = core.counts(model.places[name])
            moved[name] = now - before[name]
            before[name] = now
        return _work(moved, places, jump=jump, end=offset + length)

    works: list[Work] = []
    for at in range(min(len(requests.ops), MOST)):
        op, offset, length = (
            int(column[at]) for column in (requests.ops, requests.offsets, requests.lengths)
        )
        if op == FLUSH:
            continue
        work: Work = ()
        for begin, size in door.frames(offset, length) if door else ((offset, length),):
            work += served(op, begin, size, jump=jumps[at] and begin == offset)
        works.append(work)
    return tuple(works)


def _through(node: _core.Node) -> _core.Node:
    """A controller's cache has its own place in the queues (writeback.py)."""
    if isinstance(node.rule, _core.Controller):
        return _core.Node(_core.Same(), below=node.below)
    return node


def _work(moved: Mapping[str, _core.Counts], places: _Places, *, jump: bool, end: int) -> Work:
    """Out over the links; what the controllers do; reads; writes; back over the links."""
    out = [
        (number, Access(True, max(got.writes, got.reads), got.write_bytes))
        for name, number in places.out.items()
        if (got := moved[name]).reads or got.writes
    ]
    inner = [
        (number, Access(True, sum(counts.reads + counts.writes for counts in below), size))
        for name, number in places.controllers.items()
        if (below := [moved[disk] for disk in places.disks if disk.startswith(f"{name}-")])
        and (size := sum(counts.read_bytes + counts.write_bytes for counts in below))
    ]
    reads = [
        (number, Access(False, got.reads, got.read_bytes, jump, place=end))
        for name, number in places.disks.items()
        if (got := moved[name]).reads
    ]
    writes = [
        (number, Access(True, got.writes, got.write_bytes, jump, got.reads > 0, end))
        for name, number in places.disks.items()
        if (got := moved[name]).writes
    ]
    back = [
        (places.back[name], Access(False, got.reads, got.read_bytes))
        for name in places.out
        if (got := moved[name]).read_bytes
    ]
    phases = (tuple(out), tuple(inner), tuple(reads), tuple(writes), tuple(back))
    return tuple(phase for phase in phases if phase)


def _through_cache(
    model: StackModel, site: Site, requests: Requests, device: Controller, places: _Places
) -> list[Work] | None:
    """What the cache writes back for each write; None where it never has to."""
    for upper in model.declared[: model.declared.index(site)]:
        rule = model.nodes[model.places[upper.name]].rule
        if not isinstance(rule, _core.Same | _core.Linear):
            raise UsageError(
                "a controller's write-back cache is reckoned with only where the load reaches it "
                f"as it is, not below {upper.name}",
                where=f"layer {site.name}", hint="name it with --at",
            )  # fmt: skip
    declared = site.declared
    drives = [f"{site.name}-{name}" for name in declared.drives]  # type: ignore[attr-defined]
    geometry = _geometry(declared.level, declared.strip_size, len(drives))  # type: ignore[attr-defined]
    numbers = [places.disks[name] for name in drives]
    gone = destaged(requests, geometry, device.cache, most=MOST)
    if not gone:
        return None
    return [_destage(destage, numbers, places.controllers[site.name]) for destage in gone]


def _geometry(level: int, strip: int, drives: int) -> Geometry:
    parity = PARITY.get(f"raid{level}", 0)
    copies = 2 if f"raid{level}" in MIRRORED else 1
    return Geometry(strip, (drives - parity) // copies, parity, copies)


def _destage(gone: Destage, numbers: Sequence[int], controller: int) -> Work:
    reads: Phase = tuple(
        (numbers[drive], Access(False, count, size)) for drive, (count, size) in gone.reads.items()
    )
    writes: Phase = tuple(
        (numbers[drive], Access(True, count, size, again=drive in gone.reads))
        for drive, (count, size) in gone.writes.items()
    )
    inner: Phase = ((controller, Access(True, gone.count, gone.size)),) if gone.count else ()
    return tuple(phase for phase in (inner, reads, writes) if phase)


def _merged(works: Sequence[Work], own: Sequence[Work], requests: Requests) -> tuple[Work, ...]:
    """Reads as the ledger has them, writes as the cache writes them back."""
    data = [op for op in requests.ops.tolist() if op != FLUSH][: len(works)]
    if all(op == WRITE for op in data):
        return tuple(own)
    written = iter(own)
    return tuple(
        next(written) if op == WRITE else work for op, work in zip(data, works, strict=True)
    )
