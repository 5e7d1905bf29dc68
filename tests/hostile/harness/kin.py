"""All processes that a run has begun, here and behind an sshd of the tests' own."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

MARK = "IOSONDE_TEST_KILLS"
"""A variable in the environment of everything that is begun; its value is the attempt's own."""


@dataclass(frozen=True)
class Process:
    """A living process; `start` in clock ticks since boot tells it from a later one of its pid."""

    pid: int
    parent: int
    start: int
    name: str
    argv: tuple[str, ...]

    @property
    def lives(self) -> bool:
        """Whether it still does."""
        now = _read(self.pid)
        return now is not None and now.start == self.start

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""
        if self.lives:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def _read(pid: int) -> Process | None:
    """Source: proc_pid_stat(5), fields 2 comm, 3 state, 4 ppid, 22 starttime."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return None
    name = stat[stat.index("(") + 1 : stat.rindex(")")]
    fields = stat.rpartition(")")[2].split()
    if fields[0] in "ZX":
        return None
    argv = tuple(part.decode(errors="replace") for part in line.split(b"\0")[:-1])
    return Process(pid, int(fields[1]), int(fields[19]), name, argv)


def _bears(pid: int, mark: str) -> bool:
    try:
        return f"{MARK}={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


class Kin:
    """The processes of one attempt: by the mark in their environment, and by descent from those.

    Never a process that began before this did, whatever it bears: what is found here is killed.

    Args:
        mark: value of the variable MARK.
        sshd: process id of the tests' sshd, whose children belong to the attempt; None: none.
    """

    def __init__(self, mark: str, sshd: int | None = None) -> None:
        if not mark or (sshd is not None and sshd <= 1):
            raise ValueError("a mark, and an sshd of our own")
        self._mark = mark
        self._sshd = sshd
        self._since = time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK") - 1
        self._descendants: set[tuple[int, int]] = set()

    def alive(self) -> list[Process]:
        """Those that live now, the sshd itself not among them."""
        table = {
            process.pid: process
            for place in Path("/proc").glob("[0-9]*")
            if (process := _read(int(place.name))) is not None and process.start >= self._since
        }
        ours = {
            pid
            for pid, process in table.items()
            if (pid, process.start) in self._descendants or _bears(pid, self._mark)
        }
        tops = ours | ({self._sshd} if self._sshd is not None else set())
        while tops:
            tops = {pid for pid, process in table.items() if process.parent in tops} - ours
            ours |= tops
        ours -= {1, os.getpid(), self._sshd}
        self._descendants |= {(pid, table[pid].start) for pid in ours}
        return [table[pid] for pid in sorted(ours)]

    def roles(self, top: int) -> dict[str, list[Process]]:
        """Those that live now, by what they do for the run.

        Args:
            top: process id of iosonde.
        """
        every = {child.pid: child for child in self.alive()}
        groups: dict[str, list[Process]] = {}
        for child in every.values():
            above = every.get(child.parent)
            begun = [other for other in every.values() if other.parent == child.pid]
            groups.setdefault(_role(child, above, begun, top), []).append(child)
        return groups

    def end(self) -> None:
        """SIGKILL to all, at the end of an attempt."""
        for process in self.alive():
            process.kill()


def is_load(process: Process) -> bool:
    """Whether it is fio at work: neither the look at a job before a run nor a script around it."""
    return (
        process.name == "fio"
        and process.argv[:1] != ()
        and process.argv[0].rpartition("/")[2] == "fio"
        and "--parse-only" not in process.argv
    )


def _holds(process: Process) -> bool:
    return process.name in {"perl", "python3"} and any(
        part.startswith("iosonde-holds") for part in process.argv
    )


def _role(process: Process, above: Process | None, begun: list[Process], top: int) -> str:
    if process.pid == top:
        return "iosonde"
    if is_load(process):
        return "job" if above is not None and above.name == "fio" else "fio"
    if process.name.startswith("sshd"):
        return "session"
    if process.argv[:2] == ("sh", "-c") and 'setsid "$@"' in "".join(process.argv[2:3]):
        return "runner"
    if _holds(process):
        return "warden" if above is not None and _holds(above) else "keeper"
    if any(is_load(other) for other in begun):
        return "supervisor"
    return "command"
