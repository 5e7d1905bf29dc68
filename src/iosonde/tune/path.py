"""The path of a search: loops in order, who was still in it, who was ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from iosonde.records.campaign import Campaign
from iosonde.records.campaign_sheet import Event, PathStep
from iosonde.records.stack import Scalar
from iosonde.tune.effects import key_of

_OUT = {"eliminated", "infeasible"}
Key = tuple[int, ...]


def path_of(campaign: Campaign) -> tuple[PathStep, ...]:
    """Every measurement with what was known after it."""
    vary, sign = campaign.intent.vary, 1.0 if campaign.intent.goal.higher else -1.0
    search = [one for one in campaign.measurements if one.part == "search"]
    entered = {key_of(vary, one.settings) for one in search}
    gone = {
        key: step for some in _leaving(campaign).values() for key, step in some.items()
    }  # when the last of those that left for the same reason was measured: the block's end
    scores: dict[tuple[str, Key], list[float]] = {}
    settings: dict[Key, Mapping[str, Scalar]] = {}
    steps, clock, best = [], 0.0, None
    for one in campaign.measurements:
        clock += one.device_seconds
        alive = {key for key in entered if key not in gone or gone[key] > one.number}
        if one.part == "search" and one.figure and one.figure > 0:
            key = key_of(vary, one.settings)
            settings[key] = one.settings
            scores.setdefault((one.at, key), []).append(sign * log(one.figure))
        here = {key: some for (at, key), some in scores.items() if at == one.at and key in alive}
        if here and one.part == "search":
            best = settings[max(here, key=lambda key: sum(here[key]) / len(here[key]))]
        step = PathStep(
            one.number + 1, clock, one.part, one.stage, one.settings, one.figure, len(alive), best,
            one.why,
        )  # fmt: skip
        steps.append(step)
    return tuple(steps)


def events_of(path: Sequence[PathStep], campaign: Campaign) -> tuple[Event, ...]:
    """Who left and when, and where the proof begins."""
    vary = campaign.intent.vary
    places = {step.number - 1: at for at, step in enumerate(path)}
    known = {key_of(vary, one.settings): one.settings for one in campaign.candidates}
    events = [
        (places[max(some.values())], f"out, {reason}", tuple(known[key] for key in some))
        for (_, reason), some in _leaving(campaign).items()
    ]
    first_proof = next((at for at, step in enumerate(path) if step.part == "proof"), None)
    if first_proof is not None:
        pick = (campaign.result.pick,) if campaign.result else ()
        events.append((first_proof, "the proof begins, against what was in force", pick))
    return tuple(
        Event(path[at].number, path[at].at, what, settings, path[at].alive)
        for at, what, settings in sorted(events, key=lambda event: event[0])
    )


def _leaving(campaign: Campaign) -> dict[tuple[str, str], dict[Key, int]]:
    """Stage and reason for leaving → those who left, and the measurement after which they did.

    A model and a sweep only say in the end who is behind, and give no reason: nobody left.
    """
    vary = campaign.intent.vary
    ends = {key_of(vary, one.settings): one for one in campaign.candidates}
    last = {
        key_of(vary, one.settings): one for one in campaign.measurements if one.part == "search"
    }
    found: dict[tuple[str, str], dict[Key, int]] = {}
    for key, one in last.items():
        end = ends.get(key)
        if end is not None and end.state in _OUT and end.reason:
            found.setdefault((one.stage, end.reason), {})[key] = one.number
    return {reason: dict.fromkeys(some, max(some.values())) for reason, some in found.items()}
