"""The sections of a run's or comparison's page: results, verdicts, findings, appendix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde import units
from iosonde.records.comparison import ComparedSheets
from iosonde.records.run import Trial
from iosonde.records.sheet import JointSheet, RunSheet, TrialSheet
from iosonde.report.blocks import (
    MOST_SHOWN,
    TONES,
    Badge,
    Block,
    Cells,
    Lines,
    Problem,
    Problems,
    Text,
    Title,
    half,
    interval,
)
from iosonde.report.captured import captured
from iosonde.report.figures import aligned, number, scale
from iosonde.report.pivot import LoadGroup, changed_settings, proven_metrics
from iosonde.report.rows import title_of
from iosonde.report.tuning import shown
from iosonde.sentences import OUTCOME_WORDS, metric_words


def results(
    groups: Sequence[LoadGroup], runs: Sequence[tuple[str, RunSheet]], compared: ComparedSheets,
    *, folded: bool = False,
) -> Iterator[Block]:  # fmt: skip
    """Verdicts of a comparison with both figures, else the headlines with their intervals.

    Args:
        groups: all loads.
        runs: by their labels.
        compared: verdicts, if any.
        folded: the results of a run are shown on demand, since other tables have their means.
    """
    rows: list[tuple[str | Badge, ...]] = []
    for group in groups:
        for name in (*group.headlines, *proven_metrics(group, compared)):
            rows += _result_rows(group, name, compared)
    if not rows:
        return
    if not compared.verdicts:
        yield Title("Results")
        columns = ("load", "metric", "unit", "mean", "± 95 %", "CV", "loops")
        first = 0 if folded else MOST_SHOWN
        if rows[:first]:
            yield Cells(columns, tuple(rows[:first]), text_columns=3)
        if rest := rows[first:]:
            title = f"{len(rest)} {'more results' if first else 'results with their intervals'}"
            yield Cells(columns, tuple(rest), text_columns=3, folded=title)
        return
    yield Title("Verdicts")
    width = 11 if any(row[-1] for row in rows) else 10
    yield Text(f"Every run against {runs[0][0]}; all intervals hold together with 95 %.", "soft")
    yield Cells(
        ("load", "metric", "unit", "mean", "± 95 %", "CV", "loops", "change", "interval",
         "verdict", "reason")[:width], tuple(row[:width] for row in rows), text_columns=3,
    )  # fmt: skip
    if changed := changed_settings(compared):
        yield Title("Settings that differ", 3)
        head = ("setting", *(label for label, _ in runs))
        yield Cells(
            head, tuple((name, *values) for name, values in changed), text_columns=len(head)
        )


def _result_rows(
    group: LoadGroup, name: str, compared: ComparedSheets
) -> Iterator[tuple[str | Badge, ...]]:
    measured = [(member, metric) for member in group.members if (metric := member.metric(name))]
    divisor, unit = scale(measured[0][1].unit, [metric.mean for _, metric in measured])
    means = aligned([
        number(metric.mean / divisor,
               (metric.ci95[1] - metric.ci95[0]) / 2 / divisor if metric.ci95 else 0.0)
        for _, metric in measured
    ])  # fmt: skip
    for (member, metric), mean in zip(measured, means, strict=True):
        titled = group.title in {member.label, metric_words(name)}
        label = member.label if titled else f"{group.title}, {member.label}"
        row: tuple[str | Badge, ...] = (
            label, metric_words(name), unit, mean, half(metric),
            units.show(metric.cv, "fraction"), str(len(metric.loops)),
        )  # fmt: skip
        if not compared.verdicts:
            yield row
        elif verdict := member.verdict(name, compared):
            word = OUTCOME_WORDS[verdict.outcome]
            yield (
                *row, "–" if verdict.change is None else units.show_change(verdict.change),
                interval(verdict.interval),
                Badge(word, TONES[verdict.outcome]), verdict.reason,
            )  # fmt: skip
        else:
            yield (*row, "", "", Badge("baseline"), "")


def problem_blocks(
    problems: tuple[Problem, ...], runs: Sequence[tuple[str, RunSheet]]
) -> Iterator[Block]:
    """Findings, faults, and trials without a loop."""
    notes = [
        f"{' '.join(part for part in (label, trial.trial.id) if part)}: {said}"
        for label, sheet in runs for trial in shown(sheet)
        for said in (
            *(fault for fault in trial.trial.faults
              if not any(fault in finding.message for finding in sheet.findings)),
            *(() if trial.trial.loops else ("no loop of this trial was finished",)),
        )
    ]  # fmt: skip
    if not problems and not notes:
        return
    yield Title("Findings")
    yield from (Text(note, "note") for note in notes)
    if problems:
        yield Problems(problems)


def joint_blocks(sheet: JointSheet) -> Iterator[Block]:
    """What the targets of one load did together."""
    yield Title(f"{sheet.load}: all {len(sheet.trials)} targets together")
    trials = ", ".join(sheet.trials)
    yield Text(f"Sums and merged histograms of {trials}, which ran at the same time.", "soft")
    yield _metrics(sheet)


def appendix(runs: Sequence[tuple[str, RunSheet]]) -> Iterator[Block]:
    """All metrics, settings, observed devices and commands."""
    trials = [(label, trial) for label, sheet in runs for trial in shown(sheet)]
    if any(trial.metrics for _, trial in trials):
        yield Title("All metrics")
        for label, trial in trials:
            if trial.metrics:
                yield Title(_trial_title(label, trial), 3)
                yield Text(_where(trial.trial), "soft")
                yield _metrics(trial)
    yield from captured([(label, shown(sheet)) for label, sheet in runs])
    devices = [row for label, trial in trials for row in _devices(label, trial)]
    if devices:
        yield Title("Observed devices")
        yield Text("Means over all seconds of all loops.", "soft")
        yield Cells(("load", "device", "figure", "mean"), tuple(devices), text_columns=3)
    commands = [(label, trial) for label, trial in trials if trial.trial.command]
    if commands:
        yield Title("Commands")
        for label, trial in commands:
            yield Text(_trial_title(label, trial), "soft")
            yield Lines((trial.trial.command,))


def _trial_title(label: str, sheet: TrialSheet) -> str:
    return ": ".join(part for part in (label, title_of(sheet.trial)) if part)


def _where(trial: Trial) -> str:
    """Where the trial was measured, or where it was read."""
    parts = []
    if trial.origin is None and trial.load.about:
        parts.append(trial.load.about)
    where = [f"Host {trial.host}"] if trial.host else []
    where += [f"target {trial.target.path}"] if trial.target.path else []
    if where:
        parts.append(", ".join(where) + ".")
    if origin := trial.origin:
        lines = f"lines {origin.first_line} to {origin.last_line}"
        parts.append(f"Printed by {trial.load.engine}; read in {origin.file}, {lines}.")
    return " ".join(parts)


def _metrics(sheet: TrialSheet | JointSheet) -> Cells:
    """Every metric, each in one unit that all its figures fit."""
    rows = []
    for metric in sheet.metrics:
        divisor, unit = scale(metric.unit, [metric.mean])
        low, high = metric.ci95 or (metric.mean, metric.mean)
        half = (high - low) / 2 / divisor
        figures = (metric.mean, metric.ci95 and max(low, 0.0), metric.ci95 and high, metric.stdev,
                   metric.median, metric.merged)  # fmt: skip
        shown_ = ["–" if value is None else number(value / divisor, half) for value in figures]
        rows.append((
            metric.name, unit, *shown_[:4], units.show(metric.cv, "fraction"), *shown_[4:],
            str(len(metric.loops)),
        ))  # fmt: skip
    bold = frozenset(
        at for at, metric in enumerate(sheet.metrics) if metric.name in sheet.headlines
    )
    head = ("metric", "unit", "mean", "95 % from", "to", "stdev", "CV", "median", "all loops",
            "loops")  # fmt: skip
    return Cells(head, tuple(rows), bold, text_columns=2)


def _devices(label: str, sheet: TrialSheet) -> Iterator[tuple[str, ...]]:
    """The mean of each figure of each device over all loops."""
    seen: dict[tuple[str, str, str], list[float]] = {}
    for loop in sheet.trial.loops:
        for series in loop.series:
            if series.sampler == "diskstats":
                key = (series.subject, series.name, series.unit)
                seen.setdefault(key, []).extend(
                    value for value in series.values if value is not None
                )
    for (device, name, unit), values in seen.items():
        if any(values):
            mean = units.show(sum(values) / len(values), unit)
            yield _trial_title(label, sheet), device, name.replace(".", " "), mean
