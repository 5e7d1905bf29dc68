"""Marks on each layer why its device must not be written to raw: short words, reasons in order.

"mounted", "swap", "held by NAME", "in use" (by something above it), "read-only". A kind adds its
own words (degraded, misaligned) when it is discovered. This is for people who look; what is about
to write asks change/guard.py, which trusts no earlier answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from iosonde.layers.layer import BlockDevice, Scene
from iosonde.records.stack import StackLayer

_IN_USE = ("mounted", "swap", "held by ", "in use")


def device_hazards(scene: Scene) -> dict[str, list[str]]:
    """What the kernel itself says against writing to each block device, by kernel name."""
    mounted = {device.name for mount in scene.mounts if (device := scene.device_of(mount))}
    swap = {device.name for path in scene.swaps if (device := scene.device_at(path))}
    return {
        name: list(_uses(scene, device, mounted, swap)) for name, device in scene.devices.items()
    }


def _uses(scene: Scene, device: BlockDevice, mounted: Set[str], swap: Set[str]) -> Iterator[str]:
    if device.name in mounted:
        yield "mounted"
    if device.name in swap:
        yield "swap"
    for name in device.above:
        yield f"held by {_shown(scene, name)}"
    if device.lsblk.get("ro") is True:
        yield "read-only"


def _shown(scene: Scene, name: str) -> str:
    """The name people know a holder by: "vg0-root" rather than "dm-3"."""
    device = scene.devices.get(name)
    return device.path.removeprefix("/dev/").removeprefix("mapper/") if device else name


def is_in_use(hazards: Sequence[str]) -> bool:
    """Whether one of the words says that something uses the layer."""
    return any(word.startswith(_IN_USE) for word in hazards)


def mark_hazards(scene: Scene, layers: Sequence[StackLayer]) -> tuple[StackLayer, ...]:
    """The layers with their hazards, the kind's own words first."""
    by_device = device_hazards(scene)
    hazards: dict[str, list[str]] = {}
    for layer in layers:
        device = scene.device_at(layer.device) if layer.mount is None else None
        hazards[layer.id] = [*layer.hazards, *(by_device[device.name] if device else ())]
    used = _below_used(layers, hazards)
    marked = []
    for layer in layers:
        own = hazards[layer.id]
        if layer.id in used and not is_in_use(own):
            own = [*own, "in use"]
        marked.append(replace(layer, hazards=tuple(dict.fromkeys(own))))
    return tuple(marked)


def _below_used(layers: Sequence[StackLayer], hazards: dict[str, list[str]]) -> set[str]:
    """Ids of all layers that something mounted or otherwise in use stands on."""
    below = {layer.id: layer.below for layer in layers}
    reached: set[str] = set()
    todo = [
        under
        for layer in layers
        if layer.mount is not None or is_in_use(hazards[layer.id])
        for under in layer.below
    ]
    while todo:
        identity = todo.pop()
        if identity not in reached:
            reached.add(identity)
            todo.extend(below.get(identity, ()))
    return reached
