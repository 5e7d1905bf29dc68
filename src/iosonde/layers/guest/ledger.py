"""A guest's disk in the ledger."""

from __future__ import annotations

from iosonde._core import Same
from iosonde.layers._ledger.rule import Accounting, Layer, Scene
from iosonde.layers._ledger.shapes import (
    queue,
)
from iosonde.layers.site import Site


def _declared(_site: Site, scene: Scene) -> Layer:
    return Layer(Same(), scene.size, queue(scene))


ACCOUNTING = Accounting(declared=_declared)
