"""Are these runs better or worse than a baseline?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from iosonde.contract import ADDED, NULL, VerbResult
from iosonde.errors import UsageError
from iosonde.hosts.command import quote
from iosonde.measure.comparison import Alone, Comparison, ComparisonRequest, MetricVerdict
from iosonde.measure.comparison import compare as compare_sheets
from iosonde.measure.gate import GateResult, parse_gate, pass_gates
from iosonde.measure.in_turns import command_in_turns, of_arm, split
from iosonde.records.comparison import ComparedMetric, ComparedTrial
from iosonde.records.curve import ComparedCurves
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Scalar
from iosonde.sentences import paired_curves
from iosonde.statistics.contrast import Bar
from iosonde.statistics.verdict import DRIFT
from iosonde.verbs.stored import load_sheets

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class ComparisonNote:
    """What a rule says of a comparison."""

    rule: str
    subject: str
    message: str


@dataclass(frozen=True, slots=True)
class ComparedRuns(VerbResult):
    """Verdicts of `iosonde compare`: every other run against the first, metric by metric.

    Changes, intervals and levels are fractions.
    """

    SCHEMA = "iosonde.compare/1"
    verdicts: tuple[ComparedMetric, ...]
    settings_differ: Mapping[str, tuple[Scalar, ...]] = field(
        metadata={"schema": {"additionalProperties": {"minItems": 2}}}
    )
    """Layer.setting to its value in each run, in the order of the runs; null where a run has
    none."""
    margin: float = field(metadata=ADDED)
    """Changes within it do not matter."""
    level: float = field(metadata=ADDED)
    """Probability that any verdict is wrong."""
    comparisons: int = field(metadata={"schema": {"minimum": 0}, **ADDED})
    """How many the level is shared out to."""
    gates: tuple[GateResult, ...] = field(metadata=ADDED)
    alone: tuple[Alone, ...] = field(metadata=ADDED)
    """Trials of one run that have no counterpart in another."""
    findings: tuple[ComparisonNote, ...] = field(metadata=ADDED)
    curves: tuple[ComparedCurves, ...] = field(default=(), metadata=ADDED)
    """Response curves that the baseline and another run have, with their knees."""
    in_turns: str = field(default="", metadata={**NULL, **ADDED})
    """Where a drift may explain a change: the command that measures both in turns."""

    @property
    def passed(self) -> bool:
        """Whether no gate failed."""
        return not any(gate.fails for gate in self.gates)

    def frame(self) -> polars.DataFrame:
        """One row a verdict; change and its interval, low to high, are fractions of the baseline.

        Columns: baseline, candidate, load, probe, host, metric, unit, verdict, change, low, high,
        more_loops, headline.
        """
        import polars

        strings = ("baseline", "candidate", "load", "probe", "host", "metric", "unit", "verdict")
        figures = ("change", "low", "high")
        schema = {
            **dict.fromkeys(strings, polars.String), **dict.fromkeys(figures, polars.Float64),
            "more_loops": polars.Int64, "headline": polars.Boolean,
        }  # fmt: skip
        rows = []
        for verdict in self.verdicts:
            low, high = verdict.interval or (None, None)
            rows.append(
                (
                    verdict.baseline,
                    verdict.candidate,
                    verdict.trial.load,
                    verdict.trial.probe,
                    verdict.trial.host,
                    verdict.metric,
                    verdict.unit,
                    verdict.outcome.value,
                    verdict.change,
                    low,
                    high,
                    verdict.more_loops,
                    verdict.headline,
                )
            )
        return polars.DataFrame(rows, schema=schema, orient="row")

    def plot(self) -> Any:
        """An altair chart of the headlines' changes with their intervals; None: none is known."""
        from iosonde.report.charts import forest_figure, style

        figure = forest_figure(
            [
                (f"{verdict.metric} ({verdict.candidate})", verdict)
                for verdict in self.verdicts
                if verdict.headline
            ]
        )
        return style(figure.chart) if figure else None


def compare(
    *runs: str,
    trials: Sequence[str] = (),
    metrics: Sequence[str] = (),
    margin: float = 0.02,
    gates: Sequence[str] = (),
    simultaneous: bool = False,
    baseline: str = "",
    store: str | None = None,
) -> ComparedRuns:
    """Hold runs against a baseline: better, worse, equivalent within the margin, or undecided.

    Args:
        runs: the baseline and others; RUN/TRIAL is one trial of a run. A run alone: its two arms,
            where they were measured in turns (`run --interleave`).
        trials: load, probe, host or id of those to compare; none: all.
        metrics: to compare; none: all.
        margin: a change within this fraction of the baseline does not matter.
        gates: METRIC:PERCENT, by how much a metric may be worse ("write.iops:5").
        simultaneous: the loops of the runs were measured two by two at the same time.
        baseline: name of the baseline that the runs are held against; empty: the first run is it.
        store: a file or a PostgreSQL URL; None: the usual one.

    Raises:
        UsageError: no such run, baseline, trial or metric, or nothing that belongs together.
    """
    asked = [parse_gate(text) for text in gates]
    if baseline:
        from iosonde.verbs.baseline import run_of

        runs = (run_of(baseline, store), *(runs or ("last",)))
    sheets = _sheets(runs, store)
    comparison = compare_sheets(
        sheets,
        wanted=ComparisonRequest(
            tuple(trials), tuple(metrics), also=tuple(gate.metric for gate in asked)
        ),
        bar=Bar(margin=margin),
        simultaneous=simultaneous,
    )
    return _compared(comparison, pass_gates(asked, comparison), sheets)


def compare_arms(whole: RunSheet) -> ComparedRuns | None:
    """The second arm of an interleaved run against the first; None: there is nothing to compare."""
    arms = split(whole)
    if len(arms) != 2:
        return None
    try:
        comparison = compare_sheets(arms, wanted=ComparisonRequest(), bar=Bar())
    except UsageError:  # one arm has no figures
        return None
    return _compared(comparison, (), arms)


def _compared(
    comparison: Comparison, gates: tuple[GateResult, ...], sheets: Sequence[RunSheet]
) -> ComparedRuns:
    first = sheets[0]
    return ComparedRuns(
        verdicts=tuple(map(compared_metric, comparison.answers)),
        settings_differ=comparison.settings,
        margin=comparison.bar.margin,
        level=comparison.bar.level,
        comparisons=comparison.counted,
        gates=gates,
        alone=comparison.alone,
        findings=tuple(
            ComparisonNote(finding.rule, finding.subject, finding.message)
            for finding in comparison.findings
        ),
        curves=tuple(
            ComparedCurves(first.run.id, other.run.id, (ours, theirs))
            for other in sheets[1:]
            for ours, theirs in paired_curves([first.curves, other.curves])
            if ours and theirs
        ),
        in_turns=_in_turns(comparison, sheets),
    )


def _in_turns(comparison: Comparison, sheets: Sequence[RunSheet]) -> str:
    """The command for the first verdict that a drift leaves undecided; empty: there is none."""
    runs = {sheet.run.id: sheet.run for sheet in sheets}
    for answer in comparison.answers:
        if answer.judgement.reason == DRIFT and answer.headline:
            pair = answer.pair
            command = command_in_turns(
                (runs[pair.baseline], runs[pair.candidate]), (pair.a.trial, pair.b.trial),
                comparison.settings if len(sheets) == 2 else {},
            )  # fmt: skip
            return quote(command or ("iosonde", "run", "--interleave", "A", "B"))
    return ""


def compared_metric(answer: MetricVerdict) -> ComparedMetric:
    """The verdict on one metric, and what it rests on."""
    verdict = answer.judgement.verdict
    a, b = answer.pair.a.trial, answer.pair.b.trial
    return ComparedMetric(
        verdict.metric, verdict.baseline, verdict.candidate, verdict.outcome, verdict.change,
        verdict.interval, verdict.more_loops,
        reason=answer.judgement.reason, level=answer.judgement.level, headline=answer.headline,
        unit=answer.a.unit, figures=answer.figures, means=(answer.a.mean, answer.b.mean),
        loops=(len(answer.a.loops), len(answer.b.loops)),
        trial=ComparedTrial(b.load.name, b.probe, b.host), trials=(a.id, b.id),
        pairs=None if (turns := answer.circumstances.a_first) is None else len(turns),
    )  # fmt: skip


def _sheets(names: Sequence[str], store: str | None) -> list[RunSheet]:
    """The runs; of RUN/TRIAL that trial alone, under this whole name."""
    sheets = load_sheets([name.partition("/")[0] for name in names], store)
    if len(names) == 1 and (arms := split(sheets[0])) and "/" not in names[0]:
        return arms
    if len(names) < 2:
        raise UsageError(
            "a comparison takes a baseline and at least one other run, or a run that was measured "
            "with --interleave",
            hint="iosonde compare A B; `iosonde list` shows the runs",
        )
    return [
        _only(sheet, name.partition("/")[2]) if "/" in name else sheet
        for name, sheet in zip(names, sheets, strict=True)
    ]


def _only(sheet: RunSheet, wanted: str) -> RunSheet:
    """A run with one of its trials; of an interleaved one with those of an arm."""
    if wanted in {arm.name for arm in sheet.arms.values()}:
        return of_arm(sheet, wanted)
    fitting = [
        trial
        for trial in sheet.trials
        if wanted in {trial.trial.id, trial.trial.load.name, trial.trial.probe, trial.trial.host}
    ]
    if len(fitting) != 1:
        ids = ", ".join(trial.trial.id for trial in sheet.trials) or "none"
        raise UsageError(
            f"{wanted!r} names {len(fitting)} trials of run {sheet.run.id}, not one",
            where=f"{sheet.run.id}/{wanted}",
            hint=f"its trials: {ids}",
        )
    run = replace(sheet.run, id=f"{sheet.run.id}/{fitting[0].trial.id}")
    return replace(sheet, run=run, trials=(fitting[0],))
