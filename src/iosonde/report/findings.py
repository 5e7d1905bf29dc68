"""What the rules say, as a section of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from iosonde import units
from iosonde.records import Finding

_SHOWN = 3
"""Findings whose evidence is open from the start; the worst come first."""


def findings_section(findings: Sequence[Finding], study: str = "") -> Iterator[str]:
    """A heading and a box for each finding, with evidence, remedy and confirmation.

    Args:
        findings: the worst first.
        study: what they are about, where the page has several runs.
    """
    if not findings:
        return
    yield f"<h2>Findings{f': {escape(study)}' if study else ''}</h2>"
    for place, finding in enumerate(findings):
        yield from _box(finding, open_=place < _SHOWN)


def _box(finding: Finding, *, open_: bool) -> Iterator[str]:
    subject = f' <span class="soft">{escape(finding.subject)}</span>' if finding.subject else ""
    yield (
        f'<div class="finding {finding.severity}"><p><span class="severity">{finding.severity}'
        f"</span> <b>{escape(finding.rule)}</b>{subject}</p><p>{escape(finding.message)}</p>"
    )
    if finding.evidence:
        yield f"<details{' open' if open_ else ''}><summary>Evidence</summary><table><tbody>"
        for one in finding.evidence:
            figure = units.show_evidence(one.value, one.unit)
            yield (
                f'<tr><td class="text">{escape(one.what)}</td><td>{escape(figure)}</td>'
                f'<td class="text soft">{escape(one.where)}</td></tr>'
            )
        yield "</tbody></table></details>"
    if finding.remedy:
        yield f"<p><b>To do:</b> {escape(finding.remedy)}</p>"
    if finding.confirm:
        yield f"<p><b>To confirm:</b> {escape(finding.confirm)}</p>"
    yield "</div>"
