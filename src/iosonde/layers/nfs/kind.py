"""NFS: an exported directory on the server, and the mount of it on a client.

A mount stands on the link towards its server. A server that runs already is used as it is; one that
iosonde starts (rpcbind, rpc.mountd, nfsd's threads) it also stops.

Source: nfs(5), exports(5), exportfs(8), rpc.nfsd(8), rpc.mountd(8), nfsd(7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.layers import FSTYPES
from iosonde.layers._mounts.building import Mounted, mount_only, mounted_at
from iosonde.layers._mounts.options import options_of
from iosonde.layers._routes import route_device
from iosonde.layers.layer import Everything, Layer, LayerSetting, Mount, NetworkCrossing, Scene
from iosonde.layers.nfs.facts import ETAB, figure, mount_facts, parse_exports
from iosonde.layers.site import Builds, Compared, Compares, Declared, Duration, Site, Size
from iosonde.layers.step import Check, Command, Step, file, modules, run
from iosonde.records.stack import Scalar, StackLayer
from iosonde.units import MIB


def mount_hazards(options: dict[str, Scalar]) -> tuple[str, ...]:
    """`soft` gives applications an error where the server is slow to answer (nfs(5))."""
    return ("soft mount",) if options.get("soft") or options.get("softerr") else ()


_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class NfsServerDeclared(Declared):
    """An export of the file system below to the hosts of the stack.

    `options` are further ones of exports(5). `threads` is set where iosonde starts nfsd, or where
    it is declared; the old number comes back with `down`.
    """

    kind: Literal["nfs_server"] = "nfs_server"
    unsafe: ClassVar[Mapping[str, tuple[str | int | bool, ...]]] = {"sync": (False,)}
    sync: bool = True
    wdelay: bool = True
    threads: int | None = Field(default=None, ge=1, le=4096)
    options: tuple[str, ...] = ()


class NfsDeclared(Mounted):
    """A mount of the server below, on another host or (loopback) on its own.

    `hard` mounts wait for a lost server, others fail after `retrans` attempts of `timeo` seconds.
    """

    kind: Literal["nfs"] = "nfs"
    version: Literal["3", "4.0", "4.1", "4.2"] = "4.2"
    rsize: Size | None = None
    wsize: Size | None = None
    sync: bool = False
    hard: bool = True
    timeo: Duration = 60.0
    retrans: int = Field(default=2, ge=0)
    nconnect: int | None = Field(default=None, ge=1, le=16)


_PATIENCE = 60.0
_RUNNING = '[ "$(cat /proc/fs/nfsd/threads 2>/dev/null || echo 0)" -gt 0 ]'
_BINDING = "rpcbind -w"
_MOUNTD = (
    "mountpoint -q /proc/fs/nfsd || mount -t nfsd nfsd /proc/fs/nfsd; "
    "mkdir -p /run/rpc_pipefs; "
    "mountpoint -q /run/rpc_pipefs || mount -t rpc_pipefs sunrpc /run/rpc_pipefs; "
    "pidof rpc.mountd >/dev/null || rpc.mountd"
)
_AWAY = 'timeout 10 umount "$1" || umount -f "$1" || umount -l "$1"'
_STOP = 'for pid in $(pidof "$1"); do kill "$pid"; done'


def export_line(site: Site) -> str:
    """The line of exports(5), for every other host of the stack and the server itself.

    NFS 4 shows the exported directory as its root (fsid=0), so that nothing above it needs to be
    exportable.
    """
    declared = site.declared_as(NfsServerDeclared)
    options = [
        "rw", "sync" if declared.sync else "async", "wdelay" if declared.wdelay else "no_wdelay",
        "no_root_squash", "no_subtree_check", "fsid=0", *declared.options,
    ]  # fmt: skip
    clients = [address for host, address in site.addresses.items() if host != site.host]
    own = [site.addresses[site.host]] if site.host in site.addresses else []
    named = " ".join(f"{address}({','.join(options)})" for address in (*clients, *own, "127.0.0.1"))
    return f"{site.only.device} {named}\n"


class NfsServer(Layer, Builds, Compares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "nfs_server"
    settings = (
        LayerSetting("threads", "nfsd", "threads", low=1, high=4096, risk="stall", apart=True),
        LayerSetting(
            "max_block_size", "nfsd", "max_block_size", "B", low=8192, high=4 * MIB,
            needs="restart", risk="stall", apart=True,
        ),
        LayerSetting(
            "sync", "exports", "sync {export}", choices=("sync", "async"), unsafe=("async",),
            apart=True,
        ),
        LayerSetting(
            "wdelay", "exports", "wdelay {export}", choices=("wdelay", "no_wdelay"), apart=True
        ),
    )  # fmt: skip
    fixed_settings = (
        "restart",
        "it is an option of exports(5): change the export, then `exportfs -r`",
    )
    stands_on = "mount"
    reached_by_address = True
    declaration = NfsServerDeclared
    probe = ""

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """A layer for each exported directory."""
        places = (ETAB, "/proc/fs/nfsd/threads")
        texts = await scene.texts(places)
        threads = texts.get("/proc/fs/nfsd/threads", "")
        layers = []
        for path, clients in parse_exports(texts.get(ETAB, "")).items():
            options = clients[0].options if clients else {}
            facts: dict[str, Scalar] = {"export": path}
            if threads.isdecimal():
                facts["threads"] = int(threads)
            layers.append(
                StackLayer(
                    id=scene.identity(self.kind, path),
                    kind=self.kind,
                    host=scene.host.name,
                    device=path,
                    size=None,
                    below=(scene.on_mount(path),),
                    facts=facts,
                    settings=options,
                    hazards=("async export",) if options.get("async") else (),
                )
            )
        return tuple(layers)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(NfsServerDeclared)
        if not isinstance(site.only.declared, Mounted):
            raise site.wrong("an NFS server stands `of` a file system")
        line = file(
            f"/etc/exports.d/{site.label}.exports",
            f"# made by iosonde for the stack {site.stack}\n{export_line(site)}",
            "write the export",
        )
        return (
            modules("nfsd"),
            _daemon("rpcbind", _BINDING),
            _daemon("rpc.mountd", _MOUNTD),
            line,
            Step(
                f"export {site.only.device}",
                (run("exportfs", "-r"),),
                Check(
                    (
                        "sh",
                        "-c",
                        f'grep -q "^$1[[:space:]]" {ETAB}',
                        "sh",
                        site.only.device,
                    )
                ),
                tuple(
                    run("exportfs", "-u", f"{client}:{site.only.device}", may_fail=True)
                    for client in _clients(site)
                ),
            ),
            _threads(declared),
        )

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        """Where nfsd ran before, nobody has asked it for its threads."""
        declared = site.declared_as(NfsServerDeclared)
        return (Compared("threads", declared.threads, layer.facts.get("threads")),)

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """The exported directory."""
        return await mounted_at(host, site.only.device)


def _clients(site: Site) -> list[str]:
    return [*site.addresses.values(), "127.0.0.1"]


def _daemon(name: str, start: str) -> Step:
    """Starts a daemon that does not run; one that runs is not ours to stop."""
    return Step(
        f"start {name}",
        (run("sh", "-ec", start),),
        Check(("pidof", name)),
        (run("sh", "-c", _STOP, "sh", name),),
        shared=True,
    )


def _threads(declared: NfsServerDeclared) -> Step:
    """Starts nfsd's threads where it does not run."""
    count = str(declared.threads or 8)
    return Step(
        f"start {count} threads of nfsd",
        (run("rpc.nfsd", "--grace-time", "10", "--lease-time", "10", count, timeout=_PATIENCE),),
        Check(("sh", "-c", _RUNNING)),
        (run("rpc.nfsd", "0", timeout=_PATIENCE),),
        shared=True,
    )


def client_options(site: Site) -> list[str]:
    """Options of mount (nfs(5)); `timeo` counts tenths of a second there."""
    declared = site.declared_as(NfsDeclared)
    options = [
        f"vers={declared.version}", "hard" if declared.hard else "soft",
        f"timeo={round(declared.timeo * 10)}", f"retrans={declared.retrans}",
    ]  # fmt: skip
    if declared.rsize:
        options.append(f"rsize={declared.rsize}")
    if declared.wsize:
        options.append(f"wsize={declared.wsize}")
    if declared.nconnect:
        options.append(f"nconnect={declared.nconnect}")
    if declared.version == "3":
        options.append("nolock")
    return [*options, *(("sync",) if declared.sync else ()), *declared.options]


class Nfs(Layer, Builds, Compares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "nfs"
    crossing = NetworkCrossing()
    settings = (
        LayerSetting(
            "read_ahead_kb", "sysfs", "/sys/class/bdi/{bdi}/read_ahead_kb", "KiB", low=0, apart=True
        ),
    )
    fixed_settings = (
        "reconnect",
        "the client and the server agreed on it when it was mounted",
    )
    stands_on = "nfs_server"
    declaration = NfsDeclared
    probe = "mount"

    def imports(self, layer: StackLayer, everything: Everything) -> tuple[str, ...]:
        """The export that a mount shows; NFS 4 may show the only one as its root."""
        address = str(layer.facts.get("address") or layer.facts.get("server"))
        hosts = {name for name, some in everything.addresses.items() if address in some}
        if address in _LOOPBACK:
            hosts = {layer.host}
        served = [
            export
            for export in everything.layers
            if export.kind == self.stands_on and export.host in hosts
        ]
        exact = [
            export for export in served if export.facts.get("export") == layer.facts.get("export")
        ]
        return tuple(export.id for export in exact or (served if len(served) == 1 else []))

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        """A mount whose server is lost is taken away by force."""
        declared = site.declared_as(NfsDeclared)
        server = site.only
        if not isinstance(server.declared, NfsServerDeclared):
            raise site.wrong("an NFS mount stands `of` a layer of kind nfs_server")
        address = "127.0.0.1" if server.host == site.host else site.address(server.host)
        path = server.only.device if declared.version == "3" else "/"
        made, mounted = mount_only(
            declared.mount, f"{address}:{path}", "nfs", client_options(site), timeout=_PATIENCE
        )
        away = Command(("sh", "-c", _AWAY, "sh", declared.mount), timeout=_PATIENCE)
        return modules("nfs"), made, replace(mounted, undo=(away,))

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        """Mounts of one server share its connections (nfs(5))."""
        declared, facts = site.declared_as(NfsDeclared), layer.facts
        tenths, tries = (figure(layer.settings.get(name)) for name in ("timeo", "retrans"))
        return (
            Compared("version", declared.version, facts.get("version")),
            Compared("rsize", declared.rsize, facts.get("read_size"), "B", granted=True),
            Compared("wsize", declared.wsize, facts.get("write_size"), "B", granted=True),
            Compared("sync", declared.sync, facts.get("sync")),
            Compared("hard", declared.hard, facts.get("hard")),
            Compared(
                "timeo", round(declared.timeo, 1), None if tenths is None else tenths / 10, "s"
            ),
            Compared("retrans", declared.retrans, tries),
            Compared("nconnect", declared.nconnect, facts.get("connections"), granted=True),
        )

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        return await mounted_at(host, site.declared_as(NfsDeclared).mount)

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        visible = {mount.mount_point: mount for mount in scene.mounts}
        return tuple(
            [
                await self._layer(scene, mount)
                for mount in visible.values()
                if FSTYPES.get(mount.fstype) == self.kind
            ]
        )

    async def _layer(self, scene: Scene, mount: Mount) -> StackLayer:
        options = {**options_of(mount.super_options), **options_of(mount.options)}
        facts = mount_facts(mount.source, options)
        below: tuple[str, ...] = ()
        if address := facts.get("address"):
            done = await scene.ask("ip", "-j", "route", "get", str(address))
            if link := route_device(done.stdout):
                below = (scene.on_named(link),)
            else:
                await scene.miss(f"link towards {address}", done, "iproute2")
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
