"""dm-multipath: several paths to one LUN.

Source: Linux drivers/md/dm-mpath.c, multipath_status() (table and status: features, handler,
groups with selector and paths); Documentation/admin-guide/device-mapper/dm-queue-length.rst and
its siblings (selectors); multipath(8); /sys/block/NAME/device/state of each SCSI path
(drivers/scsi/scsi_sysfs.c).
"""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers._mapper.devices import Mapped, with_status
from iosonde.layers._mapper.facts import MapperTarget
from iosonde.layers.layer import Layer, Scene, made_with, queue_settings
from iosonde.layers.multipath.facts import paths_of, table_facts
from iosonde.records.stack import Scalar, StackLayer

_ALIVE = frozenset({"running", "live"})


class Multipath(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind = "multipath"
    passes_through = True
    settings = (
        *queue_settings(
            "scheduler", "nr_requests", "read_ahead_kb", "max_sectors_kb", "nomerges", "rq_affinity"
        ),
        *made_with(
            "path_selector",
            "features",
            "handler",
            needs="reconnect",
            why="multipathd makes the map from multipath.conf(5): change that, then "
            "`multipathd reconfigure`",
        ),
    )

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """Partitions of a map are the partition layer's."""
        maps = await with_status(scene, self.kind)
        return tuple([await self._layer(scene, device, status) for device, status in maps])

    async def _layer(
        self, scene: Scene, multipath: Mapped, status: MapperTarget | None
    ) -> StackLayer:
        places = {name: f"/sys/block/{name}/device/state" for name in multipath.device.below}
        texts = await scene.texts(list(places.values()))
        states = {name: texts[path] for name, path in places.items() if path in texts}
        for path in paths_of(status.arguments if status else ()):
            device = scene.with_number(path.number)
            if device and not path.active:
                states[device.name] = "failed"
        facts: dict[str, Scalar] = {"paths": len(places)}
        if multipath.uuid.startswith("mpath-"):
            facts["wwid"] = multipath.uuid.removeprefix("mpath-")
        if multipath.targets:
            facts |= table_facts(multipath.targets[0].arguments)
        return multipath.layer(scene, self.kind, facts, path_hazards(states, len(places)))


def path_hazards(states: Mapping[str, str], paths: int) -> tuple[str, ...]:
    """Failed paths by name; one single path is a hazard of its own.

    Args:
        states: device → "running", "offline", "failed" ….
        paths: how many paths the map has.
    """
    failed = [f"failed path {name}" for name, state in states.items() if state not in _ALIVE]
    return (*failed, "one path") if paths == 1 else tuple(failed)
