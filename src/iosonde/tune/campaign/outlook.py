"""What a campaign would do, before it does anything: candidates, costs, an estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from iosonde.change.guard import Permission
from iosonde.errors import IosondeError, UsageError
from iosonde.measure.ready import planned_command
from iosonde.records.campaign import LeftOut, Varied
from iosonde.records.stack import Scalar
from iosonde.stack.file import DeclaredStack
from iosonde.tune.campaign.conduct import place_of, plan_of
from iosonde.tune.campaign.declare import TuneFile
from iosonde.tune.campaign.first import First, first_of
from iosonde.tune.campaign.place import MeasurementSite
from iosonde.tune.campaign.prepare import goal_of, intent_of, wish_of
from iosonde.tune.campaign.resolve import (
    REBUILD,
    Resolved,
    declared_values,
    depth_of,
    resolve,
    stack_key,
)
from iosonde.tune.campaign.watch import CampaignProgress
from iosonde.tune.search.space import Space, Vary
from iosonde.tune.search.staged import stages_of
from iosonde.tune.search.strategy import Goal

OVERHEAD = 1.0
"""Seconds that a loop takes beside its load: the guard, the load's start and end."""


@dataclass(frozen=True, slots=True)
class Price:
    """One setting of the plan; `seconds` is what a change of it costs, before any was made."""

    varied: Varied
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """The plan of a campaign.

    Args:
        study: its name.
        strategy: that would search.
        prices: the settings; values in force are None where the stack does not stand yet.
        candidates: their number.
        goal: what is wanted.
        limits: "subject to".
        block: device seconds in which every candidate is measured once.
        loops: how many loops the budget holds, at the most.
        command: of a loop.
        left_out: values that are not tried.
        notes: what else the user should know.
        first: what is looked at first.
        stages: layer, number of candidates and place of each, where the search goes layer by
            layer; the place is empty where all are measured at one.
    """

    study: str
    strategy: str
    prices: tuple[Price, ...]
    candidates: int
    goal: Goal
    limits: tuple[str, ...]
    block: float
    loops: int
    command: str
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    first: First
    stages: tuple[tuple[str, int, str], ...] = ()


async def outlook(
    file: TuneFile, permissions: tuple[Permission, ...], watch: CampaignProgress
) -> Outlook:
    """The plan of a study. Hosts are read, unless a stack is to be built; nothing is changed.

    Raises:
        UsageError: a name or a value is wrong.
        HostFailed: a host cannot be reached.
    """
    plan = plan_of(file)
    place = place_of(file, plan, permissions, watch)
    if place.stack is not None:
        return _declared(file, place, place.stack)
    try:
        await place.open()
        return _known(file, place, await resolve(file, place))
    finally:
        await place.close()


def _known(file: TuneFile, place: MeasurementSite, found: Resolved) -> Outlook:
    """With what hosts say of every setting."""
    intent = intent_of(file.study, found, (), built=False)
    space = found.space(intent.allowed)
    prices = tuple(Price(one.varied, one.seconds) for one in found.knobs)
    return _priced(file, place, prices, space, space, found.notes, found.left_out)


def _declared(file: TuneFile, place: MeasurementSite, stack: DeclaredStack) -> Outlook:
    """Of a stack that is built for the campaign: what is in force is read when it stands."""
    prices = []
    known = {site.name for site in stack.sites}
    for name, tried in file.study.vary.items():
        host, _, rest = name.rpartition("/")
        if rest.partition(".")[0] not in known and not host:
            problem = UsageError(
                f"the stack has no layer {name.partition('.')[0]!r}",
                hint=f"its layers: {', '.join(known)}",
            )
            raise file.wrong(["vary", name], problem)
        values, default, seconds = tuple(tried.listed()), None, None
        if stack_key(stack, name):
            values, default = _as_written(file, place, name)
            seconds = REBUILD
        varied = Varied(name, values, default, also=tuple(tried.also))
        prices.append(Price(varied, seconds))
    prices.sort(key=lambda one: depth_of(stack, one.varied.name))
    note = "the stack is built first; what is in force and what hosts allow is read then"
    counted = Space(tuple(_guessed(one.varied) for one in prices))
    ranked = Space(tuple(_unknown(one.varied) for one in prices))
    return _priced(file, place, tuple(prices), counted, ranked, (note,), ())


def _as_written(
    file: TuneFile, place: MeasurementSite, name: str
) -> tuple[tuple[Scalar, ...], Scalar]:
    """The values of a key of the stack, as the study writes them, and the declared one."""
    try:
        declared, default = declared_values(place, name, file.study.vary[name])
    except IosondeError as problem:
        raise file.wrong(["vary", name], problem) from None
    written = {one: cast("Scalar", value) for one, value in declared.items()}
    shown = written.setdefault(default, default)
    return tuple(written.values()), shown


def _guessed(one: Varied) -> Vary:
    """A setting; what is in force and not known yet is taken to be one of its values."""
    default = one.default if one.default in one.values else one.values[0]
    return Vary(one.name, one.values, default)


def _unknown(one: Varied) -> Vary:
    """A setting; what is in force and not known yet is none of its values."""
    known = one.default in one.values
    return Vary(one.name, one.values if known else (one.default, *one.values), one.default)


def _stages(
    space: Space, place: MeasurementSite, prices: tuple[Price, ...]
) -> tuple[tuple[str, int, str], ...]:
    """Layer, number of candidates, and place."""
    stages = stages_of(space)
    names = {one.varied.name: one.varied.also for one in prices}
    places = place.route(names).places
    at = places or ("",) * len(stages)
    return tuple((*stage, one) for stage, one in zip(stages, at, strict=True))


def _priced(
    file: TuneFile,
    place: MeasurementSite,
    prices: tuple[Price, ...],
    space: Space,
    ranked: Space,
    notes: tuple[str, ...],
    left_out: tuple[LeftOut, ...],
) -> Outlook:
    study, count = file.study, len(space.candidates())
    strategy = study.strategy_for(count)
    first = first_of(file, ranked, strategy)
    goal = goal_of(wish_of(study))
    stages = _stages(space, place, prices) if strategy == "staged" else ()
    change = sum(one.seconds or 1.0 for one in prices) / (len(stages) or 1)
    each = change + goal.settle + goal.seconds + 2 * OVERHEAD
    block = each * (sum(one for _, one, _ in stages) or count)
    return Outlook(
        study.study, strategy, prices, count, goal, tuple(study.limits),
        block, int(goal.budget / (goal.seconds + OVERHEAD)),
        planned_command(place.planned, place.study), left_out,
        (*notes, *filter(None, [first.sentence])), first, stages,
    )  # fmt: skip
