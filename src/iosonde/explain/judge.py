"""Asks every rule about a case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iosonde.explain.rules import RULES as SPANNING
from iosonde.layers import RULES as OF_LAYERS
from iosonde.loads import RULES as OF_LOADS
from iosonde.records.evidence import EvidenceSet, Rule
from iosonde.records.finding import Finding

_ORDER = {"error": 0, "warning": 1, "note": 2}
_FIRST = (
    "pool-suspended", "split-brain", "kernel-crash", "failed-volume", "lost-device",
    "drive-failed", "drive-failing", "degraded", "member-failed", "failed-paths", "device-resets",
    "media-errors",
    "io-errors", "filesystem-errors", "damaged-files", "damaged-table", "read-only",
    "resync-stuck", "hung-tasks", "out-of-space", "mount-failed",
)  # fmt: skip
"""What is said before others of its severity: what stands still, what failed, what came of it."""
_RANK = {name: place for place, name in enumerate(_FIRST)}
_WORKING = frozenset({"degraded"})
"""Of these rules an error is said first; a warning says that something is at work."""


def rules() -> tuple[Rule, ...]:
    """All rules, by name."""
    tables = (OF_LAYERS, OF_LOADS, SPANNING)
    every = [rule for table in tables for name in table for rule in table.load(name)]
    return tuple(sorted(every, key=lambda rule: (rule.name, rule.about)))


def findings(case: EvidenceSet) -> tuple[Finding, ...]:
    """What the rules find: what speaks against an author's claim, then the worst first.

    Of a severity those come first that are the cause of others or stop most (`_FIRST`); the others
    stand in the order of the rules' names. Orders that nobody can claim come last.
    """
    ordered = [(0, finding) for finding in case.noted]
    ordered += [(rule.order, finding) for rule in rules() for finding in rule.find(case)]
    ordered.sort(key=lambda pair: (pair[0], *_place(pair[1])))
    return tuple(_once([finding for _, finding in ordered]))


def _place(finding: Finding) -> tuple[int, int, str]:
    is_working = finding.severity != "error" and finding.rule in _WORKING
    rank = len(_FIRST) if is_working else _RANK.get(finding.rule, len(_FIRST))
    return _ORDER[finding.severity], rank, finding.rule


def _once(ordered: Sequence[Finding]) -> list[Finding]:
    """What is said of the same thing at several places is said once, with the first place."""
    groups: dict[tuple[str, str, str, str], list[Finding]] = {}
    for finding in ordered:
        key = (finding.rule, finding.severity, finding.subject, finding.message)
        groups.setdefault(key, []).append(finding)
    return [_with_places(group) for group in groups.values()]


def _with_places(group: Sequence[Finding]) -> Finding:
    first = group[0]
    more = len({finding.evidence for finding in group}) - 1
    if not more:
        return first
    places = "place" if more == 1 else "places"
    evidence = tuple(
        replace(figure, where=f"{figure.where} and {more} more {places}")
        for figure in first.evidence
    )
    return replace(first, evidence=evidence)
