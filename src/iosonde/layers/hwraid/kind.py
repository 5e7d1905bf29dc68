"""The kind: virtual drives as they are found, planned and placed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers._names import kind_by_type
from iosonde.layers._raid.geometry import STRIPED
from iosonde.layers._raid.traits import ArrayTraits
from iosonde.layers.hwraid.building import asking, steps
from iosonde.layers.hwraid.declared import HwraidDeclared, striping
from iosonde.layers.hwraid.discovery import Volume, volumes
from iosonde.layers.layer import Layer, LayerSetting, Scene, made_with
from iosonde.layers.site import Builds, Geometric, Site
from iosonde.layers.step import Step
from iosonde.records.stack import Scalar, StackLayer

_OF_CONTROLLER = {
    "model": "controller_model", "firmware": "firmware", "cache_size": "cache_size",
    "cache_state": "cache_state", "cache_read_share": "cache_read_share",
    "cache_write_share": "cache_write_share", "battery": "battery",
}  # fmt: skip
_OFF_DUTY = {"failed", "missing", "learning", "charging"}
_DEGRADED = {"degraded", "partially degraded"}
_WRITE_BACK = {"write_back", "write_back_always"}


def volume_facts(
    values: Mapping[str, Scalar], controller: Mapping[str, Scalar]
) -> dict[str, Scalar]:
    """What a virtual drive is, in bytes and shares.

    Args:
        values: of the virtual drive, as the outputs of its tool name them.
        controller: the same of its controller.
    """
    facts = {name: value for name, value in values.items() if name != "size"}
    facts |= {to: controller[name] for name, to in _OF_CONTROLLER.items() if name in controller}
    strip, data = facts.get("strip_size"), facts.get("data_disks")
    if facts.get("raid_level") in STRIPED and isinstance(strip, int) and isinstance(data, int):
        facts["stripe_width"] = strip * data
    return facts


def volume_hazards(facts: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Words for what is wrong with a virtual drive.

    Args:
        facts: as `volume_facts` gives them.
    """
    state, policy = str(facts.get("state") or ""), facts.get("write_policy")
    battery, wanted = facts.get("battery"), facts.get("write_policy_initial", policy)
    hazards = []
    if state in _DEGRADED:
        hazards.append("degraded")
    elif state in {"offline", "recovery", "rebuild"}:
        hazards.append(state)
    working = str(facts.get("active_operations") or "none")
    if working.lower() != "none":
        hazards.append(f"busy: {working}")
    if battery in _OFF_DUTY and {policy, wanted} & _WRITE_BACK:
        hazards.append(f"battery {battery}")
    always = policy == "write_back_always"
    through = policy == "write_through" or battery in _OFF_DUTY
    if wanted == "write_back" and through and not always:
        hazards.append("write-back suspended")
    if (always and battery != "ok") or facts.get("disk_cache") == "enabled":
        hazards.append("unsafe cache")
    return tuple(hazards)


_POLICIES = ("write_through", "write_back", "write_back_always")


def _policy(name: str, **more: Any) -> LayerSetting:
    """A policy that the controller keeps; `cache_ratio` is the share for reads."""
    address = "{tool} {volume} {identifier} " + name
    return LayerSetting(name, "hwraid", address, apart=True, lasts=True, **more)


class Hwraid(Layer, Builds, Geometric):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "hwraid"
    array = ArrayTraits(by_controller=True)
    declaration = HwraidDeclared
    probe = "device"
    settings = (
        _policy("write_policy", choices=_POLICIES, unsafe=("write_back_always",)),
        _policy("read_ahead", choices=("on", "off")),
        _policy("io_policy", choices=("direct", "cached")),
        _policy("disk_cache", choices=("default", "enabled", "disabled"), unsafe=("enabled",)),
        _policy("cache_ratio", unit="%", low=0, high=100),
        *made_with("raid_level", "strip_size", "emulation", units={"strip_size": "B"}),
    )

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """It stands on the disk as which the kernel sees it."""
        return tuple([self._layer(scene, volume) for volume in await volumes(scene)])

    def _layer(self, scene: Scene, volume: Volume) -> StackLayer:
        device = volume.device
        facts = volume_facts(volume.values, volume.controller)
        return scene.device_layer(
            self.kind,
            device,
            below=(scene.identity(kind_by_type(device.type), device.name),),
            facts=facts,
            hazards=volume_hazards(facts),
        )

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        if site.in_lab:
            raise site.wrong(
                "a host of the lab has no RAID controller",
                hint="declare an array of kind md on disks there",
            )
        return steps(site)

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """By its World Wide Name where udev gives one."""
        done = await host.run(asking(site, "place"), check=False)
        return None if done.status else kerneltext.decoded(done.stdout).strip() or None

    @override
    def geometry(self, site: Site) -> tuple[int, int] | None:
        return striping(site.declared_as(HwraidDeclared))
