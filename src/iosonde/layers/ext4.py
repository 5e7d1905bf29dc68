"""ext2, ext3 and ext4, all served by the ext4 driver.

`stripe_width` and `block_size` are in bytes; the driver itself counts the stripe in blocks. With
data=journal every block is written twice, once to the journal.

Source: ext4(5); Linux Documentation/admin-guide/ext4.rst (mount options stripe, data, barrier);
fs/ext4/super.c prints only options that differ from the superblock's defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from iosonde.layers.layer import LayerSetting, Scene, mounted_layers, options_of
from iosonde.records import Scalar, StackLayer

_TYPES = ("ext2", "ext3", "ext4")


def journal_mode(fstype: str, options: Mapping[str, Scalar]) -> str | None:
    """How data go through the journal: ordered unless said otherwise; ext2 has none."""
    if fstype == "ext2" or options.get("noload"):
        return None
    return str(options.get("data") or "ordered")


class Ext4:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "ext4"
    settings: ClassVar[tuple[LayerSetting, ...]] = ()

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`; one layer a file system, wherever it is mounted."""

        async def facts(
            fstype: str, point: str, super_options: tuple[str, ...]
        ) -> dict[str, Scalar]:
            options = options_of(super_options)
            found: dict[str, Scalar] = {"fstype": fstype}
            if mode := journal_mode(fstype, options):
                found["journal_mode"] = mode
            done = await scene.host.run(["stat", "-f", "-c", "%S", "--", point], check=False)
            block = done.stdout.decode(errors="replace").strip()
            if done.status == 0 and block.isdecimal():
                found["block_size"] = int(block)
                if str(options.get("stripe", "")).isdecimal():
                    found["stripe_width"] = int(str(options["stripe"])) * int(block)
            return found

        return await mounted_layers(scene, self.kind, _TYPES, facts)
