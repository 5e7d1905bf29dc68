"""What a campaign would do, before it does anything: candidates, costs, an estimate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import cast

from iosonde.change.guard import Permission
from iosonde.contract import HIDDEN, NULL, VerbResult
from iosonde.errors import IosondeError, UsageError
from iosonde.layers import LAYERS
from iosonde.measure.progress import Progress
from iosonde.measure.ready import planned_command
from iosonde.records.campaign import LeftOut, Varied
from iosonde.records.stack import Scalar
from iosonde.stack.file import DeclaredStack
from iosonde.tune.campaign.conduct import place_of, plan_of
from iosonde.tune.campaign.declare import TuneFile
from iosonde.tune.campaign.first import first_of
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
from iosonde.tune.search.space import Space, Vary
from iosonde.tune.search.staged import stages_of
from iosonde.tune.search.strategy import Goal

OVERHEAD = 1.0
"""Seconds that a loop takes beside its load: the guard, the load's start and end."""


@dataclass(frozen=True, slots=True)
class PlannedSetting:
    """A setting that would be varied."""

    name: str
    also: tuple[str, ...]
    values: tuple[Scalar, ...]
    in_force: Scalar
    """null where the stack does not stand yet."""
    change_seconds: float | None
    """What a change costs, before any was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook(VerbResult):
    """The plan of a campaign."""

    SCHEMA = "iosonde.plan/1"
    study: str
    strategy: str
    candidates: int
    vary: tuple[PlannedSetting, ...]
    left_out: tuple[LeftOut, ...]
    """Values that are not tried."""
    metric: str
    limits: tuple[str, ...]
    command: str
    """Of a loop."""
    block_seconds: float
    """Device seconds in which every candidate is measured once."""
    budget: float
    most_loops: int
    """How many loops the budget holds, at the most."""
    notes: tuple[str, ...]
    prior: str = field(metadata=NULL)
    first: tuple[Mapping[str, Scalar], ...]
    """Candidates that are looked at first."""
    goal: Goal = field(metadata=HIDDEN)
    stages: tuple[tuple[str, int, str], ...] = field(metadata=HIDDEN)
    """Layer, number of candidates and place of each, where the search goes layer by layer; the
    place is empty where all are measured at one."""


async def outlook(file: TuneFile, permissions: tuple[Permission, ...], watch: Progress) -> Outlook:
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
        return _with_readings(file, place, await resolve(file, place))
    finally:
        await place.close()


def _with_readings(file: TuneFile, place: MeasurementSite, resolved: Resolved) -> Outlook:
    """With what hosts say of every setting."""
    intent = intent_of(file.study, resolved, (), built=False)
    space = resolved.space(intent.allowed)
    vary = tuple(_planned(knob.varied, knob.seconds) for knob in resolved.knobs)
    return _outlook(file, place, vary, space, space, resolved.notes, resolved.left_out)


def _planned(varied: Varied, seconds: float | None) -> PlannedSetting:
    return PlannedSetting(varied.name, varied.also, varied.values, varied.default, seconds)


def _declared(file: TuneFile, place: MeasurementSite, stack: DeclaredStack) -> Outlook:
    """Of a stack that is built for the campaign: what is in force is read when it stands."""
    vary = []
    layer_names = {site.name for site in stack.sites}
    for name, tried in file.study.vary.items():
        host, _, rest = name.rpartition("/")
        if rest.partition(".")[0] not in layer_names and not host:
            problem = UsageError(
                f"the stack has no layer {name.partition('.')[0]!r}",
                hint=f"its layers: {', '.join(layer_names)}",
            )
            raise file.wrong(["vary", name], problem)
        for each in (name, *tried.also):
            _check_setting(file, stack, name, each)
        values, default, seconds = tuple(tried.listed()), None, None
        if stack_key(stack, name):
            values, default = _as_written(file, place, name)
            seconds = REBUILD
        vary.append(PlannedSetting(name, tuple(tried.also), values, default, seconds))
    vary.sort(key=lambda setting: depth_of(stack, setting.name))
    note = "the stack is built first; what is in force and what hosts allow is read then"
    counted = Space(tuple(map(_guessed, vary)))
    ranked = Space(tuple(map(_unknown, vary)))
    return _outlook(file, place, tuple(vary), counted, ranked, (note,), ())


def _check_setting(file: TuneFile, stack: DeclaredStack, key: str, name: str) -> None:
    """Refuse a name that is no key of its layer, and no setting of any kind of layer.

    Which kinds stand at a layer is seen when it stands: a guest's name is that of its disk as well.
    """
    layer, _, setting = name.partition(".")
    site = next((site for site in stack.sites if site.name == layer), None)
    if site is None or stack_key(stack, name):
        return
    by_kind = {kind: {each.name for each in LAYERS.load(kind).settings} for kind in LAYERS}
    if setting in set().union(*by_kind.values()):
        return
    own = [*by_kind.get(site.kind, ()), *type(site.declared).model_fields]
    near = get_close_matches(setting, own, n=1)
    problem = UsageError(
        f"{layer} has no setting {setting!r}",
        hint=f"did you mean {layer}.{near[0]}?" if near else f"it has {', '.join(sorted(own))}",
    )
    raise file.wrong(["vary", key], problem)


def _as_written(
    file: TuneFile, place: MeasurementSite, name: str
) -> tuple[tuple[Scalar, ...], Scalar]:
    """The values of a key of the stack, as the study writes them, and the declared one."""
    try:
        declared, default = declared_values(place, name, file.study.vary[name])
    except IosondeError as problem:
        raise file.wrong(["vary", name], problem) from None
    written = {text: cast("Scalar", value) for text, value in declared.items()}
    shown = written.setdefault(default, default)
    return tuple(written.values()), shown


def _guessed(setting: PlannedSetting) -> Vary:
    """A setting; what is in force and not known yet is taken to be one of its values."""
    default = setting.in_force if setting.in_force in setting.values else setting.values[0]
    return Vary(setting.name, setting.values, default)


def _unknown(setting: PlannedSetting) -> Vary:
    """A setting; what is in force and not known yet is none of its values."""
    listed = setting.in_force in setting.values
    return Vary(
        setting.name,
        setting.values if listed else (setting.in_force, *setting.values),
        setting.in_force,
    )


def _stages(
    space: Space, place: MeasurementSite, vary: tuple[PlannedSetting, ...]
) -> tuple[tuple[str, int, str], ...]:
    """Layer, number of candidates, and place."""
    stages = stages_of(space)
    names = {setting.name: setting.also for setting in vary}
    places = place.route(names).places
    at = places or ("",) * len(stages)
    return tuple((*stage, place_name) for stage, place_name in zip(stages, at, strict=True))


def _outlook(
    file: TuneFile,
    place: MeasurementSite,
    vary: tuple[PlannedSetting, ...],
    space: Space,
    ranked: Space,
    notes: tuple[str, ...],
    left_out: tuple[LeftOut, ...],
) -> Outlook:
    study, count = file.study, len(space.candidates())
    strategy = study.strategy_for(count)
    first = first_of(file, ranked, strategy)
    goal = goal_of(wish_of(study))
    stages = _stages(space, place, vary) if strategy == "staged" else ()
    change = sum(setting.change_seconds or 1.0 for setting in vary) / (len(stages) or 1)
    each = change + goal.settle + goal.seconds + 2 * OVERHEAD
    return Outlook(
        study=study.study, strategy=strategy, candidates=count, vary=vary, left_out=left_out,
        metric=goal.metric, limits=tuple(study.limits),
        command=planned_command(place.planned, place.study),
        block_seconds=each * (sum(number for _, number, _ in stages) or count),
        budget=goal.budget, most_loops=int(goal.budget / (goal.seconds + OVERHEAD)),
        notes=(*notes, *filter(None, [first.sentence])), prior=first.prior, first=first.hopeful,
        goal=goal, stages=stages,
    )  # fmt: skip
