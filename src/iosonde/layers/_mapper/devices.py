"""Devices of device-mapper as a scene has them, for all kinds that map by it.

Kinds of their own name their targets (`layers.TARGETS`) or how their tools' uuids begin
(`layers.UUID_PREFIXES`). A partition that kpartx made on a multipath map is a partition.

Source: Linux Documentation/admin-guide/device-mapper; dmsetup(8); drivers/md/dm-sysfs.c (name,
uuid); cryptsetup's uuids of dm-verity and dm-integrity, which is below dm-crypt as SUBDEV.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iosonde import kerneltext
from iosonde.layers._mapper.facts import MapperTarget, kind_of, parse_targets
from iosonde.layers.layer import BlockDevice, Scene
from iosonde.records.stack import Scalar, StackLayer


@dataclass(frozen=True, slots=True)
class Mapped:
    """A device-mapper device: its name in /dev/mapper, the uuid that tells who made it, its table.

    `targets` is empty where this user may not see the table.
    """

    device: BlockDevice
    name: str
    uuid: str
    suspended: bool
    targets: tuple[MapperTarget, ...]

    @property
    def kind(self) -> str:
        """Which kind of layer it is."""
        return kind_of(self.uuid, (target.name for target in self.targets))

    def layer(
        self,
        scene: Scene,
        kind: str,
        facts: Mapping[str, Scalar],
        hazards: tuple[str, ...] = (),
    ) -> StackLayer:
        """The layer of some kind that this device is; what it has lost below is a hazard."""
        return scene.device_layer(
            kind,
            self.device,
            name=self.name,
            below=scene.beneath(self.device),
            facts=facts,
            hazards=(*hazards, *scene.lost(self.device), *("suspended",) * self.suspended),
        )


async def mapped(scene: Scene) -> tuple[Mapped, ...]:
    """All device-mapper devices of a scene (drivers/md/dm-sysfs.c)."""
    devices = [device for device in scene.devices.values() if device.name.startswith("dm-")]
    if not devices:
        return ()
    files = await scene.texts(
        [f"{_dm(device)}/{part}" for device in devices for part in ("name", "uuid", "suspended")]
    )
    uuids = [files.get(f"{_dm(device)}/uuid", "") for device in devices]
    strange = any(not uuid.startswith("LVM-") for uuid in uuids)
    tables = await dmsetup(scene, "table") if strange else {}
    names = [
        files.get(f"{_dm(device)}/name") or device.path.rpartition("/")[2] for device in devices
    ]
    return tuple(
        Mapped(
            device, name, uuid, files.get(f"{_dm(device)}/suspended") == "1", tables.get(name, ())
        )
        for device, name, uuid in zip(devices, names, uuids, strict=True)
    )


def _dm(device: BlockDevice) -> str:
    return f"/sys/block/{device.name}/dm"


async def dmsetup(scene: Scene, command: str) -> dict[str, tuple[MapperTarget, ...]]:
    """What `dmsetup table` or `dmsetup status` says of all devices; a gap where it can't."""
    done = await scene.ask("dmsetup", command)
    if done.status == 0:
        return parse_targets(kerneltext.decoded(done.stdout))
    await scene.miss("targets of device-mapper", done, "dmsetup")
    return {}


async def with_status(scene: Scene, kind: str) -> list[tuple[Mapped, MapperTarget | None]]:
    """The devices of a kind that have one target, each with its status as far as it is known."""
    devices = [device for device in await mapped(scene) if device.kind == kind]
    states = await dmsetup(scene, "status") if any(device.targets for device in devices) else {}
    return [(device, next(iter(states.get(device.name, ())), None)) for device in devices]
