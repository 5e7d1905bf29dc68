"""The exporting side: a subsystem with one namespace, reached through a port.

Subsystems of one address and transport share a port, as they would on a storage server.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers._kernel_log.events import Trouble, TroubleText
from iosonde.layers.layer import Layer, Scene, made_with
from iosonde.layers.site import Builds, Declared, Site, Size
from iosonde.layers.step import Check, Step, exists, modules, put, run, soft_roce
from iosonde.records.stack import Scalar, StackLayer

ROOT = "/sys/kernel/config/nvmet"
_TRANSPORT_MODULES = {"tcp": ("nvmet", "nvmet-tcp"), "rdma": ("nvmet", "nvmet-rdma")}


class NvmeofTargetDeclared(Declared):
    """An export of the block device below.

    `rxe` names the network interface that gets a Soft-RoCE device for `transport: rdma`.
    `inline_data_size` is how many bytes of a write travel inside its command (in-capsule data).
    """

    kind: Literal["nvmeof_target"] = "nvmeof_target"
    transport: Literal["tcp", "rdma"] = "tcp"
    port: int = Field(default=4420, ge=1, le=65535)
    rxe: str = Field(default="", pattern=r"^[\w.-]*$")
    inline_data_size: Size | None = None


def nqn(site: Site) -> str:
    """The subsystem's NVMe qualified name."""
    return f"nqn.2014-08.org.nvmexpress:uuid:{site.uuid()}:{site.label}"


def _port_number(address: str, declared: NvmeofTargetDeclared) -> int:
    """Number of the port in configfs: the same for the same address and transport."""
    key = f"{address} {declared.transport} {declared.port} {declared.inline_data_size}"
    return zlib.crc32(key.encode()) % 65535 + 1


def _port(site: Site) -> Step:
    declared = site.declared_as(NvmeofTargetDeclared)
    address = site.address(site.host)
    port = f"{ROOT}/ports/{_port_number(address, declared)}"
    size = declared.inline_data_size
    return Step(
        f"open the port {address}:{declared.port} ({declared.transport})",
        (
            run("mkdir", port),
            put(f"{port}/addr_trtype", declared.transport),
            put(f"{port}/addr_adrfam", "ipv6" if ":" in address else "ipv4"),
            put(f"{port}/addr_traddr", address),
            put(f"{port}/addr_trsvcid", str(declared.port)),
            *((put(f"{port}/param_inline_data_size", str(size)),) if size is not None else ()),
        ),
        exists(port),
        (run("rmdir", port),),
        shared=True,
    )


class NvmeofTarget(Layer, Builds):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "nvmeof_target"
    settings = made_with(
        "inline_data_size",
        "transport",
        units={"inline_data_size": "B"},
        needs="restart",
        why="it is fixed while the port is open: `iosonde up STACK --set LAYER.KEY=VALUE` "
        "opens it so after `down`",
    )
    declaration = NvmeofTargetDeclared
    probe = ""
    troubles: ClassVar[Mapping[Trouble, TroubleText]] = {
        "device": TroubleText(
            "device-resets", "warning",
            "the target ended the connection of a host each time, and that host's requests waited "
            "until it had connected anew.",
            "look at the host's own log of that time, the network between (`ip -s link`, "
            "`ethtool -S`) and what the target was busy with; leave measurements of that time out",
            "the log stays without such lines during a load of an hour",
        ),
    }  # fmt: skip

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """A layer for each enabled namespace."""
        paths = await scene.host.glob(f"{ROOT}/subsystems/*/namespaces/*/device_path")
        ports = await _ports(scene)
        layers = []
        for path in paths:
            parts = path.split("/")
            subsystem, number = parts[6], parts[8]
            texts = await scene.texts([path, path.replace("device_path", "enable")])
            device = scene.device_at(texts.get(path, "")) or scene.device_at(
                await _resolved(scene, texts.get(path, ""))
            )
            facts: dict[str, Scalar] = {"nqn": subsystem, "namespace": int(number)}
            facts |= ports.get(subsystem, {})
            enabled = texts.get(path.replace("device_path", "enable")) == "1"
            layers.append(
                scene.exported(
                    self.kind,
                    f"{subsystem}/{number}",
                    device,
                    facts=facts,
                    hazards=() if enabled else ("not enabled",),
                )
            )
        return tuple(layers)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(NvmeofTargetDeclared)
        name = nqn(site)
        subsystem = f"{ROOT}/subsystems/{name}"
        space = f"{subsystem}/namespaces/1"
        port = _port_number(site.address(site.host), declared)
        link = f"{ROOT}/ports/{port}/subsystems/{name}"
        return (
            modules(*_TRANSPORT_MODULES[declared.transport]),
            *(soft_roce(declared.rxe) if declared.rxe else ()),
            _port(site),
            Step(
                "make the subsystem",
                (
                    run("mkdir", subsystem),
                    put(f"{subsystem}/attr_allow_any_host", "1"),
                    put(f"{subsystem}/attr_serial", site.uuid().replace("-", "")[:20]),
                ),
                exists(subsystem),
                (run("rmdir", subsystem),),
            ),
            Step(
                f"export {site.only.device}",
                (
                    run("mkdir", "-p", space),
                    put(f"{space}/device_path", site.only.device),
                    put(f"{space}/device_uuid", site.uuid()),
                    put(f"{space}/enable", "1"),
                ),
                Check(("grep", "-x", "1", f"{space}/enable")),
                (put(f"{space}/enable", "0", may_fail=True), run("rmdir", space)),
            ),
            Step(
                "let it be reached through the port",
                (run("ln", "-s", subsystem, link),),
                exists(link),
                (run("rm", link),),
            ),
        )

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """The qualified name."""
        done = await host.run(["test", "-e", f"{ROOT}/subsystems/{nqn(site)}"], check=False)
        return None if done.status else nqn(site)


async def _resolved(scene: Scene, path: str) -> str:
    done = await scene.host.run(["readlink", "-f", path], check=False) if path else None
    return kerneltext.decoded(done.stdout).strip() if done else ""


async def _ports(scene: Scene) -> dict[str, dict[str, Scalar]]:
    """Qualified name → transport, address and port through which it is reached."""
    ports: dict[str, dict[str, Scalar]] = {}
    for link in await scene.host.glob(f"{ROOT}/ports/*/subsystems/*"):
        port, name = link.rsplit("/subsystems/", 1)
        fields = {
            "transport": "addr_trtype", "address": "addr_traddr", "port": "addr_trsvcid",
            "inline_data_size": "param_inline_data_size",
        }  # fmt: skip
        texts = await scene.texts([f"{port}/{field}" for field in fields.values()])
        ports[name] = {fact: texts.get(f"{port}/{field}") for fact, field in fields.items()}
    return ports
