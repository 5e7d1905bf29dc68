"""DRBD as it is found: its own side, and the peer's where that host is part of the study's stack.

Which extents its activity log held when the load began is not known. So it is written between never
and once for each write, or, of a volume whose extents all have room in it, once for each of them.

Source: Linux 6.1, drivers/block/drbd/drbd_actlog.c (`al_write_transaction()`: a page for extents of
4 MiB), include/linux/drbd_limits.h (`DRBD_AL_EXTENTS_MIN`), drbd_receiver.c (the peer flushes its
device between epochs: `disk-flushes`); drbd.conf(5), `read-balancing`: of its own side by default.
"""

from __future__ import annotations

from typing import Any

from iosonde._core import Drbd, Limits, Linear, Mirror
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, Besides, LedgerContext, LedgerLayer
from iosonde.layers.site import Site
from iosonde.records.prediction import Account
from iosonde.records.stack import StackLayer
from iosonde.units import KIB, MIB

_EXTENT, _LEAST_EXTENTS = 4 * MIB, 67
_TRANSACTION = Account(0, 0, 1, 4 * KIB)
_FLUSH = Account(0, 0, 1, 0)  # is counted as a write of nothing


def discovered(look: Look, layer: StackLayer) -> LedgerLayer:
    """Both sides have all writes, its own has the reads and the activity log."""
    state = layer.facts.get("disk_state")
    if state != "UpToDate":
        raise NotCovered(f"its own side is {state or 'in a state that is not known'}")
    if layer.facts.get("connection") not in {"Connected", "StandAlone", "WFConnection"}:
        raise NotCovered("it is not at rest")
    below = look.below(layer)
    own = [at for at, lower in enumerate(below) if lower.host == layer.host]
    if len(own) != 1 or len(below) > 2:
        raise NotCovered("its device and that of its metadata are not told apart")
    size, name = layer.size or 0, below[own[0]].id
    limits = Limits(most=MIB)
    if layer.facts.get("role") == "Secondary":
        flush = Besides(name, most=_FLUSH, event="asked_writes")
        return LedgerLayer(Linear(), size, limits, order=(own[0],), besides=(flush,))
    extents = -(-size // _EXTENT)
    log = Besides(
        name, most=_TRANSACTION, event="asked_writes",
        up_to=extents if extents <= _LEAST_EXTENTS else None,
    )  # fmt: skip
    if len(below) == 2 and layer.facts.get("connection") == "Connected":
        notes, order = ("its bitmap",), (own[0], 1 - own[0])
        return LedgerLayer(Mirror(), size, limits, notes=notes, order=order, besides=(log,))
    notes = ("its bitmap, and what its peer gets",)
    return LedgerLayer(Linear(), size, limits, notes=notes, order=(own[0],), besides=(log,))


_LOG = 32 * KIB  # DRBD 8.4, drbd_int.h: MD_32kB_SECT, the activity log of internal metadata


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    """Its metadata lie behind the data: a bit for each 4 KiB, the log, and a superblock."""
    declared: Any = site.declared
    if len(site.below) != 2:
        raise site.wrong("`predict` knows volumes of two sides")
    smaller = min(lower.size for lower in scene.below)
    bitmap = -(-smaller // (4 * KIB * 8) // (4 * KIB)) * 4 * KIB
    size = smaller - bitmap - _LOG - 4 * KIB
    hosts = [lower.host for lower in site.below]
    home = declared.primary or site.host
    primary = hosts.index(home) if home in hosts else 0
    options = {**declared.disk}
    flushes = options.get("disk-flushes", True) not in {False, "no"}
    rule = Drbd(log=size, flushes=flushes, extents=int(options.get("al-extents", 1237)))
    notes = ("its bitmap, and the flushes of its own metadata",)
    return LedgerLayer(rule, size, Limits(most=MIB), (), notes, (primary, 1 - primary))


ACCOUNTING = Accounting(declared=_declared, discovered=discovered, networked=True)
