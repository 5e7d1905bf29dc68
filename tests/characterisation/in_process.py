"""The command in this process: its exit code and all that it writes to its two streams.

An interpreter for each command would take minutes. So what a process starts with is set around each
call, and what a call leaves behind (signal handlers, streams, tracing) is put back after it.
"""

from __future__ import annotations

import io
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from tests.characterisation.hosts import open_composed

NOW = 1_800_000_000.0
"""What every clock shows: 15 January 2027, 08:00 UTC."""
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it wrote."""

    status: int
    stdout: bytes
    stderr: bytes


def run(arguments: Sequence[str], folder: Path) -> Ended:
    """Run the command as in a process of its own.

    Args:
        arguments: after the command's name.
        folder: the working directory, in which the store lies.
    """
    from iosonde.cli.main import main
    from iosonde.hosts.command import set_trace

    with surroundings(folder, " ".join(arguments)), _kept_state(), _captured() as streams:
        try:
            main(arguments)
            status = 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        finally:
            set_trace(False)
    return Ended(status, *streams)


@contextmanager
def surroundings(folder: Path, seed: str = "") -> Iterator[None]:
    """What differs from machine to machine, and from moment to moment, made the same.

    Args:
        folder: becomes the working directory and the home.
        seed: of the names that the store gives to runs.
    """
    environment = {
        "PATH": os.environ.get("PATH", ""), "HOME": str(folder), "IOSONDE_STORE": "store.sqlite",
        "IOSONDE_LAB": str(folder / "lab"), "LC_ALL": "C.UTF-8", "COLUMNS": "100", "TZ": "UTC",
        "USER": "user", "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    before = Path.cwd()
    with ExitStack() as exits:
        for target, value in {
            "time.time": lambda: NOW,
            "secrets.choice": random.Random(seed).choice,
            "socket.gethostname": lambda: "here",
            "os.cpu_count": lambda: 2,
            "iosonde.hosts.ssh.open_ssh": open_composed,
            "iosonde.hosts.local.open_local": open_composed,
        }.items():
            exits.enter_context(patch(target, value))
        exits.callback(time.tzset)
        exits.enter_context(patch.dict(os.environ, environment, clear=True))
        time.tzset()
        exits.callback(os.chdir, before)
        os.chdir(folder)
        exits.enter_context(warnings.catch_warnings())
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ResourceWarning)  # as for a user
        yield


@contextmanager
def _kept_state() -> Iterator[None]:
    """Signal handlers and hooks are as they were, whatever a verb made of them."""
    handlers = {number: signal.getsignal(number) for number in _ENDS}
    hook = sys.unraisablehook
    try:
        yield
    finally:
        sys.unraisablehook = hook
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def _captured() -> Iterator[list[bytes]]:
    """Both streams, by their descriptors as well as by Python's objects; filled at the end."""
    contents: list[bytes] = []
    with ExitStack() as exits:
        files = [exits.enter_context(tempfile.TemporaryFile()) for _ in range(2)]
        for number, name in ((1, "stdout"), (2, "stderr")):
            getattr(sys, name).flush()
            old = os.dup(number)
            exits.callback(os.close, old)
            os.dup2(files[number - 1].fileno(), number)
            exits.callback(os.dup2, old, number)
            raw = io.FileIO(number, "w", closefd=False)
            text = io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8")
            # The command replaces what a process starts with by streams of its own.
            exits.enter_context(patch.object(sys, name, text))
            exits.enter_context(patch.object(sys, f"__{name}__", text))
        try:
            yield contents
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            for file in files:
                file.seek(0)
                contents.append(file.read())
