"""Runs a plan: opens the hosts, makes each probe point ready, measures loop by loop, resumes.

Every finished loop is in the store before the next begins. Whatever ends the run (Ctrl-C, a failed
host, a refused device) the load is stopped, scratch files are removed, finished loops are kept.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from iosonde.change.guard import Permission
from iosonde.change.late import is_asleep
from iosonde.errors import HostFailed, IosondeError, LoadFailed, StoreFailed
from iosonde.hosts.cleaning import require_not_cancelled, to_the_end
from iosonde.loads import LOADS
from iosonde.measure.again import UnreadLoop, raw_hint, read_again
from iosonde.measure.arms import SettingsInTurns
from iosonde.measure.counting import counting_of
from iosonde.measure.estimate import Estimate
from iosonde.measure.fleet import measure_together, require_same_line, server_command
from iosonde.measure.growing import GrowingTrial
from iosonde.measure.layer_points import stack_of
from iosonde.measure.passes import PassesToState, without_small_blocks
from iosonde.measure.plan import Plan, PlannedTrial
from iosonde.measure.progress import LoopFinished, Progress, RunStarted, RunWarning, TrialReady
from iosonde.measure.ready import StudyHosts, require_target, require_tools
from iosonde.measure.trial import PreparedTrial, measure_loop, or_problems
from iosonde.measure.trouble import Watched, broken, loop_left_out, troubles_of
from iosonde.measure.turns import Round, blocks, order
from iosonde.measure.wanted import LoopsWanted
from iosonde.records.run import Loop, Run, RunState, Trial
from iosonde.records.stack import Capture
from iosonde.stack.discover import discover
from iosonde.store.owner import this_process
from iosonde.store.store import Store


@dataclass(frozen=True, slots=True)
class _Ready:
    """A trial whose probe point is ready, and the loops it has so far."""

    trial: Trial
    bench: PreparedTrial
    watched: Watched | None = None


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
        self._is_new = resume is None
        self._permissions = permissions
        self._progress = progress
        trials = read_again(resume).trials if resume else ()
        self._done = {trial.id: GrowingTrial(trial) for trial in trials}
        self._hosts = StudyHosts(plan.study, permissions, progress)
        self._estimate = Estimate(plan, self._done, self._goes_on)
        self._planned = {planned.id: planned for part in plan.rounds for planned in part}
        self._arms = SettingsInTurns(
            self._hosts.hosts, plan.study.study,
            lambda sentence: progress(RunWarning("interleave", sentence)),
        )  # fmt: skip
        self._passes = PassesToState.of(plan)
        self._wanted = LoopsWanted(plan, self._done, self._passes)
        self.failures: list[IosondeError] = []
        self._failed: set[str] = set()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Hosts, targets and settings are ready, and the run is begun; closed at the end."""
        study = self._plan.study
        async with AsyncExitStack() as exits:
            exits.push_async_callback(lambda: to_the_end(self._hosts.close()))
            if study.stack:
                await self._hosts.open(stack_of(study, Path()), ())
            else:
                await self._hosts.open(None, (target.host for target in study.targets))
            await self._hosts.sweep(
                planned.probe.host for part in self._plan.rounds for planned in part
            )
            await self._require_targets()
            exits.push_async_callback(lambda: to_the_end(self._arms.close()))
            await self._arms.open(self._planned.values())
            self._begin()
            yield

    def finish(self, state: RunState) -> None:
        """Store how the run ended, if it has begun; one that failed before any loop is not kept."""
        if not self.run:
            return
        if state is RunState.FAILED and self._is_new and not self.has_loops:
            self._store.delete(self.run)
        else:
            self._store.finish(self.run, state)

    @property
    def has_loops(self) -> bool:
        """Whether anything has been measured, though it may not be read yet."""
        return any(trial.has_run for trial in self._done.values())

    async def _require_targets(self) -> None:
        """Refuse before anything begins what would be refused when its turn comes.

        Of layers of a declared stack, which stand when their turn comes, only what stands on them
        now is looked at.
        """
        asked: set[tuple[object, ...]] = set()
        for planned in (planned for part in self._plan.rounds for planned in self._left(part)):
            demand = LOADS.load(planned.load.engine)().demand(planned.load)
            probe = planned.probe
            host = self._hosts.hosts[probe.host]
            if not is_asleep(host) and (probe.host, demand) not in asked:
                asked.add((probe.host, demand))
                await require_tools(host, demand)
            if not self._hosts.stages:
                if (probe.host, probe.path, demand) not in asked:
                    asked.add((probe.host, probe.path, demand))
                    await require_target(planned, host, demand, self._permissions)
            elif demand.writes:
                self._hosts.stages.require_bare(probe.name)

    def _begin(self) -> None:
        plan = self._plan
        if not self.run:
            begun = self._store.begin(
                plan.study.study, plan.document(), created=time.time(), owner=this_process(),
                name=plan.name, tags=plan.study.tags,
            )  # fmt: skip
            self.run = begun.id
        count = sum(map(len, plan.rounds))
        self._progress(RunStarted(self.run, count, plan.study.fixed_loops))

    def _left(self, part: Sequence[PlannedTrial]) -> list[PlannedTrial]:
        """Those of a round's trials that want another loop; a loop of all together has all."""
        left = [planned for planned in part if self._wanted.more(self._done.get(planned.id))]
        return list(part) if left and self._plan.study.together else left

    async def measure_block(self, block: Sequence[Round]) -> None:
        """Rounds that are taken in turns: in each pass a loop of each round that wants one.

        A round's trials run together; a failed trial is marked and the others go on.
        """
        left = {part[0].id: todo for part in block if (todo := self._left(part))}
        if not left:
            return
        async with AsyncExitStack() as stack:
            going = await self._block_ready(left, stack)
            every = [trial for ready in going.values() for trial in ready]
            if self._plan.study.together:
                for ready in going.values():
                    await require_same_line([trial.bench for trial in ready])
            try:
                while (number := self._next_pass(going)) is not None:
                    for part in self._in_order(block, number):
                        ready = going.get(part[0].id, [])
                        if self._wanting(ready) and self._index(ready) <= number:
                            going[part[0].id] = await self._loop(ready)
            finally:  # whatever ends it: flags of all loops that there are
                for trial in every:
                    self._look(trial)
            for trial in (trial for ready in going.values() for trial in ready):
                if sentence := self._wanted.unreached(trial.trial.id):
                    self._progress(RunWarning(trial.trial.id, sentence))

    def _in_order(self, block: Sequence[Round], number: int) -> Sequence[Round]:
        """The rounds of a block in the order of a pass."""
        study = self._plan.study
        return block if study.order == "declared" else order(block, study.seed, number)

    def _next_pass(self, going: Mapping[str, Sequence[_Ready]]) -> int | None:
        """The number of the first pass that a round wants a loop in; None: none wants more."""
        wanting = (ready for ready in going.values() if self._wanting(ready))
        return min((self._index(ready) for ready in wanting), default=None)

    def _wanting(self, ready: Sequence[_Ready]) -> bool:
        return any(self._wanted.more(self._done[trial.trial.id]) for trial in ready)

    def _index(self, ready: Sequence[_Ready]) -> int:
        return min(self._done[trial.trial.id].next_index for trial in ready)

    async def _block_ready(
        self, left: Mapping[str, Sequence[PlannedTrial]], stack: AsyncExitStack
    ) -> dict[str, list[_Ready]]:
        """The trials of a block ready for their loops, each probe point prepared once.

        The trial that writes, and most, stands for all at its probe point.
        """
        at: dict[str, list[PlannedTrial]] = {}
        for planned in (planned for todo in left.values() for planned in todo):
            at.setdefault(planned.place, []).append(planned)
        leaders = {name: max(planned, key=PlannedTrial.touches) for name, planned in at.items()}
        prepared = await asyncio.gather(*(
            self._hosts.make_ready(planned, stack, kept=self._is_kept(at[name]))
            for name, planned in leaders.items()
        ))  # fmt: skip
        prepared_at = dict(zip(leaders, prepared, strict=True))
        if self._passes:
            left = without_small_blocks(left, prepared_at, self._progress)
        going: dict[str, list[_Ready]] = {}
        for part, todo in left.items():
            alike = [
                await self._in_force(
                    planned, self._hosts.alike(planned, prepared_at[planned.place])
                )
                for planned in todo
            ]
            going[part] = list(await asyncio.gather(*(
                self._make_ready(planned, *prepared)
                for planned, prepared in zip(todo, alike, strict=True)
            )))  # fmt: skip
            for trial in going[part]:
                self._enter(trial.trial)
                self._progress(TrialReady(trial.trial.id, trial.trial.command))
        return going

    async def _in_force(
        self, planned: PlannedTrial, prepared: tuple[PreparedTrial, Capture, str]
    ) -> tuple[PreparedTrial, Capture, str]:
        """What was prepared, with the capture of the stack as the arm's settings make it."""
        if not planned.values:
            return prepared
        bench, _, command = prepared
        await self._arms.put(planned, self._plan.study.seconds or bench.demand.seconds)
        return bench, await discover([bench.host]), command

    def _is_kept(self, planned: Sequence[PlannedTrial]) -> bool:
        """Whether trials go on from the state that their loops have brought a device into."""
        return self._passes is not None and any(
            done.has_run for trial in planned if (done := self._done.get(trial.id))
        )

    async def _make_ready(
        self, planned: PlannedTrial, bench: PreparedTrial, capture: Capture, command: str
    ) -> _Ready:
        others, stages = self._hosts.others(bench.host), self._hosts.stages
        if self._plan.study.ledger:
            layers = await stages.declared() if stages else ()
            counting = await counting_of(capture, [bench.host, *others], bench.target, layers)
            bench = replace(bench, counting=counting)
        done = self._done.get(planned.id)
        if done is not None:
            trial = done.trial
        else:
            trial = Trial(
                id=planned.id,
                host=bench.host.name,
                probe=planned.probe.name,
                target=bench.target,
                load=planned.load,
                command=server_command(planned.load) if self._plan.study.together else command,
                capture=capture,
            )
        watched = Watched.under(trial.capture or capture, bench.target, [bench.host, *others])
        if watched and (change := watched.compared(troubles_of(capture.layers), "since then")):
            raise HostFailed(
                f"{planned.id}: {change}", where=bench.host.name,
                hint="repair it first, or begin a new run: further loops would not be comparable",
            )  # fmt: skip
        for sentence in broken(watched.layers if watched else ()):
            self._progress(RunWarning(planned.id, sentence))
        return _Ready(trial, bench, watched)

    def _enter(self, trial: Trial) -> None:
        """A trial new to the run, in the order of the plan whichever was ready first."""
        if trial.id not in self._done:
            self._store.add_trial(self.run, trial)
            self._done[trial.id] = GrowingTrial(trial)

    async def _loop(self, ready: Sequence[_Ready]) -> list[_Ready]:
        """One loop of each trial, started together.

        Returns:
            Those that go on: all that did not fail. A load that all hosts run together is no longer
            the same load without one of them, so then none goes on.
        """
        require_not_cancelled()
        self._tell_time()
        for trial in ready:
            seconds = self._plan.study.seconds or trial.bench.demand.seconds
            await self._arms.put(self._planned[trial.trial.id], seconds)
        study, progress, began = self._plan.study, self._progress, time.time()
        benches = [trial.bench for trial in ready]
        at = [self._done[trial.trial.id].next_index for trial in ready]
        measured = (
            await measure_together(benches, max(at), seconds=study.seconds, progress=progress)
            if study.together
            else await or_problems(
                measure_loop(bench, index, seconds=study.seconds, progress=progress)
                for bench, index in zip(benches, at, strict=True)
            )
        )
        return await self._kept(ready, measured, began)

    async def _kept(
        self, ready: Sequence[_Ready], measured: Sequence[Loop | IosondeError], began: float
    ) -> list[_Ready]:
        """Those that go on, when what came of each loop has been looked after and kept."""
        results = await asyncio.gather(*(
            self._looked_after(trial, result, began)
            for trial, result in zip(ready, measured, strict=True)
        ))  # fmt: skip
        for trial, result in zip(ready, results, strict=True):
            if isinstance(result, Loop):
                self._keep(trial.trial.id, trial.bench, result)
                if change := result.result.left_out:
                    problem = loop_left_out(change, trial.bench.host.name)
                    self._fail(trial.trial.id, problem, reported=True)
            else:
                self._fail(trial.trial.id, result)
        left = [
            trial for trial, result in zip(ready, results, strict=True)
            if isinstance(result, Loop) and not result.result.left_out
        ]  # fmt: skip
        return [] if self._plan.study.together and len(left) < len(ready) else left

    async def _looked_after(
        self, ready: _Ready, result: Loop | IosondeError, began: float
    ) -> Loop | IosondeError:
        """What came of a loop, marked where the stack below it is not as it was at first."""
        if problem := await self._arms.problem(self._planned[ready.trial.id]):
            return problem
        change = await ready.watched.change(began) if ready.watched else ""
        if not change:
            return result
        if isinstance(result, Loop):
            faults = (*result.result.faults, change)
            return replace(result, result=replace(result.result, left_out=change, faults=faults))
        result.message = f"{result.message}. {change}"
        return result

    def _keep(self, trial: str, bench: PreparedTrial, loop: Loop) -> None:
        version = LOADS.load(bench.load.engine).parser_version
        self._store.add_loop(self.run, trial, loop, parser_version=version)
        if self._done[trial].add(loop, bench.demand, bench.size):
            self._mark(trial)
        self._tell_time()
        self._progress(LoopFinished(trial, loop, self._done[trial].so_far))

    def _goes_on(self, trial: str) -> bool:
        return trial not in self._failed and self._wanted.more(self._done.get(trial))

    def _tell_time(self) -> None:
        self._progress(self._estimate.time_left(self._done))

    def _look(self, ready: _Ready) -> None:
        """The flags of a trial that has ended, with all its loops."""
        if self._done[ready.trial.id].look():
            self._mark(ready.trial.id)

    def _mark(self, trial: str) -> None:
        done = self._done[trial]
        self._store.mark(self.run, trial, flags=done.flags, faults=done.faults)

    def _fail(self, trial: str, problem: IosondeError, *, reported: bool = False) -> None:
        """The trial ends; what is `reported` is among its faults already."""
        self._failed.add(trial)
        if isinstance(problem, UnreadLoop):
            self._store.add_loop(self.run, trial, problem.loop)
            self._done[trial].add_unread(problem.loop)
            hints = (problem.hint, raw_hint(self.run))
            unread = LoadFailed(
                problem.message, where=problem.where, hint="; ".join(filter(None, hints))
            )
            self._progress(RunWarning(trial, str(unread)))
            self.failures.append(unread)
            return
        if not reported:
            self._done[trial].fail(str(problem))
        self._mark(trial)
        self._progress(RunWarning(trial, str(problem)))
        self.failures.append(problem)


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """A run as stored, and what went wrong in it; empty where it is finished."""

    run: Run
    failures: tuple[IosondeError, ...]


async def run_plan(
    plan: Plan,
    store: Store,
    *,
    permissions: tuple[Permission, ...],
    progress: Progress,
    resume: Run | None = None,
) -> RunOutcome:
    """Measure a plan, or go on with an interrupted run of it.

    Args:
        plan: what to measure.
        store: where the run is kept.
        permissions: devices that may be written to.
        progress: whoever watches.
        resume: the run to go on with, as `Store.resume` gave it.

    Returns:
        The run, with what could be measured of it.

    Raises:
        Refused, HostFailed, LoadFailed: what ended it before anything was measured; nothing of a
            new run is kept.
        asyncio.CancelledError: Ctrl-C; the run is stored as interrupted.
    """
    session = _Session(plan, store, resume, permissions, progress)
    try:
        async with session.opened():
            for block in blocks(plan.rounds):
                await session.measure_block(block)
    except (asyncio.CancelledError, KeyboardInterrupt):
        session.finish(RunState.INTERRUPTED)
        raise
    except StoreFailed:
        session.finish(RunState.FAILED)
        raise
    except IosondeError as problem:
        session.failures.append(problem)
    except BaseException:
        session.finish(RunState.FAILED)
        raise
    session.finish(RunState.FAILED if session.failures else RunState.FINISHED)
    if session.failures and not session.has_loops:
        raise session.failures[0]
    return RunOutcome(read_again(store.load(session.run)), tuple(session.failures))
