"""Runs in a container and on its host leave each other's directories, runs and groups alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.hosts.local import LocalHost
from iosonde.lab.up import sweep as sweep_labs
from iosonde.measure.confine import limited
from iosonde.measure.workplace import sweep, workplace
from iosonde.records.run import RunState
from iosonde.store import open_store
from iosonde.store.owner import hold_lock, is_gone, lock_is_free, same_place, tag, this_process

pytestmark = pytest.mark.root

_CONTAINER = ("unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc")
_UNMOUNTED = ("unshare", "--pid", "--fork", "--kill-child")
"""Without a /proc of its own: ids in /proc are those of the namespace outside."""


@contextmanager
def _inside(script: str, *arguments: str | Path, by: tuple[str, ...] = _CONTAINER) -> Iterator[str]:
    """The first line that a script prints in a PID namespace of its own, where it stays alive."""
    running = subprocess.Popen(
        [*by, sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert running.stdout
        yield running.stdout.readline().strip()
    finally:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
        for child in children:  # as the OOM killer does, and before its input ends
            os.kill(int(child), signal.SIGKILL)
        running.wait(20)
        running.communicate()


def _until(what: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.05)
    return False


# ---- a loop's directory


_WORKPLACE = """\
import asyncio, sys
from iosonde.hosts.local import LocalHost
from iosonde.measure.workplace import workplace
async def main():
    async with workplace(LocalHost()) as directory:
        print(directory, flush=True)
        sys.stdin.read()
asyncio.run(main())
"""
_SWEEP = """\
import asyncio
from iosonde.hosts.local import LocalHost
from iosonde.measure.workplace import sweep
print(asyncio.run(sweep(LocalHost())), flush=True)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("by", [_CONTAINER, _UNMOUNTED])
async def test_the_host_leaves_a_containers_directory_until_its_owner_ends(
    by: tuple[str, ...], place: Path
) -> None:
    with _inside(_WORKPLACE, by=by) as directory:
        assert Path(directory).parent == place
        assert await sweep(LocalHost()) == ()
        assert Path(directory).is_dir()
    assert _until(lambda: lock_is_free(Path(directory) / ".owner"))
    assert await sweep(LocalHost()) == (Path(directory).name,)
    assert list(place.iterdir()) == []


async def test_a_container_leaves_the_hosts_and_another_containers_directory(place: Path) -> None:
    async with workplace(LocalHost()) as ours:
        with _inside(_WORKPLACE) as theirs, _inside(_SWEEP) as swept:
            assert swept == "()"
            assert Path(ours).is_dir()
            assert Path(theirs).is_dir()
        assert _until(lambda: lock_is_free(Path(theirs) / ".owner"))
        with _inside(_SWEEP) as swept:
            assert swept == f"('{Path(theirs).name}',)"
        assert list(place.iterdir()) == [Path(ours)]


def test_a_lock_is_never_seen_free_while_its_owner_lives(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    assert not lock_is_free(file)
    descriptor = hold_lock(file)
    assert not lock_is_free(file)
    assert list(tmp_path.iterdir()) == [file]
    child = subprocess.Popen(["sleep", "60"], close_fds=False)  # inherits all it can
    try:
        os.close(descriptor)
        assert lock_is_free(file)
    finally:
        child.kill()
        child.wait()
    (tmp_path / "link").symlink_to(file)
    assert not lock_is_free(tmp_path / "link")


# ---- a run in a store


_RUN = """\
import sys
from iosonde.store import open_store
from iosonde.store.owner import this_process
store = open_store(sys.argv[1])
if len(sys.argv) > 2:
    run = store.resume(sys.argv[2], owner=this_process())
else:
    run = store.begin("study", {}, created=1.0, owner=this_process())
print(run.id, flush=True)
sys.stdin.read()
"""


def test_a_run_in_a_container_is_running_until_it_ends_and_can_then_be_resumed(
    tmp_path: Path,
) -> None:
    """Also in a container started anew, which has the same name and another namespace."""
    place = tmp_path / "store.sqlite"
    store = open_store(str(place))
    with _inside(_RUN, place) as run:
        assert store.load(run).state is RunState.RUNNING
        with pytest.raises(UsageError, match="is running"):
            store.resume(run, owner=this_process())
    assert _until(lambda: store.load(run).state is RunState.INTERRUPTED)
    with _inside(_RUN, place, run) as again:
        assert again == run
        assert store.load(run).state is RunState.RUNNING
    assert _until(lambda: store.load(run).state is RunState.INTERRUPTED)
    assert store.resume(run, owner=this_process()).state is RunState.RUNNING
    with _inside(_RUN, place, run) as refused:
        assert refused == ""
    store.finish(run, RunState.FINISHED)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []
    store.close()


def test_marks_are_understood_with_and_without_a_namespace() -> None:
    name, boot, namespace = this_process().rsplit(":", 2)[0].split("/")
    pid, ticks = this_process().rsplit(":", 2)[1:]
    free = lambda: True  # noqa: E731 - asked or not is what is tested
    now, before, elsewhere = f"{name}/{boot}", f"{name}/before", f"{name}/{boot}/1"
    gone = {
        "": True,
        f"{now}/{namespace}:{pid}:{ticks}": False,
        f"{now}/{namespace}:{pid}:1": True,
        f"{before}/{namespace}:{pid}:{ticks}": True,  # a reboot ends everyone
        f"other/before/{namespace}:{pid}:1": False,  # of another machine nobody knows
        f"{now}:{pid}:{ticks}": False,  # written by an earlier version
        f"{now}:{pid}:1": True,
        f"{before}:{pid}:{ticks}": True,
        f"other/{boot}:{pid}:1": False,
        f"other/before:{pid}:1": False,
    }
    assert {mark: is_gone(mark) for mark in gone} == gone
    for mark in (f"{elsewhere}:{pid}:1", f"{elsewhere}:{pid}:{ticks}", f"{now}/0:{pid}:1"):
        assert (is_gone(mark), is_gone(mark, let_go=free)) == (False, True)
    assert not is_gone(f"other/before/1:{pid}:1", let_go=free)
    assert same_place(this_process())
    assert not any(map(same_place, (f"{now}:1:1", f"{elsewhere}:1:1", "")))


# ---- a lab that is being started, a group that limits memory


_STARTING = """\
import os, sys
from pathlib import Path
from iosonde.lab.state import Lab
from iosonde.store.owner import this_process
lab = Lab("half", "/nowhere", "tcg", False, (), ()).keep()
(lab.directory / "owner").write_text(this_process())
print(lab.directory, flush=True)
sys.stdin.read()
"""


def test_a_lab_that_a_container_starts_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOSONDE_LAB", str(tmp_path))
    with _inside(_STARTING) as directory:
        sweep_labs()
        assert Path(directory).is_dir()
    owner = Path(directory) / "owner"
    for mark in (this_process(), this_process().split(":", 1)[1].replace(":", " ")):
        owner.write_text(mark)  # ours, as it is now and as earlier versions wrote it
        sweep_labs()
        assert Path(directory).is_dir()
    owner.write_text(f"{os.getpid()} 1")
    sweep_labs()
    assert not Path(directory).exists()


async def test_a_group_that_another_run_has_just_made_is_left_alone() -> None:
    host = LocalHost()
    async with limited(host, 1 << 26) as prefix:
        group = Path(prefix[-1])
        async with limited(host, 1 << 26):
            assert group.is_dir()
        boot, namespace, pid, _ = tag().split("-")
        left = group.with_name(f"iosonde-{boot}-{namespace}-{pid}-1-00000000")
        elsewhere = group.with_name(f"iosonde-{boot}-1-{pid}-1-00000000")
        left.mkdir()
        elsewhere.mkdir()
        try:
            async with limited(host, 1 << 26):
                assert not left.exists()
                assert elsewhere.is_dir()
        finally:
            elsewhere.rmdir()
