"""iSCSI in the ledger."""

from __future__ import annotations

from typing import Any

from iosonde._core import Far
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import (
    REQUEST,
    far,
    far_as_found,
    handed_down,
    same,
)
from iosonde.layers.site import Site
from iosonde.units import KIB


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    """LIO's own bursts where none are declared: 64 KiB at first, then 256 KiB."""
    declared: Any = site.declared
    first = 0 if declared.immediate_data is False else declared.first_burst_length or 64 * KIB
    burst = declared.max_burst_length or 256 * KIB
    return far(Far(read=REQUEST, write=REQUEST, burst=burst, first_burst=first), scene)


ACCOUNTING = Accounting(declared=_declared, discovered=far_as_found, networked=True)


TARGET = Accounting(declared=same, discovered=handed_down)
