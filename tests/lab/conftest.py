"""Labs for tests: started from the cached image, always taken down."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from iosonde.lab.image import image
from iosonde.verbs.lab import shell
from tests.cli.conftest import COMMAND

STACKS = Path(__file__).parents[2] / "examples" / "stacks"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


def iosonde(*arguments: str | Path, timeout: float = 400) -> Ended:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False,
        timeout=timeout, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr)


def good(*arguments: str | Path, timeout: float = 400) -> Ended:
    """A command that must succeed."""
    ended = iosonde(*arguments, timeout=timeout)
    assert ended.status == 0, f"{arguments}: {ended.out[-2000:]}{ended.err[-2000:]}"
    return ended


@contextmanager
def started(*arguments: str, stderr: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[str]]:
    """A command whose answer nobody reads; it is killed at the end of the block, and waited for.

    Args:
        arguments: the verb, and what follows it.
        stderr: subprocess.PIPE: to be read as it comes.
    """
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
        text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


def ssh(lab: str, node: str, *argv: str, status: int | None = 0) -> str:
    """What a command on a node prints; by what `iosonde lab ssh` becomes, as test_lab.py sees."""
    done = subprocess.run(
        shell(node, *argv, lab=lab), capture_output=True, text=True, check=False, timeout=400,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert status is None or done.returncode == status, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout


@contextmanager
def running(name: str, *arguments: str | Path) -> Iterator[str]:
    """A lab as long as the block lasts."""
    iosonde("lab", "down", name)
    good("lab", "up", *arguments)
    try:
        yield name
    finally:
        good("lab", "down", name)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one lab go to one worker, so that two workers never start a lab of one name."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.xdist_group(_lab_of(item)))


def _lab_of(item: pytest.Item) -> str:
    """The stack that a test's parameter names, which is its lab's name too, or its module's."""
    message = item.name.partition("[")[2].rstrip("]")
    if (STACKS / f"{message}.yaml").exists():
        return message
    return str(getattr(getattr(item, "module", None), "NAME", item.path.stem))


@pytest.fixture(scope="session", autouse=True)
def _image() -> None:
    """What takes minutes where no test has run yet; a test's own limits are for its nodes."""
    asyncio.run(image())


@pytest.fixture(autouse=True)
def _own_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("IOSONDE_STORE", str(tmp_path / "store.sqlite"))
