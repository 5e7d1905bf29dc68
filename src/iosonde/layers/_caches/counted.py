"""Counters of a cache and the state of the same device, as several rules look them up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar

ENOUGH = 1000  # requests, below which shares say little


@dataclass(frozen=True, slots=True)
class HitRate:
    """Requests of one direction that went to a cache, and those that found their data there."""

    what: str
    hits: float
    asked: float

    @property
    def share(self) -> float:
        return self.hits / self.asked


Percents: TypeAlias = Iterator[tuple[str, float, float, float]]
"""Percents that are printed: of what, the percent, hits and requests."""


def _no_rates(_: CounterEvidence, *, writes: bool) -> Iterator[HitRate]:
    del writes
    return iter(())


@dataclass(frozen=True, slots=True)
class CacheCounters:
    """What the counters of one kind of cache mean.

    Args:
        title: what people call it.
        hit_rates: hits by direction; of writes only where one that hits is faster.
        bypassed: requests that were let past on purpose, and all; zeros where it counts neither.
        cache_all: how it is told to let none past.
        faster_moves: what besides a larger cache lets more requests hit.
        percents: that it prints beside what they are made of.
        sums: what it counts twice: its name, one counter, and what others make of it.
    """

    title: str
    hit_rates: Callable[..., Iterator[HitRate]] = _no_rates
    bypassed: Callable[[CounterEvidence], tuple[float, float]] = lambda _: (0, 0)
    cache_all: str = ""
    faster_moves: str = ""
    percents: Callable[[CounterEvidence], Percents] = lambda _: iter(())
    sums: Callable[[CounterEvidence], Iterator[tuple[str, float, float]]] = lambda _: iter(())


def figure(counted: CounterEvidence, *names: str) -> float | None:
    """The first of some counters that is there; on a host, blanks in names are underscores."""
    for name in names:
        value = counted.values.get(name, counted.values.get(name.replace(" ", "_")))
        if isinstance(value, int | float):
            return value
    return None


def counted_of(case: EvidenceSet, *kinds: str) -> Iterator[CounterEvidence]:
    """What was counted of layers of some kinds, in a text or on a host."""
    yield from (counted for counted in case.counters if counted.kind in kinds)
    for state in case.of_kind(*kinds):
        yield CounterEvidence(
            state.kind, state.kind, state.name, state.host, dict(state.values), state.where,
            state.source,
        )  # fmt: skip


def counted_caches(
    case: EvidenceSet, *kinds: str
) -> Iterator[tuple[CounterEvidence, Mapping[str, Scalar]]]:
    """What was counted of each cache, in a text or on a host, with what is known of it."""
    seen: set[tuple[str, str, tuple[object, ...]]] = set()
    for counted in counted_of(case, *kinds):
        key = (counted.source, counted.host, tuple(map(str, counted.values.items())))
        if key not in seen:  # bcache counts a set of one device twice
            seen.add(key)
            state = state_of(case, counted)
            yield counted, state.values if state else {}


def subject_of(evidence: CounterEvidence | StateEvidence) -> str:
    """`cachedev on storage`; the kind where it has no name."""
    name = evidence.name or evidence.kind
    return f"{name} on {evidence.host}" if evidence.host else name


def state_of(case: EvidenceSet, counted: CounterEvidence) -> StateEvidence | None:
    """The state of the device that was counted: of its name, else the only one of its kind."""
    alike = [
        state
        for state in case.of_kind(counted.kind)
        if state.source == counted.source
        and (state.host == counted.host or "" in {state.host, counted.host})
    ]
    named = [state for state in alike if state.name == counted.name]
    if named:
        return next((state for state in named if "block_size" in state.values), named[0])
    return alike[0] if len({state.name for state in alike}) == 1 else None
