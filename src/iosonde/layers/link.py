"""Network interfaces that a file system or block device is reached through.

Only interfaces towards a storage server are layers: those that `ip route` names for it.

Source: Linux Documentation/ABI/testing/sysfs-class-net (mtu, speed in Mbit/s, operstate,
tx_queue_len); ethtool(8) with --json since 5.10, its plain text before.
"""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

from iosonde.hosts.host import Host
from iosonde.layers.layer import LayerSetting, Scene, options_of
from iosonde.records import Gap, Scalar, StackLayer

_OFFLOADS = {
    "tcp-segmentation-offload": "tso",
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
    "rx-checksumming": "rx_checksum",
    "tx-checksumming": "tx_checksum",
}
_RING = re.compile(r"^(RX|TX):\s*(\d+)", re.MULTILINE)
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
    settings: ClassVar[tuple[LayerSetting, ...]] = (
        LayerSetting("mtu", "sysfs", "/sys/class/net/{interface}/mtu", "B"),
        LayerSetting("tx_queue_len", "sysfs", "/sys/class/net/{interface}/tx_queue_len"),
    )

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
            done = await scene.host.run(["ip", "-j", "route", "get", address], check=False)
            found = re.search(rb'"dev":\s*"([^"]+)"', done.stdout)
            if found:
                names[found[1].decode()] = None
        return tuple([await self._layer(scene, name) for name in names])

    async def _layer(self, scene: Scene, name: str) -> StackLayer:
        place = f"/sys/class/net/{name}"
        files = await scene.host.read_many([f"{place}/speed", f"{place}/operstate"])
        facts: dict[str, Scalar] = {"interface": name}
        for path, content in files.items():
            text = content.decode().strip() if isinstance(content, bytes) else ""
            if path.endswith("speed") and text.isdecimal():
                facts["speed"] = int(text) * 1_000_000 // 8
            elif path.endswith("operstate") and text:
                facts["state"] = text
        return StackLayer(
            id=scene.identity(self.kind, name),
            kind=self.kind,
            host=scene.host.name,
            device=name,
            size=None,
            facts=facts,
            settings=await self._ethtool(scene, name),
            hazards=("down",) if facts.get("state") == "down" else (),
        )

    async def _ethtool(self, scene: Scene, name: str) -> dict[str, Scalar]:
        found: dict[str, Scalar] = {}
        for option, parse in (("-k", features), ("-g", rings)):
            answer = await _answer(scene.host, option, name)
            if answer is None:
                scene.gaps.append(
                    Gap(scene.host.name, f"ethtool {option} {name}", "ethtool did not answer",
                        "install ethtool; some interfaces have no such setting")
                )  # fmt: skip
            else:
                found |= parse(answer)
        return found


async def _answer(host: Host, option: str, name: str) -> bytes | None:
    """In JSON where ethtool knows it, else as text."""
    for argv in (["ethtool", "--json", option, name], ["ethtool", option, name]):
        done = await host.run(argv, check=False)
        if done.status == 0:
            return done.stdout
    return None
