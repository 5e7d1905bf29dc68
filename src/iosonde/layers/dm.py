"""Device-mapper devices that are no LVM, dm-crypt or multipath: linear, striped, cache, snapshot ….

A partition that kpartx made on a multipath map is a partition, not one of these.

Source: Linux Documentation/admin-guide/device-mapper; dmsetup(8); drivers/md/dm-sysfs.c (name,
uuid). The beginning of the uuid says which tool made a device.
"""

from __future__ import annotations

from typing import ClassVar

from iosonde.layers.layer import LayerSetting, Scene, mapped, queue_settings
from iosonde.records import Gap, Scalar, StackLayer
from iosonde.units import SECTOR

_OTHERS_OWN = ("LVM-", "CRYPT-", "mpath-")
_CHUNKED = {"striped": 1}  # target → place of its chunk size among the arguments, in sectors


def table_facts(table: str) -> dict[str, Scalar]:
    """Target and chunk size from `dmsetup table NAME`: START LENGTH TARGET ARGUMENTS a line."""
    lines = [line.split() for line in table.splitlines() if len(line.split()) >= 3]
    targets = list(dict.fromkeys(words[2] for words in lines))
    if not targets:
        return {}
    facts: dict[str, Scalar] = {"target": ", ".join(targets), "segments": len(lines)}
    place = _CHUNKED.get(targets[0])
    arguments = lines[0][3:]
    if len(targets) == 1 and place is not None and len(arguments) > place:
        facts["stripes"] = int(arguments[0])
        facts["chunk_size"] = int(arguments[place]) * SECTOR
    return facts


class Dm:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "dm"
    settings: ClassVar[tuple[LayerSetting, ...]] = queue_settings("read_ahead_kb", "max_sectors_kb")

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`."""
        layers = []
        for one in await mapped(scene):
            if one.uuid.startswith(_OTHERS_OWN) or one.device.type == "part":
                continue
            done = await scene.host.run(["dmsetup", "table", one.name], check=False)
            if done.status != 0:
                scene.gaps.append(
                    Gap(scene.host.name, f"target of {one.name}", "dmsetup did not answer",
                        "run as root, with dmsetup installed")
                )  # fmt: skip
            layers.append(one.layer(scene, self.kind, table_facts(done.stdout.decode())))
        return tuple(layers)
