"""Rules that span layers, one file per rule or family of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.records.evidence import Rule

RULES: Table[tuple[Rule, ...]] = Table(
    "rule",
    {
        "averages": "iosonde.explain.rules.averages:RULES",
        "claims": "iosonde.explain.rules.claims:RULES",
        "faults": "iosonde.explain.rules.faults:RULES",
        "ledger": "iosonde.explain.rules.ledger:RULES",
        "loops": "iosonde.explain.rules.loops:RULES",
        "noise": "iosonde.explain.rules.noise:RULES",
    },
    group="iosonde.rules",
)
