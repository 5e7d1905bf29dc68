"""The kin of a command of ours on this machine: all that must end when the command is ended."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

Kin: TypeAlias = Mapping[int, int]
"""Process id → start time in clock ticks since boot: ids are used again, both together are not."""


def kin_of(leader: int, earlier: Kin) -> Kin:
    """The living: a group leader, its group, its session, and what any of them has begun.

    A child in a session of its own (each job of fio's is one) can be found only while its parent
    lives, so who wants it ended later looks before the parent ends and passes what was `earlier`.

    Source: proc_pid_stat(5): fields 3 state, 4 ppid, 5 pgrp, 6 session, 22 starttime.
    """
    table = _table()
    tops = {
        pid
        for pid, row in table.items()
        if leader in {pid, row.group, row.session} or earlier.get(pid) == row.birth
    }
    return _with_begun(tops, table)


def below(pid: int, *, but: str) -> Kin:
    """The living that a process has begun, and those have, without itself.

    Args:
        pid: the process.
        but: what stands on the command line of those that are left out with all they have begun,
            since they end by themselves and clean up.
    """
    table = _table()
    spared = {child for child in table if but in _command_line(child)}
    return _with_begun(
        {pid}, {living: row for living, row in table.items() if living not in spared}, pid
    )


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


class _Row(NamedTuple):
    parent: int
    group: int
    session: int
    birth: int


def _table() -> dict[int, _Row]:
    """All that live now, by process id."""
    table: dict[int, _Row] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = place.read_text(errors="replace")
        except OSError:  # ended meanwhile
            continue
        fields = text.rpartition(")")[2].split()
        if fields[0] not in "ZX":
            row = _Row(int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))
            table[int(place.parent.name)] = row
    return table


def _with_begun(tops: set[int], table: Mapping[int, _Row], but: int = 0) -> Kin:
    """Those and all that they have begun, `but` left out."""
    family, more = set(tops), set(tops)
    while more:
        more = {pid for pid, row in table.items() if row.parent in more} - family
        family |= more
    return {pid: table[pid].birth for pid in family if pid != but}


def kill(kin: Kin) -> None:
    """SIGKILL to each of them."""
    for pid in kin:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
