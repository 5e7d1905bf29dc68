"""NBD: a block device exported by nbd-server, and the /dev/nbdN of the client.

nbd-server reads and writes through the server's page cache; `sync` in `nbd_server` makes each
write reach the device before it is acknowledged.

Source: nbd-server(1), nbd-server(5), nbd-client(8); Linux drivers/block/nbd.c (6.1).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers._kernel_log.events import Trouble, TroubleText
from iosonde.layers.layer import Layer, NetworkCrossing, Scene, queue_settings
from iosonde.layers.site import Builds, Declared, DiskExport, Duration, Site
from iosonde.layers.step import Check, Step, UndoSubject, file, modules, run
from iosonde.records.stack import Scalar, StackLayer

_PATIENCE = 30.0
_FIRST_PORT = 10809  # IANA's for nbd
_DEVICES = 16  # nbds_max, as the module has it by default


class NbdServerDeclared(Declared):
    """An export of the block device below, by an nbd-server of its own."""

    kind: Literal["nbd_server"] = "nbd_server"
    port: int | None = Field(default=None, ge=1, le=65535)
    sync: bool = False
    flush: bool = True


class NbdDeclared(Declared):
    """The import of the export below. `timeout` is how long a lost server is waited for."""

    unread = dict.fromkeys(("timeout", "connections"), "the kernel shows it in debugfs alone")

    kind: Literal["nbd"] = "nbd"
    timeout: Duration = 30.0
    connections: int = Field(default=1, ge=1, le=16)
    device: int | None = Field(default=None, ge=0, lt=_DEVICES)


def port_of(site: Site) -> int:
    """The server's port: the declared one, else one that follows from its name."""
    declared = site.declared_as(NbdServerDeclared)
    return declared.port or _FIRST_PORT + zlib.crc32(site.label.encode()) % 1000


def _number(site: Site) -> int:
    """N of /dev/nbdN."""
    declared = site.declared_as(NbdDeclared)
    return declared.device if declared.device is not None else zlib.crc32(site.label.encode()) % 16


def server_file(site: Site) -> str:
    """The server's configuration (nbd-server(5)), with one export named for the layer."""
    declared = site.declared_as(NbdServerDeclared)
    literals = {True: "true", False: "false"}
    return _configuration(
        site, site.address(site.host), port_of(site), f"sync = {literals[declared.sync]}",
        f"flush = {literals[declared.flush]}",
    )  # fmt: skip


def _configuration(site: Site, address: str, port: int, *options: str) -> str:
    return (
        f"# made by iosonde for the stack {site.stack}\n[generic]\n"
        f"listenaddr = {address}\nport = {port}\n"
        f"[{site.label}]\nexportname = {site.only.device}\n"
        + "".join(f"{option}\n" for option in (*options, "fua = true"))
    )


def _serving(site: Site, text: str, host: str = "") -> tuple[Step, ...]:
    """Steps that export the device below by an nbd-server of its own.

    Args:
        site: whose label names the export and its files.
        text: of the server's configuration.
        host: where; empty: the host of the layer.
    """
    label, device = site.label, site.only.device
    conf, pid = f"/etc/nbd-server/{label}.conf", f"/run/iosonde-nbd-{label}.pid"
    alive = 'kill -0 "$(cat "$1")" && grep -q nbd-server "/proc/$(cat "$1")/cmdline"'
    return (
        replace(file(conf, text, "write the export's configuration"), host=host),
        Step(
            f"export {device} by nbd-server",
            (run("nbd-server", "-C", conf, "-p", pid),),
            Check(("sh", "-c", alive, "sh", pid)),
            (
                run("sh", "-c", f'{alive} && kill "$(cat "$1")"', "sh", pid, may_fail=True),
                run("rm", "-f", pid),
            ),
            host=host,
        ),
    )


def _for_qemu(site: Site, host: str, address: str, port: int) -> tuple[Step, ...]:
    return _serving(site, _configuration(site, address, port, "flush = true"), host)


EXPORT = DiskExport(_for_qemu, "nbd:{host}:{port}/{label}")


class NbdServer(Layer, Builds):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "nbd_server"
    settings = ()
    can_break = False
    declaration = NbdServerDeclared
    probe = ""

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """Exports of configurations that iosonde wrote and that run."""
        layers = []
        for path in await scene.host.glob("/run/iosonde-nbd-*.pid"):
            label = path.removeprefix("/run/iosonde-nbd-").removesuffix(".pid")
            conf = f"/etc/nbd-server/{label}.conf"
            text = (await scene.texts([conf])).get(conf, "")
            exported = next(
                (line.partition("=")[2].strip(" \t") for line in kerneltext.lines(text)
                 if line.startswith("exportname")), ""
            )  # fmt: skip
            done = await scene.host.run(["readlink", "-f", exported], check=False)
            device = scene.device_at(kerneltext.decoded(done.stdout).removesuffix("\n"))
            facts: dict[str, Scalar] = {"export": label}
            layers.append(scene.exported(self.kind, label, device, facts=facts))
        return tuple(layers)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        return _serving(site, server_file(site))

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """The export's name."""
        del host
        return site.label


class Nbd(Layer, Builds):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "nbd"
    crossing = NetworkCrossing()
    troubles: ClassVar[Mapping[Trouble, TroubleText]] = {
        "device": TroubleText(
            "device-resets", "warning",
            "what went over that connection to the server was not answered, and its requests "
            "waited, or failed where no other connection took them.",
            "see that the server runs and is reached (`nbd-client -c DEVICE`, its own log, the "
            "network between); leave measurements of that time out",
            "the log stays without such lines during a load of an hour",
        ),
    }  # fmt: skip
    settings = queue_settings(
        "scheduler", "nr_requests", "read_ahead_kb", "max_sectors_kb", "write_cache"
    )
    stands_on = "nbd_server"
    named_alike = ("export",)
    numbered_by_the_kernel = True
    declaration = NbdDeclared
    probe = "device"

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """Devices that are connected have a size."""
        layers = []
        for device in scene.devices.values():
            if not device.name.startswith("nbd") or device.size == 0 or device.type != "disk":
                continue
            export = await _export(scene, f"{device.sysfs}/pid")
            layers.append(
                scene.device_layer(self.kind, device, facts={"export": export} if export else {})
            )
        return tuple(layers)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared, server = site.declared_as(NbdDeclared), site.only
        if not isinstance(server.declared, NbdServerDeclared):
            raise site.wrong("an NBD client stands `of` a layer of kind nbd_server")
        number = _number(site)
        device = f"/dev/nbd{number}"
        return (
            modules("nbd"),
            Step(
                f"connect {device} to {server.name} on {server.host}",
                (
                    run(
                        "nbd-client", site.address(server.host), str(port_of(server)), device,
                        "-name", server.label, "-timeout", f"{declared.timeout:.0f}",
                        "-connections", str(declared.connections), "-persist",
                        timeout=_PATIENCE,
                    ),
                ),
                Check(("test", "-e", f"/sys/block/nbd{number}/pid")),
                (run("nbd-client", "-d", device, timeout=_PATIENCE),),
                touches=(UndoSubject("device", device, given="kept", fleeting=True),),
            ),
        )  # fmt: skip

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        path = f"/dev/nbd{_number(site)}"
        done = await host.run(["test", "-e", f"/sys/block{path[4:]}/pid"], check=False)
        return None if done.status else path


async def _export(scene: Scene, pid_file: str) -> str:
    """The name that the client of a device asked for, from its command line."""
    pid = (await scene.texts([pid_file])).get(pid_file, "")
    path = f"/proc/{pid}/cmdline"
    arguments = (await scene.texts([path])).get(path, "").split("\0") if pid.isdecimal() else []
    return arguments[arguments.index("-name") + 1] if "-name" in arguments[:-1] else ""
