"""NBD in the ledger."""

from __future__ import annotations

from iosonde._core import Far
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import (
    REQUEST,
    far,
    server,
)
from iosonde.layers.site import Site


def _declared(_site: Site, scene: LedgerContext) -> LedgerLayer:
    return far(Far(read=REQUEST, write=REQUEST), scene, "the page cache of its server")


ACCOUNTING = Accounting(declared=_declared, networked=True)


TARGET = Accounting(declared=server)
