"""dm-multipath: several paths to one LUN.

Source: Linux Documentation/admin-guide/device-mapper/dm-queue-length.rst and its siblings (path
selectors in the table); multipath(8); /sys/block/NAME/device/state of each SCSI path
(drivers/scsi/scsi_sysfs.c).
"""

from __future__ import annotations

from typing import ClassVar

from iosonde.layers.layer import LayerSetting, Mapped, Scene, mapped, queue_settings
from iosonde.records import Scalar, StackLayer

_SELECTORS = (
    "round-robin", "queue-length", "service-time", "historical-service-time", "io-affinity",
)  # fmt: skip


def selector_of(table: str) -> str | None:
    """The path selector in `dmsetup table NAME`: how requests are spread over the paths."""
    return next((word for word in table.split() if word in _SELECTORS), None)


class Multipath:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "multipath"
    settings: ClassVar[tuple[LayerSetting, ...]] = queue_settings(
        "scheduler", "nr_requests", "read_ahead_kb", "max_sectors_kb", "nomerges", "rq_affinity"
    )

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`; partitions of a map are the partition layer's."""
        return tuple(
            [
                await self._layer(scene, one)
                for one in await mapped(scene)
                if one.uuid.startswith("mpath-")
            ]
        )

    async def _layer(self, scene: Scene, one: Mapped) -> StackLayer:
        paths = {name: f"/sys/block/{name}/device/state" for name in one.device.below}
        files = await scene.host.read_many(list(paths.values()))
        states = {}
        for name, path in paths.items():
            content = files.get(path)
            if isinstance(content, bytes):
                states[name] = content.decode(errors="replace").strip()
        failed = [name for name, state in states.items() if state not in {"running", "live"}]
        facts: dict[str, Scalar] = {"paths": len(paths), "wwid": one.uuid.removeprefix("mpath-")}
        done = await scene.host.run(["dmsetup", "table", one.name], check=False)
        if selector := selector_of(done.stdout.decode(errors="replace")):
            facts["path_selector"] = selector
        hazards = tuple(f"failed path {name}" for name in failed)
        return one.layer(scene, self.kind, facts, hazards)
