"""Links layers by their ids: what stands on a device or a mount, on its provider.

A kind knows the block device it stands on, not which kind provides it: `Scene.on_device` and
`Scene.on_mount` leave that open, and here it is filled in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from iosonde.layers.layer import Scene
from iosonde.records import Gap, StackLayer


def holding_mount(path: str, mounts: Iterable[str]) -> str | None:
    """The mount point that holds an absolute path: the longest that is a part of it."""
    fitting = [
        point for point in mounts if path == point or path.startswith(point.rstrip("/") + "/")
    ]
    return max(fitting, key=len, default=None)


def _providers(scene: Scene, layers: Sequence[StackLayer]) -> dict[str, str]:
    """Open id of each block device → id of the layer that provides it."""
    found: dict[str, str] = {}
    for name, device in scene.devices.items():
        open_id = scene.on_device(name)
        candidates = [
            layer
            for layer in layers
            if layer.device in {device.path, f"/dev/{name}"} and open_id not in layer.below
        ]
        beneath = {below for layer in candidates for below in layer.below}
        tops = [layer.id for layer in candidates if layer.id not in beneath]
        if tops:
            found[open_id] = tops[0]
    return found


def link(scene: Scene, layers: Sequence[StackLayer]) -> tuple[StackLayer, ...]:
    """The layers with `below` naming only layers that exist; the rest becomes gaps of the scene.

    The provider of a block device gets the fact `kernel_name`, its name in /proc/diskstats.
    """
    providers = _providers(scene, layers)
    names = {id_: open_id.partition("*device:")[2] for open_id, id_ in providers.items()}
    mounts = {layer.mount: layer.id for layer in layers if layer.mount}
    known = {layer.id for layer in layers}
    on_mount = scene.on_mount("")

    def resolved(open_id: str) -> str | None:
        if open_id.startswith(on_mount):
            point = holding_mount(open_id.removeprefix(on_mount), mounts)
            return mounts[point] if point else None
        return providers.get(open_id, open_id)

    for name, device in scene.devices.items():
        if device.size > 0 and scene.on_device(name) not in providers:
            what = f"{device.path} ({device.type or 'of unknown type'})"
            scene.gaps.append(Gap(scene.host.name, what, "no kind of layer knows it"))
    linked = []
    for layer in layers:
        below: list[str] = []
        for open_id in layer.below:
            found = resolved(open_id)
            if found in known and found != layer.id:
                below.append(found)
            else:
                what = open_id.partition("/")[2].replace("*device:", "/dev/").replace("*mount:", "")
                scene.gaps.append(
                    Gap(scene.host.name, layer.id, f"it stands on {what}, which no layer claims")
                )
        facts = (
            {**layer.facts, "kernel_name": names[layer.id]} if layer.id in names else layer.facts
        )
        linked.append(replace(layer, below=tuple(dict.fromkeys(below)), facts=facts))
    return tuple(linked)
