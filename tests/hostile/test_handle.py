"""A name changed between a check and its use never redirects a write or an unlink."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.change import keeper as keepers
from iosonde.change.guard import parse_destroy
from iosonde.change.hold import hold, require_free
from iosonde.change.keeper import OPENED, Keeper, KeeperRefused, start_keeper
from iosonde.change.scratch import make_scratch
from iosonde.errors import HostFailed, IosondeError, Refused
from iosonde.hosts.local import LocalHost
from iosonde.records.load import Target, TargetKind
from tests.cli.conftest import Ended
from tests.hostile.conftest import COMMAND, Stranger, clean_environment
from tests.loop.devices import loop_device, tool
from tests.processes import kill_at_once, loads_on, pids_with

HOST = LocalHost()
MIB = 2**20
WRITE = "fio --name=w --rw=randwrite --bs=4k --direct=1 --ioengine=libaio --iodepth=4 --size=4m"


def digest(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@pytest.fixture(params=["perl", "python3"], autouse=True)
def interpreter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every attack is made on the keeper in Perl and on that in Python."""
    rows = tuple(row for row in keepers._SCRIPTS if row[0] == request.param)
    monkeypatch.setattr(keepers, "_SCRIPTS", rows)
    return str(request.param)


@contextmanager
def swapping(place: Path, *targets: Path) -> Iterator[None]:
    """A neighbour who turns a link to one target after the other as fast as the machine can."""
    script = (
        "import os, sys, itertools\n"
        "place, *targets = sys.argv[1:]\n"
        "for number in itertools.count():\n"
        "    os.symlink(targets[number % len(targets)], place + '.new')\n"
        "    os.rename(place + '.new', place)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, place, *targets])
    try:
        yield
    finally:
        process.kill()
        process.wait()


async def test_a_path_with_a_colon_names_one_file(iosonde: Callable[..., Ended],
                                                 tmp_path: Path) -> None:  # fmt: skip
    # fio takes what follows a colon for a second file.
    victim = tmp_path / "victim"
    victim.write_bytes(b"theirs" * 1000)
    (tmp_path / "c:").mkdir()
    before = digest(victim)
    study = tmp_path / "study.yaml"
    study.write_text(
        f"study: colon\ntargets: ['{tmp_path}/c:{victim}']\nloads: [{{fio: '{WRITE}'}}]\n"
        "loops: 1\nseconds: 0.2\nprepare: {precondition: 1}\nsize: 4m\n"
    )
    ended = iosonde("run", str(study))
    assert digest(victim) == before
    assert ended.status in {2, 3, 4}, ended.stderr
    named = iosonde("run", "--fio", WRITE, "--target", str(tmp_path / "c:"), "--loops", "1",
                    "--seconds", "0.2")  # fmt: skip
    assert named.status == 0, named.stderr  # the near miss: such a directory is a good target
    assert digest(victim) == before


@pytest.mark.root
async def test_a_link_of_somebody_else_is_no_way_to_a_device(
    device: str, open_folder: Path, stranger: Stranger
) -> None:
    os.chown(open_folder, stranger.uid, stranger.gid)
    link = open_folder / "disk"
    link.symlink_to(device)
    with pytest.raises(Refused, match="another user could replace it") as caught:
        await require_free(HOST, str(link), writes=True, permissions=parse_destroy([str(link)]))
    assert str(open_folder) in str(caught.value)


@pytest.mark.root
async def test_a_link_of_root_leads_to_the_device_itself(device: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(device)
    target = await require_free(HOST, str(link), writes=True, permissions=parse_destroy([device]))
    assert target.path == device


@pytest.mark.root
@pytest.mark.timeout(60)
async def test_a_device_swapped_between_check_and_load_keeps_its_bytes(tmp_path: Path) -> None:
    with (
        loop_device(tmp_path / "ours", 8 * MIB) as ours,
        loop_device(tmp_path / "theirs", 8 * MIB) as theirs,
    ):
        link = tmp_path / "link"
        link.symlink_to(ours)
        with swapping(link, Path(ours), Path(theirs)):
            for _ in range(50):  # by name the neighbour wins, so the attack is a real one
                tool("dd", "if=/dev/urandom", f"of={link}", "bs=4k", "count=1", "status=none")
        assert set(Path(theirs).read_bytes()) != {0}
        tool("dd", "if=/dev/zero", f"of={theirs}", "bs=4k", "count=1", "status=none")
        with swapping(link, Path(ours), Path(theirs)):
            for _ in range(6):
                target = Target("local", str(link), TargetKind.DEVICE)
                try:
                    async with hold(
                        HOST, target, writes=True, permissions=parse_destroy([ours])
                    ) as held:
                        await held.keeper.run(
                            ["dd", "if=/dev/urandom", f"of={OPENED}", "bs=4k", "count=1",
                             "conv=notrunc", "status=none"]
                        )  # fmt: skip
                except IosondeError:
                    continue
                assert held.opened.path == ours
        assert set(Path(theirs).read_bytes()) == {0}


@pytest.mark.root
async def test_a_link_swapped_in_for_a_scratch_file_loses_nobody_a_byte(
    open_folder: Path, stranger: Stranger
) -> None:
    victim = open_folder / "victim"
    victim.write_bytes(b"root's own")
    place = open_folder / "data"
    place.mkdir()
    os.chown(place, stranger.uid, stranger.gid)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for entry in place.glob("iosonde-scratch.*"):
                for name in (entry, entry / "data"):
                    stranger.run(
                        "sh", "-c", 'mv "$1" "$1.away"; ln -s "$2" "$1"', "sh", name, victim,
                        check=False,
                    )  # fmt: skip

    neighbour = threading.Thread(target=swap)
    neighbour.start()
    try:
        for _ in range(6):
            try:
                scratch = await make_scratch(HOST, str(place), MIB)
            except IosondeError:
                continue
            await scratch.remove()
    finally:
        stop.set()
        neighbour.join()
    assert victim.read_bytes() == b"root's own"


@pytest.mark.root
async def test_a_named_scratch_file_needs_a_directory_that_is_closed_to_others(
    open_folder: Path, stranger: Stranger
) -> None:
    place = open_folder / "theirs"
    place.mkdir()
    os.chown(place, stranger.uid, stranger.gid)
    with pytest.raises(Refused, match="another user could replace it") as caught:
        await make_scratch(HOST, str(place / "new"), MIB)
    assert "name a directory" in caught.value.hint
    assert list(place.iterdir()) == []
    place.chmod(0o1777)
    os.chown(place, 0, 0)
    scratch = await make_scratch(HOST, str(place / "new"), MIB)  # as in /tmp: sticky
    await scratch.remove()
    assert list(place.iterdir()) == []


@pytest.mark.root
async def test_a_directory_of_somebody_else_is_measured_in_one_of_our_own(
    open_folder: Path, stranger: Stranger
) -> None:
    place = open_folder / "theirs"
    place.mkdir()
    os.chown(place, stranger.uid, stranger.gid)
    scratch = await make_scratch(HOST, str(place), MIB)
    ours = Path(scratch.target.path).parent
    assert ours.stat().st_mode & 0o7777 == 0o700
    assert stranger.run("ls", ours, check=False).returncode != 0
    await scratch.remove()
    assert list(place.iterdir()) == []


@pytest.mark.root
@pytest.mark.parametrize("kind", ["fifo", "directory link", "character device"])
async def test_what_is_neither_device_nor_file_is_never_opened(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "odd"
    if kind == "fifo":
        os.mkfifo(place)  # opening one for reading would wait for ever
    elif kind == "character device":
        os.mknod(place, 0o600 | 0o020000, os.makedev(1, 5))
    else:
        place.symlink_to("/etc")
    keeper = await start_keeper(HOST, where=str(place))
    try:
        with pytest.raises(KeeperRefused):
            await keeper.open("device", str(place))
        if kind != "directory link":
            with pytest.raises(KeeperRefused):
                await keeper.open("read", str(place))
    finally:
        await keeper.close()


async def _kept(path: str, how: str) -> Keeper:
    keeper = await start_keeper(HOST, where=path)
    await keeper.open(how, path)
    return keeper


def _gone(find: Callable[[], list[int]], seconds: float = 30.0) -> bool:
    end = time.monotonic() + seconds
    while find():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.root
async def test_the_claim_lasts_as_long_as_a_child_of_the_load_lives(device: str) -> None:
    # Both processes that look after the load are killed at once: its descriptor keeps the claim.
    import asyncio

    keeper = await _kept(device, "device")
    running = asyncio.ensure_future(keeper.run(["sleep", "60"], timeout=None))
    while not (sleeping := keepers_children(keeper)):
        await asyncio.sleep(0.02)
    kill_at_once(pids_with(keeper.token))
    with pytest.raises(HostFailed):
        await running
    try:
        with pytest.raises(OSError, match="busy"):
            os.open(device, os.O_RDONLY | os.O_EXCL)
    finally:
        for pid in sleeping:
            os.kill(pid, signal.SIGKILL)
    await keeper.close()
    assert _gone(lambda: [] if free(device) else [1])
    for node in Path("/dev").glob("iosonde.*/target"):  # nobody is left who could remove it
        if node.stat().st_rdev == Path(device).stat().st_rdev:
            shutil.rmtree(node.parent)


def free(device: str) -> bool:
    try:
        os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
    except OSError:
        return False
    return True


def keepers_children(keeper: Keeper) -> list[int]:
    """What a keeper has begun, by the mark in its environment."""
    numbers = []
    for place in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"IOSONDE_TOKEN={keeper.token}".encode() in place.read_bytes().split(b"\0"):
                numbers.append(int(place.parent.name))
        except OSError:
            continue
    return numbers


@pytest.mark.parametrize("which", ["keeper", "warden", "load"])
async def test_whoever_of_the_chain_is_killed_nothing_runs_on(tmp_path: Path, which: str) -> None:
    import asyncio

    scratch = await make_scratch(HOST, str(tmp_path), MIB)
    keeper = scratch.keeper
    load = ["fio", "--name=x", f"--filename={OPENED}", "--rw=randwrite", "--size=1m",
            "--runtime=60", "--time_based", "--numjobs=2"]  # fmt: skip
    running = asyncio.ensure_future(keeper.run(load, timeout=None, check=False))
    while len(loads_on(str(tmp_path))) < 3:
        assert not running.done(), running.result()
        await asyncio.sleep(0.02)
    chain = sorted(pids_with(keeper.token))
    victim = {"keeper": chain[0], "warden": chain[1], "load": min(loads_on(str(tmp_path)))}[which]
    os.kill(victim, signal.SIGKILL)
    if which == "warden":  # the keeper goes on, and ends with us as ever
        running.cancel()
    await asyncio.wait({running}, timeout=30)
    assert running.done()
    await asyncio.gather(running, return_exceptions=True)
    assert await asyncio.to_thread(_gone, lambda: loads_on(str(tmp_path)))
    await scratch.remove()
    assert await asyncio.to_thread(_gone, lambda: pids_with(keeper.token))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_kill_9_of_iosonde_ends_the_load_and_removes_the_scratch_file(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.mkdir()
    running = subprocess.Popen(
        [*COMMAND, "run", "--fio", f"{WRITE} --numjobs=2", "--seconds", "60", "--target",
         str(place)],
        env=clean_environment(tmp_path), cwd=tmp_path, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        end = time.monotonic() + 60
        while len(loads_on(str(place))) < 3:
            assert running.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
    finally:
        running.kill()
        running.wait()
    assert _gone(lambda: loads_on(str(place)))
    assert _gone(lambda: [1 for _ in place.iterdir()])


@pytest.mark.root
async def test_a_load_calls_the_device_by_a_node_that_is_gone_afterwards(device: str) -> None:
    # fio counts a disk's requests only where lstat(2) says that the name is a block device.
    keeper = await start_keeper(HOST, where=device)
    opened = await keeper.open("device", device)
    place = Path(opened.name)
    try:
        assert os.lstat(place).st_rdev == Path(device).stat().st_rdev
        assert place.parent.stat().st_mode & 0o7777 == 0o700
        load = ["fio", "--name=x", f"--filename={opened.name}", "--rw=read", "--size=1m",
                "--output-format=json"]  # fmt: skip
        counted = json.loads((await keeper.run(load)).stdout)["disk_util"]
        assert [disk["name"] for disk in counted] == [Path(device).name]
    finally:
        await keeper.close()
    assert not place.parent.exists()


@pytest.mark.root
@pytest.mark.parametrize(("group", "refused"), [("disk", False), ("mail", True)])
async def test_a_directory_of_the_group_disk_is_as_closed_as_the_disks(
    device: str, open_folder: Path, group: str, refused: bool
) -> None:
    # mdadm makes /dev/md so where udev does not.
    link = open_folder / "r"
    link.symlink_to(device)
    shutil.chown(open_folder, group=group)
    open_folder.chmod(0o770)
    keeper = await start_keeper(HOST, where=str(link))
    try:
        if refused:
            with pytest.raises(KeeperRefused):
                await keeper.open("device", str(link))
        else:
            assert (await keeper.open("device", str(link))).path == device
    finally:
        await keeper.close()
