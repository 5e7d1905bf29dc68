"""The command as a user runs it, with a store of its own.

fio is that of tests/fakes, which waits for nothing; tests marked `slow` have the real one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.forked import Ended, commands

__all__ = ["COMMAND", "FAKE_FIO", "Ended"]

FAKE_FIO = Path(__file__).parents[1] / "fakes" / "bin"
COMMAND = [sys.executable, "-c", "from iosonde.cli.main import main; main()"]


@pytest.fixture(autouse=True)
def fio(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which fio is found."""
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setenv("PATH", f"{FAKE_FIO}:{os.environ['PATH']}")
        place = request.getfixturevalue("tmp_path_factory").mktemp("fio")
        monkeypatch.setenv("IOSONDE_FAKE_FIO", str(place))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Nothing of the user's: home, store and locale of the test's own."""
    names = {"PATH", "PYTHONPATH", "IOSONDE_FAKE_FIO"}
    kept = {key: value for key, value in os.environ.items() if key in names}
    return {**kept, "HOME": str(tmp_path), "IOSONDE_STORE": str(tmp_path / "store.sqlite"),
            "LC_ALL": "C.UTF-8", "COLUMNS": "140"}  # fmt: skip


@pytest.fixture
def iosonde(
    environment: Mapping[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[..., Ended]:
    """`iosonde("list", "--json")`, run in an empty directory; a `slow` test starts the command."""
    real = request.node.get_closest_marker("slow") is not None

    def run(*arguments: str, timeout: float = 280) -> Ended:
        if not real:
            return commands().run(
                arguments, environment=environment, place=tmp_path, timeout=timeout
            )
        done = subprocess.run(
            [*COMMAND, *arguments], env=dict(environment), cwd=tmp_path, timeout=timeout,
            stdin=subprocess.DEVNULL, capture_output=True, check=False,
        )  # fmt: skip
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
