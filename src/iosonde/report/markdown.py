"""Runs as Markdown to paste into a wiki or a ticket: every figure with unit, loops and spread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from iosonde import units
from iosonde.records import Finding, Metric, Verdict
from iosonde.report.blocks import Block, Cells, Lines, Text, Title
from iosonde.report.forecasts import forecasts_lines
from iosonde.report.rows import title_of
from iosonde.report.tuning import blocks, shown, tuning_of
from iosonde.sheets import ALONE, ComparedSheets, JointSheet, RunSheet, TrialSheet
from iosonde.visible import visible

_SPECIAL = str.maketrans({char: "\\" + char for char in "\\`*_{}[]<>#|~$"})


_FOLDED = 40
"""Rows of a table that a page folds in and a text still shows."""


class MarkdownFormat:
    """A heading a trial, a table of its metrics, its command and its findings."""

    name: ClassVar[str] = "markdown"
    suffix: ClassVar[str] = ".md"

    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        """See `Format.serialize`."""
        lines: list[str] = []
        for sheet in runs:
            run = sheet.run
            lines += [f"# {_plain(run.study)}: run {run.id} ({run.state.value})", ""]
            if tuning := tuning_of(sheet):
                for block in blocks(run, tuning):
                    lines += _block(block)
            lines += _findings(sheet.findings)
            lines += [_plain(line) if line[:1] not in "#|" else line
                      for line in forecasts_lines(sheet.forecasts)]  # fmt: skip
            for joint in sheet.joint:
                lines += _joint(joint)
            for trial in shown(sheet):
                lines += _trial(trial)
        if compared.verdicts:
            lines += _verdicts(compared.verdicts)
        return (visible("\n".join(lines), lines=True).rstrip() + "\n").encode()


def _block(block: Block) -> Iterator[str]:
    """A part of a campaign's account. Charts are left out: the tables hold their figures."""
    if isinstance(block, Title):
        yield f"{'#' * block.level} {_plain(block.text)}"
        yield ""
    elif isinstance(block, Text):
        text = _plain(block.text, code=True)
        yield f"**{text}**" if block.kind == "note" else text
        yield ""
    elif isinstance(block, Lines):
        yield from _fence("\n".join(block.lines))
        yield ""
    elif isinstance(block, Cells) and block.folded and len(block.rows) > _FOLDED:
        yield f"({_plain(block.folded)}: in the HTML report.)"
        yield ""
    elif isinstance(block, Cells):
        rules = ("---" if at in block.left else "---:" for at in range(len(block.head)))
        yield f"| {' | '.join(map(_plain, block.head))} |"
        yield f"| {' | '.join(rules)} |"
        for number, row in enumerate(block.rows):
            cells = (_plain(cell) for cell in row)
            bold = number in block.bold
            yield f"| {' | '.join(f'**{one}**' if bold and one else one for one in cells)} |"
        yield ""


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
        yield _row(metric, bold=metric.name in sheet.headlines)
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


def _plain(text: str, *, code: bool = False) -> str:
    """Text that no Markdown reader takes for markup; one line.

    With `code` what stands between two backticks stays code: for sentences of our own.
    """
    if code and text.count("`") % 2 == 0:
        parts = text.split("`")
        return "".join(f"`{one}`" if at % 2 else _part(one) for at, one in enumerate(parts))
    return " ".join(visible(text.translate(_SPECIAL), lines=True).split())


def _part(text: str) -> str:
    return text.translate(_SPECIAL)


def _fence(text: str) -> list[str]:
    """A code block, its fence longer than any run of backticks inside."""
    longest = max((len(run) for run in text.split() if set(run) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, text, fence]
