"""dm-crypt: encryption between a file system and its device. Keys are never asked for nor shown.

Source: Linux Documentation/admin-guide/device-mapper/dm-crypt.rst (table: cipher, key, IV offset,
device, offset in sectors, optional parameters); cryptsetup's uuid "CRYPT-LUKS2-UUID-NAME".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from iosonde.layers.layer import BlockDevice, LayerSetting, Scene, mapped, queue_settings
from iosonde.records import Scalar, StackLayer
from iosonde.units import SECTOR

_SECTOR_SIZE = "sector_size:"


def crypt_facts(words: Sequence[str]) -> dict[str, Scalar]:
    """Cipher, data offset and flags from the arguments of a crypt target.

    `dmsetup table` prints zeros, or the name of a key ring, for the key, the second argument;
    nothing here looks at it.
    """
    if len(words) < 5:
        return {}
    flags = words[6:]  # after their number
    size = next((flag for flag in flags if flag.startswith(_SECTOR_SIZE)), "")
    facts: dict[str, Scalar] = {
        "cipher": words[0],
        "data_offset": int(words[4]) * SECTOR if words[4].isdecimal() else None,
        "sector_size": int(size.removeprefix(_SECTOR_SIZE)) if size else SECTOR,
        "flags": " ".join(flag for flag in flags if not flag.startswith(_SECTOR_SIZE)) or None,
    }
    return {name: value for name, value in facts.items() if value is not None}


def format_of(uuid: str) -> str | None:
    """LUKS1, LUKS2, PLAIN … from the uuid that cryptsetup gives; None where another tool did."""
    return uuid.split("-")[1] if uuid.startswith("CRYPT-") else None


def crypt_hazards(facts: dict[str, Scalar], physical: int) -> tuple[str, ...]:
    """`misaligned`: data begin off the grid of the physical sectors, in bytes."""
    offset = facts.get("data_offset")
    return ("misaligned",) if isinstance(offset, int) and physical and offset % physical else ()


class DmCrypt:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "dm_crypt"
    settings: ClassVar[tuple[LayerSetting, ...]] = queue_settings("read_ahead_kb", "max_sectors_kb")

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`."""
        layers = []
        for one in await mapped(scene):
            if one.kind != self.kind:
                continue
            facts = crypt_facts(one.targets[0].words) if one.targets else {}
            if word := format_of(one.uuid):
                facts = {"format": word, **facts}
            hazards = crypt_hazards(facts, _physical(scene, one.device))
            layers.append(one.layer(scene, self.kind, facts, hazards))
        return tuple(layers)


def _physical(scene: Scene, device: BlockDevice) -> int:
    """The largest physical sector of what a device stands on, bytes; 0 where unknown."""
    below = [scene.devices[name].queue for name in device.below if name in scene.devices]
    texts = [queue.get("physical_block_size", "") for queue in below]
    return max((int(text) for text in texts if text.isdecimal()), default=0)
