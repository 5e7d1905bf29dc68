"""The path of a search: loops in order, who was still in it, who was ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from iosonde.campaign import Campaign, CandidateEnd
from iosonde.records import Scalar
from iosonde.tune.effects import key_of
from iosonde.tuning import Event, Step

_OUT = {"eliminated", "infeasible"}
Key = tuple[int, ...]


def path_of(campaign: Campaign) -> tuple[Step, ...]:
    """Every measurement with what was known after it."""
    vary, sign = campaign.intent.vary, 1.0 if campaign.intent.goal.higher else -1.0
    search = [one for one in campaign.measurements if one.part == "search"]
    last = {key_of(vary, one.settings): one.number for one in search}
    out = {key_of(vary, one.settings) for one in campaign.candidates if _left(one)}
    scores: dict[Key, list[float]] = {}
    settings: dict[Key, Mapping[str, Scalar]] = {}
    steps, clock, best = [], 0.0, None
    for one in campaign.measurements:
        clock += one.change_seconds + (one.spent or 0.0)
        alive = {key for key in last if key not in out or last[key] > one.number}
        if one.part == "search" and one.figure and one.figure > 0:
            key = key_of(vary, one.settings)
            settings[key] = one.settings
            scores.setdefault(key, []).append(sign * log(one.figure))
        here = {key: some for key, some in scores.items() if key in alive}
        if here and one.part == "search":
            best = settings[max(here, key=lambda key: sum(here[key]) / len(here[key]))]
        step = Step(
            one.number + 1, clock, one.part, one.stage, one.settings, one.figure, len(alive), best,
            one.why,
        )  # fmt: skip
        steps.append(step)
    return tuple(steps)


def events_of(path: Sequence[Step], campaign: Campaign) -> tuple[Event, ...]:
    """Who left and when, and where the proof begins."""
    vary = campaign.intent.vary
    ends = {key_of(vary, one.settings): one for one in campaign.candidates}
    last: dict[Key, int] = {}
    for at, step in enumerate(path):
        if step.part == "search":
            last[key_of(vary, step.settings)] = at
    leaving: dict[str, list[tuple[int, str]]] = {}
    for key, at in last.items():
        end = ends.get(key)
        if end is not None and _left(end):
            leaving.setdefault(end.reason, []).append((at, words(end.settings)))
    events = [
        (max(at for at, _ in some), f"out, {reason}: {'; '.join(name for _, name in some)}")
        for reason, some in leaving.items()
    ]
    first_proof = next((at for at, step in enumerate(path) if step.part == "proof"), None)
    if first_proof is not None:
        pick = campaign.result.pick if campaign.result else None
        told = f" of {words(pick)} against what was in force" if pick else ""
        events.append((first_proof, f"the proof begins: fresh loops{told}"))
    return tuple(
        Event(path[at].number, path[at].at, what, path[at].alive) for at, what in sorted(events)
    )


def _left(one: CandidateEnd) -> bool:
    """It left while the search went on; a model and a sweep only say in the end who is behind."""
    return one.state in _OUT and bool(one.reason)


def words(settings: Mapping[str, Scalar]) -> str:
    """A candidate: "disk.scheduler=none, disk.nr_requests=64"."""
    return ", ".join(f"{name}={value}" for name, value in settings.items())
