"""A guest's disk in the ledger."""

from __future__ import annotations

from iosonde._core import Same
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import (
    queue,
)
from iosonde.layers.site import Site


def _declared(_site: Site, scene: LedgerContext) -> LedgerLayer:
    return LedgerLayer(Same(), scene.size, queue(scene))


ACCOUNTING = Accounting(declared=_declared)
