"""The layer technologies, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.layers.layer import Layer

LAYERS: Table[type[Layer]] = Table(
    "layer kind",
    {
        "disk": "iosonde.layers.disk:Disk",
        "loop": "iosonde.layers.loop:Loop",
        "partition": "iosonde.layers.partition:Partition",
        "zram": "iosonde.layers.zram:Zram",
    },
)
