"""XFS.

`stripe_unit` and `stripe_width` are in bytes; mount options and mkfs count them in 512-byte units
(sunit, swidth) or as su and sw. Where the kernel prints neither, the file system was made without.

Source: xfs(5); fs/xfs/xfs_super.c, xfs_fs_show_options(): sunit and swidth in basic blocks of 512.
"""

from __future__ import annotations

from typing import ClassVar

from iosonde.layers.layer import LayerSetting, Scene, mounted_layers, options_of
from iosonde.records import Scalar, StackLayer
from iosonde.units import SECTOR, parse_bytes


def stripe_facts(super_options: tuple[str, ...]) -> dict[str, Scalar]:
    """Stripe unit, stripe width and log buffer size in bytes, those that are there."""
    options = options_of(super_options)
    facts: dict[str, Scalar] = {}
    for option, fact in (("sunit", "stripe_unit"), ("swidth", "stripe_width")):
        if str(options.get(option, "")).isdecimal():
            facts[fact] = int(str(options[option])) * SECTOR
    if size := options.get("logbsize"):
        facts["log_buffer_size"] = parse_bytes(str(size))
    return facts


class Xfs:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "xfs"
    settings: ClassVar[tuple[LayerSetting, ...]] = ()

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`; one layer a file system, wherever it is mounted."""

        async def facts(_: str, __: str, super_options: tuple[str, ...]) -> dict[str, Scalar]:
            return stripe_facts(super_options)

        return await mounted_layers(scene, self.kind, ("xfs",), facts)
