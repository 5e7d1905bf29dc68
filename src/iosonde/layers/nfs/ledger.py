"""NFS in the ledger."""

from __future__ import annotations

from typing import Any

from iosonde._core import Far
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import (
    far,
    server,
)
from iosonde.layers.site import Site
from iosonde.units import MIB


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    declared: Any = site.declared
    read, write = declared.rsize or MIB, declared.wsize or MIB
    return far(Far(read=read, write=write), scene, "metadata, and writes that are not direct")


ACCOUNTING = Accounting(declared=_declared, networked=True)


SERVER = Accounting(declared=server)
