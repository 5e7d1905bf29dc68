"""The command lines of a node and of the switch, as pure functions.

Source: qemu(1) 7.2 (-blockdev, -object throttle-group, -netdev stream, hubport, user);
QEMU docs/interop/live-block-operations.rst; hw/net/virtio-net.c (host_mtu).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iosonde.lab.image import Image
from iosonde.lab.spec import DiskLimits, DiskSpec, NodeSpec
from iosonde.units import MIB

BUSES = {"virtio-blk": "virtio-blk-pci", "virtio-scsi": "scsi-hd", "nvme": "nvme"}
"""What a disk is attached by, and the QEMU device that does it."""
_TRANSLATED = {"tcg": "tcg,thread=multi,tb-size=64", "kvm": "kvm"}


@dataclass(frozen=True, slots=True)
class NodeLocation:
    """Where a node keeps its files, and what it is reached by."""

    directory: Path
    number: int
    port: int
    """On 127.0.0.1, leads to the node's ssh."""
    socket: Path
    """Of the switch's port."""
    forwards: tuple[tuple[int, int], ...] = ()
    """Further ports on 127.0.0.1, and the ports of the node that they lead to."""
    listener: str = ""
    """The option of its user network by which it can switch its guests (guests.py)."""

    @property
    def console(self) -> Path:
        """What it prints on its serial line."""
        return self.directory / "console"

    @property
    def qmp(self) -> Path:
        """The socket by which QEMU is told things."""
        return self.directory / "qmp"


def throttle(limits: DiskLimits) -> str:
    """Properties of a throttle group."""
    parts = []
    if limits.iops:
        parts.append(f",x-iops-total={max(round(limits.iops), 1)}")
    if limits.bandwidth:
        parts.append(f",x-bps-total={max(round(limits.bandwidth), 1)}")
    return "".join(parts)


def disk_arguments(disk: DiskSpec, file: Path) -> list[str]:
    """A disk: file, raw format, throttle, device. All have node names, so that faults find them.

    Source: QEMU 7.2, hw/block/virtio-blk.c, `virtio_blk_submit_multireq()`: neighbours that come
    together are made one. A disk that is held to so many I/Os a second must count each of them.
    block/io.c, `bdrv_co_pdiscard()`: a node without discard=unmap drops discards silently.
    """
    name = disk.name
    direct = "on" if disk.cache in {"none", "directsync"} else "off"
    flush = "on" if disk.cache == "unsafe" else "off"
    cache = f"cache.direct={direct},cache.no-flush={flush}"
    if disk.source.startswith("nbd:"):
        host, _, rest = disk.source.removeprefix("nbd:").partition(":")
        port, _, export = rest.partition("/")
        low = (
            f"driver=nbd,node-name=f-{name},server.type=inet,server.host={host},"
            f"server.port={port},export={export},reconnect-delay=30,{cache}"
        )
    else:
        source = disk.source or str(file)
        driver = "host_device" if source.startswith("/dev/") else "file"
        low = (
            f"driver={driver},node-name=f-{name},filename={source},aio={disk.aio},"
            f"discard=unmap,{cache}"
        )
    write_cache = "off" if disk.cache in {"writethrough", "directsync"} else "on"
    options = "".join(f",{key}={value}" for key, value in disk.options.items())
    device = f"{BUSES[disk.bus]},drive=d-{name},serial={name},id=v-{name},write-cache={write_cache}"
    controller = []
    if disk.bus == "virtio-scsi":
        controller = ["-device", f"virtio-scsi-pci,id=c-{name}{options}"]
        device += f",bus=c-{name}.0"
    else:
        held = disk.limits.iops or disk.limits.bandwidth
        device += ",request-merging=off" * bool(held and disk.bus == "virtio-blk") + options
    return [
        "-blockdev", low,
        "-blockdev", f"driver=raw,node-name=r-{name},file=f-{name},discard=unmap",
        "-object", f"throttle-group,id=t-{name}{throttle(disk.limits)}",
        "-blockdev", f"driver=throttle,node-name=d-{name},throttle-group=t-{name},file=r-{name},"
        "discard=unmap",
        *controller,
        "-device", device,
    ]  # fmt: skip


def node_arguments(
    node: NodeSpec,
    image: Image,
    place: NodeLocation,
    *,
    accel: str,
    mtu: int,
    peers: Sequence[tuple[str, str]],
    program: str = "",
) -> list[str]:
    """The command line of a node.

    Args:
        node: what it is.
        image: what it boots.
        place: where.
        accel: "kvm" or "tcg".
        mtu: of the private network, bytes.
        peers: names and addresses of all nodes.
        program: QEMU; "": by the name it has of its own.
    """
    architecture = image.architecture
    names = ",".join(f"{name}:{address}" for name, address in peers)
    mac = f"{place.number:02x}"
    parameters = [
        f"console={architecture.console}", "quiet", "net.ifnames=0", "mitigations=off",
        "random.trust_cpu=on", "panic=1", f"lab.name={node.name}", f"lab.node={place.number}",
        f"lab.mtu={mtu}", f"lab.peers={names}",
    ]  # fmt: skip
    arguments = [
        program or architecture.qemu,
        "-name",
        node.name,
        "-machine",
        architecture.machine,
        "-accel",
        _TRANSLATED[accel],
        "-cpu",
        architecture.emulated_cpu if accel == "tcg" else "host",
        "-smp",
        _processors(node, accel),
        "-m",
        f"{node.memory // MIB}M",
        "-nodefaults",
        "-no-user-config",
        "-display",
        "none",
        "-serial",
        f"file:{place.console}",
        "-qmp",
        f"unix:{place.qmp},server=on,wait=off",
        "-kernel",
        str(image.kernel),
        "-initrd",
        str(image.initramfs),
        "-append",
        " ".join(parameters),
        "-blockdev",
        f"driver=file,node-name=image,filename={image.root},read-only=on,locking=off",
        "-device",
        "virtio-blk-pci,drive=image",
    ]
    for disk in node.disks:
        if "iothread" in disk.options:
            arguments += ["-object", f"iothread,id={disk.options['iothread']}"]
        arguments += disk_arguments(disk, place.directory / f"disk-{disk.name}")
    forwarded = "".join(
        f",hostfwd=tcp:127.0.0.1:{local}-:{port}"
        for local, port in ((place.port, 22), *place.forwards)
    )
    return [
        *arguments,
        "-netdev", f"user,id=n0,net=10.0.2.0/24{forwarded}{place.listener}",
        "-device", f"virtio-net-pci,netdev=n0,mac=52:54:00:00:00:{mac},romfile=",
        "-netdev", f"stream,id=n1,server=off,addr.type=unix,addr.path={place.socket}",
        "-device",
        f"virtio-net-pci,netdev=n1,mac=52:54:00:01:00:{mac},host_mtu={mtu},romfile=",
        "-device", "virtio-rng-pci",
    ]  # fmt: skip


def _processors(node: NodeSpec, accel: str) -> str:
    """CPUs of a node; an emulated one with NVMe drives could have one more.

    Source: QEMU 7.2, accel/tcg/tcg-accel-ops-mttcg.c and tcg/tcg-op.c, `tcg_gen_mb()`: with room
    for one CPU alone the guest's memory barriers are left out, although the drive reads the
    doorbells in memory (NVMe 1.3, 5.7) in another thread. Commands then wait for ever.
    """
    lonely = accel == "tcg" and node.cpus == 1 and any(disk.bus == "nvme" for disk in node.disks)
    return "1,maxcpus=2" if lonely else str(node.cpus)


def switch_arguments(sockets: Sequence[Path], qmp: Path, program: str) -> list[str]:
    """The command line of the switch: a QEMU without a machine, one port for each node.

    No node is the hub, so that each can be stopped while the others talk.
    """
    arguments = [
        program, "-machine", "none", "-nodefaults", "-no-user-config", "-display", "none",
        "-qmp", f"unix:{qmp},server=on,wait=off",
    ]  # fmt: skip
    for number, socket in enumerate(sockets, 1):
        arguments += [
            "-netdev", f"stream,id=p{number},server=on,addr.type=unix,addr.path={socket}",
            "-netdev", f"hubport,id=h{number},hubid=0,netdev=p{number}",
        ]  # fmt: skip
    return arguments
