"""What a killed controller left running holds its stack; what it started for good does not."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from iosonde.change.at_work import finished, holding
from iosonde.change.journal import Journal
from iosonde.errors import HostFailed
from iosonde.hosts.local import LocalHost


@pytest.fixture
def lock(tmp_path: Path) -> str:
    return str(tmp_path / "it's a stack.lock")


async def test_a_command_keeps_its_words_input_and_status(lock: str) -> None:
    argv = holding(lock, ["sh", "-c", 'cat; printf %s "$1"; exit 3', "sh", "it's $HOME"])
    done = await LocalHost().run(argv, stdin=b"read; ", check=False)
    assert (done.status, done.stdout) == (3, b"read; it's $HOME")
    await finished(LocalHost(), lock)


async def test_the_next_one_waits_for_what_is_at_work(lock: str, tmp_path: Path) -> None:
    made = tmp_path / "made"
    argv = holding(lock, ["sh", "-c", f"touch '{tmp_path}/begun'; sleep 0.8; touch '{made}'"])
    left = subprocess.Popen(argv)  # nobody waits for it, as after a kill of the controller
    await _until_there(tmp_path / "begun")
    assert not made.exists()
    await finished(LocalHost(), lock)
    assert made.exists()
    assert left.wait(60) == 0


async def test_what_does_not_end_is_told(lock: str, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    what = f"echo $$ > '{begun}.new'; mv '{begun}.new' '{begun}'; exec sleep 60"
    left = subprocess.Popen(holding(lock, ["sh", "-c", what]))
    await _until_there(begun)
    try:
        with pytest.raises(HostFailed, match="still at work"):
            await finished(LocalHost(), lock, patience=0.3)
    finally:
        os.kill(int(begun.read_text()), signal.SIGTERM)
        left.wait(60)
    await finished(LocalHost(), lock)


async def test_what_is_started_for_good_does_not_hold_it(lock: str) -> None:
    argv = holding(lock, ["sh", "-c", "sleep 100 >/dev/null 2>&1 & echo $!"])
    started = int((await LocalHost().run(argv)).stdout)
    try:
        await finished(LocalHost(), lock, patience=60)
        assert Path(f"/proc/{started}").exists(), "it was waited for"
    finally:
        os.kill(started, signal.SIGTERM)


async def test_several_may_be_at_work_at_once(lock: str, tmp_path: Path) -> None:
    """Each waits until all have begun."""
    meets = (
        'cd "$1" && mkdir "met.$2" || exit 1; until set -- met.* && [ $# = 8 ]; do sleep 0.05; done'
    )
    await asyncio.gather(
        *(
            LocalHost().run(holding(lock, ["sh", "-c", meets, "sh", str(tmp_path), str(number)]))
            for number in range(8)
        )
    )


async def test_a_record_is_read_when_all_is_quiet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iosonde.change.journal.FOLDER", str(tmp_path))
    monkeypatch.setattr("iosonde.change.journal.LOCKS", str(tmp_path))
    lock = Journal(LocalHost(), "s").lock
    line = '{"number": 1, "state": "removed"}'
    late = ["sh", "-c", f"touch '{tmp_path}/begun'; sleep 0.5; echo '{line}' > '{tmp_path}/s'"]
    left = subprocess.Popen(holding(lock, late))
    await _until_there(tmp_path / "begun")
    await Journal.read(LocalHost(), "s")
    assert (tmp_path / "s").exists()
    assert left.wait(60) == 0


async def _until_there(file: Path) -> None:
    end = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
