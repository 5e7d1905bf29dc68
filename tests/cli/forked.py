"""Calls of the command as forks of one process that has imported it: a call takes a third as long.

`python -m tests.cli.forked` is that process. It reads calls from standard input, a JSON object a
line, and answers with the process id and then the exit status of each. The fork has the call's
environment, directory and streams, and no thread of the other calls; `slow` tests and those of
signals start the command itself.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import iosonde

_BY_CALLS = ("polars", "distributed")
"""What each call imports itself, with all that needs it: these start threads, which no fork has."""
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""So NumPy and SciPy start none when they are imported."""
_NEVER = re.compile(r"\.migrations\.|\.on_host|\.scan_host$")
"""Programs for hosts, and what alembic loads by its own way."""


@dataclass(frozen=True)
class Ended:
    """How the command ended."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON object and nothing else."""
        return json.loads(self.stdout)


class Commands:
    """The process whose forks are the calls; it ends with the tests, at the end of its input."""

    def __init__(self) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="iosonde-tests.")
        names = ("stdin", "stdout", "stderr")
        self._streams = {name: Path(self._place.name) / name for name in names}
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.forked"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2],
            env={**os.environ, **_ONE_THREAD},
        )  # fmt: skip

    def run(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        place: Path | None = None,
        stdin: bytes = b"",
        timeout: float = 280,
    ) -> Ended:
        """`iosonde` with arguments, in an environment and a directory; the caller's without."""
        self._streams["stdin"].write_bytes(stdin)
        call = {
            "arguments": list(arguments), "place": str(place or Path.cwd()),
            "environment": dict(os.environ if environment is None else environment),
            "streams": [str(path) for path in self._streams.values()],
        }  # fmt: skip
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(call).encode() + b"\n")
        self._server.stdin.flush()
        pid = self._answer(70)
        try:
            status = self._answer(timeout)
        except BaseException:  # also where the test is ended: the next call gets its own answer
            os.kill(pid, signal.SIGKILL)
            self._answer(70)
            raise
        said = [self._streams[name].read_text("utf-8") for name in ("stdout", "stderr")]
        return Ended(status, *said)

    def _answer(self, timeout: float) -> int:
        """A line, read without a buffer, which could hold the next one that `select` waits for."""
        assert self._server.stdout is not None
        number, said, end = self._server.stdout.fileno(), b"", time.monotonic() + timeout
        while not said.endswith(b"\n"):
            if not select.select([number], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError
            if not (part := os.read(number, 1)):
                raise EOFError("the process whose forks are the calls has ended")
            said += part
        return int(said)

    def close(self) -> None:
        """End the process."""
        assert self._server.stdin is not None
        self._server.stdin.close()
        self._server.wait(10)
        assert self._server.stdout is not None
        self._server.stdout.close()
        self._place.cleanup()


@cache
def commands() -> Commands:
    """That of this process of the tests."""
    made = Commands()
    atexit.register(made.close)
    return made


def call(*arguments: str | Path, stdin: bytes = b"") -> Ended:
    """`iosonde` in the tests' own environment and directory."""
    return commands().run([str(word) for word in arguments], stdin=stdin)


def _serve() -> None:
    _import_all()
    gc.freeze()  # what is here already is copied for no call
    answers = os.dup(1)
    while line := _line():
        call = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os._exit(_called(call))
        os.write(answers, f"{pid}\n".encode())
        os.write(answers, f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n".encode())


def _import_all() -> None:
    """Import what calls use, and compute once what depends on no call."""
    refused: Mapping[str, Any] = dict.fromkeys(_BY_CALLS)  # and so is who needs it
    sys.modules.update(refused)
    for module in pkgutil.walk_packages(iosonde.__path__, "iosonde."):
        if not _NEVER.search(module.name):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    for name in _BY_CALLS:
        del sys.modules[name]
    for name in (
        "alembic.config",
        "alembic.runtime.environment",
        "alembic.script",
        "altair",
        "scipy.linalg",
    ):
        importlib.import_module(name)
    from iosonde.text.document import of_bytes
    from iosonde.text.find import find

    assert not list(find(of_bytes("nothing", b"")))
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "the calls would lack a thread"


def _line() -> bytes:
    """A line, and nothing of the next, which the fork would have as well."""
    said = b""
    while not said.endswith(b"\n") and (part := os.read(0, 1)):
        said += part
    return said


def _called(call: Mapping[str, Any]) -> int:
    """The command in this process; its exit status."""
    with contextlib.suppress(OSError):
        os.setsid()
    stdin, *outputs = call["streams"]
    os.dup2(os.open(stdin, os.O_RDONLY), 0)
    for number, path in enumerate(outputs, 1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    os.closerange(3, 64)
    os.environ.clear()
    os.environ.update(call["environment"])
    os.chdir(call["place"])
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
    for name, number in (("stdout", 1), ("stderr", 2)):
        raw = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
        setattr(sys, name, io.TextIOWrapper(raw, encoding="utf-8", line_buffering=number == 2))
    from iosonde.cli.main import main

    status = 1
    try:
        main(call["arguments"])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    return status & 0xFF


if __name__ == "__main__":
    _serve()
