"""Virtual machines whose disk is a layer: QEMU's virtio-blk or virtio-scsi on a block device.

The machine is a further host of the stack, named for the layer, in which other layers can stand.

On a real host QEMU itself is started, with the image that the user names as its system disk. On a
host of the lab, where an emulator in an emulator would be too slow, the guest is a further node of
the lab that the host switches on and off (lab/guests.py), and its disk is the device below,
exported by its host: one more way for the data, and the host's page cache on it.

Source: qemu(1) 7.2 (-drive, -blockdev, -device, -netdev user); QEMU hw/block/virtio-blk.c
(num-queues, iothread), hw/scsi/virtio-scsi.c (num_queues), block/file-posix.c (aio=native needs
cache.direct).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator
from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.layers import EXPORTS
from iosonde.layers.guest.discovery import MARK, asking, guests_of_lab, running_disks
from iosonde.layers.layer import Layer, Scene, made_with
from iosonde.layers.site import Builds, Declared, Hosting, Site, Size
from iosonde.layers.step import Check, Step, file, modules, run
from iosonde.records.stack import StackLayer
from iosonde.units import MIB

_EXPORT = EXPORTS.load(next(iter(EXPORTS)))
EXPORT_ADDRESS = "10.0.2.15"
"""Of each host of the lab on the network by which its guests' disks are reached."""
_FIRST_PORT = 12000
_SERIAL = 20  # VIRTIO_BLK_ID_BYTES (include/uapi/linux/virtio_blk.h)
# $1 the file with the process id, $2 its name; prints the command line.
_ALIVE = (
    'kill -0 "$(cat "$1")" && tr "\\0" " " <"/proc/$(cat "$1")/cmdline" | grep -F -- "guest=$2 "'
)
_END = f"""\
{_ALIVE} >/dev/null || exit 0
pid=$(cat "$1")
kill "$pid"
tries=0
while kill -0 "$pid" && [ $tries -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done 2>/dev/null
"""


class GuestDeclared(Declared):
    """A virtual machine whose disk is the layer below; `host` is where it runs.

    Outside of the lab alone: `image` is its system disk, a path there; `at` what ssh knows of it;
    `ssh_port` of 127.0.0.1 there leads to its ssh; `accel` by what it runs, "auto" by KVM where
    QEMU finds that.
    """

    kind: Literal["guest"] = "guest"
    unsafe: ClassVar[Mapping[str, tuple[str | int | bool, ...]]] = {"cache": ("unsafe",)}
    unread = dict.fromkeys(
        ("image", "accel", "ssh_port", "aio", "memory", "cpus"),
        "QEMU's command line writes it in several ways",
    )
    immaterial: ClassVar[Mapping[str, str]] = {"at": "it is how iosonde reaches the guest"}
    disk: Literal["virtio-blk", "virtio-scsi"] = "virtio-blk"
    cache: Literal["none", "writeback", "writethrough", "directsync", "unsafe"] = "none"
    aio: Literal["threads", "native", "io_uring"] = "threads"
    iothread: bool = True
    queues: int = Field(default=1, ge=1, le=64)
    memory: Size = Field(default=256 * MIB, ge=64 * MIB)
    cpus: int = Field(default=1, ge=1, le=64)
    image: str = Field(default="", pattern=r"^(/.+)?$")
    at: str = ""
    accel: Literal["auto", "kvm", "tcg"] = "auto"
    ssh_port: int = Field(default=2222, ge=1, le=65535)

    @model_validator(mode="after")
    def _native_is_direct(self) -> GuestDeclared:
        if self.aio == "native" and self.cache not in {"none", "directsync"}:
            raise ValueError("`aio: native` needs `cache: none` or `directsync`")
        return self


def host_of(site: Site) -> str:
    """The host on which a guest runs."""
    return site.declared.host or site.only.host


def export_port(site: Site) -> int:
    """Where a host of the lab exports a guest's disk; follows from the guest's name."""
    return _FIRST_PORT + zlib.crc32(site.label.encode()) % 1000


def device_options(declared: GuestDeclared) -> dict[str, str]:
    """Properties of the guest's disk (virtio-blk) or its controller (virtio-scsi)."""
    queues = "num-queues" if declared.disk == "virtio-blk" else "num_queues"
    options = {queues: str(declared.queues)}
    return {**options, "iothread": "io0"} if declared.iothread else options


def _mark(site: Site) -> str:
    """What tells discovery of a guest of the lab: lines "KEY VALUE"."""
    declared = site.declared_as(GuestDeclared)
    lines = {
        "guest": site.name, "device": site.only.device, "bus": declared.disk,
        "cache": declared.cache,
        "iothread": "yes" if declared.iothread else "no", "queues": declared.queues,
        "serial": site.name, "memory": declared.memory, "cpus": declared.cpus,
    }  # fmt: skip
    return "".join(f"{key} {value}\n" for key, value in lines.items())


def _in_lab(site: Site, host: str) -> tuple[Step, ...]:
    """Export the device to the lab, and let the lab start the machine."""
    if host not in site.lab:
        raise site.wrong(
            f"its host {host} is not in the lab, so iosonde must know how the guest is reached",
            hint="add `at:`, what ssh knows of it",
        )
    mark = file(f"{MARK}{site.label}", _mark(site), "write down what the guest is")
    return (
        *_EXPORT.steps(site, host, EXPORT_ADDRESS, export_port(site)),
        replace(mark, host=host),
        Step(
            f"start the guest {site.name}",
            (asking(f"start {site.name}", "running"),),
            Check(asking(f"state {site.name}", "running").argv),
            (asking(f"stop {site.name}", "off"),),
            host=host,
        ),
    )


def qemu_argv(site: Site) -> tuple[str, ...]:
    """The command line of the guest on a real host."""
    declared = site.declared_as(GuestDeclared)
    accel = {"auto": "kvm:tcg"}.get(declared.accel, declared.accel)
    form = "qcow2" if declared.image.endswith(".qcow2") else "raw"
    device = {"drive": "data", **device_options(declared)}
    if declared.disk == "virtio-blk":
        disk = ["-device", _options("virtio-blk-pci", {**device, "serial": site.name})]
    else:
        disk = [
            "-device", _options("virtio-scsi-pci", {"id": "scsi0", **device_options(declared)}),
            "-device", _options(
                "scsi-hd", {"bus": "scsi0.0", "drive": "data", "serial": site.name}
            ),
        ]  # fmt: skip
    return (
        "qemu-system-x86_64", "-name", f"guest={site.label}", "-daemonize",
        "-pidfile", f"{MARK}{site.label}.pid", "-machine", f"q35,accel={accel}", "-cpu", "max",
        "-smp", str(declared.cpus), "-m", f"{declared.memory // MIB}M",
        "-nodefaults", "-display", "none",
        "-drive", f"file={_escaped(declared.image)},if=none,id=system,format={form},snapshot=on",
        "-device", "virtio-blk-pci,drive=system,bootindex=0",
        *(("-object", "iothread,id=io0") if declared.iothread else ()),
        "-drive", _data_drive(site), *disk,
        "-netdev", f"user,id=net0,hostfwd=tcp:127.0.0.1:{declared.ssh_port}-:22",
        "-device", "virtio-net-pci,netdev=net0",
        "-device", "virtio-rng-pci",
    )  # fmt: skip


def _data_drive(site: Site) -> str:
    declared = site.declared_as(GuestDeclared)
    return (
        f"file={_escaped(site.only.device)},if=none,id=data,format=raw,"
        f"cache={declared.cache},aio={declared.aio}"
    )


def _escaped(path: str) -> str:
    """A value among QEMU's options, where a comma stands twice."""
    return path.replace(",", ",,")


def _options(driver: str, options: dict[str, str]) -> str:
    return ",".join([driver, *(f"{key}={value}" for key, value in options.items())])


def _for_real(site: Site, host: str) -> tuple[Step, ...]:
    declared = site.declared_as(GuestDeclared)
    if host in site.lab:
        raise site.wrong(f"its host {host} is in the lab: there is no `at:` of a guest there")
    if not declared.image:
        raise site.wrong(
            "a guest outside of the lab needs `image:`, the path of its system disk on its host"
        )
    pid = f"{MARK}{site.label}.pid"
    return (
        Step(
            f"start the guest {site.name}",
            (run(*qemu_argv(site)),),
            Check(
                ("sh", "-c", _ALIVE, "sh", pid, site.label),
                shows=(f" {_data_drive(site)} ", *device_shows(declared)),
            ),
            (
                run("sh", "-c", _END, "sh", pid, site.label, may_fail=True),
                run("rm", "-f", pid),
            ),
            host=host,
        ),
    )


def device_shows(declared: GuestDeclared) -> tuple[str, ...]:
    """What the command line of a running guest must show of its disk's device."""
    return tuple(f"{key}={value}" for key, value in device_options(declared).items())


class Guest(Layer, Hosting, Builds):
    """See `Layer`, `Builds` and `Hosting` (layers/layer.py, layers/site.py)."""

    kind = "guest"
    settings = made_with(
        "bus", "cache", "aio", "iothread", "queues", "memory", "cpus",
        units={"memory": "B"}, needs="restart",
        why="it is fixed when the guest is started: `iosonde up STACK --set LAYER.KEY=VALUE` "
        "starts it anew after `down`",
    )  # fmt: skip
    can_break = False
    declaration = GuestDeclared
    probe = "device"

    @override
    def runs_at(self, declared: Declared, below: tuple[Site, ...]) -> str:
        return declared.host or (below[0].host if len(below) == 1 else "")

    @override
    def reached(self, declared: Declared) -> str:
        return declared.at if isinstance(declared, GuestDeclared) else ""

    @override
    def size(self, declared: Declared) -> tuple[int, int]:
        if not isinstance(declared, GuestDeclared):
            raise TypeError(f"{declared.kind} is no guest")
        return declared.memory, declared.cpus

    @override
    def lab_disk(self, site: Site, host: str) -> Mapping[str, Any]:
        declared = site.declared_as(GuestDeclared)
        return {
            "source": _EXPORT.source.format(host=host, port=export_port(site), label=site.label),
            "bus": declared.disk,
            "cache": declared.cache, "options": device_options(declared),
        }  # fmt: skip

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        """The steps are of its host; the layer itself stands in the machine."""
        if len(site.name) > _SERIAL:
            raise site.wrong(f"the name of a guest has at most {_SERIAL} letters")
        host, declared = host_of(site), site.declared_as(GuestDeclared)
        if site.only.host != host:
            raise site.wrong(f"it runs on {host}, but {site.only.name} is on {site.only.host}")
        steps = _in_lab(site, host) if site.in_lab else _for_real(site, host)
        return (*steps, modules("virtio_scsi", "sd_mod")) if declared.disk[7:] == "scsi" else steps

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """The path of the disk inside the machine, by its serial number."""
        scsi = site.declared_as(GuestDeclared).disk == "virtio-scsi"
        name = f"scsi-0QEMU_QEMU_HARDDISK_{site.name}" if scsi else f"virtio-{site.name}"
        path = f"/dev/disk/by-id/{name}"
        done = await host.run(["test", "-b", path], check=False)
        return None if done.status else path

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """Disks of running QEMUs, and guests of the lab."""
        return (*await running_disks(scene), *await guests_of_lab(scene))
