"""Findings, waterfalls and rules as a person reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, LiteralString

from iosonde import units
from iosonde.cli.output import out, styled
from iosonde.cli.table import TableColumn, fitted
from iosonde.records.finding import Evidence, Finding
from iosonde.records.sheet import Waterfall
from iosonde.visible import with_name

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
_RANKS = (0, 0, 0, 1, 2, 3, 5, 4, 6)
"""Of the waterfall's columns: which are dropped first in a narrow terminal."""
_NAMED = 5  # rules of the worst severity in the first line
_PLACES = 12  # names in one line
_BRIEF = {"within-noise", "ranking"}  # orders of results: a line each


def print_answer(explained: Explanation) -> None:
    """How many findings of each severity there are, in what: the first line."""
    looked_at = ", ".join(
        units.counted(number, what) for what, number in explained.looked_at.items() if number
    )
    findings = severity_counts(explained.findings)
    if findings:
        worst = min((finding.severity for finding in explained.findings), key=list(_HEADINGS).index)
        names = list(dict.fromkeys(
            finding.rule for finding in explained.findings if finding.severity == worst
        ))  # fmt: skip
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        said = f"{', '.join(names[:_NAMED])}{more}"
        out().print(styled("[bold]{}[/bold] in {}: {}\n", findings, looked_at, said))
    elif looked_at:
        out().print(f"no problems found ({looked_at} checked)")


def severity_counts(findings: Sequence[Finding]) -> str:
    """`8 errors, 2 notes`; empty where there are none."""
    count = Counter(finding.severity for finding in findings)
    return ", ".join(units.counted(count[name], name) for name in _HEADINGS if count[name])


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
        subject = with_name(finding.subject, "") if finding.subject else ""
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
    """What each layer costs: an answer and a table for each."""
    from iosonde.report.waterfall import COLUMNS, notes_of, rows_of, sentence_of

    columns = [
        TableColumn(heading, right=place > 0, rank=_RANKS[place], name=not place)
        for place, heading in enumerate(COLUMNS)
    ]
    for waterfall in waterfalls:
        out().print(styled("[bold]{}[/bold]\n", sentence_of(waterfall)))
        rows = [["" if cell == "–" else cell for cell in row] for row in rows_of(waterfall)]
        out().print(fitted(columns, rows))
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
