"""Runs a plan: opens the hosts, makes each probe point ready, measures loop by loop, resumes.

Every finished loop is in the store before the next begins. Whatever ends the run (Ctrl-C, a failed
host, a refused device) the load is stopped, scratch files are removed, finished loops are kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from iosonde import units
from iosonde.change.guard import Permission
from iosonde.change.late import is_asleep
from iosonde.errors import IosondeError, Refused
from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from iosonde.loads import LOADS
from iosonde.measure.counting import counting_of
from iosonde.measure.direction import headline_among
from iosonde.measure.estimate import Estimate
from iosonde.measure.flags import flags_of
from iosonde.measure.fleet import measure_together, require_same_line, server_command
from iosonde.measure.progress import Progress
from iosonde.measure.ready import make_ready, require_target
from iosonde.measure.stages import Stages, stack_of
from iosonde.measure.stop import StopRule
from iosonde.measure.study import Plan, PlannedTrial
from iosonde.measure.trial import Bench, measure_loop
from iosonde.measure.workplace import sweep
from iosonde.records import Loop, Run, RunState, Trial
from iosonde.store.owner import this_process
from iosonde.store.store import Store


@dataclass(frozen=True, slots=True)
class _Ready:
    """A trial whose probe point is ready, and the loops it has so far."""

    trial: Trial
    bench: Bench


class _Session:
    """One execution of a plan.

    Args:
        plan: what to measure.
        store: where loops go.
        resume: the run to go on with, whose finished loops are not repeated; None: a new one.
        permissions: devices named by --destroy.
        progress: whoever watches.
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        resume: Run | None,
        permissions: tuple[Permission, ...],
        progress: Progress,
    ) -> None:
        self._plan = plan
        self._store = store
        self.run = resume.id if resume else ""
        """Its id; empty until it begins."""
        self._permissions = permissions
        self._progress = progress
        known = resume.trials if resume else ()
        self._done = {trial.id: trial for trial in known}
        self._hosts: dict[str, Host] = {}
        self._estimate = Estimate(plan, known)
        self._stages: Stages | None = None
        self._swept: set[str] = set()
        self.failures: list[IosondeError] = []

    async def execute(self) -> None:
        """All rounds, in order; a failed trial is marked and the others go on."""
        async with AsyncExitStack() as stack:
            await self._open(stack)
            await self._require_targets()
            self._begin()
            for part in self._plan.rounds:
                await self._round(part)

    def finish(self, state: RunState) -> None:
        """Store how the run ended, if it has begun."""
        if self.run:
            self._store.finish(self.run, state)

    async def _open(self, stack: AsyncExitStack) -> None:
        """Connect to the hosts of the study until `stack` closes."""
        study = self._plan.study
        if study.stack:
            declared = stack_of(study, Path())
            self._stages = Stages(declared, self._permissions, self._progress)
            stack.push_async_callback(self._stages.close)
            self._hosts.update(await self._stages.open())
            return
        for name in dict.fromkeys(probe.host for probe in study.targets):
            self._hosts[name] = await open_host(name)
            stack.push_async_callback(self._hosts[name].close)

    async def _require_targets(self) -> None:
        """Refuse before anything begins what would be refused when its turn comes.

        Of layers of a declared stack, which stand when their turn comes, only what stands on them
        now is looked at.
        """
        asked = set()
        for planned in (one for part in self._plan.rounds for one in self._left(part)):
            demand = LOADS.load(planned.load.engine)().demand(planned.load)
            probe = planned.probe
            if self._stages:
                if demand.writes:
                    self._stages.require_bare(probe.name)
                continue
            question = (probe.host, probe.path, demand.writes, demand.device_only)
            if question not in asked:
                asked.add(question)
                host = self._hosts[probe.host]
                await require_target(planned, host, demand, self._permissions)

    def _begin(self) -> None:
        plan = self._plan
        if not self.run:
            begun = self._store.begin(
                plan.study.study, plan.document(), created=time.time(), owner=this_process()
            )
            self.run = begun.id
        count = sum(map(len, plan.rounds))
        self._progress.begins(self.run, count, None if plan.study.until else plan.study.loops)

    def _left(self, part: Sequence[PlannedTrial]) -> list[PlannedTrial]:
        """Those of a round's trials that want another loop; a loop of all together has all."""
        left = [planned for planned in part if self._wants_more(self._done.get(planned.id))]
        return list(part) if left and self._plan.study.together else left

    async def _round(self, part: Sequence[PlannedTrial]) -> None:
        """The trials that run together, loop by loop."""
        left = self._left(part)
        if not left:
            return
        async with AsyncExitStack() as stack:
            ready = await asyncio.gather(*(self._make_ready(planned, stack) for planned in left))
            for one in ready:
                self._enter(one.trial)
            if self._plan.study.together:
                await require_same_line([one.bench for one in ready])
            while any(self._wants_more(self._done[one.trial.id]) for one in ready):
                if not await self._loop(ready):
                    return
            for one in ready:
                self._tell_unreached(self._done[one.trial.id])

    async def _make_ready(self, planned: PlannedTrial, stack: AsyncExitStack) -> _Ready:
        host = self._hosts[planned.probe.host]
        permissions = self._permissions
        if self._stages:
            writes = LOADS.load(planned.load.engine)().demand(planned.load).writes
            planned, own = await self._stages.ready(planned, writes=writes)
            permissions += own
        others = [one for one in self._hosts.values() if one is not host and not is_asleep(one)]
        if host.name not in self._swept:
            self._swept.add(host.name)
            await sweep(host)
        bench, capture, command = await make_ready(
            planned,
            host,
            self._plan.study,
            others=others if self._stages else [],
            permissions=permissions,
            progress=self._progress,
            stack=stack,
        )
        if self._plan.study.ledger:
            declared = await self._stages.declared() if self._stages else ()
            counting = await counting_of(capture, [host, *others], bench.target, declared)
            bench = replace(bench, counting=counting)
        trial = self._done.get(planned.id)
        if trial is None:
            trial = Trial(
                id=planned.id,
                host=host.name,
                probe=planned.probe.name,
                target=bench.target,
                load=planned.load,
                command=server_command(planned.load) if self._plan.study.together else command,
                capture=capture,
            )
        return _Ready(trial, bench)

    def _enter(self, trial: Trial) -> None:
        """A trial new to the run, in the order of the plan whichever was ready first."""
        if trial.id not in self._done:
            self._store.add_trial(self.run, trial)
            self._done[trial.id] = trial

    async def _loop(self, ready: Sequence[_Ready]) -> bool:
        """One loop of each trial, started together; False when one of them failed."""
        self._progress.ends_at(self._estimate.end(self._done))
        results = await self._measured(ready)
        for one, result in zip(ready, results, strict=True):
            if isinstance(result, Loop):
                self._keep(one.trial.id, one.bench, result)
            else:
                self._fail(one.trial.id, result)
        return all(isinstance(result, Loop) for result in results)

    async def _measured(self, ready: Sequence[_Ready]) -> list[Loop | IosondeError]:
        """A loop of each trial or why it has none."""
        study = self._plan.study
        if study.together:
            known = [loop.index for one in ready for loop in self._done[one.trial.id].loops]
            return await measure_together(
                [one.bench for one in ready],
                max(known, default=-1) + 1,
                seconds=study.seconds,
                progress=self._progress,
            )
        return await _together(
            [
                measure_loop(
                    one.bench,
                    len(self._done[one.trial.id].loops),
                    seconds=study.seconds,
                    progress=self._progress,
                )
                for one in ready
            ]
        )

    def _keep(self, trial: str, bench: Bench, loop: Loop) -> None:
        version = LOADS.load(bench.load.engine).parser_version
        self._store.add_loop(self.run, trial, loop, parser_version=version)
        known = self._done[trial]
        grown = replace(known, loops=(*known.loops, loop))
        flags, faults = (
            flags_of(grown, bench.demand, bench.size),
            (*known.faults, *loop.result.faults),
        )
        self._done[trial] = replace(grown, flags=flags, faults=faults)
        if (flags, faults) != (known.flags, known.faults):
            self._store.mark(self.run, trial, flags=flags, faults=faults)
        self._progress.loop_ended(trial, loop)

    def _fail(self, trial: str, problem: IosondeError) -> None:
        known = self._done[trial]
        self._done[trial] = replace(known, faults=(*known.faults, str(problem)))
        self._store.mark(self.run, trial, flags=known.flags, faults=self._done[trial].faults)
        self._progress.warn(trial, str(problem))
        self.failures.append(problem)

    def _tell_unreached(self, trial: Trial) -> None:
        """Say so where the time was over before the loops gave what the study asked for."""
        until = self._plan.study.until
        if until is None or StopRule.of(0, until).reached(_headlines(trial)):
            return
        wanted = (
            "steady state" if until.steady else f"± {units.show_fraction(until.halfwidth or 0)}"
        )
        self._progress.warn(
            trial.id,
            f"{wanted} was not reached within {units.show_seconds(until.max_seconds)}; "
            "the table says what was",
        )

    def _wants_more(self, trial: Trial | None) -> bool:
        """Whether the study's stop rule asks for another loop."""
        if trial is None:
            return True
        study = self._plan.study
        values = _headlines(trial)
        spent = sum(loop.elapsed for loop in trial.loops)
        return StopRule.of(study.loops, study.until).wants_more(values, spent)


def _headlines(trial: Trial) -> list[float]:
    """The headline metric of each loop so far."""
    if not trial.loops:
        return []
    name = headline_among(dict(trial.loops[0].result.metrics))
    return [loop.result.metrics.get(name, 0.0) for loop in trial.loops]


async def _together(
    loops: Sequence[Coroutine[object, object, Loop]],
) -> list[Loop | IosondeError]:
    """All at the same time; what failed as we expect comes back as its error."""

    async def one(loop: Coroutine[object, object, Loop]) -> Loop | IosondeError:
        try:
            return await loop
        except Refused:
            raise
        except IosondeError as problem:
            return problem

    return list(await asyncio.gather(*(one(loop) for loop in loops)))


async def run_plan(
    plan: Plan,
    store: Store,
    *,
    permissions: tuple[Permission, ...],
    progress: Progress,
    resume: Run | None = None,
) -> Run:
    """Measure a plan, or go on with an interrupted run of it.

    Args:
        plan: what to measure.
        store: where the run is kept.
        permissions: devices that may be written to.
        progress: whoever watches.
        resume: the run to go on with, as `Store.resume` gave it.

    Returns:
        The run as stored. State finished.

    Raises:
        Refused, HostFailed, LoadFailed: what ended it; finished loops are kept. What keeps it from
            beginning leaves nothing in the store.
        asyncio.CancelledError: Ctrl-C; the run is stored as interrupted.
    """
    session = _Session(plan, store, resume, permissions, progress)
    try:
        await session.execute()
    except (asyncio.CancelledError, KeyboardInterrupt):
        session.finish(RunState.INTERRUPTED)
        raise
    except BaseException:
        session.finish(RunState.FAILED)
        raise
    session.finish(RunState.FAILED if session.failures else RunState.FINISHED)
    if session.failures:
        raise session.failures[0]
    return store.load(session.run)
