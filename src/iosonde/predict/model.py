"""A declared stack in the core: what each of its layers gets of a load.

Counts are those of requests that come one after the other (`iodepth` 1), on a stack that has been
idle before: an array is clean, its stripe cache is cold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from iosonde import _core
from iosonde.contract import ADDED
from iosonde.errors import UsageError
from iosonde.extras import LazyModule
from iosonde.layers import LEDGERS
from iosonde.layers._ledger.rule import LedgerContext, LedgerLayer, accounting_of
from iosonde.layers.site import Site
from iosonde.predict import memory
from iosonde.records.prediction import Account

if TYPE_CHECKING:
    import numpy as np

    from iosonde._core import Rule
    from iosonde.predict.recorded import Recorded
    from iosonde.predict.requests import Requests
    from iosonde.stack.file import DeclaredStack
else:
    np = LazyModule("numpy")


_COUNT: Mapping[str, object] = {"schema": {"minimum": 0}}
_SIZES: Mapping[str, object] = {
    "schema": {
        "propertyNames": {"pattern": "^[0-9]+$"}, "additionalProperties": {"minimum": 0},
    }
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Amplification:
    """I/Os of a layer for each request of the load; None without requests."""

    reads: float | None = field(default=None, metadata=_COUNT)
    writes: float | None = field(default=None, metadata=_COUNT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a layer gets. Sizes are bytes → how many I/Os."""

    id: str
    """Its name in the stack."""
    kind: str
    host: str
    device: None = None
    """Nothing stands yet."""
    size: int = field(metadata=_COUNT)
    reads: int = field(metadata=_COUNT)
    writes: int = field(metadata=_COUNT)
    writes_band: tuple[int, int] = field(metadata={"schema": {"items": {"minimum": 0}}})
    """The least and the most, where merging depends on which disk answers first."""
    flushes: int = field(metadata=_COUNT)
    read_bytes: int = field(metadata=_COUNT)
    write_bytes: int = field(metadata=_COUNT)
    sizes: Mapping[int, int] = field(metadata=_SIZES)
    """Of reads and writes, ascending."""
    read_sizes: Mapping[int, int] = field(metadata=_SIZES)
    write_sizes: Mapping[int, int] = field(metadata=_SIZES)
    off_grid: float | None = field(metadata={"schema": {"minimum": 0, "maximum": 1}})
    """I/Os whose offset or size is no multiple of 4096 bytes."""
    amplification: Amplification = Amplification()
    events: Mapping[str, int] = field(
        default_factory=dict, metadata={"schema": {"additionalProperties": {"minimum": 0}}}
    )
    """What the layer counts itself, such as a cache its hits."""
    notes: tuple[str, ...] = field(default=(), metadata={"name": "not_counted"})
    """What the layer does besides, or what of its counts is left to chance."""
    approximate: tuple[str, ...] = field(default=(), metadata=ADDED)
    """What its counts make up where the truth cannot be known; also among the notes."""

    @property
    def account(self) -> Account:
        """Its reads and writes as a ledger has them."""
        return Account(self.reads, self.read_bytes, self.writes, self.write_bytes)


@dataclass(frozen=True, slots=True)
class Prediction:
    """All layers from the one that the load is applied to down to the disks.

    `requests` are the reads and writes of the load.
    """

    requests: int
    layers: tuple[Counts, ...]
    notes: tuple[str, ...] = ()

    def disks(self) -> tuple[Counts, ...]:
        """The layers that stand on no other."""
        return tuple(
            counts for counts in self.layers if accounting_of(counts.kind).speed == "drive"
        )


class Named(Protocol):
    """What a layer is called: a declared one (`Site`), or one that was found."""

    @property
    def name(self) -> str:
        """Unique in the stack."""

    @property
    def kind(self) -> str:
        """Of layer."""

    @property
    def host(self) -> str:
        """Where it is."""


@dataclass(frozen=True, slots=True)
class Undeclared:
    """A layer that nobody declared: a page cache, the array behind a controller's cache."""

    name: str
    kind: str
    host: str


@dataclass(frozen=True, slots=True)
class StackModel:
    """A stack for the core, from one layer down: the top first.

    `places` are the numbers of the layers in the core.
    """

    sites: tuple[Named, ...]
    layers: Mapping[str, LedgerLayer]
    places: Mapping[str, int]
    nodes: tuple[_core.Node, ...]

    @property
    def declared(self) -> tuple[Site, ...]:
        """The layers that were declared: all of them, or none where the stack was found."""
        return tuple(site for site in self.sites if isinstance(site, Site))

    @property
    def size(self) -> int:
        """Bytes of the top."""
        return self.layers[self.sites[0].name].size

    def has(self, rule: type[Rule]) -> bool:
        """Whether a layer has such a rule."""
        return any(isinstance(node.rule, rule) for node in self.nodes)


Extra = Mapping[str, Mapping[str, Any]]
"""Layer → setting → value, for settings that are no part of a declaration."""


def top_of(stack: DeclaredStack, at: str = "") -> Site:
    """The layer that a load is applied to: the named one, or that on which no other stands.

    Raises:
        UsageError: no such layer; several that could be meant.
    """
    if at:
        return stack.site(at)
    under = {lower.name for site in stack.sites for lower in site.below}
    tops = [site for site in stack.sites if site.name not in under]
    if len(tops) != 1:
        raise UsageError(
            f"the load could be applied to any of {', '.join(site.name for site in tops)}",
            where=stack.file, hint="say which with --at",
        )  # fmt: skip
    return tops[0]


def model_of(
    top: Site, mtu: int, extra: Extra | None = None, *, buffered: bool = False
) -> StackModel:
    """The stack below a layer, for the core.

    Args:
        top: the layer that the load is applied to.
        mtu: of the network, where a layer names none.
        extra: settings that are no part of a declaration.
        buffered: the load goes through the page cache, if it is said how large that is.

    Raises:
        UsageError: a layer whose I/Os cannot be told beforehand.
    """
    sites = _downwards(_with_drives(top, {}))
    settings = extra or {}
    _check_memory(top, sites, settings)
    layers: dict[str, LedgerLayer] = {}
    for site in reversed(sites):
        below = tuple(layers[lower.name] for lower in site.below)
        layers[site.name] = _layer_of(site, LedgerContext(below, mtu, settings.get(site.name, {})))
    every: list[tuple[Named, tuple[str, ...]]] = []
    said = settings.get(top.name, {})
    if "page_cache" in said:
        if buffered:
            name = f"{top.name}-page-cache"
            device = not hasattr(top.declared, "mount")
            size = layers[top.name].size
            layers[name] = memory.page_cache(top.name, size, said, device=device)
            every.append((Undeclared(name, memory.KIND, top.host), (top.name,)))
        else:
            note = f"{top.name}: the load is direct, so its page_cache changes nothing"
            layers[top.name] = replace(layers[top.name], remarks=(*layers[top.name].remarks, note))
    for site in sites:
        every += _with_behind(site, layers)
    return _assembled(every, layers)


def _layer_of(site: Site, scene: LedgerContext) -> LedgerLayer:
    """What a declared layer is to the core: its rule with its figures, and how large it is.

    Raises:
        UsageError: its I/Os cannot be predicted.
    """
    declared = accounting_of(site.kind).declared
    if declared is None:
        kinds = sorted(kind for kind in LEDGERS if LEDGERS.load(kind).declared)
        raise UsageError(
            f"what a layer of kind {site.kind} does with I/Os cannot be predicted",
            where=f"layer {site.name}",
            hint=f"`--at` names a layer below it; known: {', '.join(kinds)}",
        )
    layer = declared(site, scene)
    if layer.size <= 0:
        raise site.wrong("what it stands on has no room for data")
    return layer


def _with_drives(site: Site, made: dict[str, Site]) -> Site:
    """A layer and all below it, each that has disks within itself standing on them."""
    if site.name not in made:
        drives = accounting_of(site.kind).drives
        below = drives(site) if drives else tuple(_with_drives(lower, made) for lower in site.below)
        made[site.name] = replace(site, below=below)
    return made[site.name]


def _check_memory(top: Site, sites: Sequence[Site], extra: Extra) -> None:
    """Only the layer that a load is applied to has a page cache before it."""
    for site in sites:
        for name in memory.SETTINGS if site.name != top.name else ():
            if name in extra.get(site.name, {}):
                raise UsageError(
                    f"{site.name}.{name} means nothing: the load is applied to {top.name}",
                    where="--set", hint=f"--set {top.name}.{name}=…",
                )  # fmt: skip


def _with_behind(
    site: Site, layers: dict[str, LedgerLayer]
) -> Iterator[tuple[Named, tuple[str, ...]]]:
    """A layer and what it stands on; between them what its rule says is there."""
    layer = layers[site.name]
    order = layer.order or range(len(layer.starts or site.below))
    below = tuple(site.below[place].name for place in order)
    if layer.behind is None:
        yield site, below
        return
    name = f"{site.name}-{layer.behind.kind}"
    layers[name] = LedgerLayer(layer.behind.rule, layer.size, layer.behind.limits)
    yield site, (name,)
    yield Undeclared(name, layer.behind.kind, site.host), below


def _assembled(
    every: Sequence[tuple[Named, tuple[str, ...]]], layers: Mapping[str, LedgerLayer]
) -> StackModel:
    places = {site.name: number for number, (site, _) in enumerate(every)}
    nodes = [
        node_of(layers[site.name], [places[lower] for lower in below]) for site, below in every
    ]
    return StackModel(tuple(site for site, _ in every), layers, places, tuple(nodes))


def node_of(layer: LedgerLayer, below: Sequence[int]) -> _core.Node:
    """A layer for the core, on the layers of these numbers."""
    return _core.Node(
        layer.rule, below=below, starts=layer.starts, limits=layer.limits, bitmap=layer.bitmap
    )


def _downwards(top: Site) -> tuple[Site, ...]:
    """A layer and all below it, each before those it stands on."""
    order: list[Site] = []
    seen: set[str] = set()

    def visit(site: Site) -> None:
        if site.name not in seen:
            seen.add(site.name)
            for lower in reversed(site.below):
                visit(lower)
            order.append(site)

    visit(top)
    return tuple(reversed(order))


def predict(model: StackModel, requests: Requests | Recorded) -> Prediction:
    """What each layer gets of a load.

    Raises:
        UsageError: a request lies behind the end of the stack.
    """
    counted = _run(model, requests, together=False)
    bands = _run(model, requests, together=True) if model.has(_core.Parity) else counted
    total = len(requests)
    layers = []
    for counts, other in zip(counted, bands, strict=True):
        low, high = sorted((counts.writes, other.writes))
        each = (
            Amplification(counts.reads / total, counts.writes / total) if total else Amplification()
        )
        layers.append(replace(counts, writes_band=(low, high), amplification=each))
    remarks = [text for layer in model.layers.values() for text in layer.remarks]
    notes = [*requests.notes, *remarks]
    if model.has(_core.PageCache):
        notes = [note for note in notes if note != memory.NOT_RECKONED]
    for counts in layers:
        notes += [f"{counts.id}: approximate: {text}" for text in counts.approximate]
    return Prediction(total, tuple(layers), tuple(notes))


def _check(model: StackModel, requests: Requests) -> None:
    """No request may lie behind the end."""
    data = requests.ops < 2  # flushes have no place
    ends = requests.offsets[data] + requests.lengths[data]
    if ends.size and int(ends.max()) > model.size:
        raise UsageError(
            f"a request ends at byte {int(ends.max())}, the layer {model.sites[0].name!r} at "
            f"{model.size}"
        )


def _run(model: StackModel, requests: Requests | Recorded, *, together: bool) -> list[Counts]:
    try:
        core = _core.Ledger(model.nodes, together=together)
    except _core.LedgerError as problem:
        raise UsageError(f"this stack cannot be modelled: {problem}") from None
    for part in requests.parts():
        _check(model, part)
        core.run(
            part.ops.astype(np.uint8).tobytes(),
            part.offsets.astype(np.uint64).tobytes(),
            part.lengths.astype(np.uint64).tobytes(),
        )
    core.settle()
    return [_counts(core, site, model) for site in model.sites]


def _counts(core: _core.Ledger, site: Named, model: StackModel) -> Counts:
    place, layer = model.places[site.name], model.layers[site.name]
    got = core.counts(place)
    total = got.reads + got.writes
    reads, writes = core.read_sizes(place), core.write_sizes(place)
    return Counts(
        id=site.name,
        kind=site.kind,
        host=site.host,
        size=layer.size,
        reads=got.reads,
        writes=got.writes,
        writes_band=(got.writes, got.writes),
        flushes=got.flushes,
        read_bytes=got.read_bytes,
        write_bytes=got.write_bytes,
        sizes={
            size: reads.get(size, 0) + writes.get(size, 0) for size in sorted({*reads, *writes})
        },
        read_sizes=reads,
        write_sizes=writes,
        off_grid=(got.off_grid_reads + got.off_grid_writes) / total if total else None,
        events=core.events(place),
        notes=layer.notes,
        approximate=layer.approximate,
    )
