"""dm-multipath: several paths to one LUN.

Source: Linux drivers/md/dm-mpath.c, multipath_status() (table and status: features, handler,
groups with selector and paths); Documentation/admin-guide/device-mapper/dm-queue-length.rst and
its siblings (selectors); multipath(8); /sys/block/NAME/device/state of each SCSI path
(drivers/scsi/scsi_sysfs.c).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.dm.facts import DEVICE, DmTarget, MapperTarget, TargetFacts, counted
from iosonde.layers.dm.kind import Mapped, with_status
from iosonde.layers.layer import Layer, LayerSetting, Scene, made_with, queue_settings
from iosonde.records.stack import Scalar, StackLayer

_SELECTORS = (
    "round-robin", "queue-length", "service-time", "historical-service-time", "io-affinity",
)  # fmt: skip
_HANDLERS = ("alua", "emc", "rdac", "hp_sw")
_ALIVE = frozenset({"running", "live"})


@dataclass(frozen=True, slots=True)
class Path:
    """One path in the status of a map: "MAJOR:MINOR", whether the map uses it, its failures."""

    number: str
    active: bool
    failures: int


def table_facts(arguments: Sequence[str]) -> dict[str, Scalar]:
    """Features, hardware handler, priority groups and selector from the table's arguments.

    The selector is how requests are spread over the paths of a group.
    """
    facts: dict[str, Scalar] = {}
    if (features := counted(arguments)) is not None:
        if features:
            facts["features"] = " ".join(features)
        facts["queue_if_no_path"] = "queue_if_no_path" in features
        rest = arguments[1 + len(features) :]
        if (handler := counted(rest)) is not None:
            if handler and handler[0] in _HANDLERS:
                facts["handler"] = handler[0]
            groups = rest[1 + len(handler) :][:1]
            if groups and groups[0].isdecimal():
                facts["path_groups"] = int(groups[0])
    if selector := next((argument for argument in arguments if argument in _SELECTORS), None):
        facts["path_selector"] = selector
    return facts


def paths_of(arguments: Sequence[str]) -> tuple[Path, ...]:
    """The paths in a map's status: NUMBER A|F FAILURES, after their group's figures."""
    return tuple(
        Path(number, state == "A", int(failures))
        for number, state, failures in zip(arguments, arguments[1:], arguments[2:], strict=False)
        if ":" in number and state in {"A", "F"} and failures.isdecimal()
    )


def read_target(target: MapperTarget) -> TargetFacts | None:
    """A line of the multipath target, of table or status."""
    if paths := paths_of(target.arguments):
        failed = sum(not path.active for path in paths)
        return TargetFacts("multipath", {"paths": len(paths), "failed_paths": failed})
    devices = [argument for argument in target.arguments if DEVICE.match(argument)]
    facts = table_facts(target.arguments)
    if not devices or not facts:
        return None
    return TargetFacts("multipath", {**facts, "paths": len(devices)})


TARGET = DmTarget("multipath", read_target)


class Multipath(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "multipath"
    uuid_prefixes: ClassVar[tuple[str, ...]] = ("mpath-",)
    settings: ClassVar[tuple[LayerSetting, ...]] = (
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
        """See `Layer.discover`; partitions of a map are the partition layer's."""
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
