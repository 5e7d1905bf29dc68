"""Network interfaces that a file system or block device is reached through.

Only interfaces towards a storage server are layers: those that `ip route` names for it.

Source: Linux Documentation/ABI/testing/sysfs-class-net (mtu, speed in Mbit/s, operstate,
tx_queue_len, lower_NAME: what a bond, bridge or VLAN stands on; brport and bonding);
ethtool(8), which speaks JSON for -k since 5.10, later for -g and -c, and plain text before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, ClassVar

from iosonde.hosts.host import Completed, Host
from iosonde.layers.layer import LayerSetting, Scene, options_of
from iosonde.records import Scalar, StackLayer
from iosonde.settings.declared import network_settings

_OFFLOADS = {
    "tcp-segmentation-offload": "tso",
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
    "rx-checksumming": "rx_checksum",
    "tx-checksumming": "tx_checksum",
}
_RING = re.compile(r"^(RX|TX):\s*(\d+)", re.MULTILINE)
_COALESCE = ("adaptive-rx", "adaptive-tx", "rx-usecs", "rx-frames", "tx-usecs", "tx-frames")
_LINE = re.compile(r"^([\w-]+):[ \t]*(\S.*)$", re.MULTILINE)
_FEATURE = re.compile(r"^\s*([\w-]+):\s*(on|off)\b", re.MULTILINE)


def features(answer: bytes) -> dict[str, Scalar]:
    """Offloads from `ethtool --json -k` or `ethtool -k`, by their short names."""
    rows = _json(answer)
    if rows:
        return {
            short: bool(rows[name].get("active"))
            for name, short in _OFFLOADS.items()
            if isinstance(rows.get(name), dict)
        }
    found = dict(_FEATURE.findall(answer.decode(errors="replace")))
    return {short: found[name] == "on" for name, short in _OFFLOADS.items() if name in found}


def rings(answer: bytes) -> dict[str, Scalar]:
    """Entries of the receive and transmit rings now, from `ethtool --json -g` or `ethtool -g`."""
    rows = _json(answer)
    if rows:
        return {f"{side}_ring": rows[side] for side in ("rx", "tx") if side in rows}
    current = answer.decode(errors="replace").partition("Current hardware settings")[2]
    return {f"{side.lower()}_ring": int(size) for side, size in _RING.findall(current)}


def coalescing(answer: bytes) -> dict[str, Scalar]:
    """How interrupts are gathered, from `ethtool --json -c` or `ethtool -c`; times in µs."""
    rows = _json(answer)
    if rows:
        return {_name(key): rows[key] for key in _COALESCE if rows.get(key) is not None}
    text = answer.decode(errors="replace")
    found: dict[str, Scalar] = {}
    adaptive = re.search(r"Adaptive RX: (\S+)\s+TX: (\S+)", text)
    for key, state in zip(
        ("adaptive_rx", "adaptive_tx"), adaptive.groups() if adaptive else (), strict=False
    ):
        if state in {"on", "off"}:
            found[key] = state == "on"
    for key, figure in re.findall(r"^([rt]x-(?:usecs|frames)):\s*(\d+)", text, re.MULTILINE):
        found[_name(key)] = int(figure)
    return found


def _name(key: str) -> str:
    return key.replace("-", "_")


def driver_facts(answer: bytes) -> dict[str, Scalar]:
    """Driver, its version and firmware from `ethtool -i`."""
    lines = dict(
        re.findall(r"^([\w-]+):[ \t]*(\S.*)$", answer.decode(errors="replace"), re.MULTILINE)
    )
    wanted = {"driver": "driver", "firmware-version": "firmware"}
    return {fact: lines[key] for key, fact in wanted.items() if lines.get(key, "N/A") != "N/A"}


def _json(answer: bytes) -> dict[str, Any]:
    """The first object of ethtool's list; empty where the answer is no JSON."""
    try:
        rows = json.loads(answer)
    except ValueError:
        return {}
    return rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else {}


class Link:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "link"
    settings: ClassVar[tuple[LayerSetting, ...]] = network_settings()

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`."""
        addresses = {
            str(address)
            for mount in scene.mounts
            if mount.fstype in {"nfs", "nfs4", "cifs", "smb3", "ceph"}
            and (address := options_of(mount.super_options).get("addr"))
        }
        names: dict[str, None] = {}
        for address in sorted(addresses):
            done = await scene.ask("ip", "-j", "route", "get", address)
            found = re.search(rb'"dev":\s*"([^"]+)"', done.stdout)
            if found:
                names[found[1].decode()] = None
        layers: dict[str, StackLayer] = {}
        todo = list(names)
        while todo:
            name = todo.pop(0)
            if name not in layers:
                lower = await _lower(scene.host, name)
                layers[name] = await self.layer(scene, name, lower)
                todo += lower
        return tuple(layers.values())

    async def layer(self, scene: Scene, name: str, lower: list[str]) -> StackLayer:
        """The layer of one interface, which stands on others."""
        place = f"/sys/class/net/{name}"
        parts = ("speed", "operstate", "bonding/mode", "device/numa_node")
        found = await scene.texts([f"{place}/{part}" for part in parts])
        texts = {part: found.get(f"{place}/{part}", "") for part in parts}
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
            below=tuple(scene.identity(self.kind, one) for one in lower),
            facts=facts,
            settings=await self._ethtool(scene, name),
            hazards=("down",) if facts.get("state") == "down" else (),
        )

    async def _ethtool(self, scene: Scene, name: str) -> dict[str, Scalar]:
        """Offloads, rings and coalescing; not every interface has rings or coalesces."""
        found: dict[str, Scalar] = {}
        for option, parse in (("-k", features), ("-g", rings), ("-c", coalescing)):
            done = await _answer(scene.host, option, name)
            if done.status == 0:
                found |= parse(done.stdout)
            elif option == "-k":
                scene.miss(f"ethtool {option} {name}", done, "ethtool")
        return found


async def interfaces(scene: Scene, known: Collection[str]) -> tuple[StackLayer, ...]:
    """The interfaces of a host that lead to a wire, whatever uses them, but for the known ones.

    Discovery takes those that a mounted file system needs; settings may be asked of all.
    """
    places = await scene.host.glob("/sys/class/net/*/device")
    places += await scene.host.glob("/sys/class/net/*/bonding")
    names = dict.fromkeys(path.split("/")[4] for path in places)
    made = Link()
    return tuple(
        [
            await made.layer(scene, name, await _lower(scene.host, name))
            for name in names
            if name not in known
        ]
    )


async def _lower(host: Host, name: str) -> list[str]:
    """The interfaces that a bond, bridge or VLAN stands on."""
    paths = await host.glob(f"/sys/class/net/{name}/lower_*")
    return [path.rpartition("/lower_")[2] for path in paths]


async def _answer(host: Host, option: str, name: str) -> Completed:
    """In JSON where ethtool knows it for this option, else as text."""
    done = await host.run(["ethtool", "--json", option, name], check=False)
    return done if done.status == 0 else await host.run(["ethtool", option, name], check=False)
