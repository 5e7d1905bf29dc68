"""NFS mounts: the client's side. They stand on the link towards their server.

Source: nfs(5); fs/nfs/super.c, nfs_show_mount_options(): what the client and the server agreed on,
which is not always what was asked for.
"""

from __future__ import annotations

import json
from typing import ClassVar

from iosonde.layers.layer import LayerSetting, Mount, Scene, options_of
from iosonde.records import Scalar, StackLayer

_TYPES = {"nfs", "nfs4"}


def mount_facts(source: str, options: dict[str, Scalar]) -> dict[str, Scalar]:
    """Server, export and what the mount is, from its source and options. Sizes in bytes."""
    server, _, export = source.rpartition(":/")
    facts: dict[str, Scalar] = {
        "server": server.strip("[]"),
        "export": "/" + export,
        "version": options.get("vers"),
        "protocol": options.get("proto"),
        "address": options.get("addr"),
        "read_size": _figure(options.get("rsize")),
        "write_size": _figure(options.get("wsize")),
        "connections": _figure(options.get("nconnect")) or 1,
        "hard": None if not {"hard", "soft", "softerr"} & options.keys() else "hard" in options,
        "sync": "sync" in options,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _figure(value: Scalar) -> int | None:
    return int(value) if isinstance(value, str) and value.isdecimal() else None


def mount_hazards(options: dict[str, Scalar]) -> tuple[str, ...]:
    """`soft` gives applications an error where the server is slow to answer (nfs(5))."""
    return ("soft mount",) if options.get("soft") or options.get("softerr") else ()


def route_device(answer: bytes) -> str | None:
    """The interface in the answer of `ip -j route get ADDRESS`."""
    try:
        rows = json.loads(answer or b"[]")
    except ValueError:
        return None
    return next((str(row["dev"]) for row in rows if isinstance(row, dict) and "dev" in row), None)


class Nfs:
    """See `iosonde.layers.layer.Layer`."""

    kind: ClassVar[str] = "nfs"
    settings: ClassVar[tuple[LayerSetting, ...]] = ()

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`."""
        visible = {mount.mount_point: mount for mount in scene.mounts}
        return tuple(
            [
                await self._layer(scene, mount)
                for mount in visible.values()
                if mount.fstype in _TYPES
            ]
        )

    async def _layer(self, scene: Scene, mount: Mount) -> StackLayer:
        options = {**options_of(mount.super_options), **options_of(mount.options)}
        facts = mount_facts(mount.source, options)
        below: tuple[str, ...] = ()
        if address := facts.get("address"):
            done = await scene.ask("ip", "-j", "route", "get", str(address))
            if link := route_device(done.stdout):
                below = (scene.identity("link", link),)
            else:
                scene.miss(f"link towards {address}", done, "iproute2")
        return StackLayer(
            id=scene.identity(self.kind, mount.mount_point),
            kind=self.kind,
            host=scene.host.name,
            device=mount.source,
            size=None,
            below=below,
            mount=mount.mount_point,
            facts=facts,
            settings=options,
            hazards=mount_hazards(options),
        )
