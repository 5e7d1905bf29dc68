"""NVMe over Fabrics in the ledger."""

from __future__ import annotations

from typing import Any

from iosonde._core import Far
from iosonde.layers._ledger.rule import Accounting, LedgerContext, LedgerLayer
from iosonde.layers._ledger.shapes import (
    REQUEST,
    far,
    far_as_found,
    handed_down,
    same,
)
from iosonde.layers.site import Site
from iosonde.units import KIB


def _declared(site: Site, scene: LedgerContext) -> LedgerLayer:
    """Data of up to four pages come with the command (nvmet: `inline_data_size` of its port)."""
    target: Any = site.only.declared
    inline = target.inline_data_size or 16 * KIB
    return far(Far(read=REQUEST, write=REQUEST, inline=inline), scene)


ACCOUNTING = Accounting(declared=_declared, discovered=far_as_found, networked=True)


TARGET = Accounting(declared=same, discovered=handed_down)
