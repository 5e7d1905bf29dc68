"""Counters of a cache and the state of the same device, as several rules look them up."""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.records.evidence import CounterEvidence, EvidenceSet, StateEvidence


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
