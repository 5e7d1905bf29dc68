"""A campaign from beginning to end: ask, change, settle, measure, store, tell; then put back.

Whatever ends it (the answer, Ctrl-C, a failed host) the settings from before are put back, unless
the answer is to be applied. Every measurement is in the store before the strategy is told of it,
and strategies are deterministic, so a campaign that was interrupted goes on from its figures.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from iosonde.errors import HostFailed, LoadFailed, UsageError
from iosonde.measure.again import UnreadLoop
from iosonde.measure.growing import GrowingTrial
from iosonde.measure.plan import PlannedTrial
from iosonde.measure.progress import Progress, TrialReady
from iosonde.measure.trial import PreparedTrial, measure_loop
from iosonde.records.campaign import Measurement, Result
from iosonde.records.run import Loop, Run, Trial
from iosonde.records.stack import Scalar
from iosonde.store.store import Store
from iosonde.tune.campaign.end import natives, result_of
from iosonde.tune.campaign.limits import Limit, parse_limit
from iosonde.tune.campaign.prepare import Prepared
from iosonde.tune.campaign.watch import MeasurementAsked, MeasurementKept
from iosonde.tune.search.space import Candidate
from iosonde.tune.search.strategy import Ask, Observation
from iosonde.tune.search.verdict import Proven


@dataclass(frozen=True, slots=True)
class Options:
    """How a campaign is run: what stays in force, and how long hosts wait for a sign of life.

    `confirm` is in seconds, after the time that a loop should take.
    """

    apply: bool = False
    confirm: float = 60.0


class RunningCampaign:
    """One execution of a campaign over prepared hosts.

    Args:
        prepared: names resolved, hosts locked.
        store: where measurements go.
        run: as begun or resumed.
        measurements: its measurements so far.
        options: see there.
        watch: whoever watches.
    """

    def __init__(
        self,
        prepared: Prepared,
        store: Store,
        run: Run,
        measurements: tuple[Measurement, ...],
        options: Options,
        watch: Progress,
    ) -> None:
        self._group, self.intent = prepared.group, prepared.intent
        self._place = prepared.group.place
        self._space, self._goal, self._route = prepared.space, prepared.goal, prepared.route
        self._study = run.study
        self._store, self._run, self._options, self._watch = store, run, options, watch
        self._limits: tuple[Limit, ...] = tuple(map(parse_limit, self.intent.goal.limits))
        self._trials = {trial.id: GrowingTrial(trial) for trial in run.trials}
        self.search = Proven(self.intent.strategy, self._space, self._goal, seed=self.intent.seed)
        self._number = len(measurements)
        self._fresh = True  # the load has not run there yet, so it has to settle
        self._in_force = self._space.baseline
        self._replay(measurements)

    def _replay(self, measurements: tuple[Measurement, ...]) -> None:
        """Tell the strategy again what it was told.

        Raises:
            UsageError: it asks otherwise than it did.
        """
        for measurement in measurements:
            asked = self.search.ask()
            if asked is None or self._space.settings(asked.candidate) != dict(measurement.settings):
                raise UsageError(
                    "the search asks for another candidate than at measurement "
                    f"{measurement.number + 1}",
                    where=f"run {self._run.id}",
                    hint="another version of iosonde measured it; begin a new campaign",
                )
            self.search.tell(_observation(measurement))

    async def execute(self) -> Result:
        """To the answer; what it says of applying is done.

        Raises:
            LoadFailed: the load fails under what was in force before.
            Refused, HostFailed: what ended it; all measurements so far are kept.
        """
        try:
            while (asked := self.search.ask()) is not None:
                part = "search" if self.search.proof is None else "proof"
                measurement, loop = await self._measure(asked, part)
                self._keep(measurement, loop)
                self.search.tell(_observation(measurement))
                so_far = self._trials[measurement.trial].so_far if loop else None
                self._watch(MeasurementKept(measurement, self.search.standing(), so_far))
        finally:  # whatever ends it
            self._look()
        answer = self.search.answer()
        applied = self._options.apply and answer.confirmed
        await self._group.back()
        if applied:
            await self._group.apply(answer.settings, within=self._options.confirm)
        result = result_of(self.search, answer, self._group, self._study, applied=applied)
        if not answer.confirmed:
            return result
        return replace(result, native=await natives(self._group, answer.settings))

    async def _measure(self, asked: Ask, part: str) -> tuple[Measurement, Loop | None]:
        """Put the candidate in force, discard, measure."""
        where = self._route.of(asked.stage)
        if self._route.places:
            asked = replace(asked, why=f"{asked.why}, at {where.trial.probe.name}")
        changes = self._changes(asked.candidate)
        self._watch(MeasurementAsked(asked, changes, self.search.standing()))
        clock, measurement = time.monotonic(), self._begun(asked, part, where.trial)
        within = self._options.confirm + asked.settle + asked.seconds
        try:
            put = await self._group.put(measurement.settings, within=within, where=where)
        except HostFailed as problem:
            self._note_lost(measurement, problem)
            raise
        self._fresh = self._fresh or put.moved > 0
        self._in_force = self._space.baseline if put.reason else asked.candidate
        measurement = replace(
            measurement,
            change_seconds=time.monotonic() - clock - put.moved,
            move_seconds=put.moved,
            changed=put.changed,
            reason=put.reason,
        )
        if put.reason:
            self._require_baseline_works(asked.candidate, put.reason)
            return measurement, None
        return await self._loops(asked, measurement)

    def _begun(self, asked: Ask, part: str, planned: PlannedTrial) -> Measurement:
        """What is known of a measurement before anything is done."""
        settings = self._space.settings(asked.candidate)
        return Measurement(
            number=self._number, part=part, settings=settings,
            trial=f"{planned.id} {label(settings)}", loop=None, why=asked.why,
            started=time.time(), change_seconds=0.0, spent=0.0, settle=asked.settle,
            seconds=asked.seconds, figure=None, stage=asked.stage, at=planned.probe.name,
        )  # fmt: skip

    def _note_lost(self, measurement: Measurement, problem: HostFailed) -> None:
        """Keep of a candidate that can cut the connection that the host was lost with it.

        The host puts everything back by itself.
        """
        if self._group.risky(measurement.settings):
            reason = f"the host was lost: {problem.message}"
            self._keep(replace(measurement, reason=reason), None)

    async def _loops(self, asked: Ask, measurement: Measurement) -> tuple[Measurement, Loop | None]:
        """Discard, measure, and look whether the settings have stayed."""
        trial = self._enter(measurement.trial, measurement.settings)
        bench = self._bench(measurement.trial)
        clock, discarded, fresh = time.monotonic(), None, self._fresh
        settle = asked.settle or (self._goal.settle if fresh else 0.0)
        try:
            if settle:
                unseen = replace(bench, observe=False)
                first = await measure_loop(unseen, -1, seconds=settle, progress=self._watch)
                discarded = first.result.metrics.get(self._goal.metric)
            index = trial.next_index
            loop = await measure_loop(bench, index, seconds=asked.seconds, progress=self._watch)
            await self._place.require_unchanged(loop.started)
        except LoadFailed as problem:
            if isinstance(problem, UnreadLoop):
                self._keep_unread(measurement.trial, problem.loop)
            self._require_baseline_works(asked.candidate, problem.message)
            reason = f"the load failed: {problem.message}"
            return replace(measurement, spent=time.monotonic() - clock, reason=reason), None
        await self._group.check()
        self._fresh = False
        figures = loop.result.metrics
        figure = self._figure(figures)
        return replace(
            measurement, loop=loop.index, spent=time.monotonic() - clock, figure=figure,
            discarded=discarded, reason="" if figure > 0 else f"{self._goal.metric} is 0",
            breaches=tuple(limit.text for limit in self._limits if not limit.kept(figures)),
        ), loop  # fmt: skip

    def _bench(self, trial: str) -> PreparedTrial:
        if self._place.bench is None:
            raise RuntimeError("the probe point is not ready")
        return replace(self._place.bench, trial=trial)

    def _figure(self, figures: Mapping[str, float]) -> float:
        """The goal's metric.

        Raises:
            UsageError: the load does not give it.
        """
        if self._goal.metric not in figures:
            raise UsageError(
                f"the load gives no {self._goal.metric}",
                where="goal",
                hint=f"it gives {', '.join(figures)}",
            )
        return figures[self._goal.metric]

    def _require_baseline_works(self, candidate: Candidate, reason: str) -> None:
        """What was in force is what all is measured against; if it fails, nothing can be said.

        Raises:
            LoadFailed: it was the baseline.
        """
        if candidate == self._space.baseline:
            raise LoadFailed(
                f"the load fails with the previous settings: {reason}", where=self._place.host.name
            )

    def _enter(self, trial: str, settings: Mapping[str, Scalar]) -> GrowingTrial:
        """The candidate's trial, new to the run or not."""
        if trial not in self._trials:
            planned, bench = self._place.planned, self._bench(trial)
            new = Trial(
                id=trial,
                host=self._place.host.name,
                probe=f"{planned.probe.name} {label(settings)}",
                target=bench.target,
                load=planned.load,
                command=self._place.command,
                capture=self._group.capture(settings),
            )
            self._store.add_trial(self._run.id, new)
            self._trials[trial] = GrowingTrial(new)
            self._watch(TrialReady(trial, new.command))
        return self._trials[trial]

    def _keep(self, measurement: Measurement, loop: Loop | None) -> None:
        """Into the store, in one transaction with its loop."""
        self._number += 1
        if loop is None:
            self._store.add_measurement(self._run.id, measurement)
            return
        bench = self._bench(measurement.trial)
        version = bench.engine.parser_version
        self._store.add_measurement(self._run.id, measurement, loop, parser_version=version)
        if self._trials[measurement.trial].add(loop, bench.demand, bench.size):
            self._mark(measurement.trial)

    def _keep_unread(self, trial: str, loop: Loop) -> None:
        """A loop without a result; one that was to be discarded gets a number as well."""
        kept = replace(loop, index=self._trials[trial].next_index)
        self._store.add_loop(self._run.id, trial, kept)
        self._trials[trial].add_unread(kept)

    def _look(self) -> None:
        """The flags of all candidates, with all their loops."""
        for name, trial in self._trials.items():
            if trial.look():
                self._mark(name)

    def _mark(self, trial: str) -> None:
        growing = self._trials[trial]
        self._store.mark(self._run.id, trial, flags=growing.flags, faults=growing.faults)

    def _changes(self, candidate: Candidate) -> str:
        """What is to be changed for the next measurement."""
        names = self._space.changed(self._in_force, candidate)
        values = self._space.settings(candidate)
        return ", ".join(f"{name}={values[name]}" for name in names)


def label(settings: Mapping[str, Scalar]) -> str:
    """A candidate in a few words: "[disk.scheduler=none, disk.nr_requests=64]"."""
    return "[" + ", ".join(f"{name}={value}" for name, value in settings.items()) + "]"


def _observation(measurement: Measurement) -> Observation:
    """What the strategy is told of a measurement."""
    return Observation(
        measurement.figure,
        measurement.change_seconds,
        measurement.discarded,
        measurement.breaches,
        measurement.spent,
        measurement.reason,
    )
