"""Run by pytest inside a guest of tools/uml/run: the guard and discovery before md and LVM.

The guest's disks are /dev/ubda … /dev/ubde, all of them the test's own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.change.guard import check_target, parse_destroy
from iosonde.change.hold import hold
from iosonde.errors import Refused
from iosonde.hosts.local import LocalHost
from iosonde.records.load import Target
from iosonde.stack.discover import discover
from iosonde.stack.model import layers_under

HOST = LocalHost()
A, B, C, D, E = (f"/dev/ubd{letter}" for letter in "abcde")


def tool(*argv: str, status: int = 0) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == status, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout


async def refusal(path: str, *destroy: str) -> str:
    with pytest.raises(Refused) as caught:
        await check_target(HOST, path, writes=True, permissions=parse_destroy(destroy or [path]))
    assert caught.value.evidence
    return caught.value.message


async def allowed(path: str, *destroy: str) -> Target:
    return await check_target(HOST, path, writes=True, permissions=parse_destroy(destroy or [path]))


@contextmanager
def array(*members: str, level: str = "1", chunk: str | None = None) -> Iterator[str]:
    more = [f"--chunk={chunk}"] if chunk else []
    tool("mdadm", "--create", "/dev/md0", "--run", f"--level={level}", "--metadata=1.2",
         f"--raid-devices={len(members)}", "--assume-clean", *more, *members)  # fmt: skip
    try:
        yield "/dev/md0"
    finally:
        tool("mdadm", "--stop", "/dev/md0")
        tool("mdadm", "--zero-superblock", *members)


@contextmanager
def volumes(*disks: str) -> Iterator[str]:
    tool("pvcreate", "-q", "-y", *disks)
    tool("vgcreate", "-q", "vg0", *disks)
    tool("lvcreate", "-q", "-y", "-n", "lv0", "-i", str(len(disks)), "-I", "64k", "-L", "32m",
         "vg0")  # fmt: skip
    try:
        yield "/dev/vg0/lv0"
    finally:
        tool("vgremove", "-q", "-y", "vg0")
        tool("pvremove", "-q", "-y", *disks)


async def test_members_of_an_array_are_held_and_then_carry_its_signature() -> None:
    with array(A, B) as md:
        for member in (A, B):
            assert "held by md0" in await refusal(member, f"{member}=linux_raid_member")
        assert (await allowed(md)).path == md
        tool("mdadm", "--stop", md)
        assert "linux_raid_member, which --destroy does not name" in await refusal(A)
        assert await allowed(A, f"{A}=linux_raid_member")
        tool("mdadm", "--assemble", md, A, B)
    assert await allowed(A)


async def test_a_physical_volume_is_held_by_its_volumes() -> None:
    with volumes(C, D) as volume:
        assert "held by dm-0" in await refusal(C, f"{C}=LVM2_member")
        assert await allowed(volume)
        tool("vgchange", "-q", "-a", "n", "vg0")
        assert "LVM2_member" in await refusal(C)
        assert await allowed(C, f"{C}=LVM2_member")
    assert await allowed(C)


async def test_a_mounted_array_and_swap_on_a_volume(tmp_path: Path) -> None:
    with array(A, B) as md, volumes(C, D) as volume:
        tool("mkfs.ext4", "-q", "-F", md)
        tool("mkswap", volume)
        tool("mount", md, str(tmp_path))
        tool("swapon", volume)
        try:
            assert f"mounted at {tmp_path}" in await refusal(md, f"{md}=ext4")
            assert "held by md0" in await refusal(A)
            assert "used as swap" in await refusal(volume, f"{volume}=swap")
            assert "used as swap" in await refusal("/dev/dm-0", "/dev/dm-0=swap")
        finally:
            tool("swapoff", volume)
            tool("umount", str(tmp_path))


async def test_a_crypt_mapping_and_a_plain_dm_target_hold_their_disk() -> None:
    size = int(tool("blockdev", "--getsz", E))
    tool("dmsetup", "create", "mine", "--table", f"0 {size} linear {E} 0")
    try:
        assert "held by dm-" in await refusal(E)
    finally:
        tool("dmsetup", "remove", "mine")
    assert await allowed(E)


async def test_an_opener_that_no_process_shows_is_counted_by_device_mapper() -> None:
    """A descriptor in flight to another user's process: /proc shows it nowhere."""
    openers = Path(__file__).parents[1] / "hostile" / "openers.py"
    size = int(tool("blockdev", "--getsz", E))
    tool("dmsetup", "create", "mine", "--table", f"0 {size} linear {E} 0")
    try:
        assert await allowed("/dev/mapper/mine")
        hidden = subprocess.Popen(
            [sys.executable, openers, "strangers", "/dev/mapper/mine"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert hidden.stdout is not None
        assert hidden.stdout.readline() == b"ready\n"
        try:
            message = await refusal("/dev/mapper/mine")
        finally:
            hidden.communicate(b"\n", timeout=20)
        assert "open where no process shows it" in message
        target = await allowed("/dev/mapper/mine")
        async with hold(HOST, target, writes=True, permissions=parse_destroy([target.path])):
            pass  # its own opens are no stranger's
    finally:
        tool("dmsetup", "remove", "mine")


@pytest.mark.parametrize("named", [True, False], ids=["with udev_path", "without"])
@pytest.mark.parametrize("kind", ["fileio", "iblock"])
async def test_a_backstore_of_lio_is_an_export(kind: str, named: bool) -> None:
    with backstore(kind, E, named=named):
        message = await refusal(E)
        assert "exported over iSCSI (LIO)" in message
        assert await allowed(D)
    assert await allowed(E)


async def test_a_backstore_on_the_image_of_a_loop_device(tmp_path: Path) -> None:
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(16 * 2**20)
    device = tool("losetup", "--find", "--show", str(image)).strip()
    try:
        assert await allowed(device)
        with backstore("fileio", str(image), named=False):
            assert "exported over iSCSI (LIO) (its image" in await refusal(device)
    finally:
        tool("losetup", "--detach", device)


@contextmanager
def backstore(kind: str, device: str, *, named: bool) -> Iterator[None]:
    """A backstore of LIO, as targetcli makes it, or as by hand without the name for udev."""
    subprocess.run(
        ["/run/modprobe", f"target_core_{'file' if kind == 'fileio' else kind}"], check=True
    )
    if not Path("/sys/kernel/config/target").exists():
        tool("mount", "-t", "configfs", "configfs", "/sys/kernel/config")
    base = Path("/sys/kernel/config/target/core") / f"{kind}_0"
    store = base / "mine"
    store.mkdir(parents=True)
    try:
        if kind == "fileio":
            size = int(tool("blockdev", "--getsize64", device)) if device == E else 2**20
            control = f"fd_dev_name={device},fd_dev_size={size}"
        else:
            control = f"udev_path={device}"
        (store / "control").write_text(control)
        if named:
            (store / "udev_path").write_text(device)
        (store / "enable").write_text("1")
        yield
    finally:
        store.rmdir()
        base.rmdir()


async def test_while_held_no_array_and_no_volume_can_be_made_of_it() -> None:
    target = await allowed(A)
    async with hold(HOST, target, writes=True, permissions=parse_destroy([A])):
        made = subprocess.run(
            ["mdadm", "--create", "/dev/md0", "--run", "--level=1", "--raid-devices=2", A, B],
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert made.returncode != 0
        assert "busy" in made.stderr.lower()
        pv = subprocess.run(
            ["pvcreate", "-y", A], capture_output=True, text=True, check=False, timeout=60
        )
        assert pv.returncode != 0
        with Path(A).open("r+b") as load:
            load.write(b"\0" * 4096)
    assert await allowed(A)


async def test_a_disk_claimed_by_an_array_since_the_check_is_refused() -> None:
    target = await allowed(A)
    with array(A, B), pytest.raises(Refused, match="held by md0"):
        async with hold(HOST, target, writes=True, permissions=parse_destroy([A])):
            pytest.fail("held a member of an array")


async def test_discovery_says_what_mdadm_and_lvs_say(tmp_path: Path) -> None:
    with array(A, B, C, level="5", chunk="64") as md:
        tool("pvcreate", "-q", "-y", md)
        tool("vgcreate", "-q", "vg0", md)
        tool("lvcreate", "-q", "-y", "-n", "lv0", "-L", "32m", "vg0")
        tool("mkfs.ext4", "-q", "-F", "/dev/vg0/lv0")
        tool("mount", "/dev/vg0/lv0", str(tmp_path))
        tool("mdadm", "--fail", md, C)
        try:
            capture = await discover([HOST])
            detail = dict(
                line.split("=", 1)
                for line in tool("mdadm", "--detail", "--export", md).splitlines()
                if "=" in line
            )
            report = json.loads(
                tool("lvs", "--reportformat", "json", "-o", "lv_name,vg_name,segtype")
            )
        finally:
            tool("umount", str(tmp_path))
            tool("vgremove", "-q", "-y", "vg0")
            tool("pvremove", "-q", "-y", md)
    below = layers_under(capture, "local", str(tmp_path / "file"))
    kinds = [layer.kind for layer in below]
    assert kinds[:3] == ["ext4", "lvm", "md"]
    assert set(kinds[3:]) == {"disk"}
    layers = {layer.kind: layer for layer in below}
    assert layers["md"].facts["level"] == detail["MD_LEVEL"] == "raid5"
    assert layers["md"].facts["raid_disks"] == int(detail["MD_DEVICES"]) == 3
    assert layers["md"].facts["chunk_size"] == 65536
    assert layers["md"].facts["stripe_width"] == 2 * 65536
    assert "degraded" in layers["md"].hazards
    assert layers["md"].settings["stripe_cache_size"] == 256
    row = report["report"][0]["lv"][0]
    assert layers["lvm"].facts["segment_type"] == row["segtype"] == "linear"
    assert layers["lvm"].facts["volume_group"] == row["vg_name"]
    assert layers["lvm"].facts["data_offset"] == 2**20
