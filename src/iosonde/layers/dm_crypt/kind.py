"""dm-crypt: encryption between a file system and its device. Keys are never asked for nor shown.

Source: cryptsetup's uuid "CRYPT-LUKS2-UUID-NAME".
"""

from __future__ import annotations

from typing_extensions import override

from iosonde.layers._mapper.devices import mapped
from iosonde.layers.dm_crypt.facts import read_table
from iosonde.layers.layer import BlockDevice, Layer, Scene, queue_settings
from iosonde.records.stack import Scalar, StackLayer


def format_of(uuid: str) -> str | None:
    """LUKS1, LUKS2, PLAIN … from the uuid that cryptsetup gives; None where another tool did."""
    return uuid.split("-")[1] if uuid.startswith("CRYPT-") else None


def crypt_hazards(facts: dict[str, Scalar], physical: int) -> tuple[str, ...]:
    """`misaligned`: data begin off the grid of the physical sectors, in bytes."""
    offset = facts.get("data_offset")
    return ("misaligned",) if isinstance(offset, int) and physical and offset % physical else ()


class DmCrypt(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind = "dm_crypt"
    passes_through = True
    settings = queue_settings("read_ahead_kb", "max_sectors_kb")

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        layers = []
        for device in await mapped(scene):
            if device.kind != self.kind:
                continue
            facts: dict[str, Scalar] = {}
            if format_ := format_of(device.uuid):
                facts["format"] = format_
            if device.targets and (table := read_table(device.targets[0].arguments)):
                facts |= table.facts()
            hazards = crypt_hazards(facts, _physical(scene, device.device))
            layers.append(device.layer(scene, self.kind, facts, hazards))
        return tuple(layers)


def _physical(scene: Scene, device: BlockDevice) -> int:
    """The largest physical sector of what a device stands on, bytes; 0 where unknown."""
    below = [scene.devices[name].queue for name in device.below if name in scene.devices]
    texts = [queue.get("physical_block_size", "") for queue in below]
    return max((int(text) for text in texts if text.isdecimal()), default=0)
