"""Findings, waterfalls and rules as a person reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, LiteralString

from iosonde import units
from iosonde.cli.output import out, styled
from iosonde.records.finding import Evidence, Finding
from iosonde.records.sheet import Waterfall
from iosonde.visible import visible

if TYPE_CHECKING:
    from rich.text import Text

    from iosonde.records.evidence import Rule
    from iosonde.verbs.explain import Explanation

_HEADINGS: dict[str, LiteralString] = {
    "error": "[bold red]error[/] [bold]{}[/bold]{}",
    "warning": "[yellow]warning[/] [bold]{}[/bold]{}",
    "note": "[cyan]note[/] [bold]{}[/bold]{}",
}
_INDENT = 4
_FIGURES = 20  # of evidence that a person reads at once
_APART = 3  # findings of one rule that are said one by one; of more, the first
_PLACES = 12  # names in one line
_BRIEF = {"within-noise", "ranking"}  # orders of results: a line each


def print_answer(explained: Explanation) -> None:
    """How many findings of each severity there are, in what: the first line."""
    looked_at = ", ".join(
        _number(number, what) for what, number in explained.looked_at.items() if number
    )
    counted = Counter(finding.severity for finding in explained.findings)
    findings = ", ".join(_number(counted[name], name) for name in _HEADINGS if counted[name])
    if findings:
        out().print(styled("[bold]{}[/bold] in {}\n", findings, looked_at))
    elif looked_at:
        out().print(f"no problems found ({looked_at} checked)")


def _number(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"


def print_findings(findings: Sequence[Finding], *, verbose: bool = False) -> None:
    """Each rule's findings once: what is wrong, where, and what mends it.

    Args:
        findings: in the order in which they are shown.
        verbose: each place with its own message, its evidence, and what would confirm it.
    """
    for (severity, rule, remedy), alike in groupby(findings, key=_same):
        group = list(alike)
        if verbose:
            _print_whole(severity, rule, group)
        else:
            _print_short(severity, rule, group)
        if remedy and (verbose or rule not in _BRIEF):
            _indented(styled("[green]to do:[/green] {}", remedy))
        if verbose and group[0].confirm:
            _indented(styled("[green]to confirm:[/green] {}", group[0].confirm))
        out().print()
    if findings and not verbose:
        out().print(styled("[dim]figures, and where each was read: -v[/dim]"))


def _print_short(severity: str, rule: str, group: Sequence[Finding]) -> None:
    """One finding by itself, a few one by one, of many the first and the names of the others."""
    apart = group if len(group) <= _APART else group[:1]
    if len(group) == 1 and rule not in _BRIEF:
        out().print(styled(_HEADINGS[severity], rule, _after_colon(group[0].subject)))
        _indented(styled("{}", group[0].message))
        return
    out().print(
        styled(
            _HEADINGS[severity], rule, "" if len(apart) == len(group) else f": {len(group)} places"
        )
    )
    for finding in apart:
        subject = f"{finding.subject}: " if finding.subject else ""
        _indented(styled("[bold]{}[/bold]{}", subject, finding.message))
    others = list(dict.fromkeys(finding.subject for finding in group[len(apart) :]))
    if others:
        names = ", ".join(others[:_PLACES])
        more = f" and {len(others) - _PLACES} more" if len(others) > _PLACES else ""
        _indented(styled("likewise: {}{}", names, more))


def _print_whole(severity: str, rule: str, group: Sequence[Finding]) -> None:
    out().print(styled(_HEADINGS[severity], rule, ""))
    for finding in group:
        if finding.subject:
            _indented(styled("[bold]{}[/bold]", finding.subject))
        _indented(styled("{}", finding.message))
        for evidence in finding.evidence[:_FIGURES]:
            _indented(styled("[dim]{}[/dim]", evidence_text(evidence)), deeper=True)
        if len(finding.evidence) > _FIGURES:
            more = len(finding.evidence) - _FIGURES
            _indented(styled("[dim]… {} more figures, all with --json[/dim]", more), deeper=True)


def _after_colon(subject: str) -> str:
    return f": {subject}" if subject else ""


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


def evidence_text(evidence: Evidence) -> str:
    """A figure that a finding rests on, and where it was read."""
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
