"""Command lines of nodes and the switch; what a lab may be made of; the kernel's image."""

from __future__ import annotations

import gzip
import lzma
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.lab.architecture import ARCHITECTURES
from iosonde.lab.image import Image
from iosonde.lab.initramfs import initramfs
from iosonde.lab.kernel import unpacked
from iosonde.lab.machine import NodeLocation, disk_arguments, node_arguments, switch_arguments
from iosonde.lab.recipe import parse_targets, unpack_argv
from iosonde.lab.release import PackageSource
from iosonde.lab.spec import DiskLimits, DiskSpec, LabSpec, NodeSpec, checked, limits_like

AMD64, ARM64 = ARCHITECTURES["amd64"], ARCHITECTURES["arm64"]
IMAGE = Image(
    Path("/i"), Path("/i/kernel"), Path("/i/ram"), Path("/i/root.ext4"), Path("/i/key"),
    Path("/i/host"), AMD64,
)  # fmt: skip
PLACE = NodeLocation(Path("/r/lab/n1"), 1, 2201, Path("/r/lab/port-1"))


def test_a_node_has_its_disks_in_order_and_says_who_it_is() -> None:
    node = NodeSpec("n1", disks=(DiskSpec("a"), DiskSpec("b", limits=DiskLimits(iops=150))))
    argv = node_arguments(node, IMAGE, PLACE, accel="tcg", mtu=9000, peers=[("n1", "10.9.0.1")])
    serials = [word.split("serial=")[1].split(",")[0] for word in argv if "serial=" in word]
    assert serials == ["a", "b"]
    assert "throttle-group,id=t-b,x-iops-total=150" in argv
    arguments = argv[argv.index("-append") + 1].split()
    assert {"lab.name=n1", "lab.node=1", "lab.mtu=9000", "lab.peers=n1:10.9.0.1"} <= set(arguments)
    assert any("hostfwd=tcp:127.0.0.1:2201-:22" in word for word in argv)
    assert argv[argv.index("-m") + 1] == "384M"


def test_a_disk_may_be_a_device_a_file_or_another_hosts() -> None:
    device = " ".join(disk_arguments(DiskSpec("d", source="/dev/loop3"), Path("/x")))
    assert "driver=host_device,node-name=f-d,filename=/dev/loop3" in device
    network = " ".join(disk_arguments(DiskSpec("d", source="nbd:127.0.0.1:10809/e"), Path("/x")))
    assert "server.host=127.0.0.1,server.port=10809,export=e" in network
    through = " ".join(disk_arguments(DiskSpec("d", cache="writethrough"), Path("/x")))
    assert "cache.direct=off" in through
    assert "write-cache=off" in through


def test_a_held_disk_counts_every_request_of_the_kernel() -> None:
    for held, off in (
        (DiskLimits(iops=40), True),
        (DiskLimits(bandwidth=1e6), True),
        (DiskLimits(), False),
    ):
        argv = disk_arguments(DiskSpec("d", limits=held), Path("/x"))
        assert argv[-1].endswith(",request-merging=off") is off
    nvme = disk_arguments(DiskSpec("d", limits=DiskLimits(iops=40), bus="nvme"), Path("/x"))
    assert "request-merging" not in nvme[-1], "which merges nothing"


def test_an_emulated_node_with_an_nvme_drive_keeps_its_memory_barriers() -> None:
    def processors(disk: DiskSpec, accel: str, cpus: int = 1) -> str:
        node = NodeSpec("n1", disks=(disk,), cpus=cpus)
        argv = node_arguments(node, IMAGE, PLACE, accel=accel, mtu=9000, peers=[])
        return argv[argv.index("-smp") + 1]

    assert processors(DiskSpec("d", bus="nvme"), "tcg") == "1,maxcpus=2"
    assert processors(DiskSpec("d", bus="nvme"), "tcg", cpus=2) == "2"
    assert processors(DiskSpec("d", bus="nvme"), "kvm") == "1"
    assert processors(DiskSpec("d"), "tcg") == "1"


def test_discards_reach_the_file() -> None:
    argv = disk_arguments(DiskSpec("d"), Path("/x"))
    nodes = [word for word in argv if "node-name=" in word]
    assert len(nodes) == 3
    assert all("discard=unmap" in word for word in nodes)


def test_the_switch_has_a_port_for_each_node() -> None:
    argv = switch_arguments([Path("/r/p1"), Path("/r/p2")], Path("/r/qmp"), "qemu")
    assert sum("server=on,addr.type=unix" in word for word in argv) == 2
    assert sum(word.startswith("hubport,") for word in argv) == 2


@pytest.mark.parametrize(
    "spec",
    [
        LabSpec("Lab", (NodeSpec("a"),)),
        LabSpec("lab", (NodeSpec("a"), NodeSpec("a"))),
        LabSpec("lab", (NodeSpec("a", disks=(DiskSpec("d"), DiskSpec("d"))),)),
        LabSpec("lab", (NodeSpec("a", disks=(DiskSpec("d" * 21),)),)),
        LabSpec("lab", (NodeSpec("a b"),)),
    ],
)
def test_names_that_cannot_be_are_refused(spec: LabSpec) -> None:
    with pytest.raises(UsageError):
        checked(spec)


def test_kinds_of_disks() -> None:
    assert limits_like("10k-sas", None, None).iops == 148
    assert limits_like("10k-sas", 20, None) == DiskLimits(20, 215e6)
    with pytest.raises(UsageError, match="no disk like"):
        limits_like("floppy", None, None)


def bz_image(payload: bytes) -> bytes:
    head = bytearray(1024)
    head[0x1F1] = 1
    head[0x202:0x206] = b"HdrS"
    struct.pack_into("<II", head, 0x248, 0, len(payload) + 4)
    return bytes(head) + payload + struct.pack("<I", 99)


ELF = b"\x7fELF" + b"\0" * 60 + struct.pack("<III", 4, 8, 18) + b"Xen\0" + b"code" * 100


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress], ids=["lzma", "gzip"])
def test_a_kernel_is_unpacked_where_it_can_be_entered_directly(
    pack: Callable[[bytes], bytes],
) -> None:
    assert unpacked(bz_image(pack(ELF))) == ELF


@pytest.mark.parametrize(
    "image",
    [b"", b"\0" * 4096, bz_image(b"\x28\xb5\x2f\xfdx"), bz_image(lzma.compress(b"x" * 99)),
     bz_image(lzma.compress(ELF)[:40]), bz_image(lzma.compress(ELF.replace(b"Xen", b"Zen")))],
)  # fmt: skip
def test_other_images_are_booted_as_they_are(image: bytes) -> None:
    assert unpacked(image) is None


def test_the_initramfs_loads_modules_after_what_they_need(tmp_path: Path) -> None:
    (tmp_path / "k").mkdir()
    names = {
        "k/virtio_pci.ko": "k/virtio_ring.ko k/virtio.ko", "k/virtio.ko": "",
        "k/virtio_ring.ko": "k/virtio.ko", "k/virtio_blk.ko": "k/virtio_ring.ko k/virtio.ko",
        "k/ext4.ko": "k/crc32c_generic.ko", "k/crc32c_generic.ko": "", "k/overlay.ko": "",
    }  # fmt: skip
    for name in names:
        (tmp_path / name).write_bytes(b"module")
    deps = "".join(f"{name}: {needs}\n" for name, needs in names.items())
    (tmp_path / "modules.dep").write_text(deps)
    (tmp_path / "modules.builtin").write_text("")
    (tmp_path / "busybox").write_bytes(b"box")
    archive = initramfs(tmp_path, tmp_path / "busybox")
    order = archive[archive.index(b"virtio.ko\n") :].split(b"\0")[0].decode().split()
    assert order.index("virtio.ko") < order.index("virtio_ring.ko") < order.index("virtio_pci.ko")
    assert order.index("crc32c_generic.ko") < order.index("ext4.ko")
    assert len(order) == len(set(order))
    assert archive.startswith(b"070701")
    assert b"TRAILER!!!" in archive


def test_packages_come_from_where_this_machine_has_its_own() -> None:
    message = (
        "Other|stable|http://x/|main\nDebian|bookworm-updates|http://d/|main\n"
        "Debian|bookworm|http://d/|main\nDebian|bookworm|http://d/|contrib\n"
    )
    source = parse_targets(message)
    assert source == PackageSource("bookworm", "http://d/", ("main", "non-free"))
    assert unpack_argv(source, AMD64, "/t.tar")[-3:] == ["bookworm", "/t.tar", "http://d/"]
    assert parse_targets("Ubuntu|noble|http://u/|main\n") is None
    assert parse_targets("") is None
