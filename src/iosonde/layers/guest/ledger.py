"""A guest's disk in the ledger: each of its requests is taken to be one of the host's.

They wait in the guest's queue and are then QEMU's: never together with those of the host, as
requests to one device wait with those to another of the same kernel.
"""

from __future__ import annotations

from iosonde._core import Far
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import REQUEST, far
from iosonde.layers.site import Site


def _declared(_site: Site, scene: LedgerContext) -> LedgerLayer:
    return far(Far(read=REQUEST, write=REQUEST), scene)


ACCOUNTING = Accounting(declared=_declared)
