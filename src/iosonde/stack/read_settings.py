"""Reads the settings that each kind of layer offers, for all layers of a host in one go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from iosonde.errors import IosondeError
from iosonde.layers.layer import LayerSetting, Scene
from iosonde.records.stack import Gap, Scalar, StackLayer
from iosonde.settings import MECHANISMS

_Values = Mapping[tuple[str, str], "Scalar | IosondeError"]


def places_of(
    scene: Scene, layer: StackLayer, addresses: Sequence[str | int | None]
) -> tuple[str, ...]:
    """Addresses with what stands for this layer's own; one of which a fact is missing is left out.

    A figure is left as it is.
    """
    device = scene.device_at(layer.device)
    places = {key: value for key, value in layer.facts.items() if value is not None}
    places["name"] = device.name.replace("/", "!") if device else layer.device
    if layer.mount is not None:
        places["mount"] = layer.mount
        mount = next((mount for mount in scene.mounts if mount.mount_point == layer.mount), None)
        if mount:
            places["bdi"] = mount.number
    resolved = []
    for address in addresses:
        try:
            resolved.append(str(address).format_map(places))
        except KeyError:
            continue
    return tuple(resolved)


async def _get(scene: Scene, wanted: Mapping[str, set[str]]) -> _Values:
    """(mechanism, address) → value, with one question to each mechanism."""
    values: dict[tuple[str, str], Scalar | IosondeError] = {}
    for mechanism, addresses in wanted.items():
        got = await MECHANISMS.load(mechanism)().get(scene.host, sorted(addresses))
        values.update({(mechanism, address): value for address, value in got.items()})
    return values


async def read_settings(
    scene: Scene,
    layers: Sequence[StackLayer],
    offered: Mapping[str, Sequence[LayerSetting]],
) -> tuple[StackLayer, ...]:
    """The layers with the values of their settings.

    A setting that a layer lacks is absent; one that this user may not read is None, and a gap.

    Args:
        scene: of the layers' host.
        layers: as discovered; settings they already hold are kept.
        offered: kind of layer → its settings.
    """
    places = {
        (layer.id, setting.name): [
            (setting.mechanism, address)
            for address in places_of(scene, layer, (setting.address, *setting.former))
        ]
        for layer in layers
        for setting in offered.get(layer.kind, ())
        if not (setting.discovered or setting.apart) and setting.name not in layer.settings
    }
    wanted: dict[str, set[str]] = defaultdict(set)
    for some in places.values():
        for mechanism, address in some:
            wanted[mechanism].add(address)
    values = await _get(scene, wanted)
    complete = []
    for layer in layers:
        settings = dict(layer.settings)
        for setting in offered.get(layer.kind, ()):
            options = places.get((layer.id, setting.name), ())
            place = next((at for at in options if at in values), None)
            if place is None:
                continue
            value = values[place]
            if isinstance(value, IosondeError):
                what = f"{layer.id} {setting.name}"
                scene.gaps.append(Gap(scene.host.name, what, value.message, value.hint))
                settings[setting.name] = None
            else:
                settings[setting.name] = value
        complete.append(replace(layer, settings=settings))
    return tuple(complete)
