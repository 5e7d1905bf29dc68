"""Runs as Markdown to paste into a wiki or a ticket: every figure with unit, loops and spread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from iosonde import units
from iosonde.records import Finding, JointSheet, Metric, RunSheet, TrialSheet, Verdict
from iosonde.report.forecasts import forecasts_lines
from iosonde.report.rows import title_of

_SPECIAL = str.maketrans({char: "\\" + char for char in "\\`*_{}[]<>#|~$"})


class MarkdownFormat:
    """A heading a trial, a table of its metrics, its command and its findings."""

    name: ClassVar[str] = "markdown"
    suffix: ClassVar[str] = ".md"

    def serialize(self, runs: Sequence[RunSheet], verdicts: Sequence[Verdict] = ()) -> bytes:
        """See `Format.serialize`."""
        lines: list[str] = []
        for sheet in runs:
            run = sheet.run
            lines += [f"# {_plain(run.study)}: run {run.id} ({run.state.value})", ""]
            lines += _findings(sheet.findings)
            lines += [_plain(line) if line[:1] not in "#|" else line
                      for line in forecasts_lines(sheet.forecasts)]  # fmt: skip
            for joint in sheet.joint:
                lines += _joint(joint)
            for trial in sheet.trials:
                lines += _trial(trial)
        if verdicts:
            lines += _verdicts(verdicts)
        return ("\n".join(lines).rstrip() + "\n").encode()


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    """What the rules say, each with its figures and its remedy."""
    if not findings:
        return
    yield "## Findings"
    yield ""
    for finding in findings:
        subject = f" ({_plain(finding.subject)})" if finding.subject else ""
        rule = f"**{finding.severity}: {_plain(finding.rule)}**"
        yield f"- {rule}{subject}: {_plain(finding.message)}"
        for one in finding.evidence:
            where = f" ({_plain(one.where)})" if one.where else ""
            figure = units.show_evidence(one.value, one.unit)
            yield f"  - {_plain(one.what)}: {_plain(figure)}{where}"
        if finding.remedy:
            yield f"  - to do: {_plain(finding.remedy)}"
        if finding.confirm:
            yield f"  - to confirm: {_plain(finding.confirm)}"
    yield ""


def _trial(sheet: TrialSheet) -> Iterator[str]:
    trial = sheet.trial
    yield f"## {_plain(title_of(trial))}"
    yield ""
    if trial.command:
        yield from _fence(trial.command)
        yield ""
    yield from _metrics(sheet)
    for finding in sheet.findings:
        yield f"- {_plain(finding.rule)}: {_plain(finding.message)}"
    for fault in trial.faults:
        yield f"- fault: {_plain(fault)}"
    yield ""


def _joint(sheet: JointSheet) -> Iterator[str]:
    """What the targets of one load did together."""
    yield f"## {_plain(sheet.load)}: all {len(sheet.trials)} targets together"
    yield ""
    yield from _metrics(sheet)


def _metrics(sheet: TrialSheet | JointSheet) -> Iterator[str]:
    yield "| metric | mean | 95 % interval | CV | median | all loops | loops |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for metric in sheet.metrics:
        yield _row(metric, bold=metric.name == sheet.headline)
    yield ""


def _row(metric: Metric, *, bold: bool) -> str:
    name = f"**{_plain(metric.name)}**" if bold else _plain(metric.name)
    cells = [
        name,
        units.show(metric.mean, metric.unit),
        units.show_interval(metric.ci95, metric.unit),
        units.show(metric.cv, "fraction"),
        units.show(metric.median, metric.unit),
        units.show(metric.merged, metric.unit),
        str(len(metric.loops)),
    ]
    return f"| {' | '.join(cells)} |"


def _verdicts(verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield "## Comparison"
    yield ""
    yield "| metric | baseline | candidate | verdict | change | 95 % interval |"
    yield "| --- | --- | --- | --- | ---: | ---: |"
    for verdict in verdicts:
        interval = "–"
        if verdict.interval is not None:
            interval = " … ".join(units.show_fraction(bound) for bound in verdict.interval)
        yield (
            f"| {_plain(verdict.metric)} | {_plain(verdict.baseline)} | "
            f"{_plain(verdict.candidate)} | {verdict.outcome.value} | "
            f"{units.show(verdict.change, 'fraction')} | {interval} |"
        )


def _plain(text: str) -> str:
    """Text that no Markdown reader takes for markup; one line."""
    return " ".join(text.translate(_SPECIAL).split())


def _fence(text: str) -> list[str]:
    """A code block, its fence longer than any run of backticks inside."""
    longest = max((len(run) for run in text.split() if set(run) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, text, fence]
