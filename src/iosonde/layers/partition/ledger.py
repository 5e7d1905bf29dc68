"""A partition in the ledger."""

from __future__ import annotations

from typing import Any

from iosonde._core import Linear
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers.site import Site
from iosonde.records.stack import StackLayer


def _partition(site: Site, scene: LedgerContext) -> LedgerLayer:
    declared: Any = site.declared
    size = declared.size or scene.size - declared.start
    return LedgerLayer(Linear(start=declared.start), size)


def _discovered(_: Look, layer: StackLayer) -> LedgerLayer:
    start = layer.facts.get("start")
    if not isinstance(start, int):
        raise NotCovered("where it begins is not known")
    return LedgerLayer(Linear(start=start), layer.size or 0, order=(0,))


ACCOUNTING = Accounting(declared=_partition, discovered=_discovered)
