"""Targets of device-mapper in the ledger, whichever tool made them."""

from __future__ import annotations

from iosonde._core import Striped
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, LedgerLayer
from iosonde.layers._ledger.shapes import mapped
from iosonde.layers._mapper.facts import MapperTarget, read_striped
from iosonde.records.stack import StackLayer
from iosonde.units import SECTOR


def _target(look: Look, layer: StackLayer, target: MapperTarget) -> LedgerLayer:
    """A target `striped`; no other is covered."""
    if target.name != "striped":
        raise NotCovered(f"a table of {target.name} is not covered")
    table = read_striped(target.arguments)
    if table is None:
        raise NotCovered("its table is not known")
    order = tuple(look.numbered(layer, stripe.device) for stripe in table.stripes)
    starts = tuple(stripe.offset for stripe in table.stripes)
    size = target.length * SECTOR
    return LedgerLayer(Striped(chunk=table.chunk_size), size, starts=starts, order=order)


ACCOUNTING = Accounting(discovered=mapped, target=_target)
