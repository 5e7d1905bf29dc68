"""Rules about layers, one file per rule or family of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.case import Rule

RULES: Table[tuple[Rule, ...]] = Table(
    "rule about layers",
    {
        "alignment": "iosonde.layers.rules.alignment:RULES",
        "caches": "iosonde.layers.rules.caches:RULES",
        "controller": "iosonde.layers.rules.controller:RULES",
        "dirty_limits": "iosonde.layers.rules.dirty_limits:RULES",
        "frames": "iosonde.layers.rules.frames:RULES",
        "hit_rates": "iosonde.layers.rules.hit_rates:RULES",
        "journal": "iosonde.layers.rules.journal:RULES",
        "link": "iosonde.layers.rules.link:RULES",
        "misspelt": "iosonde.layers.rules.misspelt:RULES",
        "mtus": "iosonde.layers.rules.mtus:RULES",
        "nfs": "iosonde.layers.rules.nfs:RULES",
        "nfsd": "iosonde.layers.rules.nfsd:RULES",
        "queue": "iosonde.layers.rules.queue:RULES",
        "raid": "iosonde.layers.rules.raid:RULES",
        "space": "iosonde.layers.rules.space:RULES",
        "targets": "iosonde.layers.rules.targets:RULES",
    },
)
