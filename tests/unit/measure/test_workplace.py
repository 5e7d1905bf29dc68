"""Directories of loops: gone afterwards, and those of the killed are taken away by the next."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
    assert sorted(one.name for one in place.iterdir()) == sorted([*kept, file.name])
