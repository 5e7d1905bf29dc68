"""What a campaign would do, before it does anything: candidates, costs, an estimate."""

from __future__ import annotations

from dataclasses import dataclass

from iosonde.campaign import LeftOut, Varied
from iosonde.change.guard import Permission
from iosonde.errors import IosondeError, UsageError
from iosonde.measure.ready import planned_command
from iosonde.records import Scalar
from iosonde.session.conduct import place_of, plan_of
from iosonde.session.declare import TuneFile
from iosonde.session.first import First, first_of
from iosonde.session.place import Place
from iosonde.session.prepare import intent_of
from iosonde.session.resolve import Resolved, declared_value, resolve, stack_key
from iosonde.session.watch import Watch
from iosonde.tune.space import Space, Vary
from iosonde.tune.strategy import Goal

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


async def outlook(file: TuneFile, permissions: tuple[Permission, ...], watch: Watch) -> Outlook:
    """The plan of a study. Hosts are read, unless a stack is to be built; nothing is changed.

    Raises:
        UsageError: a name or a value is wrong.
        HostFailed: a host cannot be reached.
    """
    plan = plan_of(file)
    place = place_of(file, plan, permissions, watch)
    command = planned_command(plan.rounds[0][0], plan.study)
    if place.stack is not None:
        return _declared(file, place, command)
    try:
        await place.open()
        return _known(file, await resolve(file, place), command)
    finally:
        await place.close()


def _known(file: TuneFile, found: Resolved, command: str) -> Outlook:
    """With what hosts say of every setting."""
    intent = intent_of(file.study, found, (), built=False)
    space = found.space(intent.allowed)
    prices = tuple(Price(one.varied, one.seconds) for one in found.knobs)
    return _priced(file, prices, space, command, found.notes, found.left_out)


def _declared(file: TuneFile, place: Place, command: str) -> Outlook:
    """Of a stack that is built for the campaign: what is in force is read when it stands."""
    prices, count = [], 1
    for name, tried in file.study.vary.items():
        layer = name.partition(".")[0]
        known = {site.name for site in place.stack.sites} if place.stack else set()
        if layer not in known and "/" not in layer:
            problem = UsageError(
                f"the stack has no layer {layer!r}", hint=f"its layers: {', '.join(known)}"
            )
            raise file.wrong(["vary", name], problem)
        values, default = tuple(tried.listed()), None
        if stack_key(place.stack, name):
            values, default = _as_declared(file, place, name)
        prices.append(Price(Varied(name, values, default), None))
        count *= len(values)
    space = Space(tuple(_vary(one.varied) for one in prices))
    note = "the stack is built first; what is in force and what hosts allow is read then"
    return _priced(file, tuple(prices), space, command, (note,), (), count)


def _as_declared(file: TuneFile, place: Place, name: str) -> tuple[tuple[Scalar, ...], Scalar]:
    """The values of a key of the stack, as the study writes them, and the declared one."""
    written: dict[Scalar, Scalar] = {}
    for value in file.study.vary[name].listed():
        try:
            written[declared_value(place, name, {name: value})] = value
        except IosondeError as problem:
            raise file.wrong(["vary", name], problem) from None
    default = declared_value(place, name, {})
    shown = written.setdefault(default, default)
    return tuple(written.values()), shown


def _vary(one: Varied) -> Vary:
    """A setting of which what is in force may not be known yet: it stands for itself."""
    known = one.default in one.values
    return Vary(one.name, one.values if known else (one.default, *one.values), one.default)


def _priced(
    file: TuneFile,
    prices: tuple[Price, ...],
    space: Space,
    command: str,
    notes: tuple[str, ...],
    left_out: tuple[LeftOut, ...],
    known: int = 0,
) -> Outlook:
    study, count = file.study, known or len(space.candidates())
    strategy = study.strategy_for(count)
    first = first_of(file, space, strategy)
    goal = Goal(
        study.goal.metric, study.goal.maximise is not None, study.goal.margin, study.goal.level,
        study.budget, study.loop, study.settle, study.loops,
    )  # fmt: skip
    change = sum(one.seconds or 1.0 for one in prices)
    each = change + goal.settle + goal.seconds + 2 * OVERHEAD
    return Outlook(
        study.study, strategy, prices, count, goal, tuple(study.limits),
        each * count, int(goal.budget / (goal.seconds + OVERHEAD)), command, left_out,
        (*notes, *filter(None, [first.sentence])), first,
    )  # fmt: skip
