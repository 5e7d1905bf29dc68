"""Links layers by their ids: what stands on a device or a mount, on its provider.

A kind knows the block device it stands on, not which kind provides it: `Scene.on_device` and
`Scene.on_mount` leave that open, and here it is filled in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from iosonde.layers.layer import Scene
from iosonde.records.stack import Gap, Scalar, StackLayer
from iosonde.stack.model import mount_points


def holding_mount(path: str, mounts: Iterable[str]) -> str | None:
    """The mount point that holds an absolute path: the longest that is a part of it."""
    fitting = [
        point for point in mounts if path == point or path.startswith(point.rstrip("/") + "/")
    ]
    return max(fitting, key=len, default=None)


def _providers(scene: Scene, layers: Sequence[StackLayer]) -> dict[str, str]:
    """Open id of each block device → id of the layer that provides it."""
    providers: dict[str, str] = {}
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
            providers[open_id] = tops[0]
    return providers


def _mounts(
    scene: Scene, layers: Sequence[StackLayer], providers: Mapping[str, str]
) -> dict[str, str]:
    """Mount point → id of its layer: the file system, else the device it comes from.

    A file system of no kind we know (vfat, exfat) leaves its device as the top of the stack.
    """
    file_systems = {
        device.name: layer.id
        for layer in reversed(layers)
        if layer.mount and (device := scene.device_at(layer.device))
    }
    mounts: dict[str, str] = {}
    for mount in scene.mounts:
        device = scene.device_of(mount)
        if device:
            holder = file_systems.get(device.name) or providers.get(scene.on_device(device.name))
            if holder:
                mounts[mount.mount_point] = holder
    for layer in layers:
        mounts.update(dict.fromkeys(mount_points(layer), layer.id))
    return mounts


def _note_unknown(scene: Scene, providers: Mapping[str, str]) -> None:
    """A gap for each device that no kind of layer provides."""
    for name, device in scene.devices.items():
        if device.size > 0 and scene.on_device(name) not in providers:
            what = f"{device.path} ({device.type or 'of unknown type'})"
            scene.gaps.append(Gap(scene.host.name, what, "no kind of layer knows it"))


def _facts(
    layer: StackLayer, names: Mapping[str, str], mounts: Mapping[str, str]
) -> Mapping[str, Scalar]:
    """The layer's facts, with what only the whole scene tells: its name, its further mounts."""
    facts: dict[str, Scalar] = {}
    if layer.id in names:
        facts["kernel_name"] = names[layer.id]
    points = [point for point, id_ in mounts.items() if id_ == layer.id and point != layer.mount]
    if points:
        facts["mounts"] = "\n".join(points)
    return {**layer.facts, **facts}


def link(scene: Scene, layers: Sequence[StackLayer]) -> tuple[StackLayer, ...]:
    """The layers with `below` naming only layers that exist; the rest becomes gaps of the scene.

    The provider of a block device gets the fact `kernel_name`, its name in /proc/diskstats, and
    `mounts`, where it is mounted with a file system that is no layer of its own. A file system
    that is mounted at several places has the others in `mounts`, by lines.
    """
    providers = _providers(scene, layers)
    names = {id_: open_id.partition("*device:")[2] for open_id, id_ in providers.items()}
    providers |= {
        open_id: layer.id
        for layer in reversed(layers)
        if (open_id := scene.on_named(layer.device)) not in layer.below
    }
    mounts = _mounts(scene, layers, providers)
    every_point = {*mounts, *(mount.mount_point for mount in scene.mounts)}
    ids = {layer.id for layer in layers}
    on_mount = scene.on_mount("")
    _note_unknown(scene, providers)

    def resolved(open_id: str) -> str | None:
        if open_id.startswith(on_mount):
            point = holding_mount(open_id.removeprefix(on_mount), every_point)
            return mounts.get(point) if point else None
        return providers.get(open_id, open_id)

    linked = []
    for layer in layers:
        below: list[str] = []
        for open_id in layer.below:
            provider = resolved(open_id)
            if provider in ids and provider != layer.id:
                below.append(provider)
            else:
                what = open_id.partition("/")[2].replace("*device:", "/dev/")
                what = what.removeprefix("*mount:").removeprefix("*named:")
                reason = f"it stands on {what}, which no layer claims"
                scene.gaps.append(Gap(scene.host.name, layer.id, reason))
        facts = _facts(layer, names, mounts)
        linked.append(replace(layer, below=tuple(dict.fromkeys(below)), facts=facts))
    return tuple(linked)
