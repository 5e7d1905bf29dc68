"""What a study asks to be done before: on real loop devices and the real page cache."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from iosonde.change.guard import parse_destroy
from iosonde.errors import HostFailed, Refused, UsageError
from iosonde.hosts.local import LocalHost
from iosonde.measure.prepare import background, drop_caches, prepare, wait_idle
from iosonde.measure.study import Prepare
from iosonde.records.load import Target, TargetKind
from tests.loop.devices import loop_device

pytestmark = [pytest.mark.root]
HOST = LocalHost()
MIB = 2**20


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path / "disk", 16 * MIB) as path:
        yield path


def written(path: str) -> int:
    """Bytes written to a device so far, as the kernel counts."""
    return int(Path(f"/sys/block/{Path(path).name}/stat").read_text().split()[6]) * 512


async def test_preconditioning_writes_the_whole_device_so_often(device: str) -> None:
    lines: list[str] = []
    before = written(device)
    target = Target("local", device, TargetKind.DEVICE)
    await prepare(
        HOST, target, Prepare(precondition=2, bs=131072),
        permissions=parse_destroy([device]), tell=lines.append,
    )  # fmt: skip
    assert written(device) - before == 2 * 16 * MIB
    assert lines == ["preconditioning, pass 1 of 2", "preconditioning, pass 2 of 2"]


async def test_discarding_empties_a_permitted_device_and_no_other(
    device: str, tmp_path: Path
) -> None:
    target = Target("local", device, TargetKind.DEVICE)
    Path(device).write_bytes(b"\1" * 16 * MIB)
    with pytest.raises(Refused, match="would destroy"):
        await prepare(HOST, target, Prepare(discard=True), permissions=(), tell=print)
    assert Path(device).read_bytes()[-1] == 1
    await prepare(
        HOST, target, Prepare(discard=True), permissions=parse_destroy([device]), tell=print
    )
    await drop_caches(HOST)
    assert not any(Path(device).read_bytes())
    file = Target("local", str(tmp_path / "x"), TargetKind.FILE)
    with pytest.raises(UsageError, match="for block devices, the target is a file"):
        await prepare(HOST, file, Prepare(discard=True), permissions=(), tell=print)


async def test_dropping_caches_drops_them(tmp_path: Path) -> None:
    """The second view: mincore, through fincore of util-linux."""
    file = tmp_path / "cached"
    file.write_bytes(b"x" * 8 * MIB)
    file.read_bytes()

    async def pages() -> int:
        done = await HOST.run(["fincore", "--bytes", "--noheadings", "-o", "PAGES", str(file)])
        return int(done.stdout)

    assert await pages() == 2048
    await drop_caches(HOST)
    assert await pages() == 0


class _Array(LocalHost):
    """A host with an array that resyncs for three looks."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    async def glob(self, pattern: str) -> tuple[str, ...]:
        return ("/sys/block/md0/md/sync_action",) if "sync_action" in pattern else ()

    async def read(self, path: str) -> bytes:
        if path == "/proc/mdstat":
            return (
                b"Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n"
                b"      1048512 blocks [2/2] [UU]\n"
                b"      [=======>.............]  check = 38.1% (4/10) finish=0.1min speed=1K/sec\n"
                b"\nunused devices: <none>\n"
            )
        self.looks -= 1
        return b"check\n" if self.looks >= 0 else b"idle\n"

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes]:
        return {path: await self.read(path) for path in paths}


async def test_waiting_until_md_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iosonde.measure.prepare._LOOK_AGAIN", 0.01)
    lines: list[str] = []
    await asyncio.wait_for(wait_idle(_Array(3), tell=lines.append), 5)
    assert lines == ["waiting for md0: check 38.1%"] * 3
    with pytest.raises(HostFailed, match=r"still busy after .*md0: check"):
        await wait_idle(_Array(10**6), tell=lines.append, limit=0.05)
    assert await background(HOST) == ()
