"""What a disk, a loop device and a zram device are, from what the kernel says of them."""

from __future__ import annotations

import pytest

from iosonde.layers.disk.kind import disk_facts, transport
from iosonde.layers.layer import BlockDevice
from iosonde.layers.loop import loop_facts
from iosonde.layers.zram import parse_mm_stat
from iosonde.records.stack import Scalar
from iosonde.stack.discover import count_cpus, discover, parse_memory
from tests.recordings.machine import GIB, Machine


def device(name: str, **lsblk: Scalar) -> BlockDevice:
    return BlockDevice(name, f"/dev/{name}", "1:1", "disk", 1, lsblk=lsblk)


@pytest.mark.parametrize(
    ("block_device", "expected"),
    [
        (device("sda", tran="sas"), "sas"),
        (device("vda"), "virtio"),
        (device("sda", subsystems="block:scsi:virtio:pci"), "virtio"),  # virtio-scsi
        (device("nvme0n1"), "nvme"),
        (device("etherd/e0.1"), "aoe"),
        (device("mmcblk0"), "mmc"),
        (device("sdb"), None),
    ],
)
def test_transport(block_device: BlockDevice, expected: str | None) -> None:
    assert transport(block_device) == expected


def test_what_is_not_known_is_left_out_not_zero() -> None:
    assert disk_facts(device("sdb")) == {}


def test_a_raid_controllers_strip_and_stripe() -> None:
    queue = {"minimum_io_size": "262144", "optimal_io_size": "1048576", "rotational": "1"}
    values = disk_facts(BlockDevice("sda", "/dev/sda", "8:0", "disk", 1, queue=queue))
    assert (values["io_min"], values["io_opt"], values["rotational"]) == (262144, 1048576, True)


def test_loop_facts() -> None:
    plain = {"backing_file": "/a b", "offset": "4096", "sizelimit": "0", "dio": "1"}
    assert loop_facts(device("loop0"), plain) == {
        "backing_file": "/a b", "offset": 4096, "direct_io": True,
    }  # fmt: skip
    gone = loop_facts(device("loop0"), {"backing_file": "/a (deleted)"})
    assert gone == {"backing_file": "/a", "backing_file_deleted": True}


def test_mm_stat_of_old_and_new_kernels() -> None:
    new = "  104857600 20971520 22020096        0 23068672      12        0        3        0\n"
    assert parse_mm_stat(new) == {
        "original_size": 104857600, "compressed_size": 20971520,
        "memory_used": 22020096, "memory_peak": 23068672,
    }  # fmt: skip
    assert parse_mm_stat("1 2 3 4") == {
        "original_size": 1, "compressed_size": 2, "memory_used": 3, "memory_limit": 4,
    }  # fmt: skip
    assert parse_mm_stat("") == {}


async def test_zram_as_swap() -> None:
    machine = Machine("h", "6.8", cpus=1, memory=GIB)
    machine.block("zram0", "253:0", "disk", GIB, queue={"read_ahead_kb": 128})
    machine.block("zram1", "253:1", "disk", 0)
    machine.file("/sys/block/zram0/comp_algorithm", "lzo lzo-rle lz4 [zstd]")
    machine.file("/sys/block/zram0/mm_stat", "10 5 6 0 7 0 0 0 0")
    machine.swap("/dev/zram0", GIB)
    (layer,) = (await discover([machine.host()])).layers
    assert layer.id == "h/zram:zram0"
    assert layer.hazards == ("swap",)
    assert layer.settings == {"comp_algorithm": "zstd", "read_ahead_kb": 128}
    assert layer.facts["compressed_size"] == 5


@pytest.mark.parametrize(
    ("text", "count"), [("0\n", 1), ("0-3,8,10-11\n", 7), ("", None), ("x", None)]
)
def test_cpus(text: str, count: int | None) -> None:
    assert count_cpus(text) == count


def test_memory() -> None:
    assert parse_memory("MemFree: 1 kB\nMemTotal:       24684084 kB\n") == 24684084 * 1024
    assert parse_memory("") is None
