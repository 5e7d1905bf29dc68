"""The layer technologies, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.layers.layer import Layer

LAYERS: Table[type[Layer]] = Table(
    "layer kind",
    {},
)
