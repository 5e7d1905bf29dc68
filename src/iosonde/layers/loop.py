"""Loop devices: a file (or a device) seen as a disk. They stand on the file system of that file.

Only root sees the backing file through losetup, but sysfs shows it to everybody. Without direct
I/O every block is cached twice: in the page cache of the loop device and of the file below.

Source: losetup(8); drivers/block/loop.c (6.x), attribute group "loop" of the device.
"""

from __future__ import annotations

from typing_extensions import override

from iosonde import kerneltext
from iosonde.layers.layer import BlockDevice, Layer, Scene, made_with, queue_settings
from iosonde.records.stack import Scalar, StackLayer

_DELETED = " (deleted)"


def loop_facts(device: BlockDevice, attributes: dict[str, str]) -> dict[str, Scalar]:
    """What a loop device is, from the files of its `loop` directory in sysfs.

    Args:
        device: the loop device.
        attributes: name → text of backing_file, offset, sizelimit, dio, autoclear.
    """
    backing = attributes.get("backing_file")
    block = device.queue.get("logical_block_size", "")
    facts: dict[str, Scalar] = {
        "backing_file": backing.removesuffix(_DELETED) if backing else None,
        "backing_file_deleted": True if backing and backing.endswith(_DELETED) else None,
        "offset": _figure(attributes.get("offset")),
        "size_limit": _figure(attributes.get("sizelimit")) or None,
        "direct_io": _flag(attributes.get("dio")),
        "logical_block_size": _figure(block),
        "physical_block_size": _figure(device.queue.get("physical_block_size")),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _figure(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _flag(text: str | None) -> bool | None:
    return {"0": False, "1": True}.get(text or "")


class LoopDevice(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind = "loop"
    settings = (
        *queue_settings(
            "scheduler", "nr_requests", "rq_affinity", "read_ahead_kb", "nomerges",
            "max_sectors_kb", "write_cache", "wbt_lat_usec",
        ),
        *made_with(
            "direct_io", "logical_block_size", units={"logical_block_size": "B"},
            needs="reconnect", why="it is an option of losetup(8), given when the file is attached",
        ),
    )  # fmt: skip
    numbered_by_the_kernel = True
    can_break = False

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """A loop device of no size is attached to nothing: left out."""
        devices = [
            device for device in scene.devices.values() if device.type == "loop" and device.size > 0
        ]
        names = ("backing_file", "offset", "sizelimit", "dio")
        paths = {
            (device.name, name): f"{device.sysfs}/loop/{name}"
            for device in devices
            for name in names
        }
        files = await scene.host.read_many(tuple(paths.values()))
        layers = []
        for device in devices:
            attributes = {}
            for name in names:
                content = files.get(paths[device.name, name])
                if isinstance(content, bytes):
                    attributes[name] = kerneltext.decoded(content).removesuffix("\n")
            layers.append(self._layer(scene, device, loop_facts(device, attributes)))
        return tuple(layers)

    def _layer(self, scene: Scene, device: BlockDevice, facts: dict[str, Scalar]) -> StackLayer:
        backing = str(facts.get("backing_file") or "")
        if backing.startswith("/dev/"):
            below = scene.device_at(backing)
            stands_on = (scene.on_device(below.name),) if below else ()
        else:
            stands_on = (scene.on_mount(backing),) if backing else ()
        return scene.device_layer(
            self.kind,
            device,
            below=stands_on,
            facts=facts,
            hazards=("backing file deleted",) if facts.get("backing_file_deleted") else (),
        )
