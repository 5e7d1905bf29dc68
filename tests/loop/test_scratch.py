"""Scratch files: laid out whole, marked, removed, and never anybody else's."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from iosonde.change.guard import check_target
from iosonde.change.scratch import is_ours, make_scratch
from iosonde.errors import FileMissing, HostFailed, Refused
from iosonde.hosts.local import LocalHost
from iosonde.records.load import TargetKind
from tests.loop.devices import loop_device, mounted, tool
from tests.processes import kill_at_once, pids_with

HOST = LocalHost()
MIB = 2**20


async def test_every_block_is_written_with_what_cannot_be_compressed(tmp_path: Path) -> None:
    import zlib

    size = 3 * MIB + 5000
    scratch = await make_scratch(HOST, str(tmp_path / "new"), size)
    target = scratch.target
    content = Path(target.path).read_bytes()
    status = Path(target.path).stat()
    assert target.kind is TargetKind.FILE
    assert len(content) == size
    assert status.st_blocks * 512 >= size
    assert len(zlib.compress(content, 1)) > 0.99 * size
    await scratch.remove()
    assert list(tmp_path.iterdir()) == []


async def test_a_directory_gets_files_of_different_names(tmp_path: Path) -> None:
    first = await make_scratch(HOST, str(tmp_path), MIB)
    second = await make_scratch(HOST, str(tmp_path), MIB)
    path = first.target.path
    assert path != second.target.path
    assert await is_ours(HOST, path)
    assert (await check_target(HOST, path, writes=True, permissions=())) == first.target
    for scratch in (first, second):
        await scratch.remove()
    assert list(tmp_path.iterdir()) == []


async def test_a_file_of_somebody_else_is_refused_and_untouched(tmp_path: Path) -> None:
    theirs = tmp_path / "mail"
    theirs.write_text("dear")
    with pytest.raises(Refused, match="was not made by iosonde"):
        await make_scratch(HOST, str(theirs), MIB)
    assert theirs.read_text() == "dear"


@pytest.mark.parametrize("how", ["replaced", "hard link", "symbolic link", "copied mark"])
async def test_a_mark_is_worth_nothing_on_another_file(tmp_path: Path, how: str) -> None:
    scratch = await make_scratch(HOST, str(tmp_path / "new"), MIB)
    place = Path(scratch.target.path)
    if how == "replaced":
        place.unlink()
        (tmp_path / "filler").write_text("takes the inode")
        place.write_text("theirs")
    elif how == "hard link":
        os.link(place, tmp_path / "other")
    elif how == "symbolic link":
        place.rename(tmp_path / "moved")
        place.symlink_to(tmp_path / "moved")
    else:
        other = tmp_path / "other"
        other.write_text("theirs")
        (tmp_path / ".other.iosonde").write_bytes((tmp_path / ".new.iosonde").read_bytes())
        place = other
    assert not await is_ours(HOST, str(place))
    with pytest.raises(Refused):
        await check_target(HOST, str(place), writes=True, permissions=())
    await scratch.remove()


async def test_removing_leaves_what_took_the_name(tmp_path: Path) -> None:
    scratch = await make_scratch(HOST, str(tmp_path / "new"), MIB)
    place = Path(scratch.target.path)
    place.rename(tmp_path / "moved")
    place.write_text("theirs")
    await scratch.remove()
    assert place.read_text() == "theirs"


async def test_one_left_by_a_killed_run_is_made_anew(tmp_path: Path) -> None:
    left = await make_scratch(HOST, str(tmp_path / "new"), MIB)
    kill_at_once(pids_with(left.keeper.token))  # the keeper and its warden, as by a crash
    await left.remove()
    path = left.target.path
    assert Path(path).stat().st_size == MIB
    again = await make_scratch(HOST, path, 2 * MIB)
    assert again.target.path == path
    assert Path(path).stat().st_size == 2 * MIB
    assert await is_ours(HOST, path)
    await again.remove()
    assert list(tmp_path.iterdir()) == []


async def test_no_room_is_told_before_a_block_is_written(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"of 1 PiB does not fit: .* are free") as caught:
        await make_scratch(HOST, str(tmp_path), 2**50)
    assert "df:" in caught.value.evidence
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileMissing, match="there is no directory"):
        await make_scratch(HOST, str(tmp_path / "no" / "where"), MIB)


@pytest.mark.root
async def test_a_disk_that_fills_up_meanwhile_leaves_no_partial_file(tmp_path: Path) -> None:
    with loop_device(tmp_path / "disk", 200 * MIB) as device:
        tool("mkfs.ext4", "-q", "-F", device)
        with mounted(device, tmp_path / "at") as place:

            def fill(_what: str) -> None:
                tool("fallocate", "-l", "120M", str(place / "other"))

            free = os.statvfs(place).f_bavail * os.statvfs(place).f_frsize
            with pytest.raises(HostFailed, match="No space left on device"):
                await make_scratch(HOST, str(place / "new"), free - 65 * MIB, tell=fill)
            names = sorted(path.name for path in place.iterdir())
            assert names == ["lost+found", "other"]


async def test_ctrl_c_during_the_layout_leaves_nothing(tmp_path: Path) -> None:
    event = asyncio.Event()
    task = asyncio.ensure_future(
        make_scratch(HOST, str(tmp_path / "new"), 4 * 2**30, tell=lambda _: event.set())
    )
    await event.wait()
    await asyncio.sleep(0.2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert list(tmp_path.iterdir()) == []
