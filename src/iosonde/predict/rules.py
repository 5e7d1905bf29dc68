"""What each kind of declared layer is to the core: `ledger.py` of its technology says it."""

from __future__ import annotations

from iosonde.errors import UsageError
from iosonde.layers import LEDGERS
from iosonde.layers._ledger.rule import LedgerContext, LedgerLayer, accounting_of
from iosonde.layers.site import Site


def layer_of(site: Site, scene: LedgerContext) -> LedgerLayer:
    """What a declared layer is to the core: its rule with its figures, and how large it is.

    Raises:
        UsageError: its I/Os cannot be predicted.
    """
    declared = accounting_of(site.kind).declared
    if declared is None:
        known = sorted(kind for kind in LEDGERS if LEDGERS.load(kind).declared)
        raise UsageError(
            f"what a layer of kind {site.kind} does with I/Os cannot be predicted",
            where=f"layer {site.name}",
            hint=f"`--at` names a layer below it; known: {', '.join(known)}",
        )
    layer = declared(site, scene)
    if layer.size <= 0:
        raise site.wrong("what it stands on has no room for data")
    return layer
