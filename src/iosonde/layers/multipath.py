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

from iosonde.layers.layer import (
    LayerSetting,
    Mapped,
    Scene,
    dmsetup,
    made_with,
    mapped,
    queue_settings,
)
from iosonde.records import Scalar, StackLayer

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


def selector_of(words: Sequence[str]) -> str | None:
    """The path selector in the table: how requests are spread over the paths of a group."""
    return next((word for word in words if word in _SELECTORS), None)


def table_facts(words: Sequence[str]) -> dict[str, Scalar]:
    """Features, hardware handler, priority groups and selector from the table's arguments."""
    facts: dict[str, Scalar] = {}
    if words and words[0].isdecimal():
        features = words[1 : 1 + int(words[0])]
        rest = words[1 + len(features) :]
        if features:
            facts["features"] = " ".join(features)
        facts["queue_if_no_path"] = "queue_if_no_path" in features
        if rest and rest[0].isdecimal():
            handler = rest[1 : 1 + int(rest[0])]
            if handler[:1] and handler[0] in _HANDLERS:
                facts["handler"] = handler[0]
            groups = rest[1 + len(handler) :][:1]
            if groups and groups[0].isdecimal():
                facts["path_groups"] = int(groups[0])
    if selector := selector_of(words):
        facts["path_selector"] = selector
    return facts


def paths_of(words: Sequence[str]) -> tuple[Path, ...]:
    """The paths in a map's status: NUMBER A|F FAILURES, after their group's figures."""
    return tuple(
        Path(number, state == "A", int(failures))
        for number, state, failures in zip(words, words[1:], words[2:], strict=False)
        if ":" in number and state in {"A", "F"} and failures.isdecimal()
    )


class Multipath:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "multipath"
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

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`; partitions of a map are the partition layer's."""
        maps = [one for one in await mapped(scene) if one.kind == self.kind]
        seen = await dmsetup(scene, "status") if any(one.targets for one in maps) else {}
        status = {name: targets[0].words for name, targets in seen.items()}
        return tuple([await self._layer(scene, one, status.get(one.name, ())) for one in maps])

    async def _layer(self, scene: Scene, one: Mapped, status: Sequence[str]) -> StackLayer:
        places = {name: f"/sys/block/{name}/device/state" for name in one.device.below}
        texts = await scene.texts(list(places.values()))
        states = {name: texts[path] for name, path in places.items() if path in texts}
        for path in paths_of(status):
            device = scene.with_number(path.number)
            if device and not path.active:
                states[device.name] = "failed"
        facts: dict[str, Scalar] = {"paths": len(places)}
        if one.uuid.startswith("mpath-"):
            facts["wwid"] = one.uuid.removeprefix("mpath-")
        if one.targets:
            facts |= table_facts(one.targets[0].words)
        return one.layer(scene, self.kind, facts, path_hazards(states, len(places)))


def path_hazards(states: Mapping[str, str], paths: int) -> tuple[str, ...]:
    """Failed paths by name; one single path is a hazard of its own.

    Args:
        states: device → "running", "offline", "failed" ….
        paths: how many paths the map has.
    """
    failed = [f"failed path {name}" for name, state in states.items() if state not in _ALIVE]
    return (*failed, "one path") if paths == 1 else tuple(failed)
