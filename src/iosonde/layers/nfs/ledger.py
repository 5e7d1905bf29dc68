"""NFS in the ledger.

Source: Linux 6.1, fs/nfs/direct.c, nfs_direct_write_schedule_iovec(): direct I/O goes in calls of
wsize and rsize; no queue of a block device cuts it before.
"""

from __future__ import annotations

from typing import Any

from iosonde._core import Far
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import server
from iosonde.layers.site import Site
from iosonde.units import MIB


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    declared: Any = site.declared
    read, write = declared.rsize or MIB, declared.wsize or MIB
    notes = ("metadata, and writes that are not direct",)
    return LedgerLayer(Far(read=read, write=write), scene.size, notes=notes)


ACCOUNTING = Accounting(declared=_declared, networked=True)


SERVER = Accounting(declared=server)
