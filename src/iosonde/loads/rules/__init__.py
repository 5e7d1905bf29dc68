"""Rules about loads, one file per rule or family of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.case import Rule

RULES: Table[tuple[Rule, ...]] = Table(
    "rule about loads",
    {
        "arithmetic": "iosonde.loads.rules.arithmetic:RULES",
        "commands": "iosonde.loads.rules.commands:RULES",
        "members": "iosonde.loads.rules.members:RULES",
        "page_cache": "iosonde.loads.rules.page_cache:RULES",
    },
)
