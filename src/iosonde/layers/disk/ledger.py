"""A disk in the ledger."""

from __future__ import annotations

from iosonde._core import Same
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import (
    device,
    queue,
)
from iosonde.layers.site import Site


def _disk(site: Site, scene: LedgerContext) -> LedgerLayer:
    return LedgerLayer(Same(), site.declared.size, queue(scene))  # type: ignore[attr-defined]


ACCOUNTING = Accounting(declared=_disk, discovered=device, speed="drive")
