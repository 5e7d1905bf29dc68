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
    search = [measurement for measurement in campaign.measurements if measurement.part == "search"]
    entered = {key_of(vary, measurement.settings) for measurement in search}
    gone = {
        key: step for some in _leaving(campaign).values() for key, step in some.items()
    }  # when the last of those that left for the same reason was measured: the block's end
    scores: dict[tuple[str, Key], list[float]] = {}
    settings: dict[Key, Mapping[str, Scalar]] = {}
    steps, clock, best = [], 0.0, None
    for measured in campaign.measurements:
        clock += measured.device_seconds
        alive = {key for key in entered if key not in gone or gone[key] > measured.number}
        if measured.part == "search" and measured.figure and measured.figure > 0:
            key = key_of(vary, measured.settings)
            settings[key] = measured.settings
            scores.setdefault((measured.at, key), []).append(sign * log(measured.figure))
        here = {
            key: some for (at, key), some in scores.items() if at == measured.at and key in alive
        }
        if here and measured.part == "search":
            best = settings[max(here, key=lambda key: sum(here[key]) / len(here[key]))]
        step = PathStep(
            measured.number + 1,
            clock,
            measured.part,
            measured.stage,
            measured.settings,
            measured.figure,
            len(alive),
            best,
            measured.why,
        )
        steps.append(step)
    return tuple(steps)


def events_of(path: Sequence[PathStep], campaign: Campaign) -> tuple[Event, ...]:
    """Who left and when, and where the proof begins."""
    vary = campaign.intent.vary
    places = {step.number - 1: at for at, step in enumerate(path)}
    settings_of = {
        key_of(vary, candidate.settings): candidate.settings for candidate in campaign.candidates
    }
    events = [
        (places[max(some.values())], f"out, {reason}", tuple(settings_of[key] for key in some))
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
    ends = {key_of(vary, candidate.settings): candidate for candidate in campaign.candidates}
    last = {
        key_of(vary, measurement.settings): measurement
        for measurement in campaign.measurements
        if measurement.part == "search"
    }
    leaving: dict[tuple[str, str], dict[Key, int]] = {}
    for key, measurement in last.items():
        end = ends.get(key)
        if end is not None and end.state in _OUT and end.reason:
            leaving.setdefault((measurement.stage, end.reason), {})[key] = measurement.number
    return {reason: dict.fromkeys(some, max(some.values())) for reason, some in leaving.items()}
