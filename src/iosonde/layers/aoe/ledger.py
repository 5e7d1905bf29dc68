"""AoE in the ledger: what one frame carries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from iosonde._core import Far
from iosonde.layers._ledger.look import Look, NotCovered
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import (
    far,
    far_as_found,
    handed_down,
    same,
)
from iosonde.layers.aoe.facts import aoe_frame_payload, aoe_least_mtu
from iosonde.layers.site import Site
from iosonde.records.stack import StackLayer
from iosonde.units import KIB, SECTOR

_BLOCK = 4 * KIB


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    declared: Any = site.declared
    mtu = declared.mtu or scene.mtu
    payload = aoe_frame_payload(mtu)
    layer = far(Far(read=payload, write=payload), scene)
    remarks = (f"{site.name}: {_whole(mtu, payload)}",) if payload % _BLOCK else ()
    return replace(layer, remarks=remarks)


def _whole(mtu: int, payload: int) -> str:
    """Which MTUs keep blocks of 4 KiB whole, where this one does not."""
    least = [aoe_least_mtu(blocks * _BLOCK) for blocks in (1, 2)]
    ranges = " or ".join(f"{mtu} to {mtu + SECTOR - 1}" for mtu in least)
    single = "" if payload > _BLOCK else f"; a single one from {least[0]} on"
    return (
        f"a frame carries {payload} bytes at an MTU of {mtu}, so some blocks of 4 KiB are cut; "
        f"all stay whole at {ranges}{single}"
    )


def _discovered(look: Look, layer: StackLayer) -> LedgerLayer:
    payload = look.value(layer, "frame_payload")
    if not isinstance(payload, int):
        raise NotCovered("the payload of its frames is not known")
    return far_as_found(look, layer, payload)


ACCOUNTING = Accounting(
    declared=_declared, discovered=_discovered, networked=True, recognised=lambda _: "aoe"
)


# vblade 25, aoe.c: `aoe()` takes a frame, does its I/O and answers before it takes the next.
TARGET = Accounting(declared=same, discovered=handed_down, one_by_one=True)
