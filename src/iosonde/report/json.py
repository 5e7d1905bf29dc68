"""Runs as the machine-readable contract has them: `iosonde.run/1`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from typing_extensions import override

from iosonde.contract import ABSENT, ADDED, HIDDEN, NULL, VerbResult
from iosonde.exact import json_text
from iosonde.records.comparison import ALONE, ComparedSheets
from iosonde.records.curve import Curve
from iosonde.records.prediction import Ledger
from iosonde.records.requirement import RequirementResult
from iosonde.records.run import Metric, RunState
from iosonde.records.sheet import JointSheet, RunSheet, TrialArm, TrialSheet
from iosonde.records.stack import Scalar
from iosonde.records.steady import SteadyWindow
from iosonde.report.format import Format

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class TrialLoad:
    """What was run."""

    engine: str
    name: str = field(metadata=ADDED)
    command: str


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The loops of one load at one probe point."""

    id: str
    host: str
    probe: str
    target: str
    load: TrialLoad
    headline: str = field(metadata={**NULL, **ADDED})
    """The metric that stands for the trial."""
    headlines: tuple[str, ...] = field(metadata=ADDED)
    """The metrics to be shown first: the headline and, of a load that syncs, the latency of its
    syncs."""
    metrics: Mapping[str, Metric]
    flags: tuple[str, ...]
    """Names of rules."""
    capture: Mapping[str, Scalar]
    """LAYER.SETTING to value."""
    faults: tuple[str, ...]
    matrix: Mapping[str, Scalar] | None = field(metadata=ABSENT)
    """Of a point of a load matrix the options that are varied, sizes in bytes."""
    ledger: Ledger | None = field(metadata=ABSENT)
    """Of a trial with --ledger."""
    arm: str | None = field(metadata=ABSENT)
    """Of a trial of an interleaved run: the target, load or settings that it stands for."""

    @classmethod
    def of(cls, sheet: TrialSheet, ledger: Ledger | None, arm: TrialArm | None = None) -> Self:
        """A trial with its statistics, and what was counted where the study asks for that."""
        trial = sheet.trial
        return cls(
            trial.id, trial.host, trial.probe, trial.target.path,
            TrialLoad(trial.load.engine, trial.load.name, trial.command),
            sheet.headline, sheet.headlines, {metric.name: metric for metric in sheet.metrics},
            trial.flags, sheet.settings, trial.faults, trial.load.matrix or None, ledger,
            arm.name if arm else None,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class JointResult:
    """What the targets of one load did together."""

    load: str
    trials: tuple[str, ...]
    """Ids of its parts."""
    loops: int
    """Loops that every part has finished."""
    headline: str = field(metadata=NULL)
    headlines: tuple[str, ...] = field(metadata=ADDED)
    """The metrics to be shown first: the headline and, of a load that syncs, the latency of its
    syncs."""
    metrics: Mapping[str, Metric]

    @classmethod
    def of(cls, sheet: JointSheet) -> Self:
        """The same with its statistics."""
        metrics = {metric.name: metric for metric in sheet.metrics}
        return cls(sheet.load, sheet.trials, sheet.loops, sheet.headline, sheet.headlines, metrics)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult(VerbResult):
    """One run with its trials; or, where several are asked for, an object with `runs`.

    Sizes in bytes, times in seconds, rates in 1/s and B/s, shares as fractions. A figure that is
    not known is null.
    """

    SCHEMA = "iosonde.run/1"
    id: str
    """By which other verbs know the run."""
    study: str
    state: RunState
    name: str = field(metadata={**NULL, **ADDED})
    """By which it can be asked for, like its id."""
    tags: tuple[str, ...] = field(metadata=ADDED)
    """By which it can be asked for where no other run has them."""
    created: float = field(metadata=ADDED)
    trials: tuple[TrialResult, ...]
    together: tuple[JointResult, ...] = field(metadata=ADDED)
    """What the targets of each load did together, where they were measured at the same time."""
    requirements: tuple[RequirementResult, ...] = field(metadata=ADDED)
    """What its study requires, on each trial that has the metric."""
    curves: tuple[Curve, ...] = field(metadata=ADDED)
    """Response curves of load matrices, with their knees."""
    steady: tuple[SteadyWindow, ...] = field(metadata=ADDED)
    """Of a study that tracks a steady state the passes that its figures are of."""
    sheet: RunSheet = field(metadata=HIDDEN)
    """The run as stored, with the statistics of its trials."""

    @classmethod
    def of(cls, sheet: RunSheet, ledgers: Mapping[str, Ledger] | None = None, **more: Any) -> Self:
        """A run with its statistics.

        Args:
            sheet: of the run.
            ledgers: by the id of the trial.
            more: fields of a class that extends this one.
        """
        run = sheet.run
        return cls(
            id=run.id, study=run.study, state=run.state, name=run.name, tags=run.tags,
            created=run.created,
            trials=tuple(
                TrialResult.of(
                    trial, (ledgers or {}).get(trial.trial.id), sheet.arms.get(trial.trial.id)
                )
                for trial in sheet.trials
            ),
            together=tuple(map(JointResult.of, sheet.joint)), requirements=sheet.requirements,
            curves=sheet.curves,
            steady=sheet.windows,
            sheet=sheet, **more,
        )  # fmt: skip

    def frame(self) -> polars.DataFrame:
        """One row a metric of each trial, as `iosonde export --format parquet` has it."""
        from iosonde.report.parquet import frame_of

        return frame_of([self.sheet])

    def plot(self) -> Any:
        """An altair chart of the loops of each trial's headline, one below the other."""
        import altair

        from iosonde.report.charts import loops_figure, style

        charts = [
            loops_figure({trial.trial.id: metric}).chart.properties(title=trial.trial.id)
            for trial in self.sheet.trials
            for metric in trial.metrics
            if metric.name == trial.headline
        ]
        return style(altair.vconcat(*charts))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResults(VerbResult):
    """Several runs in one object."""

    SCHEMA = "iosonde.run/1"
    runs: Sequence[RunResult]


class JsonFormat(Format):
    """One run as an object; several as one object that holds them as `runs`."""

    name = "json"
    suffix = ".json"

    @override
    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        """Verdicts are `iosonde compare --json`'s."""
        del compared
        results = [RunResult.of(sheet) for sheet in runs]
        whole = results[0] if len(results) == 1 else RunResults(runs=results)
        return json_text(whole.to_json()).encode() + b"\n"
