"""The forks that tests of the command are: both answers to a call are read, however late."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.cli.forked import commands


def test_a_call_that_ended_before_its_process_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on a busy machine, where both lines have arrived before the first is read."""
    server, answer = commands(), commands()._answer

    def late(timeout: float) -> int:
        time.sleep(0.5)
        return answer(timeout)

    monkeypatch.setattr(server, "_answer", late)
    for _ in range(2):
        ended = server.run(["--version"], timeout=10)
        assert (ended.status, ended.stderr) == (0, "")


def test_after_a_call_that_took_too_long_the_next_gets_its_own_answer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never")  # nobody writes to it: on a busy machine, too, it does not end
    with pytest.raises(TimeoutError):
        commands().run(["import", "--dry-run", str(tmp_path / "never")], timeout=0.2)
    assert commands().run(["no-such-verb"], timeout=60).status == 2
