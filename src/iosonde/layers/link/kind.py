"""Network interfaces that a file system or block device is reached through.

Only interfaces towards a storage server are layers: those that `ip route` names for it.

Source: Linux Documentation/ABI/testing/sysfs-class-net (mtu, speed in Mbit/s, operstate,
tx_queue_len, lower_NAME: what a bond, bridge or VLAN stands on; brport and bonding); ethtool(8).
"""

from __future__ import annotations

from collections.abc import Collection

from typing_extensions import override

from iosonde.hosts.host import Completed, Host
from iosonde.layers._mounts.options import options_of
from iosonde.layers._routes import route_device
from iosonde.layers.layer import Layer, Scene
from iosonde.layers.link.facts import driver_facts
from iosonde.records.stack import Scalar, StackLayer
from iosonde.settings.declared import network_settings
from iosonde.settings.ethtool_printed import coalescing, features, rings


class Link(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind = "link"
    settings = network_settings()
    can_break = False

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        addresses = {
            str(address)
            for mount in scene.mounts
            if (address := options_of(mount.super_options).get("addr"))
        }
        names: dict[str, None] = {}
        for address in sorted(addresses):
            done = await scene.ask("ip", "-j", "route", "get", address)
            if name := route_device(done.stdout):
                names[name] = None
        layers: dict[str, StackLayer] = {}
        todo = list(names)
        while todo:
            name = todo.pop(0)
            if name not in layers:
                lower = await _lower(scene.host, name)
                layers[name] = await self.layer(scene, name, lower)
                todo += lower
        return tuple(layers.values())

    async def unused(self, scene: Scene, layers: Collection[StackLayer]) -> tuple[StackLayer, ...]:
        """The interfaces that lead to a wire, and that no mounted file system needs."""
        needed = {layer.device for layer in layers if layer.kind == self.kind}
        places = await scene.host.glob("/sys/class/net/*/device")
        places += await scene.host.glob("/sys/class/net/*/bonding")
        names = dict.fromkeys(path.split("/")[4] for path in places)
        return tuple(
            [
                await self.layer(scene, name, await _lower(scene.host, name))
                for name in names
                if name not in needed
            ]
        )

    async def layer(self, scene: Scene, name: str, lower: list[str]) -> StackLayer:
        """The layer of one interface, which stands on others."""
        place = f"/sys/class/net/{name}"
        parts = ("speed", "operstate", "bonding/mode", "device/numa_node")
        files = await scene.texts([f"{place}/{part}" for part in parts])
        texts = {part: files.get(f"{place}/{part}", "") for part in parts}
        facts: dict[str, Scalar] = {"interface": name}
        if texts["speed"].isdecimal():  # "-1" without a carrier
            facts["speed"] = int(texts["speed"]) * 1_000_000 // 8
        if texts["operstate"] not in {"", "unknown"}:  # loopback and many virtual ones don't know
            facts["state"] = texts["operstate"]
        if texts["bonding/mode"]:
            facts["mode"] = texts["bonding/mode"].split(" ")[0]
        if texts["device/numa_node"].isdecimal():
            facts["numa_node"] = int(texts["device/numa_node"])
        answer = await scene.host.run(["ethtool", "-i", name], check=False)
        if answer.status == 0:
            facts |= driver_facts(answer.stdout)
        return StackLayer(
            id=scene.identity(self.kind, name),
            kind=self.kind,
            host=scene.host.name,
            device=name,
            size=None,
            below=tuple(scene.identity(self.kind, name_below) for name_below in lower),
            facts=facts,
            settings=await self._ethtool(scene, name),
            hazards=("down",) if facts.get("state") == "down" else (),
        )

    async def _ethtool(self, scene: Scene, name: str) -> dict[str, Scalar]:
        """Offloads, rings and coalescing; not every interface has rings or coalesces."""
        settings: dict[str, Scalar] = {}
        for option, parse in (("-k", features), ("-g", rings), ("-c", coalescing)):
            done = await _answer(scene.host, option, name)
            if done.status == 0:
                settings |= parse(done.stdout)
            elif option == "-k":
                await scene.miss(f"ethtool {option} {name}", done, "ethtool")
        return settings


async def _lower(host: Host, name: str) -> list[str]:
    """The interfaces that a bond, bridge or VLAN stands on."""
    paths = await host.glob(f"/sys/class/net/{name}/lower_*")
    return [path.rpartition("/lower_")[2] for path in paths]


async def _answer(host: Host, option: str, name: str) -> Completed:
    """In JSON where ethtool knows it for this option, else as text."""
    done = await host.run(["ethtool", "--json", option, name], check=False)
    return done if done.status == 0 else await host.run(["ethtool", option, name], check=False)
