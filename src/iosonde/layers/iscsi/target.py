"""The exporting side: a block device as LUN 0 of a target of its own."""

from __future__ import annotations

import zlib
from typing import Literal

from pydantic import Field
from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers.layer import Layer, Scene
from iosonde.layers.site import Builds, Compared, Compares, Declared, Site
from iosonde.layers.step import Check, Command, Step, modules, put, run, soft_roce
from iosonde.records.stack import Scalar, StackLayer

ROOT = "/sys/kernel/config/target"
_ISER_AFTER = 1  # the portal for iSER has the next port
_OPEN = (
    ("authentication", "0"), ("generate_node_acls", "1"), ("cache_dynamic_acls", "1"),
    ("demo_mode_write_protect", "0"),
)  # fmt: skip


class IscsiTargetDeclared(Declared):
    """An export of the block device below, to whoever reaches its portal.

    With `iser` there is a second portal, for RDMA, at the next port; `rxe` names the network
    interface that gets a Soft-RoCE device for it.
    """

    kind: Literal["iscsi_target"] = "iscsi_target"
    port: int = Field(default=3260, ge=1, le=65534)
    iser: bool = False
    rxe: str = Field(default="", pattern=r"^[\w.-]*$")


def iqn(site: Site) -> str:
    """The target's qualified name (RFC 3722: no underscores)."""
    return f"iqn.2003-01.org.linux-iscsi.iosonde:{site.label.replace('_', '-')}"


def _backstore(site: Site) -> tuple[str, Step]:
    """The directory of the device in LIO's core, and the step that makes it."""
    hba = f"{ROOT}/core/iblock_{zlib.crc32(site.label.encode()) % 100_000}"
    place = f"{hba}/{site.label}"
    device = site.only.device
    return place, Step(
        f"take {device} as a backstore",
        (
            run("mkdir", "-p", place),
            put(f"{place}/control", f"udev_path={device}"),
            put(f"{place}/udev_path", device),  # only told, but read by others: rtslib, our guard
            put(f"{place}/wwn/vpd_unit_serial", site.uuid()),
            put(f"{place}/enable", "1"),
        ),
        Check(("grep", "-x", "1", f"{place}/enable")),
        (run("rmdir", place), run("rmdir", hba, may_fail=True)),
    )


class IscsiTarget(Layer, Builds, Compares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "iscsi_target"
    settings = ()
    declaration = IscsiTargetDeclared
    probe = ""

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """A layer for each LUN."""
        layers = []
        for link in await scene.host.glob(f"{ROOT}/iscsi/iqn.*/tpgt_*/lun/lun_*/*/udev_path"):
            parts = link.split("/")
            target, group, lun = parts[6], parts[7], parts[9]
            portals = await scene.host.glob(f"{ROOT}/iscsi/{target}/{group}/np/*")
            state = f"{ROOT}/iscsi/{target}/{group}/enable"
            texts = await scene.texts([link, state])
            device = scene.device_at(texts.get(link, ""))
            if device is None and texts.get(link):
                real = await scene.host.run(["readlink", "-f", texts[link]], check=False)
                device = scene.device_at(kerneltext.decoded(real.stdout).removesuffix("\n"))
            facts: dict[str, Scalar] = {
                "iqn": target,
                "lun": int(lun.removeprefix("lun_")),
                "portals": " ".join(path.rsplit("/", 1)[1] for path in portals),
            }
            layers.append(
                scene.exported(
                    self.kind,
                    f"{target}/{lun}",
                    device,
                    facts=facts,
                    hazards=() if texts.get(state) == "1" else ("not enabled",),
                )
            )
        return tuple(layers)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(IscsiTargetDeclared)
        target = f"{ROOT}/iscsi/{iqn(site)}"
        group = f"{target}/tpgt_1"
        backstore, taken = _backstore(site)
        address = site.address(site.host)
        portals = [f"{group}/np/{address}:{declared.port}"]
        iser: tuple[Command, ...] = ()
        if declared.iser:
            portals.append(f"{group}/np/{address}:{declared.port + _ISER_AFTER}")
            iser = (run("mkdir", portals[1]), put(f"{portals[1]}/iser", "1"))
        return (
            modules("target_core_mod", "target_core_iblock", "iscsi_target_mod"),
            *((modules("ib_isert"),) if declared.iser else ()),
            *(soft_roce(declared.rxe) if declared.rxe else ()),
            taken,
            Step(
                f"export it as {iqn(site)}",
                (
                    run("mkdir", "-p", group),
                    *(put(f"{group}/attrib/{name}", value) for name, value in _OPEN),
                    run("mkdir", "-p", f"{group}/lun/lun_0"),
                    run("ln", "-s", backstore, f"{group}/lun/lun_0/device"),
                    run("mkdir", portals[0]),
                    *iser,
                    put(f"{group}/enable", "1"),
                ),
                Check(("grep", "-x", "1", f"{group}/enable")),
                (
                    put(f"{group}/enable", "0", may_fail=True),
                    *(run("rmdir", portal, may_fail=True) for portal in portals),
                    run("rm", f"{group}/lun/lun_0/device", may_fail=True),
                    run("rmdir", f"{group}/lun/lun_0", may_fail=True),
                    run("rmdir", group, may_fail=True),
                    run("rmdir", target),
                ),
            ),
        )

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        declared = site.declared_as(IscsiTargetDeclared)
        portals = kerneltext.fields(str(layer.facts.get("portals", "")))
        ports = [int(portal.rpartition(":")[2]) for portal in portals]
        if not ports:
            return (Compared("port", declared.port, None), Compared("iser", declared.iser, None))
        return (
            Compared("port", declared.port, min(ports)),
            Compared("iser", declared.iser, min(ports) + _ISER_AFTER in ports),
        )

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """The qualified name."""
        done = await host.run(["test", "-d", f"{ROOT}/iscsi/{iqn(site)}"], check=False)
        return None if done.status else iqn(site)
