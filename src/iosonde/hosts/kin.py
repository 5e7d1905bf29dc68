"""The kin of a command of ours on this machine: all that must end when the command is ended."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

Kin: TypeAlias = Mapping[int, int]
"""Process id → start time in clock ticks since boot: ids are used again, both together are not."""


def kin_of(leader: int, known: Kin) -> Kin:
    """The living: a group leader, its group, its session, and what any of them has begun.

    A child in a session of its own (each job of fio's is one) can be found only while its parent
    lives, so who wants it ended later looks before the parent ends and passes what was `known`.

    Source: proc_pid_stat(5): fields 3 state, 4 ppid, 5 pgrp, 6 session, 22 starttime.
    """
    parents: dict[int, int] = {}
    births: dict[int, int] = {}
    found: set[int] = set()
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = place.read_text(errors="replace")
        except OSError:  # ended meanwhile
            continue
        fields = text.rpartition(")")[2].split()
        if fields[0] in "ZX":
            continue
        pid = int(place.parent.name)
        parents[pid], births[pid] = int(fields[1]), int(fields[19])
        if leader in {pid, int(fields[2]), int(fields[3])} or known.get(pid) == births[pid]:
            found.add(pid)
    more = found
    while more:
        more = {pid for pid, parent in parents.items() if parent in more} - found
        found |= more
    return {pid: births[pid] for pid in found}


def kill(kin: Kin) -> None:
    """SIGKILL to each of them."""
    for pid in kin:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
