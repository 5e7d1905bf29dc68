"""The guard before real loop devices in every state a device can be in."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.change.guard import Permission, check_target, parse_destroy
from iosonde.change.hold import hold, require_free
from iosonde.change.keeper import Keeper, keepers_stay
from iosonde.errors import Refused, UsageError
from iosonde.hosts.conversation import Conversation
from iosonde.hosts.host import Completed
from iosonde.hosts.local import LocalHost
from iosonde.records.load import Target, TargetKind
from tests.guarded import HOST, allowed, refusal
from tests.loop.devices import (
    loop_device,
    mounted,
    own_number,
    partitions,
    remove,
    swapped_on,
    tool,
)

pytestmark = [pytest.mark.root]


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path / "disk", 64 * 2**20) as path:
        yield path


async def test_an_empty_device_needs_to_be_named_and_then_is_allowed(device: str) -> None:
    finding = await refusal(device, "/dev/null")
    assert "would destroy what is on it (it looks empty)" in finding.message
    assert finding.hint.endswith(f"--destroy {device}")
    assert await allowed(device) == Target("local", device, TargetKind.DEVICE)


@contextmanager
def loop_device_at(device: str, offset: int) -> Iterator[str]:
    """What is at an offset of a device, as a device; in bytes."""
    name = tool("losetup", "--find", "--show", f"--offset={offset}", device).strip()
    try:
        yield name
    finally:
        tool("losetup", "--detach", name)


SCAN = "perl -e # Runs on a host under test"


class Counted(LocalHost):
    """A host that notes what it and its keepers are asked, and how many of these are started."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.begun = 0

    async def run(self, argv: Sequence[str], **options: Any) -> Completed:
        self.note(argv)
        return await super().run(argv, **options)

    async def converse(self, argv: Sequence[str]) -> Conversation:
        self.begun += 1
        return await super().converse(argv)

    def note(self, argv: Sequence[str]) -> None:
        self.asked.append(" ".join(argv[:3])[: len(SCAN)])


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    host, run = Counted(), Keeper.run

    async def noted(self: Keeper, argv: Sequence[str], **options: Any) -> Completed:
        host.note(argv)
        return await run(self, argv, **options)

    monkeypatch.setattr(Keeper, "run", noted)
    return host


async def test_a_second_hold_asks_again_for_all_that_can_have_changed_and_for_nothing_else(
    device: str, counted: Counted
) -> None:
    target = Target("local", device, TargetKind.DEVICE)
    lasting = {"id -u", "perl -e 1"}
    for loop in range(3):
        counted.asked.clear()
        async with hold(counted, target, writes=True, permissions=parse_destroy([device])):
            pass
        asked = set(counted.asked)
        assert {"wipefs --no-act --noheadings", "blkid --probe --output"} <= asked
        assert lasting & asked == (lasting if loop == 0 else set())
        assert counted.asked.count(SCAN) == 1


async def test_one_keeper_holds_a_device_loop_by_loop_and_lets_go_of_it_between(
    device: str, counted: Counted
) -> None:
    target = Target("local", device, TargetKind.DEVICE)
    permissions = parse_destroy([device])
    async with keepers_stay(counted):
        for _ in range(3):
            counted.asked.clear()
            async with hold(counted, target, writes=True, permissions=permissions):
                with pytest.raises(OSError, match="busy"):
                    os.open(device, os.O_RDONLY | os.O_EXCL)
            assert counted.asked.count(SCAN) == 1
            os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
        assert counted.begun == 1
        with opened(device), pytest.raises(Refused, match="open in process"):
            async with hold(counted, target, writes=True, permissions=permissions):
                pytest.fail("the guard was not asked again")


@contextmanager
def opened(device: str) -> Iterator[None]:
    """Another process has the device open."""
    with Path(device).open("rb") as file:
        process = subprocess.Popen(["sleep", "100"], stdin=file)
    try:
        yield
    finally:
        process.kill()
        process.wait()


async def test_a_device_is_gone_through_once_before_a_run_and_only_if_it_was_named(
    device: str, counted: Counted
) -> None:
    host = counted
    target = await require_free(host, device, writes=True, permissions=parse_destroy([device]))
    assert target == Target("local", device, TargetKind.DEVICE)
    assert host.asked.count(SCAN) == 1
    opened = Counted()  # a keeper would be asked for its interpreter first
    with pytest.raises(Refused, match="would destroy what is on it"):
        await require_free(opened, device, writes=True, permissions=parse_destroy(["/dev/null"]))
    assert "perl -e 1" not in opened.asked


async def test_what_stands_in_a_partition_counts_where_the_disk_itself_was_compared(
    device: str,
) -> None:
    compared = Permission(device, frozenset(), compared=True)
    tool("mkfs.ext4", "-q", "-F", device)
    assert await check_target(HOST, device, writes=True, permissions=[compared])
    tool("wipefs", "--quiet", "--all", device)
    tool("parted", "--script", device, "mklabel", "gpt", "mkpart", "a", "1MiB", "60MiB")
    assert await check_target(HOST, device, writes=True, permissions=[compared])
    with loop_device_at(device, 2**20) as part:
        tool("mkfs.ext4", "-q", "-F", part)
    with pytest.raises(Refused, match="it carries ext4"):
        await check_target(HOST, device, writes=True, permissions=[compared])


async def test_reading_needs_no_permission(device: str) -> None:
    target = await check_target(HOST, device, writes=False, permissions=())
    assert target.kind is TargetKind.DEVICE


@pytest.mark.parametrize(
    ("maker", "signature"),
    [
        (["mkfs.ext4", "-q", "-F"], "ext4"),
        (["mkfs.ext2", "-q", "-F"], "ext2"),
        (["mkswap"], "swap"),
    ],
)
async def test_a_signature_must_be_named(device: str, maker: list[str], signature: str) -> None:
    tool(*maker, device)
    finding = await refusal(device)
    assert f"it carries {signature}, which --destroy does not name" in finding.message
    wrong = await refusal(device, f"{device}=ntfs")
    assert signature in wrong.message
    assert (await allowed(device, f"{device}={signature}")).path == device


@pytest.mark.parametrize(
    ("offset", "magic", "signature"),
    [
        # wipefs finds these by the magics of libblkid/src/superblocks/*.c
        (512 + 0x18, b"LVM2 001", "LVM2_member"),
        (0, b"LUKS\xba\xbe\x00\x01", "crypto_LUKS"),
    ],
)
async def test_signatures_without_a_file_system_are_seen_as_well(
    device: str, tmp_path: Path, offset: int, magic: bytes, signature: str
) -> None:
    if signature == "LVM2_member":
        label = bytearray(512)
        label[0:8], label[0x18:0x20] = b"LABELONE", magic
        label[8:16], label[20:24] = (1).to_bytes(8, "little"), (32).to_bytes(4, "little")
        label[16:20] = _lvm_checksum(bytes(label[20:])).to_bytes(4, "little")
        content, offset = bytes(label), 512
    else:
        content = magic.ljust(592, b"\0")
    (tmp_path / "magic").write_bytes(content)
    tool("dd", f"if={tmp_path}/magic", f"of={device}", "bs=1", f"seek={offset}", "conv=notrunc")
    finding = await refusal(device)
    assert signature in finding.message


def _lvm_checksum(content: bytes) -> int:
    """LVM2's own CRC (lib/misc/crc.c): the reflected polynomial 0xedb88320, seeded 0xf597a6cf."""
    crc = 0xF597A6CF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    return crc


async def test_a_signature_named_but_absent_is_a_wrong_device(device: str) -> None:
    finding = await refusal(device, f"{device}=ext4")
    assert "does not carry it: is it the right one?" in finding.message


@pytest.mark.parametrize("label", ["gpt", "dos"])
async def test_a_partition_table_is_a_signature(device: str, label: str) -> None:
    tool("parted", "--script", device, "mklabel", "msdos" if label == "dos" else label)
    assert f"it carries {label}, which" in (await refusal(device)).message
    assert await allowed(device, f"{device}={label}")


async def test_mounted(device: str, tmp_path: Path) -> None:
    tool("mkfs.ext4", "-q", "-F", device)
    with mounted(device, tmp_path / "at"):
        finding = await refusal(device, f"{device}=ext4")
    assert f"mounted at {tmp_path}/at" in finding.message
    assert "mountinfo" in finding.evidence


async def test_mounted_through_a_partition_and_a_partition_of_a_mounted_disk(
    device: str, tmp_path: Path
) -> None:
    with partitions(device, (2048, 40960), (65536, 40960)) as (first, second):
        tool("mkfs.ext4", "-q", "-F", first)
        with mounted(first, tmp_path / "at"):
            whole = await refusal(device)
            itself = await refusal(first, f"{first}=ext4")
            assert await allowed(second)  # a sibling shares no block with it
    assert "its partition" in whole.message
    assert "mounted at" in itself.message


async def test_a_partition_of_a_disk_that_is_mounted_as_a_whole(
    device: str, tmp_path: Path
) -> None:
    tool("mkfs.ext4", "-q", "-F", device)
    with mounted(device, tmp_path / "at"):
        tool("addpart", device, "1", "2048", "4096")
        try:
            finding = await refusal(f"{device}p1")
        finally:
            tool("delpart", device, "1")
    assert "the disk it is part of" in finding.message


async def test_mounted_in_another_mount_namespace(device: str, tmp_path: Path) -> None:
    tool("mkfs.ext4", "-q", "-F", device)
    place = tmp_path / "at"
    place.mkdir()
    script = 'mount "$1" "$2" && echo mounted && exec sleep 60'
    other = subprocess.Popen(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", device,
         str(place)],
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert other.stdout is not None
    try:
        assert other.stdout.readline() == b"mounted\n"
        assert str(place) not in Path("/proc/self/mountinfo").read_text()
        finding = await refusal(device, f"{device}=ext4")
    finally:
        other.kill()
        other.communicate()
    assert "mounted at" in finding.message


async def test_swap(device: str) -> None:
    with swapped_on(device):
        finding = await refusal(device, f"{device}=swap")
    assert "used as swap" in finding.message
    assert "/proc/swaps" in finding.evidence


async def test_a_loop_device_over_it(device: str) -> None:
    above = subprocess.run(
        ["losetup", "--find", "--show", device], check=True, capture_output=True, text=True
    ).stdout.strip()
    try:
        finding = await refusal(device)
    finally:
        tool("losetup", "--detach", above)
    assert f"held by {above.removeprefix('/dev/')} as its backing file" in finding.message


async def test_open_in_a_process_by_any_of_its_names(device: str, tmp_path: Path) -> None:
    number = os.stat(device).st_rdev  # noqa: PTH116
    second = tmp_path / "second node"
    os.mknod(second, stat.S_IFBLK | 0o600, number)
    with second.open("rb"):
        finding = await refusal(device)
    assert f"open in process {os.getpid()}" in finding.message


@pytest.mark.parametrize("name", ["link", "second node"])
async def test_other_names_do_not_deceive(device: str, tmp_path: Path, name: str) -> None:
    other = tmp_path / name
    if name == "link":
        other.symlink_to(device)
    else:
        os.mknod(other, stat.S_IFBLK | 0o600, os.stat(device).st_rdev)  # noqa: PTH116
    assert await allowed(str(other), device)
    assert await allowed(device, str(other))
    with swapped_on(device):
        assert "used as swap" in (await refusal(str(other), f"{device}=swap")).message


async def test_a_read_only_device(device: str) -> None:
    tool("blockdev", "--setro", device)
    try:
        assert "read-only" in (await refusal(device)).message
    finally:
        tool("blockdev", "--setrw", device)


async def test_a_detached_loop_device_has_no_size(tmp_path: Path) -> None:
    (tmp_path / "disk").write_bytes(bytes(2**20))
    gone = own_number()
    tool("losetup", gone, tmp_path / "disk")
    tool("losetup", "--detach", gone)
    try:
        assert "has no size" in (await refusal(gone)).message
    finally:
        remove(gone)


async def test_what_is_no_block_device(tmp_path: Path) -> None:
    assert "character device" in (await refusal("/dev/null")).message
    assert "a directory" in (await refusal(str(tmp_path))).message
    assert "nothing at this path" in (await refusal("/dev/nvme77n1")).message
    theirs = tmp_path / "mail.txt"
    theirs.write_text("dear")
    assert "not made by iosonde" in (await refusal(str(theirs))).message


async def test_the_disk_of_the_root_file_system_is_refused() -> None:
    root = Path("/").stat().st_dev
    sysfs = Path(f"/sys/dev/block/{os.major(root)}:{os.minor(root)}").resolve()
    finding = await refusal(f"/dev/{sysfs.name}")
    assert "mounted at /" in finding.message


async def test_while_held_nobody_can_claim_it_but_a_load_can_write(device: str) -> None:
    target = await allowed(device)
    tool("mkfs.ext4", "-q", "-F", device)
    permissions = parse_destroy([f"{device}=ext4"])
    async with hold(HOST, target, writes=True, permissions=permissions):
        claimed = subprocess.run(
            ["mount", device, "/mnt"], check=False, capture_output=True, text=True
        )
        with Path(device).open("r+b") as load:
            load.write(b"x")
    if claimed.returncode == 0:
        tool("umount", "/mnt")
    assert claimed.returncode != 0
    await allowed(device, f"{device}=ext4")  # nothing of ours has it open any more


async def test_a_device_that_was_mounted_since_the_first_check_is_refused(
    device: str, tmp_path: Path
) -> None:
    tool("mkfs.ext4", "-q", "-F", device)
    permissions = parse_destroy([f"{device}=ext4"])
    target = await check_target(HOST, device, writes=True, permissions=permissions)
    with mounted(device, tmp_path / "at"), pytest.raises(Refused, match="mounted at"):
        async with hold(HOST, target, writes=True, permissions=permissions):
            pytest.fail("held a mounted device")


async def test_an_exclusive_claim_that_shows_nowhere_else_is_found(device: str) -> None:
    """A second holder of ours is such a claim: its process is told by the first look already."""
    target = await allowed(device)
    script = "import os,sys; os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL); print(); input()"
    other = subprocess.Popen(
        [sys.executable, "-c", script, device], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    other.stdout.readline()
    try:
        with pytest.raises(Refused, match="open in process"):
            async with hold(HOST, target, writes=True, permissions=parse_destroy([device])):
                pytest.fail("held a device that another has claimed")
    finally:
        other.communicate(b"\n")


async def test_the_holder_ends_with_iosonde(device: str) -> None:
    script = (
        "import asyncio, sys\n"
        "from iosonde.change.guard import parse_destroy\n"
        "from iosonde.change.hold import hold\n"
        "from iosonde.hosts.local import LocalHost\n"
        "from iosonde.records.load import Target, TargetKind\n"
        "async def main():\n"
        "    target = Target('local', sys.argv[1], TargetKind.DEVICE)\n"
        "    async with hold(LocalHost(), target, writes=True, "
        "permissions=parse_destroy([sys.argv[1]])):\n"
        "        print('held', flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    mine = subprocess.Popen([sys.executable, "-c", script, device], stdout=subprocess.PIPE)
    assert mine.stdout is not None
    assert mine.stdout.readline() == b"held\n"
    mine.kill()
    mine.communicate()
    assert await asyncio.to_thread(_let_go, device)
    assert await allowed(device)


def _let_go(device: str) -> bool:
    """Whether nobody has an exclusive claim on a device, at last: its holder looks now and then."""
    end = time.monotonic() + 30  # while `mine` would have held it for 60
    while time.monotonic() < end:
        try:
            os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False


NAMES = st.from_regex(r"/dev/[a-z]{1,4}[0-9]?", fullmatch=True)
TYPES = st.from_regex(r"[A-Za-z0-9_]{1,8}", fullmatch=True)


@given(st.dictionaries(NAMES, st.frozensets(TYPES, max_size=3), max_size=4))
def test_destroy_grants_what_it_names_and_no_more(wanted: dict[str, frozenset[str]]) -> None:
    options = [
        path + ("=" + ",".join(sorted(types)) if types else "") for path, types in wanted.items()
    ]
    assert parse_destroy(options) == tuple(Permission(*pair) for pair in wanted.items())


@pytest.mark.parametrize("option", ["sdx", "", "=ext4", "/dev/sdx=", "/dev/sdx=ext4,", "./sdx"])
def test_a_vague_permission_is_none(option: str) -> None:
    with pytest.raises(UsageError, match="names no device to destroy"):
        parse_destroy([option])
