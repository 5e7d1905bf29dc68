"""Processes of this machine, as /proc shows them."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path


def pids_with(argument: str) -> list[int]:
    """Processes with that argument on their command line."""
    return [
        pid
        for pid in _pids()
        if argument.encode() in _read(Path(f"/proc/{pid}/cmdline")).split(b"\0")
    ]


def loads_on(place: str) -> list[int]:
    """Processes called fio that have something below a path open as their target."""
    return [
        pid
        for pid in _pids()
        if _read(Path(f"/proc/{pid}/comm")).strip() == b"fio" and _target(pid).startswith(place)
    ]


def kill_at_once(pids: Sequence[int]) -> None:
    """SIGKILL, so that none of them can act on the death of another."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            os.kill(pid, number)


def _target(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/fd/100").readlink())
    except OSError:
        return ""


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""
