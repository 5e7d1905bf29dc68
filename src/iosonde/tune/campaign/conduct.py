"""Conducts a campaign of a study, or goes on with an interrupted one; puts back, whatever happens.

Two things hold at every end: the hosts have the settings from before (or the winner's, where it is
to be applied), and the store has every measurement that was made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from typing import cast

from iosonde.change.guard import Permission
from iosonde.errors import UsageError
from iosonde.hosts.cleaning import to_the_end
from iosonde.measure.plan import Plan, make_plan, plan_again
from iosonde.measure.progress import Progress
from iosonde.records.campaign import Campaign, Intent
from iosonde.records.run import Run, RunState
from iosonde.stack.declare import Tree, check_declaration
from iosonde.store.campaigns import PLAN_KEY, intent_document
from iosonde.store.owner import this_process
from iosonde.store.store import Store
from iosonde.tune.campaign.campaign import Options, RunningCampaign
from iosonde.tune.campaign.declare import TuneFile, TuneStudy
from iosonde.tune.campaign.host_group import HostGroup
from iosonde.tune.campaign.place import MeasurementSite
from iosonde.tune.campaign.prepare import check_demand, prepare
from iosonde.tune.campaign.watch import CampaignStarted

DECLARED = "declared"
"""Where the study as declared stands in the plan of a run."""


def plan_of(file: TuneFile) -> Plan:
    """The trial that a study of `tune` measures, at each of its places.

    Raises:
        UsageError: the load cannot be understood, or does not give the goal's metric.
    """
    plan = make_plan(file.study.plain(), where=file.file)
    if varied := plan.rounds[0][0].load.matrix:
        raise UsageError(
            f"{', '.join(varied)}: a campaign measures one load, and a list makes several",
            where=file.file,
            hint="give one value; `iosonde run` measures lists",
        )
    check_demand(file, plan)
    return plan


def place_of(
    file: TuneFile, plan: Plan, permissions: tuple[Permission, ...], watch: Progress
) -> MeasurementSite:
    """Where it measures; not opened.

    Raises:
        UsageError: a setting is measured at none of the study's places.
    """
    hosts = tuple(file.study.hosts)
    place = MeasurementSite(
        plan.study, [part[0] for part in plan.rounds], hosts, permissions, watch
    )
    for name, tried in file.study.vary.items():
        try:
            place.route({name: tried.also})
        except UsageError as problem:
            raise file.wrong(["vary", name], problem) from None
    return place


def file_again(run: Run) -> TuneFile:
    """The study of a stored campaign.

    Raises:
        UsageError: the run is none of tune's.
    """
    declared = run.plan.get(DECLARED)
    if PLAN_KEY not in run.plan or not isinstance(declared, dict):
        raise UsageError(
            f"run {run.id} is not a campaign of `iosonde tune`",
            hint="`iosonde run --resume` goes on",
        )
    where = f"run {run.id}"
    values = cast("dict[str, object]", declared)
    return TuneFile(where, Tree(where, values, values),
                    check_declaration(values, where, TuneStudy))  # fmt: skip


async def conduct(
    file: TuneFile,
    store: Store,
    *,
    permissions: tuple[Permission, ...],
    options: Options,
    watch: Progress,
    resume: Run | None = None,
) -> tuple[Run, Campaign]:
    """Search, confirm, put back (or apply).

    Args:
        file: the study.
        store: where the campaign is kept.
        permissions: devices that may be written to.
        options: see there.
        watch: whoever watches.
        resume: the run to go on with, as `Store.resume` gave it.

    Returns:
        The run and the campaign as stored.

    Raises:
        UsageError, Refused: before anything is changed.
        Refused, HostFailed, LoadFailed: what ended it; measurements are kept.
        asyncio.CancelledError: Ctrl-C; the run is stored as interrupted.
    """
    plan = plan_again(resume.plan) if resume else plan_of(file)
    place = place_of(file, plan, permissions, watch)
    campaign = store.campaign(resume.id) if resume else None
    async with AsyncExitStack() as exits:
        exits.push_async_callback(lambda: to_the_end(place.close()))
        await place.open()
        group = HostGroup(place, file.study.study, watch)
        exits.push_async_callback(lambda: to_the_end(group.release()))
        await group.lock()
        own = campaign.intent.built if campaign else bool(place.stack) and not place.stands
        left = StackCleanup(place, own)
        exits.push_async_callback(lambda: to_the_end(left()))
        exits.push_async_callback(lambda: to_the_end(group.close()))
        prepared = await prepare(
            file, group, watch, own=own, before=campaign.intent if campaign else None
        )
        run = resume or _begin(file, plan, prepared.intent, store)
        measurements = campaign.measurements if campaign else ()
        session = RunningCampaign(prepared, store, run, measurements, options, watch)
        candidates = len(prepared.space.candidates())
        watch(CampaignStarted(run.id, prepared.intent, candidates, len(measurements)))
        with ended(store, run.id):
            result = await session.execute()
            left.stay = result.applied
            await to_the_end(group.close())
            await to_the_end(left())
            store.add_result(run.id, result)
    stored = store.campaign(run.id)
    if stored is None:
        raise RuntimeError("the campaign is not in the store")
    return store.load(run.id), stored


@dataclass(slots=True)
class StackCleanup:
    """Takes away what the campaign built, unless the winner is to stay; once."""

    place: MeasurementSite
    own: bool
    stay: bool = False
    done: bool = False

    async def __call__(self) -> None:
        """Raises HostFailed where something could not be taken away."""
        if not self.done:
            self.done = True
            await self.place.leave(remove=self.own and not self.stay)


@contextmanager
def ended(store: Store, run: str) -> Iterator[None]:
    """The run's state, however the block ends."""
    try:
        yield
    except (asyncio.CancelledError, KeyboardInterrupt):
        store.finish(run, RunState.INTERRUPTED)
        raise
    except BaseException:
        store.finish(run, RunState.FAILED)
        raise
    store.finish(run, RunState.FINISHED)


def _begin(file: TuneFile, plan: Plan, intent: Intent, store: Store) -> Run:
    declared = file.study.model_dump(mode="json", by_alias=True)
    declared["stack"] = plan.study.stack  # absolute, whatever directory it goes on in
    document = {**plan.document(), PLAN_KEY: intent_document(intent), DECLARED: declared}
    return store.begin(file.study.study, document, created=time.time(), owner=this_process())
