"""Completion as the shells themselves do it, and what never reaches them."""

from __future__ import annotations

import os
import pty
import select
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from iosonde.cli import VERBS
from iosonde.verbs.schema import schema
from tests.cli.conftest import COMMAND, Ended

Run = Callable[..., Ended]


@pytest.fixture
def runs(environment: dict[str, str]) -> Path:
    """A store of four runs; two are called what no shell must see."""
    store = Path(environment["IOSONDE_STORE"])
    with sqlite3.connect(store) as database:
        database.execute("CREATE TABLE runs (id TEXT, created REAL)")
        database.executemany(
            "INSERT INTO runs VALUES (?, ?)",
            [("2026-a", 1.0), ("2026-b", 2.0), ("2026-\x1b]0;x\x07", 3.0), ("2026-$(id)", 4.0)],
        )
    database.close()
    return store


def completions(ended: Ended) -> list[str]:
    assert ended.status == 0, ended.stderr
    return ended.stdout.splitlines()


def test_candidates(iosonde: Run, runs: Path) -> None:
    def complete(*line: str) -> list[str]:
        return completions(iosonde("completion", "bash", "--", *line))

    assert runs.exists()
    assert set(complete("")) == {*VERBS, "help"}
    assert set(complete("co")) == {"config", "completion", "compare"}
    assert complete("help", "sho") == ["show"]
    assert complete("run", "--loo") == ["--loops"]
    assert complete("run", "--load", "laten") == ["latency"]
    assert complete("run", "--loops", "") == []
    assert complete("run", "stu") == []
    assert complete("report", "") == ["last", "2026-b", "2026-a"]
    assert complete("nosuch", "") == []
    assert complete("lab", "s") == ["ssh", "start", "slow"]
    assert complete("lab", "slow", "--") == [
        "--iops",
        "--bandwidth",
        "--name",
        "--json",
        "--quiet",
    ]
    assert complete("trace", "record", "--sec") == ["--seconds"]
    assert complete("trace", "describe", "--sec") == []


def test_no_store_is_made_or_broken_by_a_key(iosonde: Run, environment: dict[str, str]) -> None:
    store = Path(environment["IOSONDE_STORE"])
    assert completions(iosonde("completion", "bash", "--", "report", "")) == []
    assert not store.exists()
    store.write_bytes(b"no database")
    assert completions(iosonde("completion", "bash", "--", "report", "")) == []
    assert store.read_bytes() == b"no database"


def test_json_and_a_wrong_shell(iosonde: Run) -> None:
    jsonschema.validate(iosonde("completion", "bash", "--json").json, schema("completion"))
    ended = iosonde("completion", "tcsh")
    assert (ended.status, "expected bash, zsh, fish" in ended.stderr) == (2, True)


@pytest.fixture
def shell_environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """With a command `iosonde` in PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "iosonde"
    command.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{COMMAND[2]}' \"$@\"\n")
    command.chmod(0o755)
    return {**environment, "PATH": f"{folder}:{environment['PATH']}", "TERM": "dumb"}


def _typed(
    shell: list[str], setup: str, line: str, awaited: str, environment: dict[str, str]
) -> str:
    """What a shell on a terminal shows after a line that ends in TAB, until it is as awaited."""
    child, terminal = pty.fork()
    if not child:
        os.execvpe(shell[0], shell, environment)
    try:
        os.write(terminal, f"{setup}; echo RE''ADY\n".encode())
        shown = _until(terminal, "READY")
        assert "READY" in shown, shown
        os.write(terminal, line.encode())
        return _until(terminal, awaited)
    finally:
        os.close(terminal)
        os.kill(child, 9)
        os.waitpid(child, 0)


def _until(terminal: int, end: str, seconds: float = 60) -> str:
    shown, limit = "", time.monotonic() + seconds
    while end not in shown and time.monotonic() < limit:
        if select.select([terminal], [], [], 0.2)[0]:
            shown += os.read(terminal, 65536).decode(errors="replace")
    return shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "setup"),
    [
        (["bash", "--norc", "--noprofile"], "source <(iosonde completion bash)"),
        (["zsh", "-f"], "autoload -U compinit; compinit -u -D; source <(iosonde completion zsh)"),
    ],
)
def test_a_shell_on_a_terminal_completes(
    shell: list[str], setup: str, runs: Path, shell_environment: dict[str, str]
) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"no {shell[0]}")
    assert runs.exists()
    for line, whole in (
        ("iosonde expo\t", "iosonde export "), ("iosonde run --loo\t", "iosonde run --loops "),
        ("iosonde report 2026-b\t", "iosonde report 2026-b "),
    ):  # fmt: skip
        assert whole in _typed(shell, setup, line, whole, shell_environment)
    listed = _typed(shell, setup, "iosonde report 2026-\t\t", "2026-b", shell_environment)
    assert "2026-a" in listed
    assert "\x1b]0" not in listed
    assert "$(id)" not in listed


@pytest.mark.slow
def test_fish_completes(runs: Path, shell_environment: dict[str, str]) -> None:
    if shutil.which("fish") is None:
        pytest.skip("no fish")
    assert runs.exists()

    def complete(line: str) -> list[str]:
        done = subprocess.run(
            ["fish", "--no-config", "-c",
             f'iosonde completion fish | source; complete -C "{line}"'],
            env=shell_environment, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        return done.stdout.split()

    assert complete("iosonde expo") == ["export"]
    assert complete("iosonde run --loo") == ["--loops"]
    assert complete("iosonde report 2026-") == ["2026-a", "2026-b"]
