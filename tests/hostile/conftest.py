"""What attacks need: another user, a private mount namespace, the command as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import Ended, environment, iosonde
from tests.loop.devices import loop_device

__all__ = ["environment", "iosonde"]

_STORES = pytest.StashKey[dict[tuple[tuple[str, str], ...], bytes]]()
_STRANGER = 64123  # a user id that no account has; the kernel asks for none


@pytest.fixture
def imported(
    iosonde: Callable[..., Ended], tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[..., None]:
    """`imported("a.txt", …)`: the runs of `iosonde import` of each, which is called once a worker.

    The store is copied for tests that import texts of the same content after the first.
    """
    kept = request.config.stash.setdefault(_STORES, {})

    def have(*names: str) -> None:
        texts = tuple((name, (tmp_path / name).read_text()) for name in names)
        store = tmp_path / "store.sqlite"
        if texts in kept:
            store.write_bytes(kept[texts])
            return
        for name in names:
            assert iosonde("import", name).status == 0
        kept[texts] = store.read_bytes()

    return have


@dataclass(frozen=True)
class Stranger:
    """Another user of this machine, without a password entry and without any privilege."""

    uid: int = _STRANGER
    gid: int = _STRANGER

    def run(self, *argv: str | Path, check: bool = True) -> subprocess.CompletedProcess[bytes]:
        """Run a command as that user."""
        return subprocess.run(
            list(map(str, argv)), user=self.uid, group=self.gid, extra_groups=[], cwd="/",
            capture_output=True, check=check, timeout=60,
        )  # fmt: skip

    def start(self, *argv: str | Path) -> subprocess.Popen[bytes]:
        """Start a command as that user; the test ends it."""
        return subprocess.Popen(
            list(map(str, argv)), user=self.uid, group=self.gid, extra_groups=[], cwd="/",
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


@pytest.fixture
def stranger() -> Stranger:
    """Another user. Needs root."""
    return Stranger()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A directory that every user may enter and reach (pytest's own are closed to others)."""
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="hostile.", dir="/var/tmp"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    """A loop device of 64 MiB with nothing on it."""
    with loop_device(tmp_path / "disk", 64 * 2**20) as path:
        yield path


@pytest.fixture
def unshared() -> Callable[[Sequence[str | Path]], list[str]]:
    """Wraps an argument list so that it runs in a private mount namespace."""

    def wrap(argv: Sequence[str | Path]) -> list[str]:
        return ["unshare", "--mount", "--propagation", "private", "--", *map(str, argv)]

    return wrap


COMMAND = [sys.executable, "-c", "from iosonde.cli.main import main; main()"]
"""The command, for tests that start it themselves, signal it or kill it."""


def clean_environment(home: Path) -> dict[str, str]:
    """An environment for COMMAND with nothing of the user's."""
    kept = {key: value for key, value in os.environ.items() if key in {"PATH", "PYTHONPATH"}}
    return {**kept, "HOME": str(home), "IOSONDE_STORE": str(home / "store.sqlite"),
            "LC_ALL": "C.UTF-8", "COLUMNS": "140"}  # fmt: skip
