"""Makes a campaign ready: hosts opened and locked, names resolved, the probe point standing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from iosonde.errors import HostFailed, Refused, UsageError
from iosonde.loads import LOADS
from iosonde.measure.plan import Plan
from iosonde.measure.progress import Progress
from iosonde.records.campaign import Intent, StoredGoal
from iosonde.records.load import Demand, unit_of
from iosonde.tune.campaign.declare import TuneFile, TuneStudy
from iosonde.tune.campaign.first import first_of, hoping
from iosonde.tune.campaign.host_group import HostGroup
from iosonde.tune.campaign.limits import SAFE, parse_limit
from iosonde.tune.campaign.resolve import Resolved, resolve
from iosonde.tune.campaign.route import Route
from iosonde.tune.campaign.watch import CampaignNote
from iosonde.tune.search.space import Space
from iosonde.tune.search.strategy import Goal


@dataclass(frozen=True, slots=True)
class Prepared:
    """A campaign whose hosts are ours and whose first measurement can be made."""

    group: HostGroup
    intent: Intent
    space: Space
    goal: Goal
    route: Route


def check_demand(file: TuneFile, plan: Plan) -> None:
    """The load must give the metrics of goal and limits, as far as that is seen beforehand.

    Raises:
        UsageError: it gives no figures of such a direction.
    """
    trial = plan.rounds[0][0]
    demand: Demand = LOADS.load(trial.load.engine)().demand(trial.load)
    limits = [parse_limit(text) for text in file.study.limits if text != SAFE]
    wanted = [("goal", file.study.goal.metric)]
    wanted += [("subject to", limit.metric) for limit in limits]
    for key, metric in wanted:
        direction = metric.partition(".")[0]
        if direction in {*demand.directions, "cpu", "elapsed"} or not demand.directions:
            continue
        raise file.tree.wrong(
            [key],
            f"the load {trial.load.name} gives no {metric}: "
            f"its figures are of {', '.join(demand.directions)}",
        )


async def prepare(
    file: TuneFile,
    group: HostGroup,
    watch: Progress,
    *,
    own: bool,
    before: Intent | None = None,
) -> Prepared:
    """Build what the probe point needs, and resolve the study's names.

    Args:
        file: the study.
        group: over a place that is opened, its hosts locked.
        watch: told of notes.
        own: the campaign builds the study's stack; what is left of an earlier session goes first.
        before: of the campaign that goes on.

    Raises:
        UsageError: a name or a value is wrong; of settings nothing is changed.
        Refused: the guard forbids the target; what is in force is not what was when the campaign
            began.
        HostFailed: what the campaign varied before is not there any more.
    """
    place, study = group.place, file.study
    place.own = own
    if study.stack:
        asked = {name: tried.also for name, tried in study.vary.items()}
        await group.stand({}, place.route(asked).of(""), again=own)
    try:
        resolved = await resolve(file, place)
    except UsageError as problem:
        if before is None:
            raise
        raise _gone(problem) from None
    if not own:
        for knob in resolved.knobs:
            for name in (knob.varied.name, *knob.varied.also) if knob.varied.rebuild else ():
                place.require_ours(name.partition(".")[0])
    intent = intent_of(study, resolved, tuple(place.hosts), built=own)
    if before is not None:
        _require_same(before, intent)
        intent = before
    else:
        first = first_of(file, resolved.space(intent.allowed), intent.strategy)
        intent = replace(intent, prior=first.prior, hopeful=first.hopeful)
        for note in (*resolved.notes, *filter(None, [first.sentence])):
            watch(CampaignNote(note))
    await group.stand({})
    route = place.route({knob.varied.name: knob.varied.also for knob in resolved.knobs})
    await group.learn(resolved.knobs, route.of(""))
    space = hoping(resolved.space(intent.allowed), intent.hopeful)
    return Prepared(group, intent, space, goal_of(intent.goal), route)


def _gone(problem: UsageError) -> HostFailed:
    """The study's names held when the campaign began, so it is the host that has changed."""
    return HostFailed(
        f"{problem.message} any more",
        where=problem.where,
        hint="is a device gone? The campaign goes on by --resume when it is back",
    )


def intent_of(
    study: TuneStudy, resolved: Resolved, hosts: tuple[str, ...], *, built: bool
) -> Intent:
    """What the store keeps of a study."""
    allowed = tuple(dict.fromkeys(permission.split("=", 1)[0] for permission in study.allow))
    varied = tuple(knob.varied for knob in resolved.knobs)
    space = resolved.space(allowed)
    strategy = study.strategy_for(len(space.candidates()))
    return Intent(
        strategy, study.seed, hosts, varied, wish_of(study), allowed, resolved.left_out,
        resolved.excluded, built,
    )  # fmt: skip


def wish_of(study: TuneStudy) -> StoredGoal:
    """The goal as it is stored."""
    goal = study.goal
    return StoredGoal(
        metric=goal.metric, unit=unit_of(goal.metric), higher=goal.maximise is not None,
        margin=goal.margin, level=goal.level, pick_level=goal.pick_level, budget=study.budget,
        seconds=study.loop, settle=study.settle, loops=study.loops,
        limits=tuple(limit for limit in study.limits if limit != SAFE),
    )  # fmt: skip


def goal_of(wish: StoredGoal) -> Goal:
    """The goal as strategies know it."""
    return Goal(
        metric=wish.metric, higher=wish.higher, margin=wish.margin, level=wish.level,
        pick_level=wish.level if wish.pick_level is None else wish.pick_level,
        budget=inf if wish.budget is None else wish.budget, seconds=wish.seconds,
        settle=wish.settle, loops=wish.loops, unit=wish.unit,
    )  # fmt: skip


def _require_same(before: Intent, now: Intent) -> None:
    """A campaign goes on only where it was: figures of another baseline prove nothing.

    Raises:
        Refused: a setting in force is another one now.
        UsageError: the study cannot vary what it did.
    """
    for old, new in zip(before.vary, now.vary, strict=True):
        if old.default != new.default:
            raise Refused(
                f"{old.name} was {old.default} when the campaign began and is {new.default} now",
                where=now.hosts[0],
                evidence="read from the host",
                hint="set it as it was, or begin a new campaign",
            )
        if (old.name, old.values) != (new.name, new.values):
            raise UsageError(
                f"{old.name} was to be one of {list(old.values)}, now it may be {list(new.values)}",
                hint="begin a new campaign",
            )
