"""Discovery of real loop devices, held against what lsblk, losetup and blockdev say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.hosts.local import LocalHost
from iosonde.records.stack import Capture, StackLayer
from iosonde.stack.discover import discover
from iosonde.stack.model import layers_under
from tests.loop.devices import MIB, loop_device, mounted, partitions, swapped_on, tool

pytestmark = pytest.mark.root


async def discovered() -> tuple[Capture, dict[str, StackLayer]]:
    capture = await discover([LocalHost()])
    return capture, {layer.id: layer for layer in capture.layers}


async def test_partitions_mount_and_swap_as_lsblk_sees_them(tmp_path: Path) -> None:
    with (
        loop_device(tmp_path / "image", 96 * MIB, "--sector-size", "4096") as loop,
        partitions(loop, (2048, 98304), (100352, 65536), (165896, 8192)) as (first, second, third),
    ):
        tool("mkfs.ext4", "-q", first)
        with mounted(first, tmp_path / "mnt", "-o", "noatime"), swapped_on(second):
            capture, layers = await discovered()
            seen = json.loads(
                tool("lsblk", "--json", "--bytes", "--output", "NAME,SIZE,PHY-SEC,PKNAME,START",
                     loop)
            )["blockdevices"][0]  # fmt: skip
    name = loop.removeprefix("/dev/")
    disk = layers[f"local/loop:{name}"]
    assert disk.size == seen["size"] == 96 * MIB
    assert disk.facts["physical_block_size"] == seen["phy-sec"] == 4096
    assert disk.facts["backing_file"] == str(tmp_path / "image")
    assert disk.hazards == ("in use",)
    for row in seen["children"]:
        part = layers[f"local/partition:{row['name']}"]
        assert part.size == row["size"]
        assert part.below == (disk.id,)
        assert part.facts["start"] == row["start"] * 512
    parts = [layers[f"local/partition:{path.removeprefix('/dev/')}"] for path in (first, second)]
    assert [part.hazards for part in parts] == [("mounted",), ("swap",)]
    assert layers[f"local/partition:{third.removeprefix('/dev/')}"].hazards == ()
    under = layers_under(capture, "local", second)
    assert [layer.kind for layer in under[:2]] == ["partition", "loop"]


async def test_a_partition_off_the_sectors_is_marked(tmp_path: Path) -> None:
    with (
        loop_device(tmp_path / "image", 8 * MIB) as loop,
        partitions(loop, (63, 4096), (8192, 4096)) as made,
    ):
        _, layers = await discovered()
    first, second = (layers[f"local/partition:{path.removeprefix('/dev/')}"] for path in made)
    # A sparse file's loop device has the sector of 512 bytes: 63 sectors is on that grid.
    assert first.facts["aligned_to_sector"] is True
    assert first.facts["alignment"] == 512
    assert second.facts["alignment"] == 4 * MIB


async def test_settings_are_those_the_tools_report(tmp_path: Path) -> None:
    with loop_device(tmp_path / "image", 8 * MIB) as loop:
        name = loop.removeprefix("/dev/")
        tool("blockdev", "--setra", "96", loop)
        _, layers = await discovered()
        sectors = int(tool("blockdev", "--getra", loop))
        document = json.loads(tool("losetup", "--json", "--list", loop))["loopdevices"][0]
    layer = layers[f"local/loop:{name}"]
    assert sectors == 96
    assert layer.settings["read_ahead_kb"] == sectors // 2 == 48
    assert layer.facts["direct_io"] is document["dio"]
    assert layer.facts["backing_file"] == document["back-file"]
    assert "queue_depth" not in layer.settings
    assert layer.hazards == ()


async def test_read_only_and_deleted_backing_file(tmp_path: Path) -> None:
    image = tmp_path / "image"
    with loop_device(image, 8 * MIB, "--read-only") as loop:
        image.rename(tmp_path / "kept")
        (tmp_path / "kept").unlink()
        _, layers = await discovered()
        image.touch()
    layer = layers[f"local/loop:{loop.removeprefix('/dev/')}"]
    assert layer.hazards == ("backing file deleted", "read-only")
    assert layer.facts["backing_file"] == str(tmp_path / "kept")


async def test_every_block_device_of_lsblk_is_a_layer_once(tmp_path: Path) -> None:
    with loop_device(tmp_path / "image", 8 * MIB) as loop:
        capture, _ = await discovered()
        rows = json.loads(tool("lsblk", "--json", "--bytes", "--list", "--output", "PATH,SIZE"))
        present = Path(loop).exists()
    assert present
    devices = [layer.device for layer in capture.layers if layer.mount is None]
    assert devices.count(loop) == 1
    for row in rows["blockdevices"]:
        if row["size"] and "/loop" not in row["path"]:  # other tests' loops come and go
            assert devices.count(row["path"]) == 1, row
