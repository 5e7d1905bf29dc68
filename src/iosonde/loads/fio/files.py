"""The files of a fio load: how long they are together, which jobs write one of them, who flushes.

Source:
    fio 3.33, init.c, add_job() and make_filename(): without `filename` each job has a file of its
    own, by the names of the section and the number of the job; get_rand_ddir() in io_u.c: with
    rwmixread=100 every I/O is a read; backend.c, do_io(): `end_fsync` and `fsync_on_close` are
    part of the run time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.errors import UsageError
from iosonde.loads.fio import figures
from iosonde.loads.fio.demand import directions_of, is_direct, jobs_of, length, span
from iosonde.loads.fio.job import Effective, phases

_MIXED = frozenset({"rw", "readwrite", "randrw"})
_EACH = ("fsync", "fdatasync", "sync_file_range")
_SYNCHRONOUS = frozenset({"1", "sync", "dsync"})
_AT_THE_END = ("end_fsync", "fsync_on_close")


@dataclass(frozen=True, slots=True)
class SharedFile:
    """Jobs that write one file at the same time: of each section how many, and for how long."""

    jobs: dict[str, int]
    size: int
    seconds: float | None
    whole_load: bool
    """Whether its load has no other section."""

    @property
    def count(self) -> int:
        """How many jobs they are together."""
        return sum(self.jobs.values())


@dataclass(frozen=True, slots=True)
class Buffered:
    """What of a load goes through the page cache; `size` is of all its files, in bytes.

    `flushed` is when what is written has to be on the disks: "fsync" by the next of several,
    "end" with the run, "" where nothing asks for it; empty where nothing is written behind.
    """

    size: int
    reads: bool
    flushed: frozenset[str]


def buffered(sections: Sequence[Effective]) -> Buffered | None:
    """The part through the page cache; None where there is none, or its size is not known.

    Raises:
        UsageError: an option has no value that fio reads.
    """
    sizes: dict[tuple[str, ...], int] = {}
    directions = ""
    flushed = set[str]()
    for section in sections:
        if is_direct(section):
            continue
        whole, jobs = span(section, ""), jobs_of(section, "")
        if whole is None:
            return None
        name = section.text("filename")
        if not name and section.text("offset_increment", "0") == "0":
            whole *= jobs
        key = (name,) if name else (section.text("directory"), section.name)
        sizes[key] = max(sizes.get(key, 0), whole)
        moved = _moves(section)
        directions += moved
        if "w" in moved and section.text("sync", "0") not in _SYNCHRONOUS:
            flushed.add(_flushed(section))
    if not sizes:
        return None
    return Buffered(sum(sizes.values()), "r" in directions, frozenset(flushed))


def shared_files(every: Sequence[Effective]) -> list[SharedFile]:
    """The files of one name that several jobs of a phase write, each over its whole size.

    Raises:
        UsageError: an option has no value that fio reads.
    """
    shared = []
    for phase in phases(tuple(every)):
        writers: dict[tuple[str, str], list[Effective]] = {}
        for section in phase:
            name = section.text("filename")
            apart = section.text("offset_increment") or ":" in name
            if name and not apart and "w" in _moves(section):
                writers.setdefault((name, section.text("offset", "0")), []).append(section)
        for sections in writers.values():
            jobs: dict[str, int] = {}
            for section in sections:
                jobs[section.name] = jobs.get(section.name, 0) + jobs_of(section, "")
            sizes = {_size(section) for section in sections}
            size = sizes.pop()
            if size and not sizes and sum(jobs.values()) > 1:
                seconds = length(tuple(sections), "")
                shared.append(SharedFile(jobs, size, seconds, len(every) == len(sections)))
    return shared


def _size(section: Effective) -> int | None:
    with contextlib.suppress(UsageError):
        base = figures.count(section.text("kb_base", "1024"), what="kb_base", where="")
        return figures.size(section.text("size"), kb_base=base, what="size", where="")
    return None


def _moves(section: Effective) -> str:
    """Its directions without one that its share of 0 % leaves out."""
    directions = directions_of(section, "")
    if section.text("rw").split(":")[0] not in _MIXED:
        return directions
    share = (section.text("rwmixread"), section.text("rwmixwrite"))
    if share[0] == "100" or share[1] == "0":
        return directions.replace("w", "")
    if share[0] == "0" or share[1] == "100":
        return directions.replace("r", "", 1)
    return directions


def _flushed(section: Effective) -> str:
    if any(section.text(option, "0") != "0" for option in _EACH):
        return "fsync"
    return "end" if any(section.has(option) for option in _AT_THE_END) else ""
