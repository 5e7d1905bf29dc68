"""DRBD as it is found: its own side, and the peer's where that host is part of the study's stack.

Which extents its activity log held when the load began is not known. So it is written between never
and once for each write, or, of a volume whose extents all have room in it, once for each of them.

Source: Linux 6.1, drivers/block/drbd/drbd_actlog.c (`al_write_transaction()`: a page for extents of
4 MiB), include/linux/drbd_limits.h (`DRBD_AL_EXTENTS_MIN`), drbd_receiver.c (the peer flushes its
device between epochs: `disk-flushes`); drbd.conf(5), `read-balancing`: of its own side by default.
"""

from __future__ import annotations

from iosonde.case import Account
from iosonde.predict.layer import Besides, Layer
from iosonde.predict.look import Look, NotCovered
from iosonde.records import StackLayer
from iosonde.units import KIB, MIB

_EXTENT, _LEAST_EXTENTS = 4 * MIB, 67
_TRANSACTION = Account(0, 0, 1, 4 * KIB)
_FLUSH = Account(0, 0, 1, 0)  # is counted as a write of nothing


def drbd(look: Look, layer: StackLayer) -> Layer:
    """Both sides have all writes, its own has the reads and the activity log."""
    state = layer.facts.get("disk_state")
    if state != "UpToDate":
        raise NotCovered(f"its own side is {state or 'in a state that is not known'}")
    if layer.facts.get("connection") not in {"Connected", "StandAlone", "WFConnection"}:
        raise NotCovered("it is not at rest")
    below = look.below(layer)
    own = [at for at, one in enumerate(below) if one.host == layer.host]
    if len(own) != 1 or len(below) > 2:
        raise NotCovered("its device and that of its metadata are not told apart")
    size, name = layer.size or 0, below[own[0]].id
    figures = {"most": MIB}
    if layer.facts.get("role") == "Secondary":
        flush = Besides(name, most=_FLUSH, event="asked_writes")
        return Layer("linear", size, {"start": 0, **figures}, order=(own[0],), besides=(flush,))
    extents = -(-size // _EXTENT)
    log = Besides(
        name, most=_TRANSACTION, event="asked_writes",
        up_to=extents if extents <= _LEAST_EXTENTS else None,
    )  # fmt: skip
    if len(below) == 2 and layer.facts.get("connection") == "Connected":
        notes, order = ("its bitmap",), (own[0], 1 - own[0])
        return Layer("mirror", size, figures, notes=notes, order=order, besides=(log,))
    notes = ("its bitmap, and what its peer gets",)
    return Layer("linear", size, {"start": 0, **figures}, notes=notes, order=(own[0],),
                 besides=(log,))  # fmt: skip
