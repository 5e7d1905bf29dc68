"""Run by pytest inside a guest of guest.py: the guard and discovery before md, LVM, crypt and XFS.

Only disks whose serial begins as guest.py's do are touched; elsewhere every test fails for want
of them. mdadm, lvs and cryptsetup are the second view of what discovery says.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.change.guard import check_target, parse_destroy
from iosonde.change.hold import hold
from iosonde.errors import Refused
from iosonde.hosts.local import LocalHost
from iosonde.records.load import Target
from iosonde.records.stack import StackLayer
from iosonde.stack.discover import discover
from iosonde.stack.model import layers_under
from tests.kernel.guest import SERIAL

HOST = LocalHost()
MD = "/dev/md/held"
LV = "/dev/held/lv"


def tool(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
    subprocess.run(["udevadm", "settle", "--timeout=20"], check=True, timeout=30)
    return done.stdout


def fails(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode != 0, f"{argv}: {done.stdout}"
    return done.stderr.lower()


@pytest.fixture(scope="session")
def disks() -> list[str]:
    """The guest's disks by their serial, in the order of its letters."""
    serials = {path.read_text().strip(): path for path in Path("/sys/block").glob("vd*/serial")}
    ours = [f"/dev/{serials[name].parent.name}" for name in sorted(serials)
            if name.startswith(SERIAL)]  # fmt: skip
    assert len(ours) == 4
    return ours


@pytest.fixture
def mirror(disks: list[str]) -> Iterator[str]:
    """A RAID 1 of the first two disks."""
    with array("--level=1", *disks[:2]):
        yield MD


@contextmanager
def array(level: str, *members: str) -> Iterator[None]:
    options = [] if level == "--level=1" else ["--chunk=64"]
    tool("mdadm", "--create", MD, "--run", level, "--metadata=1.2", "--bitmap=none",
         f"--raid-devices={len(members)}", "--assume-clean", *options, *members)  # fmt: skip
    try:
        yield
    finally:
        if Path(MD).exists():
            tool("mdadm", "--stop", MD)
        tool("mdadm", "--zero-superblock", *members)


@contextmanager
def volume(*physical: str) -> Iterator[None]:
    tool("vgcreate", "--quiet", "--yes", "held", *physical)
    striped = ["--stripes", str(len(physical)), "--stripesize", "64k"] if len(physical) > 1 else []
    # mkfs.xfs ignores the stripes below a volume of less than a GiB
    tool("lvcreate", "--quiet", "--yes", "--name", "lv", "--extents", "75%VG", *striped, "held")
    try:
        yield
    finally:
        tool("vgremove", "--quiet", "--yes", "held")
        tool("pvremove", "--quiet", "--yes", *physical)


@contextmanager
def mounted(device: str, point: Path) -> Iterator[None]:
    tool("mkfs.xfs", "-q", device)
    tool("mount", device, str(point))
    try:
        yield
    finally:
        tool("umount", str(point))


async def refusal(path: str, *destroy: str) -> str:
    with pytest.raises(Refused) as caught:
        await check_target(HOST, path, writes=True, permissions=parse_destroy(destroy or [path]))
    assert caught.value.exit_code == 3
    assert caught.value.evidence
    return caught.value.message


async def allowed(path: str, *destroy: str) -> Target:
    return await check_target(HOST, path, writes=True, permissions=parse_destroy(destroy or [path]))


async def test_a_member_is_held_and_of_a_stopped_array_it_carries_the_signature(
    mirror: str, disks: list[str]
) -> None:
    kernel_name = Path(mirror).resolve().name
    for member in disks[:2]:
        assert f"held by {kernel_name}" in await refusal(member, f"{member}=linux_raid_member")
    assert (await allowed(mirror)).path == f"/dev/{kernel_name}"
    tool("mdadm", "--stop", mirror)
    for member in disks[:2]:
        message = await refusal(member)
        assert "carries linux_raid_member, which --destroy does not name" in message
        assert (await allowed(member, f"{member}=linux_raid_member")).path == member


async def test_a_physical_volume_is_held_by_its_volume_and_its_swap(disks: list[str]) -> None:
    disk = disks[2]
    with volume(disk):
        assert "held by dm-" in await refusal(disk, f"{disk}=LVM2_member")
        assert await allowed(LV)
        tool("mkswap", LV)
        assert "carries swap, which --destroy does not name" in await refusal(LV)
        tool("swapon", LV)
        try:
            for path in (LV, "/dev/mapper/held-lv", str(Path(LV).resolve())):
                assert "used as swap" in await refusal(path, f"{path}=swap")
        finally:
            tool("swapoff", LV)
        tool("vgchange", "--quiet", "--activate", "n", "held")
        assert "carries LVM2_member" in await refusal(disk)
        assert await allowed(disk, f"{disk}=LVM2_member")
    assert await allowed(disk)


async def test_a_mounted_xfs_is_seen_on_its_array_and_below(
    mirror: str, disks: list[str], tmp_path: Path
) -> None:
    with mounted(mirror, tmp_path):
        assert f"mounted at {tmp_path}" in await refusal(mirror, f"{mirror}=xfs")
        assert "held by md" in await refusal(disks[0], f"{disks[0]}=linux_raid_member")
    assert "carries xfs" in await refusal(mirror)
    assert await allowed(mirror, f"{mirror}=xfs")


async def test_an_opened_luks_container_holds_its_disk(disks: list[str], tmp_path: Path) -> None:
    disk, key = disks[3], tmp_path / "key"
    key.write_bytes(b"of a test")
    tool("cryptsetup", "luksFormat", "--batch-mode", "--pbkdf=pbkdf2",
         "--pbkdf-force-iterations=1000", f"--key-file={key}", disk)  # fmt: skip
    tool("cryptsetup", "open", f"--key-file={key}", disk, "secret")
    try:
        assert "held by dm-" in await refusal(disk, f"{disk}=crypto_LUKS")
        capture = await discover([HOST])
        status = tool("cryptsetup", "status", "secret")
    finally:
        tool("cryptsetup", "close", "secret")
    (stack_layer,) = [layer for layer in capture.layers if layer.kind == "dm_crypt"]
    said = {key.strip(): text.strip() for key, _, text in
            (line.partition(":") for line in status.splitlines())}  # fmt: skip
    assert stack_layer.facts["cipher"] == said["cipher"]
    assert stack_layer.facts["data_offset"] == int(said["offset"].split()[0]) * 512
    assert "carries crypto_LUKS" in await refusal(disk)
    tool("wipefs", "--all", "--quiet", disk)
    assert await allowed(disk)


async def test_a_held_disk_cannot_be_claimed_but_written(disks: list[str]) -> None:
    disk, other = disks[:2]
    target = await allowed(disk)
    async with hold(HOST, target, writes=True, permissions=parse_destroy([disk])):
        made = await asyncio.to_thread(
            fails, "mdadm", "--create", MD, "--run", "--level=1", "--raid-devices=2", disk, other
        )
        assert "busy" in made
        await asyncio.to_thread(fails, "pvcreate", "--yes", disk)
        with Path(disk).open("r+b") as load:
            load.write(bytes(4096))
    assert not Path(MD).exists()
    with array("--level=1", disk, other):  # once it is let go, it can be
        assert "held by md" in await refusal(disk)


async def test_a_disk_taken_by_an_array_since_the_check_is_refused(disks: list[str]) -> None:
    target = await allowed(disks[0])
    with array("--level=1", *disks[:2]), pytest.raises(Refused, match="held by md"):
        async with hold(HOST, target, writes=True, permissions=parse_destroy([disks[0]])):
            pytest.fail("held a member of an array")


async def stack_of(point: Path) -> dict[str, StackLayer]:
    """Kind → layer of what is below a mount point, the topmost of each kind."""
    capture = await discover([HOST])
    below = layers_under(capture, "local", str(point / "file"))
    return {layer.kind: layer for layer in reversed(below)}


async def test_discovery_agrees_with_mdadm_and_lvs_on_parity(
    disks: list[str], tmp_path: Path
) -> None:
    with array("--level=5", *disks[:3]), volume(MD), mounted(LV, tmp_path):
        layers = await stack_of(tmp_path)
        exported = tool("mdadm", "--detail", "--export", MD).splitlines()
        examined = tool("mdadm", "--examine", disks[0]).splitlines()
        printed = [line.strip() for line in tool("mdadm", "--detail", MD).splitlines()]
    detail = dict(line.split("=", 1) for line in exported if "=" in line)
    md = layers["md"].facts
    assert md["level"] == detail["MD_LEVEL"] == "raid5"
    assert md["raid_disks"] == int(detail["MD_DEVICES"]) == 3
    assert f"Chunk Size : {int(str(md['chunk_size'])) // 1024}K" in printed
    assert md["chunk_size"] == 65536
    assert md["stripe_width"] == 2 * 65536
    assert any(f"Data Offset : {int(str(md['data_offset'])) // 512} sectors" in line
               for line in examined)  # fmt: skip
    assert list(layers) == ["disk", "md", "lvm", "xfs"]
    xfs = layers["xfs"].facts
    assert (xfs["stripe_unit"], xfs["stripe_width"]) == (65536, 131072)


async def test_discovery_agrees_with_mdadm_and_lvs_on_mirror_and_stripes(
    mirror: str, disks: list[str], tmp_path: Path
) -> None:
    with volume(mirror, disks[2]), mounted(LV, tmp_path):
        tool("mdadm", "--fail", mirror, disks[1])
        layers = await stack_of(tmp_path)
        detail = tool("mdadm", "--detail", "--export", mirror)
        report = json.loads(
            tool("lvs", "--reportformat", "json", "--units", "b", "--nosuffix", "-o",
                 "segtype,stripes,stripe_size,vg_name")
        )  # fmt: skip
    assert "MD_LEVEL=raid1" in detail
    assert layers["md"].facts["level"] == "raid1"
    assert "chunk_size" not in layers["md"].facts
    assert {"degraded", f"{Path(disks[1]).name} faulty"} <= set(layers["md"].hazards)
    (row,) = report["report"][0]["lv"]
    lvm = layers["lvm"].facts
    assert lvm["segment_type"] == row["segtype"] == "striped"
    assert lvm["stripes"] == int(row["stripes"]) == 2
    assert lvm["chunk_size"] == int(row["stripe_size"]) == 65536
    assert lvm["volume_group"] == row["vg_name"] == "held"
    assert list(layers) == ["disk", "md", "lvm", "xfs"]
