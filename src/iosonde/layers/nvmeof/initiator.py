"""The importing side: a controller connected to a subsystem, whose namespace is a block device."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.layers.layer import (
    BlockDevice,
    Layer,
    LayerSetting,
    NetworkCrossing,
    Scene,
    TargetLoss,
    made_with,
    queue_settings,
)
from iosonde.layers.nvmeof.target import NvmeofTargetDeclared, nqn
from iosonde.layers.site import Builds, Declared, Duration, Site
from iosonde.layers.step import Check, Step, modules, run, soft_roce
from iosonde.records.stack import Scalar, StackLayer

_CONNECTED = 'grep -lxF "$1" /sys/class/nvme-subsystem/*/subsysnqn'
_CONNECT = 30.0  # seconds that `nvme connect` and `disconnect` may take


class NvmeofInitiatorDeclared(Declared):
    """A connection to the target below.

    `ctrl_loss_tmo` is how long a lost target is waited for before I/O fails, `reconnect_delay` the
    pause between two attempts; `keep_alive` after which silence it counts as lost.
    """

    unread: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("queues", "queue_size"), "the target may grant fewer"),
        **dict.fromkeys(
            ("ctrl_loss_tmo", "reconnect_delay", "fast_io_fail_tmo"),
            "`iosonde tune` sets it while the connection stands",
        ),
        **dict.fromkeys(("keep_alive", "header_digest", "data_digest"), "not all kernels show it"),
    }

    kind: Literal["nvmeof"] = "nvmeof"
    queues: int | None = Field(default=None, ge=1)
    queue_size: int | None = Field(default=None, ge=16, le=1024)
    ctrl_loss_tmo: Duration = 30.0
    reconnect_delay: Duration = 2.0
    fast_io_fail_tmo: Duration | None = None
    keep_alive: Duration = 5.0
    header_digest: bool = False
    data_digest: bool = False
    rxe: str = Field(default="", pattern=r"^[\w.-]*$")


def connect(site: Site) -> list[str]:
    """The argument list of nvme-connect(1)."""
    declared = site.declared_as(NvmeofInitiatorDeclared)
    target = site.only
    if not isinstance(target.declared, NvmeofTargetDeclared):
        raise site.wrong("an NVMe-oF initiator stands `of` a layer of kind nvmeof_target")
    exported = target.declared
    argv = [
        "nvme", "connect", f"--transport={exported.transport}",
        f"--traddr={site.address(target.host)}", f"--trsvcid={exported.port}",
        f"--nqn={nqn(target)}", f"--ctrl-loss-tmo={declared.ctrl_loss_tmo:.0f}",
        f"--reconnect-delay={max(declared.reconnect_delay, 1):.0f}",
        f"--keep-alive-tmo={max(declared.keep_alive, 1):.0f}",
    ]  # fmt: skip
    if declared.queues:
        argv.append(f"--nr-io-queues={declared.queues}")
    if declared.queue_size:
        argv.append(f"--queue-size={declared.queue_size}")
    if declared.fast_io_fail_tmo is not None:
        argv.append(f"--fast_io_fail_tmo={declared.fast_io_fail_tmo:.0f}")
    argv += ["--hdr-digest"] * declared.header_digest + ["--data-digest"] * declared.data_digest
    return argv


_CONTROLLER = "/sys/class/nvme/{controller}/"


class NvmeofInitiator(Layer, Builds):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "nvmeof"
    crossing = NetworkCrossing()
    settings = (
        *queue_settings(
            "scheduler", "nr_requests", "rq_affinity", "read_ahead_kb", "nomerges",
            "max_sectors_kb", "write_cache", "wbt_lat_usec", "io_poll",
        ),
        LayerSetting(
            "iopolicy", "sysfs", "/sys/class/nvme-subsystem/{subsystem}/iopolicy",
            choices=("numa", "round-robin", "queue-depth"), risk="stall", apart=True,
        ),
        LayerSetting("ctrl_loss_tmo", "sysfs", _CONTROLLER + "ctrl_loss_tmo", "s", apart=True),
        LayerSetting(
            "reconnect_delay", "sysfs", _CONTROLLER + "reconnect_delay", "s", low=1, apart=True
        ),
        LayerSetting(
            "fast_io_fail_tmo", "sysfs", _CONTROLLER + "fast_io_fail_tmo", "s", apart=True
        ),
        *made_with(
            "transport", "queues", "queue_size", needs="reconnect",
            why="it is fixed when the controller is connected: `iosonde up STACK --set "
            "LAYER.KEY=VALUE` connects it so after `down`",
        ),
    )  # fmt: skip
    fixed_settings = (
        "reconnect",
        "it was fixed when the controller was connected",
    )
    stands_on = "nvmeof_target"
    named_alike = ("nqn",)
    renamed_by_login = True
    # drivers/nvme/host/core.c, nvme_sysfs_show_state(): "live", "connecting", "resetting",
    # "deleting", "dead"; nvme-connect(1)
    target_loss = TargetLoss(
        lambda state: state == "live",
        "I/O waits until fast_io_fail_tmo or ctrl_loss_tmo have passed, and fails then",
        "`nvme list-subsys` shows when the path is live again; the kernel tries by itself "
        "every reconnect_delay seconds",
    )
    declaration = NvmeofInitiatorDeclared
    probe = "device"

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """Namespaces of controllers that are reached over a network."""
        layers = []
        for controller in await scene.host.glob("/sys/class/nvme/nvme*/transport"):
            place = controller.rsplit("/", 1)[0]
            names = ("transport", "address", "subsysnqn", "state", "queue_count", "sqsize")
            more = ("ctrl_loss_tmo", "reconnect_delay", "fast_io_fail_tmo", "kato")
            texts = await scene.texts([f"{place}/{name}" for name in (*names, *more)])
            answers = {path.rsplit("/", 1)[1]: text for path, text in texts.items()}
            if answers.get("transport") not in {"tcp", "rdma", "fc"}:
                continue
            layers += [
                scene.device_layer(
                    self.kind,
                    device,
                    facts={
                        **controller_facts(answers),
                        "controller": place.rpartition("/")[2],
                        **await _subsystem(scene, place),
                    },
                    settings={name: answers[name] for name in more if name in answers},
                    hazards=() if answers.get("state") == "live" else (str(answers.get("state")),),
                )
                for device in await _namespaces(scene, place)
            ]
        return tuple(layers)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(NvmeofInitiatorDeclared)
        argv = connect(site)
        name = nqn(site.only)
        transport = argv[2].partition("=")[2]
        return (
            modules(f"nvme-{transport}"),
            *(soft_roce(declared.rxe) if declared.rxe else ()),
            Step(
                f"connect to {site.only.name} on {site.only.host}",
                (run(*argv, timeout=_CONNECT),),
                Check(("sh", "-c", _CONNECTED, "sh", name)),
                (run("nvme", "disconnect", f"--nqn={name}", timeout=_CONNECT),),
            ),
        )

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """Udev's name by the namespace's UUID."""
        path = f"/dev/disk/by-id/nvme-uuid.{site.only.uuid()}"
        done = await host.run(["test", "-b", path], check=False)
        return None if done.status else path


def controller_facts(answers: dict[str, str]) -> dict[str, Scalar]:
    """What a controller is, from its files in /sys/class/nvme/NAME."""
    address = dict(part.partition("=")[::2] for part in answers.get("address", "").split(","))
    facts: dict[str, Scalar] = {
        "nqn": answers.get("subsysnqn"),
        "transport": answers.get("transport"),
        "address": address.get("traddr"),
        "port": address.get("trsvcid"),
        "queues": _figure(answers.get("queue_count")),
        "queue_size": _figure(answers.get("sqsize")),
        "state": answers.get("state"),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _figure(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


async def _subsystem(scene: Scene, controller: str) -> dict[str, Scalar]:
    """The kernel's name of the subsystem that a controller belongs to."""
    name = controller.rpartition("/")[2]
    subsystems = await scene.host.glob(f"/sys/class/nvme-subsystem/*/{name}")
    return {"subsystem": subsystems[0].split("/")[4]} if subsystems else {}


async def _namespaces(scene: Scene, controller: str) -> list[BlockDevice]:
    """Block devices of a controller; with multipath they hang below its subsystem."""
    name = controller.rsplit("/", 1)[1]
    heads = await scene.host.glob(f"{controller}/nvme*n*")
    subsystems = await scene.host.glob(f"/sys/class/nvme-subsystem/*/{name}/nvme*n*")
    parts = [re.sub(r"c\d+n", "n", path.rsplit("/", 1)[1]) for path in (*heads, *subsystems)]
    return [scene.devices[name] for name in dict.fromkeys(parts) if name in scene.devices]
