"""Runs against a baseline: which trials belong together, how many comparisons that makes, verdicts.

The level is shared out before anything is judged: half of it to the headline metrics, half to all
others (all of it to whichever there are alone), in equal parts. That is a weighted Bonferroni
correction: at most 5 % of comparisons of equal runs claim any difference, whatever the metrics
have to do with each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log, sqrt

from iosonde.contract import HIDDEN
from iosonde.errors import UsageError
from iosonde.measure.circumstances import circumstances
from iosonde.measure.in_turns import can_pair, paired_loops, pairs_of
from iosonde.measure.sheet import trial_sheet
from iosonde.records.finding import Finding
from iosonde.records.run import Metric, Trial
from iosonde.records.sheet import RunSheet, TrialSheet
from iosonde.records.stack import Scalar
from iosonde.stack.model import capture_settings
from iosonde.statistics.contrast import Bar
from iosonde.statistics.verdict import Circumstances, Judgement, compared, judge, within_noise

_EXTREMES = (".latency.min", ".latency.max", ".latency.stdev")
_LISTED = 3  # labels in a message
_SAME = 1e-3  # of the spread: two metrics whose logarithms move together closer than that are one


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What is to be compared.

    Args:
        trials: load, probe, host or id of the trials; none: all.
        metrics: names; none: all but minimum, maximum and deviation of the latency, which belong
            to single I/Os.
        also: names of metrics wanted besides.
    """

    trials: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TrialPair:
    """Two trials that belong together. `baseline` and `candidate` name their runs.

    Of two whose loops were taken in turns, `a_first` says of each pair of loops whether A's came
    first.
    """

    baseline: str
    candidate: str
    a: TrialSheet
    b: TrialSheet
    a_first: tuple[bool, ...] = ()

    @property
    def label(self) -> str:
        """Load, probe and host of the candidate's trial."""
        return label_of(self.b)


@dataclass(frozen=True, slots=True)
class MetricVerdict:
    """The verdict on one metric of a pair."""

    pair: TrialPair
    a: Metric
    b: Metric
    judgement: Judgement
    headline: bool
    circumstances: Circumstances = field(default_factory=Circumstances)

    @property
    def figures(self) -> tuple[float, float]:
        """Baseline's and candidate's, of which the change is the ratio.

        Of loops that were taken in turns they are without what the order of an odd number of pairs
        adds to the one and takes from the other.
        """
        before, after = compared(self.a, self.b)
        change = self.judgement.verdict.change
        if (
            self.circumstances.a_first is None
            or change is None
            or min(before, after) <= 0
            or change <= -1
        ):
            return before, after
        share = sqrt((1 + change) * before / after)
        return before / share, after * share


@dataclass(frozen=True, slots=True)
class Alone:
    """A trial of one run, `of`, that has no counterpart in the other, `lacks`, and why."""

    of: str = field(metadata={"name": "run"})
    lacks: str
    label: str = field(metadata={"name": "trial"})
    metrics: frozenset[str] = field(metadata=HIDDEN)
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """All answers of one call of `compare`.

    `counted` is the number of comparisons the level was shared out to; `settings` maps each
    setting that differs to its value in every run, in the order of the runs; `alone` are the trials
    that were compared with nothing.
    """

    answers: tuple[MetricVerdict, ...]
    counted: int
    bar: Bar
    settings: Mapping[str, tuple[Scalar, ...]]
    findings: tuple[Finding, ...]
    alone: tuple[Alone, ...] = ()


def label_of(sheet: TrialSheet) -> str:
    """The trial as a person names it: `LOAD at PROBE on HOST`; an imported one may have no host."""
    trial = sheet.trial
    return f"{trial.load.name} at {trial.probe}" + (f" on {trial.host}" if trial.host else "")


def _labels(sheets: Sequence[TrialSheet]) -> str:
    """The first labels, and how many more there are."""
    labels = sorted({label_of(sheet) for sheet in sheets})
    more = f" and {len(labels) - _LISTED} more" if len(labels) > _LISTED else ""
    return ", ".join(labels[:_LISTED]) + more or "no trial with figures"


def compare(
    runs: Sequence[RunSheet],
    *,
    wanted: ComparisonRequest | None = None,
    bar: Bar | None = None,
    simultaneous: bool = False,
) -> Comparison:
    """Hold every other run against the first.

    Args:
        runs: the baseline and at least one more.
        wanted: which trials and metrics; None: all.
        bar: level for all verdicts together, and margin.
        simultaneous: the loops of the runs were measured two by two at the same time.

    Raises:
        UsageError: fewer than two runs, no trials that belong together, or no such metric.
    """
    if len(runs) < 2:
        raise UsageError("a comparison takes a baseline and at least one other run")
    bar, wanted = bar or Bar(), wanted or ComparisonRequest()
    pairs = [pair for other in runs[1:] for pair in match(runs[0], other, wanted.trials)]
    lengths = {sheet.run.id: _seconds_asked(sheet) for sheet in runs}
    asked = [(pair, _shared(pair, wanted, lengths)) for pair in pairs]
    _check([*wanted.metrics, *wanted.also], [name for _, names in asked for name in names])
    levels, counted = _levels(asked, bar.level)
    answers = []
    for place, (pair, names) in enumerate(asked):
        distance = circumstances(pair.a, pair.b)
        distance = replace(distance, simultaneous=True) if simultaneous else distance
        for name in names:
            turns = can_pair(pair.a, pair.b, name, pair.a_first)
            how = replace(distance, a_first=pair.a_first) if turns else distance
            at = replace(bar, level=levels[place, name])
            answers.append(_answer(pair, name, at, how))
    noise = [within_noise(answer.judgement) for answer in answers if answer.headline]
    return Comparison(
        answers=tuple(answers),
        counted=counted,
        bar=bar,
        settings=settings_differ(runs, wanted.trials),
        findings=tuple(finding for finding in noise if finding is not None),
        alone=tuple(
            unmatched
            for other in runs[1:]
            for unmatched in _alone(runs[0], other, wanted.trials, pairs)
        ),
    )


def match(baseline: RunSheet, candidate: RunSheet, wanted: Sequence[str] = ()) -> list[TrialPair]:
    """The trials of two runs that belong together: same load, probe and host, in their order.

    Where each run has a single trial (of those wanted), these two are compared whatever they are
    called; one that gave no figures counts as well, so that what is left of two runs is not taken
    for the same.

    Raises:
        UsageError: none belong together; the message lists what there is.
    """
    ours, theirs = _wanted(baseline, wanted), _wanted(candidate, wanted)
    if turns := _in_turns(baseline, candidate, wanted):
        return turns
    if all(len(_asked(run, wanted)) == 1 for run in (baseline, candidate)) and ours and theirs:
        return [TrialPair(baseline.run.id, candidate.run.id, ours[0], theirs[0])]
    waiting: dict[str, list[TrialSheet]] = {}
    for sheet in ours:
        waiting.setdefault(label_of(sheet), []).append(sheet)
    pairs = [
        TrialPair(baseline.run.id, candidate.run.id, waiting[label_of(sheet)].pop(0), sheet)
        for sheet in theirs
        if waiting.get(label_of(sheet))
    ]
    if not pairs:
        raise UsageError(
            f"no trial of {candidate.run.id} has the load, probe and host of one of "
            f"{baseline.run.id}: {baseline.run.id} holds {_labels(ours)}; "
            f"{candidate.run.id} holds {_labels(theirs)}",
            where=f"{baseline.run.id}, {candidate.run.id}",
            hint="choose one trial of each with --trial, which are then compared as they are",
        )
    return pairs


def _in_turns(baseline: RunSheet, candidate: RunSheet, wanted: Sequence[str]) -> list[TrialPair]:
    """The pairs of two arms of one run, with the loops that both have."""
    ours = {sheet.trial.id: sheet for sheet in _wanted(baseline, wanted)}
    theirs = {sheet.trial.id: sheet for sheet in _wanted(candidate, wanted)}
    pairs = []
    for second, first in pairs_of(baseline, candidate).items():
        if first in ours and second in theirs:
            a, b, a_first = paired_loops(ours[first].trial, theirs[second].trial)
            pairs.append(TrialPair(
                baseline.run.id, candidate.run.id,
                _with_loops(ours[first], a), _with_loops(theirs[second], b), a_first,
            ))  # fmt: skip
    return pairs


def _with_loops(sheet: TrialSheet, trial: Trial) -> TrialSheet:
    """The sheet of a trial with fewer loops; the same metric stands for it."""
    if len(trial.loops) == len(sheet.trial.counted):
        return sheet
    return replace(trial_sheet(trial), headline=sheet.headline)


def _alone(
    baseline: RunSheet, candidate: RunSheet, wanted: Sequence[str], pairs: Sequence[TrialPair]
) -> Iterator[Alone]:
    """Measured trials of either run that belong to none of the other's."""
    taken = [(pair.a, pair.b) for pair in pairs]
    for place, (run, other) in enumerate(((baseline, candidate), (candidate, baseline))):
        for sheet in _wanted(run, wanted):
            if any(both[place] is sheet for both in taken):
                continue
            failed = [
                candidate
                for candidate in _asked(other, wanted)
                if not candidate.metrics and label_of(candidate) == label_of(sheet)
            ]
            why = f"{other.run.id} has no such trial"
            if failed:
                said = next((fault for candidate in failed for fault in candidate.trial.faults), "")
                why = f"that of {other.run.id} gave no figures{f': {said}' if said else ''}"
            names = frozenset(metric.name for metric in sheet.metrics)
            yield Alone(run.run.id, other.run.id, label_of(sheet), names, why)


def settings_differ(
    runs: Sequence[RunSheet], trials: Sequence[str] = ()
) -> dict[str, tuple[Scalar, ...]]:
    """The settings that are not the same in all runs, "LAYER.SETTING" → value in each run.

    Those of a run are what its trials' targets stand on, and what belongs to no layer; a setting
    that a run lacks is None.
    Runs without any capture say nothing: then nothing differs.
    """
    seen = [
        {name: value for sheet in _wanted(run, trials) for name, value in _settings(sheet).items()}
        for run in runs
    ]
    if not all(seen):
        return {}
    names = sorted({name for settings in seen for name in settings})
    rows = {name: tuple(settings.get(name) for settings in seen) for name in names}
    return {name: row for name, row in rows.items() if any(value != row[0] for value in row)}


def _settings(sheet: TrialSheet) -> dict[str, Scalar]:
    capture = sheet.trial.capture
    if capture is None:
        return {}
    layers = tuple(layer for layer in capture.layers if layer.id in sheet.below)
    return capture_settings(replace(capture, layers=layers or capture.layers))


def _wanted(run: RunSheet, wanted: Sequence[str]) -> list[TrialSheet]:
    return [sheet for sheet in _asked(run, wanted) if sheet.metrics]


def _asked(run: RunSheet, wanted: Sequence[str]) -> list[TrialSheet]:
    """The trials that were asked for, those without figures included."""
    return [
        sheet
        for sheet in run.trials
        if not wanted
        or {sheet.trial.id, sheet.trial.load.name, sheet.trial.probe, sheet.trial.host}
        & set(wanted)
    ]


def _seconds_asked(run: RunSheet) -> float | None:
    """How long each loop was to take (`--seconds`); None: as long as its load says."""
    study = run.run.plan.get("study")
    seconds = study.get("seconds") if isinstance(study, Mapping) else None
    return float(seconds) if isinstance(seconds, int | float) else None


def _shared(
    pair: TrialPair, wanted: ComparisonRequest, lengths: Mapping[str, float | None]
) -> list[str]:
    """Metrics that both trials have, headlines first.

    Not the elapsed time where loops were asked to take different times: that is no result.
    """
    theirs = {metric.name for metric in pair.b.metrics}
    lasted = {lengths.get(pair.baseline), lengths.get(pair.candidate)}
    if len(lasted) == 2 and None not in lasted and "elapsed" not in {*wanted.metrics, *wanted.also}:
        theirs.discard("elapsed")
    names = [metric.name for metric in pair.a.metrics if metric.name in theirs]
    if wanted.metrics:
        return [name for name in names if name in {*wanted.metrics, *wanted.also}]
    names = [name for name in names if name in wanted.also or not name.endswith(_EXTREMES)]
    return sorted(names, key=lambda name: name not in pair.a.headlines)


def _check(wanted: Sequence[str], names: Sequence[str]) -> None:
    if not names and not wanted:
        raise UsageError("the trials that belong together have no metric in common")
    missing = [name for name in wanted if name not in names]
    if missing:
        raise UsageError(
            f"no two trials that belong together have the metric {missing[0]!r}",
            where="--metric",
            hint="`iosonde export ID --format json` lists the metrics of a run",
        )


def _levels(
    asked: Sequence[tuple[TrialPair, list[str]]], level: float
) -> tuple[dict[tuple[int, str], float], int]:
    """The level of each metric of each pair, and how many comparisons share it.

    Metrics that are the same figure in another unit (IOPS and bandwidth at a fixed block size)
    are one comparison.
    """
    groups: list[tuple[int, list[str]]] = []
    for place, (pair, names) in enumerate(asked):
        groups += [(place, group) for group in _same_figures(pair, names)]
    first = [not {*asked[place][0].a.headlines}.isdisjoint(group) for place, group in groups]
    heads, others = sum(first), len(first) - sum(first)
    share = level / 2 if heads and others else level
    return {
        (place, name): share / (heads if head else others)
        for (place, group), head in zip(groups, first, strict=True)
        for name in group
    }, len(groups)


def _same_figures(pair: TrialPair, names: Sequence[str]) -> list[list[str]]:
    logs = {name: logs for name in names if (logs := _logarithms(pair, name)) is not None}
    groups: list[list[str]] = []
    for name in names:
        home = next((g for g in groups if _alike(logs.get(g[0]), logs.get(name))), None)
        if home is None:
            groups.append([name])
        else:
            home.append(name)
    return groups


def _logarithms(pair: TrialPair, name: str) -> tuple[float, ...] | None:
    values = (*_metric(pair.a, name).loops, *_metric(pair.b, name).loops)
    return tuple(map(log, values)) if min(values) > 0 else None


def _alike(a: tuple[float, ...] | None, b: tuple[float, ...] | None) -> bool:
    """The same but for a constant factor."""
    if a is None or b is None or len(a) != len(b):
        return False
    steps = [x - y for x, y in zip(a, b, strict=True)]
    return max(steps) - min(steps) <= _SAME * (max(a) - min(a))


def _answer(pair: TrialPair, name: str, bar: Bar, distance: Circumstances) -> MetricVerdict:
    a, b = _metric(pair.a, name), _metric(pair.b, name)
    judgement = judge(a, b, bar=bar, circumstances=distance, names=(pair.baseline, pair.candidate))
    return MetricVerdict(
        pair, a, b, judgement, headline=name in pair.a.headlines, circumstances=distance
    )


def _metric(sheet: TrialSheet, name: str) -> Metric:
    return next(metric for metric in sheet.metrics if metric.name == name)
