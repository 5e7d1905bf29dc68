"""Directories of loops: gone afterwards, and those of the killed are taken away by the next."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import CommandFailed
from iosonde.hosts.host import Completed
from iosonde.hosts.local import LocalHost
from iosonde.measure.workplace import sweep, workplace
from iosonde.store.owner import tag

KILLED = """\
import asyncio, os, signal
from iosonde.hosts.local import LocalHost
from iosonde.measure.workplace import workplace
async def main():
    async with workplace(LocalHost()):
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


async def test_it_is_there_for_a_loop_and_gone_afterwards(place: Path) -> None:
    async with workplace(LocalHost()) as directory:
        assert Path(directory).parent == place
        assert await sweep(LocalHost()) == ()
        assert Path(directory).is_dir()
    assert list(place.iterdir()) == []


async def test_what_the_killed_left_is_taken_away_and_nothing_else(place: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED], check=False)
    (left,) = place.iterdir()
    boot, space, pid, ticks = tag().split("-")
    digest = f"{boot}-{space}"
    kept = [
        f"iosonde.{tag()}.ABCDEFGHIJ",  # of one that lives
        f"iosonde.00000000-{space}-{pid}-1.ABCDEFGHIJ",  # of another machine, or before a reboot
        f"iosonde.{boot}-1-{pid}-1.ABCDEFGHIJ",  # of another PID namespace, without a lock
        f"iosonde.{boot}-{pid}-1.ABCDEFGHIJ",  # of an earlier version
        f"iosonde.{digest}-{pid}-1.ABC",  # no name of ours
        "iosonde.ABCDEFGHIJ", "iosonde-probe-x", f"x.{left.name}",
    ]  # fmt: skip
    for name in kept:
        (place / name).mkdir()
    gone = place / f"iosonde.{digest}-{pid}-1{ticks}.ABCDEFGHIJ"  # its id was given to another
    gone.mkdir()
    (gone / "job.fio").touch()
    file = place / f"iosonde.{digest}-{pid}-1.ABCDEFGHIJ"
    file.touch()  # a file, where ours are directories
    assert set(await sweep(LocalHost())) == {left.name, gone.name}
    assert sorted(path.name for path in place.iterdir()) == sorted([*kept, file.name])


class _Killing(LocalHost):
    """A host where what runs the first command with a word in it is killed before it answers."""

    def __init__(self, word: str, *, done: bool) -> None:
        self._word, self._done = word, done

    async def run(self, argv: Sequence[str], **more: Any) -> Completed:
        if self._word in argv:
            self._word = ""
            if self._done:
                await super().run(argv, **more)
            failed = Completed(tuple(argv), -9, b"", b"", 0.0)
            if not more.get("check", True):
                return failed
            raise CommandFailed(self.name, failed.argv, -9, b"", b"")
        return await super().run(argv, **more)


async def test_one_that_was_made_and_not_told_is_removed(place: Path) -> None:
    (place / f"iosonde.{tag()}.ABCDEFGHIJ").mkdir()  # another one of this process
    with pytest.raises(CommandFailed):
        async with workplace(_Killing("temporary_directory", done=True)):
            pass
    assert [path.name for path in place.iterdir()] == [f"iosonde.{tag()}.ABCDEFGHIJ"]


async def test_what_removes_it_is_killed_and_called_again(place: Path) -> None:
    async with workplace(_Killing("rm", done=False)):
        pass
    assert list(place.iterdir()) == []
