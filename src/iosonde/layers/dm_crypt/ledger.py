"""dm-crypt in the ledger."""

from __future__ import annotations

from iosonde._core import Limits, Linear
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, LedgerLayer
from iosonde.layers._ledger.shapes import (
    mapped,
)
from iosonde.layers._mapper.facts import MapperTarget
from iosonde.layers.dm_crypt.facts import read_table
from iosonde.records.stack import StackLayer
from iosonde.units import MIB, SECTOR


def _target(look: Look, layer: StackLayer, target: MapperTarget) -> LedgerLayer:
    """The same I/Os elsewhere.

    Source: Linux 6.1, drivers/md/dm-crypt.c, `crypt_map()`: what is larger than 256 pages is cut.
    """
    table = read_table(target.arguments)
    if table is None:
        raise NotCovered("its table is not known")
    place = look.numbered(layer, table.device)
    size = target.length * SECTOR
    return LedgerLayer(Linear(start=table.data_offset), size, Limits(most=MIB), order=(place,))


ACCOUNTING = Accounting(discovered=mapped, target=_target)
