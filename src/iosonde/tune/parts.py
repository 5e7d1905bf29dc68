"""A campaign's search, place by place: figures of two places are not held against each other.

A campaign that was measured at one place is one part. Where stages were measured each at its own,
a part is what was measured at one place: fitted alone, with a reference of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from iosonde.records.campaign import Campaign, CandidateEnd, Intent, Measurement, Varied
from iosonde.records.campaign_sheet import Effects
from iosonde.records.stack import Scalar
from iosonde.tune.effects import Fit, key_of

Key: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What was measured at one place.

    Args:
        at: the probe point's name; empty where there is one for all.
        search: measurements of the search there, in order.
        fit: of those.
        ends: candidates that were measured there; one of several stages once, with all its loops.
        reference: what candidates are held against: what is varied there as it was in force.
    """

    at: str
    search: Sequence[Measurement]
    fit: Fit
    ends: Mapping[Key, CandidateEnd]
    reference: Mapping[str, Scalar]

    def values(self, name: str) -> int:
        """How many values of a setting were measured there."""
        return len({measurement.settings[name] for measurement in self.search})


def parts_of(campaign: Campaign) -> tuple[Part, ...]:
    """All parts, in the order in which they were begun; one at least."""
    intent = campaign.intent
    search = [measurement for measurement in campaign.measurements if measurement.part == "search"]
    default = {setting.name: setting.default for setting in intent.vary}
    places = tuple(dict.fromkeys(measurement.at for measurement in search))
    if len(places) <= 1:
        ends = _ends(intent, campaign.candidates)
        return (Part("", search, Fit(intent, search), ends, default),)
    parts = []
    for at in places:
        here = [measurement for measurement in search if measurement.at == at]
        there = _narrowed(intent, here)
        moved = {setting.name: setting.default for setting in there.vary}
        ends = _ends(
            intent, [candidate for candidate in campaign.candidates if campaign.at(candidate) == at]
        )
        parts.append(Part(at, here, Fit(there, here), ends, {**here[0].settings, **moved}))
    return tuple(parts)


def part_of(parts: Sequence[Part], varied: Varied) -> Part:
    """The part in which a setting was varied."""
    return max(parts, key=lambda part: part.values(varied.name))


def effects_of(parts: Sequence[Part]) -> Effects:
    """What settings do, each as seen where it was varied; `noise` is that of the noisiest place."""
    every = [part.fit.effects() for part in parts]
    return Effects(
        main=tuple(effect for some in every for effect in some.main),
        pairs=tuple(pair for some in every for pair in some.pairs),
        noise=max(some.noise for some in every),
        apart=sum(some.apart for some in every),
        together=sum(some.together for some in every),
        loops=sum(some.loops for some in every),
    )


def _ends(intent: Intent, candidates: Sequence[CandidateEnd]) -> dict[Key, CandidateEnd]:
    """Candidates that were measured; those of several stages once, with all of their loops."""
    ends: dict[Key, CandidateEnd] = {}
    for candidate in candidates:
        key = key_of(intent.vary, candidate.settings)
        if not (candidate.device_seconds or candidate.loops or candidate.reason):
            continue
        before = ends.get(key)
        ends[key] = candidate if before is None else replace(
            candidate, loops=before.loops + candidate.loops, metric=None,
            device_seconds=before.device_seconds + candidate.device_seconds,
        )  # fmt: skip
    return ends


def _narrowed(intent: Intent, search: Sequence[Measurement]) -> Intent:
    """The intent with only those settings that were varied in some measurements."""
    vary = tuple(
        setting
        for setting in intent.vary
        if len({each.settings[setting.name] for each in search}) > 1
    )
    names = {setting.name for setting in vary}
    excluded = tuple(
        {name: value for name, value in rule.items() if name in names}
        for rule in intent.excluded
        if names & set(rule)
        and all(search[0].settings[name] == rule[name] for name in set(rule) - names)
    )
    return replace(intent, vary=vary, excluded=excluded) if vary else intent
