"""dm-crypt: encryption between a file system and its device. Keys are never asked for nor shown.

Source: Linux Documentation/admin-guide/device-mapper/dm-crypt.rst (table: cipher, key, IV offset,
device, offset in sectors, optional parameters); cryptsetup's uuid "CRYPT-LUKS2-…".
"""

from __future__ import annotations

from typing import ClassVar

from iosonde.layers.layer import LayerSetting, Scene, mapped, queue_settings
from iosonde.records import Gap, Scalar, StackLayer
from iosonde.units import SECTOR

_SECTOR_SIZE = "sector_size:"


def crypt_facts(table: str) -> dict[str, Scalar]:
    """Cipher, data offset and flags from `dmsetup table NAME`, which prints zeros for the key."""
    words = table.split()
    if len(words) < 8 or words[2] != "crypt":
        return {}
    flags = words[9:] if len(words) > 8 else []
    size = next((flag for flag in flags if flag.startswith(_SECTOR_SIZE)), "")
    facts: dict[str, Scalar] = {
        "cipher": words[3],
        "data_offset": int(words[7]) * SECTOR if words[7].isdecimal() else None,
        "sector_size": int(size.removeprefix(_SECTOR_SIZE)) if size else SECTOR,
        "flags": " ".join(flag for flag in flags if not flag.startswith(_SECTOR_SIZE)) or None,
    }
    return {name: value for name, value in facts.items() if value is not None}


class DmCrypt:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "dm_crypt"
    settings: ClassVar[tuple[LayerSetting, ...]] = queue_settings("read_ahead_kb", "max_sectors_kb")

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`."""
        layers = []
        for one in await mapped(scene):
            if not one.uuid.startswith("CRYPT-"):
                continue
            done = await scene.host.run(["dmsetup", "table", one.name], check=False)
            if done.status != 0:
                scene.gaps.append(
                    Gap(scene.host.name, f"cipher of {one.name}", "dmsetup did not answer",
                        "run as root, with dmsetup installed")
                )  # fmt: skip
            facts = {"format": one.uuid.split("-")[1], **crypt_facts(done.stdout.decode())}
            layers.append(one.layer(scene, self.kind, facts))
        return tuple(layers)
