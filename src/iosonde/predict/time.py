"""How fast a load will be on a stack, and between which bounds that is certain.

The network of requests and devices is gone through three times: with the devices as described,
with the slowest and with the fastest of which the same could be said. The band is what lies
between the last two, and the 95 % interval of each for the length of the simulation. It says
nothing of what the model leaves out: processors, buses, what a file system writes of its own, other
users.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde import _core, units
from iosonde.contract import ABSENT, HIDDEN, NULL
from iosonde.errors import UsageError
from iosonde.layers._ledger.rule import accounting_of
from iosonde.predict.queueing import Coming, Flow, flow
from iosonde.predict.recorded import of_trace
from iosonde.predict.requests import FLUSH, of_load
from iosonde.predict.shape import Shape, shape_of
from iosonde.predict.work import network_of

if TYPE_CHECKING:
    from iosonde.predict.devices import DeviceModels
    from iosonde.predict.model import StackModel
    from iosonde.predict.requests import Requests
    from iosonde.predict.service.service import ServiceModel
    from iosonde.predict.work import Network
    from iosonde.records.load import Load

_REQUESTS = 4000
_POSITIVE: Mapping[str, object] = {"schema": {"minimum": 0}}


@dataclass(frozen=True, slots=True)
class Time:
    """How fast a load will be, with as many requests under way as it has.

    `depth` and what follows it is what that rests on: see `TimeBasis`.
    """

    iops: float = field(metadata=_POSITIVE)
    """Requests of the load, 1/s."""
    bandwidth: float = field(metadata=_POSITIVE)
    """Bytes/s."""
    latency: float = field(metadata={"name": "latency_mean", **_POSITIVE})
    """Seconds."""
    band: tuple[float, float] = field(metadata={"schema": {"items": {"minimum": 0}}})
    """The lowest and the highest `iops` that the devices' models leave open, 1/s."""
    depth: int = field(metadata=HIDDEN)
    bottleneck: str = field(metadata=HIDDEN)
    busy: Mapping[str, float] = field(metadata=HIDDEN)
    covers: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    notes: tuple[str, ...] = field(default=(), metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class TimeBasis:
    """What a time rests on, or why there is none."""

    reason: str | None = field(default=None, metadata=ABSENT)
    """Why there is no time."""
    devices: Mapping[str, str] | None = field(default=None, metadata=ABSENT)
    """Layer → model."""
    depth: int | None = field(default=None, metadata={**ABSENT, "schema": {"minimum": 1}})
    """Requests under way at the same time."""
    bottleneck: str | None = field(default=None, metadata={**ABSENT, **NULL})
    """The busiest device; null where none is busy for a tenth of the time."""
    busy: Mapping[str, float] | None = field(
        default=None,
        metadata={**ABSENT, "schema": {"additionalProperties": {"minimum": 0, "maximum": 1}}},
    )
    """Device → fraction of time; a network's directions as LAYER> and LAYER<."""
    covers: tuple[str, ...] | None = field(default=None, metadata=ABSENT)
    """What lies within the band."""
    notes: tuple[str, ...] | None = field(default=None, metadata=ABSENT)
    """What is assumed."""

    @classmethod
    def of(cls, time: Time | NoTime, model: StackModel, devices: DeviceModels) -> TimeBasis:
        """Of a load on a stack with these models."""
        if isinstance(time, NoTime):
            return cls(reason=time.reason)
        return cls(
            devices=devices.texts(model), depth=time.depth, bottleneck=time.bottleneck,
            busy=time.busy, covers=time.covers, notes=time.notes,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class NoTime:
    """Why there is none."""

    reason: str


def time_of(
    model: StackModel, requests: Requests, shape: Shape, devices: DeviceModels
) -> Time | NoTime:
    """How fast a load will be, or why that is not known.

    Args:
        model: the stack.
        requests: of the load; enough of them to fill a controller's cache (`steady_requests`).
        shape: how they come.
        devices: the models of the layers.
    """
    if shape.buffered:
        return NoTime("the load goes through the page cache, whose speed is not predicted")
    if model.has(_core.Journal):
        return NoTime("with data=journal a load goes through memory, whose speed is not predicted")
    chosen = services_of(model, requests, devices)
    if isinstance(chosen, NoTime):
        return chosen
    try:
        network = network_of(model, requests, chosen)
        if not any(network.works):
            return NoTime("; ".join(network.notes) or "the load has no requests")
        return _timed(model, requests, shape, chosen, network)
    except UsageError as problem:
        return NoTime(str(problem))


def timed(model: StackModel, load: Load | Path, count: int, devices: DeviceModels) -> Time | NoTime:
    """How fast a load of fio, or a trace, will be.

    A trace says nothing of how many requests were under way: they come one after the other.

    Args:
        model: the stack.
        load: as declared, or a trace's file.
        count: requests at the least, where the load does not say.
        devices: the models of the layers.
    """
    if isinstance(load, Path):
        return time_of(model, of_trace(load), Shape(), devices)
    return time_of(model, steady_requests(model, load, count, devices), shape_of(load), devices)


def steady_requests(model: StackModel, load: Load, count: int, devices: DeviceModels) -> Requests:
    """As many as the steady state needs, whatever the load does until it ends."""
    few = of_load(load, 1, model.size, exactly=True)
    size = int(few.lengths.max()) if len(few) else 1
    return of_load(load, _enough(model, devices, size, count), model.size, exactly=True)


def services_of(
    model: StackModel, requests: Requests, devices: DeviceModels
) -> dict[str, ServiceModel] | NoTime:
    """The device of each layer that has one, disks held to the space that the load keeps to."""
    chosen: dict[str, ServiceModel] = {}
    missing = []
    span = _span(model, requests)
    for site in model.declared:
        device = devices.of(site)
        if device is not None:
            is_drive = accounting_of(site.kind).speed == "drive"
            chosen[site.name] = device.over(span) if is_drive else device
        elif accounting_of(site.kind).speed:
            missing.append(site.name)
    if missing:
        few = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if missing[3:] else "")
        return NoTime(f"no speed model for {few}: add --device LAYER=MODEL")
    return chosen


def _timed(
    model: StackModel,
    requests: Requests,
    shape: Shape,
    chosen: Mapping[str, ServiceModel],
    network: Network,
) -> Time:
    """The middle, and the band from the slow and the fast devices.

    Raises:
        UsageError: a device knows nothing of what it is asked.
    """
    middle = _flow(network, network.services, shape)
    slow = _flow(network, [service.slow() for service in network.services], shape)
    fast = _flow(network, [service.fast() for service in network.services], shape)
    flows = [slow, middle, fast]
    low = min(flow.rate * (1 - flow.error) for flow in flows)
    high = max(flow.rate * (1 + flow.error) for flow in flows)
    size = float(requests.lengths[requests.ops != FLUSH].mean())
    busy = dict(zip(network.names, middle.busy, strict=True))
    top = max(busy, key=lambda name: busy[name])
    return Time(
        middle.rate, middle.rate * size, middle.latency, (low, high), shape.depth,
        top if busy[top] >= 0.1 else "", busy, _covers(network), (*_notes(model, chosen, network),),
    )  # fmt: skip


def _enough(model: StackModel, devices: DeviceModels, size: int, count: int) -> int:
    """How many requests of a size fill the caches of a stack's controllers twice, and some more."""
    from iosonde.predict.service.controller import Controller

    models = [devices.of(site) for site in model.declared]
    cache = max((model.cache for model in models if isinstance(model, Controller)), default=0)
    return max(count, ceil(2 * cache / max(size, 1)))


def _flow(
    network: Network, services: list[ServiceModel] | tuple[ServiceModel, ...], shape: Shape
) -> Flow:
    requests = max(_REQUESTS, 8 * shape.depth)
    parts = network.works, services

    def through(coming: Coming) -> Flow:
        return flow(*parts, mirrors=network.mirrors, coming=coming, requests=requests)

    closed = through(Coming(1 if network.one_by_one else shape.depth))
    if network.one_by_one:  # the others wait
        closed = replace(closed, latency=shape.depth / closed.rate)
    if not shape.rate or closed.rate <= shape.rate:
        return closed
    return through(Coming(gaps=1 / shape.rate, random=shape.random))


def _span(model: StackModel, requests: Requests) -> float:
    """The fraction of the stack's space that the load keeps to."""
    data = requests.ops != FLUSH
    if not data.any():
        return 1.0
    begin = int(requests.offsets[data].min())
    end = int((requests.offsets[data] + requests.lengths[data]).max())
    return (end - begin) / model.size


def _covers(network: Network) -> tuple[str, ...]:
    own = {service.covers for service in network.services if service.covers}
    return (*sorted(own), "the length of the simulation")


def _notes(model: StackModel, chosen: Mapping[str, ServiceModel], network: Network) -> list[str]:
    bare = [
        site.name
        for site in model.sites
        if accounting_of(site.kind).networked and site.name not in chosen
    ]
    notes = [f"{name}: its network takes no time here; say how fast with --device" for name in bare]
    if network.cached:
        name, size = network.cached
        notes.append(
            f"{name}: once its cache of {units.show_bytes(size)} is full; before, writes end as "
            "soon as they are in it"
        )
    return [*network.notes, *notes]
