"""Whether a layer that stands is the declared one, key by key.

What stands is asked first: a kind reads its keys from the layer as it is found (`Compares`), or a
step's check shows them. Of keys that nothing shows, iosonde's record says what the layer was built
with. A difference is refused with both values, because a run would else measure another layer than
it says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from iosonde import units
from iosonde.change.journal import Made
from iosonde.errors import HostFailed, IosondeError, Refused
from iosonde.hosts.host import Host
from iosonde.layers import LAYERS
from iosonde.layers.layer import Scene
from iosonde.layers.site import Compared, Compares, Site
from iosonde.records.stack import Json, Scalar, StackLayer
from iosonde.stack.scene import read_scene

_PLACING = frozenset({"kind", "of", "host"})


def declared_keys(site: Site) -> dict[str, Json]:
    """What is declared of a layer, by key, as its record holds it; not where it stands."""
    values = site.declared.model_dump(mode="json")
    return {key: value for key, value in values.items() if key not in _PLACING}


def require_as_recorded(site: Site, recorded: Iterable[Made], file: str) -> None:
    """Refuse a layer that iosonde built otherwise than it is declared now.

    Args:
        site: the layer.
        recorded: its steps in the records of all hosts.
        file: the stack file, for advice.

    Raises:
        Refused: with the declared value and the recorded one of each key that differs.
    """
    former = _former(recorded)
    differing = [
        Compared(key, _scalar(now), _scalar(former[key]), _unit(site, key))
        for key, now in declared_keys(site).items()
        if key in former and key not in site.declared.immaterial and former[key] != now
    ]
    if differing:
        raise _refused(site, differing, "built with", "iosonde's record on its host", file)


class StandingLayers:
    """The layers that stand on some hosts, each host looked at once until it is changed.

    Args:
        hosts: opened, by their names in the stack.
    """

    def __init__(self, hosts: Mapping[str, Host]) -> None:
        self._hosts = hosts
        self._scenes: dict[str, asyncio.Task[Scene]] = {}

    def forget(self, host: str) -> None:
        """Something was built there."""
        self._scenes.pop(host, None)

    async def require_as_declared(self, site: Site, recorded: Iterable[Made], file: str) -> None:
        """Refuse a layer that stands and is not as it is declared.

        Args:
            site: the layer with its device, its layers below with theirs.
            recorded: its steps in the records of all hosts.
            file: the stack file, for advice.

        Raises:
            Refused: with the declared value and the standing one of each key that differs.
        """
        kind = LAYERS.load(site.kind)()
        host = self._hosts[site.host]
        if not isinstance(kind, Compares) or not site.device:
            return
        scene = await self._scene(site.host)
        layer = await _layer_of(site, scene, host)
        if layer is None:
            return
        former = _former(recorded)
        differing = [
            compared
            for compared in kind.compare(site, layer)
            if compared.differs
            and not (compared.granted and former.get(compared.key) == compared.declared)
        ]
        differing += await _other_devices(site, layer, scene, host)
        if differing:
            raise _refused(site, differing, "standing", f"what {host.name} shows", file)

    async def _scene(self, name: str) -> Scene:
        if name not in self._scenes:
            self._scenes[name] = asyncio.ensure_future(read_scene(self._hosts[name]))
        return await self._scenes[name]


async def _layer_of(site: Site, scene: Scene, host: Host) -> StackLayer | None:
    """The layer that stands in a site's place, as its kind finds it; else its bare device."""
    device = await _resolved(host, site.device)
    try:
        layers = await LAYERS.load(site.kind)().discover(scene)
    except IosondeError:
        layers = ()
    for layer in layers:
        if await _is_at(layer, site.device, device, host):
            return layer
    block = scene.device_at(device) or scene.device_at(site.device)
    if block is None:
        return None
    return StackLayer(
        scene.identity(site.kind, block.name), site.kind, host.name, block.path, block.size,
        scene.beneath(block),
    )  # fmt: skip


async def _is_at(layer: StackLayer, place: str, device: str, host: Host) -> bool:
    """Whether a layer is the one at a place: a mount point, a device, or the name of an export.

    Args:
        layer: as found.
        place: where the declared one is.
        device: the same, its links followed.
        host: of both.
    """
    if layer.mount is not None:
        return layer.mount == place
    if not place.startswith("/dev/"):  # a part of what is exported: "IQN/lun_0"
        return layer.device == place or layer.device.startswith(f"{place}/")
    return layer.device == device or await _resolved(host, layer.device) == device


async def _resolved(host: Host, path: str) -> str:
    if not path.startswith("/dev/"):
        return path
    try:
        return await host.resolve(path)
    except HostFailed:
        return path


async def _other_devices(site: Site, layer: StackLayer, scene: Scene, host: Host) -> list[Compared]:
    """What a layer stands on that is not in its `of`; a member that is lost is none.

    LVM's volumes stand on devices of their own inside; its tools are told the devices of `of`.
    """
    marks = {scene.on_device(name): device for name, device in scene.devices.items()}
    standing = [marks[identity].path for identity in layer.below if identity in marks]
    own = [under for under in site.below if under.host == site.host and under.device]
    if not LAYERS.load(site.kind).shows_members or not own or not standing:
        return []
    declared = {await _resolved(host, under.device) for under in own}
    strange = [path for path in standing if await _resolved(host, path) not in declared]
    if not strange:
        return []
    names = ", ".join(f"{under.name} ({under.device})" for under in own)
    return [Compared("of", names, ", ".join(standing))]


def _former(recorded: Iterable[Made]) -> dict[str, Json]:
    """What a layer was declared as when it was built; nothing in records of older versions."""
    declared: dict[str, Json] = {}
    for made in sorted(recorded, key=lambda made: made.number):
        declared |= made.declared or {}
    return declared


def _unit(site: Site, key: str) -> str:
    """The unit of a key that a user writes as a size, "B"; "" of others."""
    field = type(site.declared).model_fields[key]
    return "B" if "_bytes" in repr(field.metadata) + repr(field.annotation) else ""


def _scalar(value: Json) -> Scalar:
    if isinstance(value, dict):
        return ", ".join(f"{key} {part}" for key, part in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return value


def _shown(value: Scalar, unit: str) -> str:
    if value is None or value == "":
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if unit == "B" and isinstance(value, int):
        text = units.show_bytes(value)
        return text if units.parse_bytes(text) == value else f"{value} B"
    return units.show(value, unit) if unit and isinstance(value, int | float) else str(value)


def _refused(
    site: Site, differing: Sequence[Compared], how: str, evidence: str, file: str
) -> Refused:
    keys = "; ".join(
        f"{compared.key} is declared {_shown(compared.declared, compared.unit)} "
        f"and {how} {_shown(compared.standing, compared.unit)}"
        for compared in differing
    )
    return Refused(
        f"the layer {site.name} stands, but not as declared: {keys}",
        where=site.host, evidence=evidence,
        hint=f"declare what stands, or `iosonde down {file}`, after which `up` builds it as "
        "declared and what is on it is lost",
    )  # fmt: skip
