"""Device-mapper devices that no other kind knows: linear, striped, snapshot, thin, flakey ….

LVM, dm-crypt, dm-cache, dm-writecache and multipath have files of their own. A partition that
kpartx made on a multipath map is a partition, not one of these.

Source: Linux Documentation/admin-guide/device-mapper (arguments of each target); dmsetup(8);
drivers/md/dm-sysfs.c (name, uuid). The beginning of the uuid says which tool made a device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from iosonde.layers.layer import LayerSetting, Scene, Target, mapped, queue_settings
from iosonde.records import Scalar, StackLayer
from iosonde.units import SECTOR

_BROKEN = {"error": "gives errors only", "flakey": "made to fail", "delay": "slowed down"}


def table_facts(targets: Sequence[Target]) -> dict[str, Scalar]:
    """Which targets a device is made of, and the geometry of the one that it is wholly made of."""
    names = list(dict.fromkeys(one.name for one in targets))
    if not names:
        return {}
    facts: dict[str, Scalar] = {"target": ", ".join(names), "segments": len(targets)}
    words = targets[0].words
    if len(targets) > 1 or not all(word.isdecimal() for word in words[:2]):
        return facts
    if names == ["striped"] and len(words) >= 2:
        stripes, chunk = int(words[0]), int(words[1]) * SECTOR
        facts |= {"stripes": stripes, "chunk_size": chunk, "stripe_width": stripes * chunk}
    return facts


def table_hazards(targets: Sequence[Target]) -> tuple[str, ...]:
    """Targets that exist to do harm: somebody is testing with them."""
    return tuple(dict.fromkeys(_BROKEN[one.name] for one in targets if one.name in _BROKEN))


class Dm:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "dm"
    settings: ClassVar[tuple[LayerSetting, ...]] = queue_settings("read_ahead_kb", "max_sectors_kb")

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`."""
        return tuple(
            one.layer(scene, self.kind, table_facts(one.targets), table_hazards(one.targets))
            for one in await mapped(scene)
            if one.kind == self.kind
        )
