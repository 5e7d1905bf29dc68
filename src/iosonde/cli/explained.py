"""Findings, waterfalls and rules as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, LiteralString

from iosonde import units
from iosonde.cli.output import out, styled
from iosonde.records import Evidence, Finding
from iosonde.sheets import Waterfall
from iosonde.visible import visible

if TYPE_CHECKING:
    from rich.text import Text

    from iosonde.case import Rule

_HEADINGS: dict[str, LiteralString] = {
    "error": "[bold red]error[/] [bold]{}[/bold]",
    "warning": "[yellow]warning[/] [bold]{}[/bold]",
    "note": "[cyan]note[/] [bold]{}[/bold]",
}
_INDENT = 4
_FIGURES = 20  # of evidence that a person reads at once


def print_findings(findings: Sequence[Finding]) -> None:
    """Each with its evidence; what is the same for several is said once, below the last."""
    console = out()
    for (severity, rule, remedy), alike in groupby(findings, key=_same):
        console.print(styled(_HEADINGS[severity], rule))
        group = list(alike)
        for finding in group:
            if finding.subject:
                _indented(styled("[bold]{}[/bold]", finding.subject))
            _indented(styled("{}", finding.message))
            for one in finding.evidence[:_FIGURES]:
                _indented(styled("[dim]{}[/dim]", _shown(one)), deeper=True)
            if len(finding.evidence) > _FIGURES:
                more = len(finding.evidence) - _FIGURES
                _indented(
                    styled("[dim]… {} more figures, all with --json[/dim]", more), deeper=True
                )
        if remedy:
            _indented(styled("[green]to do:[/green] {}", remedy))
        for confirm in dict.fromkeys(finding.confirm for finding in group[:1]):
            if confirm:
                _indented(styled("[green]to confirm:[/green] {}", confirm))
        console.print()


def _same(finding: Finding) -> tuple[str, str, str]:
    return finding.severity, finding.rule, finding.remedy


def _indented(text: Text, *, deeper: bool = False) -> None:
    from rich.padding import Padding
    from rich.text import Text

    indent, console = _INDENT * (2 if deeper else 1), out()
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, indent), expand=False))
    else:
        console.print(Text(" " * indent).append_text(text))  # a pipe's lines are never cut


def _shown(evidence: Evidence) -> str:
    where = f"  [{evidence.where}]" if evidence.where else ""
    return f"{evidence.what}: {units.show_evidence(evidence.value, evidence.unit)}{where}"


def print_waterfalls(waterfalls: Sequence[Waterfall]) -> None:
    """A table for each: what each layer costs."""
    from rich.table import Table

    from iosonde.report.waterfall import COLUMNS, notes_of, rows_of

    for waterfall in waterfalls:
        title = f"What each layer costs: {visible(waterfall.subject)}, {waterfall.headline}"
        table = Table(title=title, title_justify="left", title_style="bold", box=None)
        for place, heading in enumerate(COLUMNS):
            table.add_column(heading, justify="right" if place else "left", overflow="fold")
        for row in rows_of(waterfall):
            table.add_row(*row)
        out().print(table)
        for note in notes_of(waterfall):
            out().print(note, style="yellow")
        out().print()


def print_rules(rules: Sequence[Rule]) -> None:
    """A table of all rules."""
    from rich.table import Table

    table = Table(box=None)
    for heading in ("rule", "about", "what it looks for", "source"):
        table.add_column(heading, overflow="fold")
    for rule in rules:
        table.add_row(rule.name, rule.about, rule.says, rule.source)
    out().print(table)
