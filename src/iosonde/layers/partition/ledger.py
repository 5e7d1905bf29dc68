"""A partition in the ledger.

Source: Linux 6.1, block/blk-settings.c, `queue_limit_alignment_offset()`.
"""

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
    grid = scene.below[0].io_min
    offset = (scene.below[0].alignment_offset - declared.start) % grid if grid else 0
    rule = Linear(start=declared.start)
    return LedgerLayer(rule, size, io_min=grid, alignment_offset=offset)


def _discovered(_: Look, layer: StackLayer) -> LedgerLayer:
    start = layer.facts.get("start")
    if not isinstance(start, int):
        raise NotCovered("where it begins is not known")
    return LedgerLayer(Linear(start=start), layer.size or 0, order=(0,))


ACCOUNTING = Accounting(declared=_partition, discovered=_discovered)
