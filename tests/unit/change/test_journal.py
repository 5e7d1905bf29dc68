"""The record of what was built: many steps begin at once, and each line is whole."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from iosonde.change import journal as module
from iosonde.change.journal import Journal, Made
from iosonde.hosts.local import LocalHost
from iosonde.layers.step import Check, Command


def made(number: int, letters: int) -> Made:
    undo = (Command(("echo", "x" * letters)),)
    return Made("d", number, number, "do it", Check(("true",)), undo, (), "begun")


async def test_steps_that_begin_at_once_leave_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FOLDER", str(tmp_path / "built"))
    host = LocalHost()
    journal = await Journal.read(host, "s")
    commands = [journal.begin(made(number, 40_000)) for number in range(24)]
    await asyncio.gather(
        *(host.run(command.argv, stdin=command.stdin.encode()) for command in commands)
    )
    again = await Journal.read(host, "s")
    assert sorted(again.made) == list(range(24))
    await again.removed(range(24))
    assert not (tmp_path / "built").exists()
