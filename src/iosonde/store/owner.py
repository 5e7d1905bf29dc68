"""Who is running a run, and whether that process is still there."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path


def _start_ticks(pid: int) -> str | None:
    """Start of a process in clock ticks since boot: field 22 of /proc/PID/stat (proc(5))."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return stat.rsplit(")", 1)[1].split()[19]


def _machine() -> str:
    """This boot of this machine: a reboot ends every owner."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{socket.gethostname()}/{boot}"


def this_process() -> str:
    """The owner's mark of the calling process: "HOST/BOOT:PID:STARTTICKS"."""
    pid = os.getpid()
    return f"{_machine()}:{pid}:{_start_ticks(pid)}"


def is_gone(owner: str) -> bool:
    """Whether the owner's process has certainly ended; of another machine we can't know."""
    if not owner:
        return True
    machine, pid, ticks = owner.rsplit(":", 2)
    if machine.split("/")[0] != socket.gethostname():
        return False
    return machine != _machine() or _start_ticks(int(pid)) != ticks


def tag() -> str:
    """The owner's mark of the calling process as part of a file's name: "DIGEST-PID-STARTTICKS"."""
    pid = os.getpid()
    return f"{_digest()}-{pid}-{_start_ticks(pid)}"


def tag_is_gone(found: str) -> bool:
    """Whether a tag is of a process of this machine and boot that has ended; else we can't know."""
    digest, pid, ticks = found.split("-")
    return digest == _digest() and _start_ticks(int(pid)) != ticks


def _digest() -> str:
    return hashlib.sha256(_machine().encode()).hexdigest()[:8]
