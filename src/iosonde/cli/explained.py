"""Findings and rules as the contract has them, and as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import out
from iosonde.records import Evidence, Finding, Json
from iosonde.sheets import Gain, Waterfall

if TYPE_CHECKING:
    from iosonde.case import Rule

_COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}
_INDENT = 4
_FIGURES = 20  # of evidence that a person reads at once


def finding_document(finding: Finding) -> dict[str, Json]:
    """One finding as the contract has it."""
    evidence: list[Json] = [
        {"what": one.what, "value": one.value, "unit": one.unit, "where": one.where}
        for one in finding.evidence
    ]
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "subject": finding.subject,
        "message": finding.message,
        "evidence": evidence,
        "remedy": finding.remedy or None,
        "confirm": finding.confirm or None,
    }


def print_findings(findings: Sequence[Finding]) -> None:
    """Each with its evidence; what is the same for several is said once, below the last."""
    from rich.markup import escape

    console = out()
    for (severity, rule, remedy), alike in groupby(findings, key=_same):
        console.print(f"[{_COLOURS[severity]}]{severity}[/] [bold]{escape(rule)}[/bold]")
        group = list(alike)
        for finding in group:
            if finding.subject:
                _indented(f"[bold]{escape(finding.subject)}[/bold]")
            _indented(escape(finding.message))
            for one in finding.evidence[:_FIGURES]:
                _indented(f"[dim]{escape(_shown(one))}[/dim]", deeper=True)
            if len(finding.evidence) > _FIGURES:
                more = len(finding.evidence) - _FIGURES
                _indented(f"[dim]… {more} more figures, all with --json[/dim]", deeper=True)
        if remedy:
            _indented(f"[green]to do:[/green] {escape(remedy)}")
        for confirm in dict.fromkeys(finding.confirm for finding in group[:1]):
            if confirm:
                _indented(f"[green]to confirm:[/green] {escape(confirm)}")
        console.print()


def _same(finding: Finding) -> tuple[str, str, str]:
    return finding.severity, finding.rule, finding.remedy


def _indented(text: str, *, deeper: bool = False) -> None:
    from rich.padding import Padding

    indent, console = _INDENT * (2 if deeper else 1), out()
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, indent), expand=False))
    else:
        console.print(" " * indent + text)  # a pipe's lines are never cut


def _shown(evidence: Evidence) -> str:
    where = f"  [{evidence.where}]" if evidence.where else ""
    return f"{evidence.what}: {units.show_evidence(evidence.value, evidence.unit)}{where}"


def waterfall_document(waterfall: Waterfall) -> dict[str, Json]:
    """One waterfall for `--json`."""
    steps: list[Json] = [
        {
            "label": step.label,
            "where": step.where,
            "loops": step.loops,
            "rate": step.rate,
            "unit": step.unit,
            "latency": step.latency,
            "cpu_per_io": step.cpu,
            "kept": _gain(step.kept),
            "of_base": _gain(step.of_base),
            "latency_added": _gain(step.latency_added),
            "cpu_added": _gain(step.cpu_added),
            "latency_over_base": _gain(step.latency_over_base),
            "cpu_over_base": _gain(step.cpu_over_base),
            "doubt": step.doubt or None,
        }
        for step in waterfall.steps
    ]
    return {"subject": waterfall.subject, "metric": waterfall.headline, "steps": steps}


def _gain(gain: Gain | None) -> Json:
    if gain is None:
        return None
    return {"change": gain.change, "interval": list(gain.interval) if gain.interval else None}


def print_waterfalls(waterfalls: Sequence[Waterfall]) -> None:
    """A table for each: what each layer costs."""
    from rich.markup import escape
    from rich.table import Table

    from iosonde.report.waterfall import COLUMNS, notes_of, rows_of

    for waterfall in waterfalls:
        title = f"What each layer costs: {escape(waterfall.subject)}, {waterfall.headline}"
        table = Table(title=title, title_justify="left", title_style="bold", box=None)
        for place, heading in enumerate(COLUMNS):
            table.add_column(heading, justify="right" if place else "left", overflow="fold")
        for row in rows_of(waterfall):
            table.add_row(*map(escape, row))
        out().print(table)
        for note in notes_of(waterfall):
            out().print(f"[yellow]{escape(note)}[/yellow]")
        out().print()


def rule_document(rule: Rule) -> dict[str, Json]:
    """One rule for `--rules --json`."""
    return {"rule": rule.name, "about": rule.about, "says": rule.says, "source": rule.source}


def print_rules(rules: Sequence[Rule]) -> None:
    """A table of all rules."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None)
    for heading in ("rule", "about", "what it looks for", "source"):
        table.add_column(heading, overflow="fold")
    for rule in rules:
        table.add_row(*map(escape, (rule.name, rule.about, rule.says, rule.source)))
    out().print(table)
