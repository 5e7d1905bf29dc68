"""The command with its greatest memory, held to limits that protect the machine from it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.hostile.conftest import COMMAND

MIB = 1 << 20
_SPACE = 8 << 30  # address space: what takes more than memory has would be killed by others
_AT_EXIT = """
import atexit, resource
def tell():
    own = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    open("memory", "w").write(str(max(int(own.split()[1]), children)))
atexit.register(tell)
"""


@dataclass(frozen=True)
class Ended:
    """A process that ended. `memory`: bytes resident at most in it or a child of it."""

    status: int
    stdout: str
    stderr: str
    memory: int


def measured(
    arguments: Sequence[str | Path],
    environment: Mapping[str, str],
    folder: Path,
    *,
    stdin: IO[bytes] | None = None,
    timeout: float = 100.0,
) -> Ended:
    """Run `iosonde` to its end; one that takes longer than `timeout` seconds is killed."""
    # What wait4(2) says of memory begins with that of the process that began it.
    argv = [sys.executable, "-c", _AT_EXIT + COMMAND[2], *map(str, arguments)]
    with (folder / "stdout").open("w+") as out, (folder / "stderr").open("w+") as err:
        child = subprocess.Popen(
            argv, env=dict(environment), cwd=folder,
            stdin=stdin or subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
        )  # fmt: skip
        resource.prlimit(child.pid, resource.RLIMIT_AS, (_SPACE, _SPACE))
        alarm = threading.Timer(timeout, os.killpg, (child.pid, 9))
        alarm.start()
        child.wait()
        alarm.cancel()
        out.seek(0)
        err.seek(0)
        memory = folder / "memory"
        resident = int(memory.read_text()) * 1024 if memory.exists() else 0
        memory.unlink(missing_ok=True)
        return Ended(child.returncode, out.read(), err.read(), resident)
