"""What the rules say, each rule once with all its places, the worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from iosonde import units
from iosonde.records.finding import Evidence, Finding
from iosonde.report.blocks import Badge, Problem, Tone

RANK = {"error": 0, "warning": 1, "note": 2}
_SENTENCES, _CHECKS = 3, 1
"""Of one rule that are read at once; the others are among its evidence."""


def grouped(findings: Iterable[tuple[str, Finding]]) -> tuple[Problem, ...]:
    """Findings of one rule in one problem.

    Args:
        findings: where, beside the finding's own subject (empty: nothing more), and what.
    """
    rules: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for where, finding in findings:
        place = ", ".join(dict.fromkeys(part for part in (finding.subject, where) if part))
        rules.setdefault((finding.severity, finding.rule), []).append((place, finding))
    return tuple(
        _problem(rule, severity, placed)
        for (severity, rule), placed in sorted(rules.items(), key=lambda item: RANK[item[0][0]])
    )


def _problem(rule: str, severity: str, placed: list[tuple[str, Finding]]) -> Problem:
    said: dict[str, list[str]] = {}
    for place, finding in placed:
        places = said.setdefault(finding.message, [])
        if place and place not in places:
            places.append(place)
    rest = list(said.items())[_SENTENCES:]
    evidence = [(place, figure) for place, finding in placed for figure in finding.evidence]
    evidence += [(", ".join(places), Evidence(text, "", "", "")) for text, places in rest]
    sentences = [(text, tuple(places)) for text, places in list(said.items())[:_SENTENCES]]
    if rest:
        elsewhere = dict.fromkeys(place for _, some in rest for place in some)
        sentences.append(("The same elsewhere, see the evidence:", tuple(elsewhere)))
    remedies = list(
        dict.fromkeys(("To do", finding.remedy) for _, finding in placed if finding.remedy)
    )
    checks = list(
        dict.fromkeys(("To confirm", finding.confirm) for _, finding in placed if finding.confirm)
    )
    evidence += [("", Evidence(f"{what.lower()}: {text}", "", "", ""))
                 for what, text in (*remedies[_SENTENCES:], *checks[_CHECKS:])]  # fmt: skip
    return Problem(
        rule, severity, tuple(sentences), (*remedies[:_SENTENCES], *checks[:_CHECKS]),
        tuple(dict.fromkeys(evidence)),
    )  # fmt: skip


def counts(problems: Iterable[Problem]) -> tuple[Badge, ...]:
    """How many of each severity, as badges."""
    tones = {"error": Tone.BAD, "warning": Tone.UNSURE, "note": Tone.PLAIN}
    counted = Counter(problem.severity for problem in problems)
    return tuple(
        Badge(units.counted(counted[severity], severity), tone)
        for severity, tone in tones.items()
        if counted[severity]
    )
