"""What a fio job needs and does, read from its options."""

from __future__ import annotations

from dataclasses import replace

from iosonde import kerneltext
from iosonde.errors import UsageError
from iosonde.loads.fio import figures
from iosonde.loads.fio.job import Effective, Job, effective, job_of, phases
from iosonde.records.load import Demand, Load

_DIRECTIONS = {
    "read": "r", "randread": "r", "write": "w", "randwrite": "w", "trim": "t", "randtrim": "t",
    "rw": "rw", "readwrite": "rw", "randrw": "rw", "trimwrite": "tw", "randtrimwrite": "tw",
}  # fmt: skip
_WITHOUT_PAGE_CACHE = frozenset({"io_uring_cmd", "sg", "dev-dax", "null", "cpuio"})
_MOST_JOBS = 4096  # fio's own limit, os/os.h REAL_MAX_JOBS
# Options that write whatever `rw` says.
_SYNCS = ("fsync", "fdatasync", "sync_file_range", "end_fsync", "fsync_on_close", "write_barrier")
_WRITERS = ("trim_backlog", "trim_percentage", "write_mode", "initial_zone_reset")


def demand(load: Load) -> Demand:
    """What the load needs and does.

    Raises:
        UsageError: an option that iosonde has to understand has no value that fio reads.
    """
    job = job_of(load)
    check = (("fio", "--parse-only", "-"), kerneltext.encoded(job.text()))
    return replace(demand_of(job, where=load.name), check=check)


def demand_of(job: Job, *, where: str) -> Demand:
    """As `demand`; `where` is for messages."""
    sections = effective(job)
    moves = "".join(directions_of(section, where) for section in sections)
    sizes = [span(section, where) for section in sections]
    bounded = [size for size in sizes if size is not None]
    return Demand(
        reads="r" in moves,
        writes="w" in moves or "t" in moves,
        size=max(bounded) if len(bounded) == len(sizes) and bounded else None,
        seconds=length(sections, where),
        direct=all(is_direct(section) for section in sections),
        tools=("fio",),
        block=min((block(section, where) or 1 for section in sections), default=None),
        directions=_directions(moves, sections),
    )


def _directions(moves: str, sections: tuple[Effective, ...]) -> tuple[str, ...]:
    """What fio reports figures of: a direction that may move nothing is among them."""
    trims = "t" in moves or any(section.has(option) for section in sections for option in _WRITERS)
    syncs = any(section.text(option, "0") != "0" for section in sections for option in _SYNCS)
    reported = {"read": "r" in moves, "write": "w" in moves, "trim": trims, "sync": syncs}
    return tuple(direction for direction, given in reported.items() if given)


def block(section: Effective, where: str) -> int | None:
    """Bytes of the section's smallest request; None where it is not one size per direction.

    Raises:
        UsageError: a size that fio does not read.
    """
    if any(section.text(option) for option in ("bsrange", "bssplit", "bs_unaligned")):
        return None
    place = f"{where}, job {section.name}"
    base = figures.count(section.text("kb_base", "1024"), what="kb_base", where=place)
    sizes = [text.strip() for text in section.text("bs", "4096").split(",")]
    return min(
        figures.size(text, kb_base=base, what="bs", where=place) or 1 if text else 4096
        for text in sizes
    )


def directions_of(section: Effective, where: str) -> str:
    """Letters r, w, t for reads, writes, trims."""
    # "randwrite:8" and "write:4k" carry a number after the direction.
    direction = section.text("rw", "read").split(":")[0].strip()
    if direction not in _DIRECTIONS:
        raise UsageError(
            f"rw={direction} is not an I/O direction of fio",
            where=f"{where}, job {section.name}",
            hint=f"one of {', '.join(_DIRECTIONS)}",
        )
    moves = _DIRECTIONS[direction]
    if verifies(section):
        moves += "r"
    if any(section.has(option) for option in _WRITERS):
        moves += "w"
    return moves


def verifies(section: Effective) -> bool:
    """Whether what is written is read back: `verify` with `do_verify`, which is on by default."""
    return checksums(section) and section.text("do_verify", "1") not in {"0", "false"}


def checksums(section: Effective) -> bool:
    """Whether it writes, or expects to read, blocks that can be verified."""
    return section.text("verify", "0") not in {"0", "none", "null"}


def span(section: Effective, where: str) -> int | None:
    """Bytes from the target's beginning to the end of what the section may touch; None: all.

    fio makes a file as long as `filesize` or the upper end of its range, where that is given.
    """
    place = f"{where}, job {section.name}"
    base = figures.count(section.text("kb_base", "1024"), what="kb_base", where=place)
    jobs = jobs_of(section, where)

    def size(option: str, default: str = "") -> int | None:
        text = section.text(option, default).split("-")[-1]
        if not text:
            return None
        return figures.size(text, kb_base=base, what=option, where=place)

    if section.has("fill_device") or not (section.text("size") or section.text("filesize")):
        return None
    wanted = [size(option) for option in ("size", "filesize") if section.text(option)]
    offset, increment = size("offset", "0"), size("offset_increment", "0")
    bounded = [figure for figure in wanted if figure is not None]
    if len(bounded) < len(wanted) or offset is None or increment is None:
        return None
    return offset + max(jobs - 1, 0) * increment + max(bounded)


def jobs_of(section: Effective, where: str) -> int:
    """How many processes or threads the section becomes.

    Raises:
        UsageError: more than fio runs.
    """
    place = f"{where}, job {section.name}"
    jobs = figures.count(section.text("numjobs", "1"), what="numjobs", where=place)
    if jobs > _MOST_JOBS:
        raise UsageError(f"numjobs={jobs}: fio runs at most {_MOST_JOBS} jobs", where=place)
    return jobs


def length(sections: tuple[Effective, ...], where: str) -> float | None:
    """Seconds of one loop as declared; None where a section ends only with its size."""
    total = 0.0
    for phase in phases(sections):
        lengths = [_length(section, where) for section in phase]
        bounded = [seconds for seconds in lengths if seconds is not None]
        if len(bounded) < len(lengths):
            return None
        total += max(bounded)
    return total


def _length(section: Effective, where: str) -> float | None:
    end = ceiling(section, where)
    return end if section.has("time_based") else None


def ceiling(section: Effective, where: str) -> float | None:
    """Seconds after which fio ends the section at the latest; None: nothing bounds it."""
    place = f"{where}, job {section.name}"

    def seconds(option: str) -> float:
        text = section.text(option, "0").split("-")[-1]  # startdelay may be a range
        return figures.seconds(text, what=option, where=place)

    runtime = seconds("runtime")
    if not runtime:
        return None
    return runtime + seconds("ramp_time") + seconds("startdelay")


def is_direct(section: Effective) -> bool:
    """Whether its figures are the device's: past the page cache, or durably through it."""
    engine = section.text("ioengine", "psync")
    if engine in _WITHOUT_PAGE_CACHE:
        return True
    if engine == "mmap":
        return False
    if _durable(section):
        return True
    if "buffered" in section.options:
        return not section.has("buffered")
    return section.has("direct") or section.has("atomic")


def _durable(section: Effective) -> bool:
    """Whether it only writes, and each write is on the device before the next one."""
    only_writes = section.text("rw", "read").split(":")[0] in {"write", "randwrite"}
    each = any(section.text(option) == "1" for option in ("fsync", "fdatasync"))
    return only_writes and (each or section.text("sync") in {"1", "sync", "dsync"})
