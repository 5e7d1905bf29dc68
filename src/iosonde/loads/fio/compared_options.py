"""A fio job's options as plain values: what rules, tables and imported outputs are compared by."""

from __future__ import annotations

from collections.abc import Sequence

from iosonde.errors import UsageError
from iosonde.loads.fio import figures
from iosonde.loads.fio.demand import jobs_of
from iosonde.loads.fio.job import Effective, effective, job_of
from iosonde.records.load import Load
from iosonde.records.stack import Scalar

_TEXTS = ("ioengine", "sync", "verify")
_SIZES = ("size", "filesize", "io_size")
BLOCKS = ("bsrange", "bssplit", "bs_unaligned", "bs_is_seq_rand")
"""Options by which blocks are of several sizes, whatever bs says."""
_COUNTS = ("iodepth", "fsync", "fdatasync", "rwmixread")
_WAITS = ("startdelay", "wait_for")
PACED = ("rate", "rate_iops", "thinktime", "latency_target", "flow", "read_iolog")
"""Options by which something but the storage decides when the next I/O is issued."""
_FLAGS = ("direct", "end_fsync", "time_based", "group_reporting", "fsync_on_close")


def compared_options(load: Load) -> dict[str, Scalar]:
    """The options of a fio load that all its sections agree on, with fio's defaults for some.

    Returns:
        rw, ioengine, sync and verify as text, bs (where all blocks are of one size), size, filesize
        and io_size in bytes, runtime in seconds, iodepth, numjobs (of all sections together),
        fsync, fdatasync and rwmixread as numbers, direct, end_fsync, time_based, group_reporting as
        bool; phased where its jobs do not all run at the same time, paced where something but the
        storage holds them back. What cannot be read is left out.
    """
    if "sections" not in load.spec:
        return {}
    sections = effective(job_of(load))
    each = [_of_section(section, load.name) for section in sections]
    if not each:
        return {}
    shared = {
        name: value
        for name, value in each[0].items()
        if all(other.get(name) == value for other in each)
    }
    if jobs := _jobs(sections, load.name):
        shared["numjobs"] = jobs
    apart = any(section.has("stonewall") for section in sections[1:])
    if apart or any(section.text(name) for section in sections for name in _WAITS):
        shared["phased"] = True
    if any(section.text(name) not in {"", "0"} for section in sections for name in PACED):
        shared["paced"] = True
    return shared


def _jobs(sections: Sequence[Effective], where: str) -> int | None:
    try:
        return sum(jobs_of(section, where) for section in sections)
    except UsageError:
        return None


def _of_section(section: Effective, where: str) -> dict[str, Scalar]:
    options: dict[str, Scalar] = {"rw": section.text("rw", "read").split(":")[0].strip()}
    options |= {name: section.text(name) for name in _TEXTS if section.text(name)}
    try:
        base = figures.count(section.text("kb_base", "1024"), what="kb_base", where=where)
    except UsageError:
        return options
    for name in _SIZES:
        options[name] = _figure(section.text(name), base, name, where)
    for name in _COUNTS:
        options[name] = int(text) if (text := section.text(name)).isdecimal() else None
    for name in _FLAGS:
        options[name] = section.has(name) if name in section.options else None
    try:
        options["runtime"] = figures.seconds(section.text("runtime"), what="runtime", where=where)
    except UsageError:
        options["runtime"] = None
    options["bs"] = _block_size(section, base, where)
    options["iodepth"] = options["iodepth"] or (1 if not section.text("iodepth") else None)
    return {name: value for name, value in options.items() if value is not None}


def _block_size(section: Effective, base: int, where: str) -> int | None:
    """Bytes of every block of a section; None where they are not all of one size.

    `bs=4k,8k` is of reads and writes; the last of them holds for trims too, and 4096 for what is
    empty (fio HOWTO, blocksize).
    """
    if any(section.has(name) for name in BLOCKS):
        return None
    given = section.text("bs").split(",") if section.text("bs") else [""]
    sizes = [_figure(text, base, "bs", where) if text.strip() else 4096 for text in given]
    of_reads, of_writes, of_trims = (sizes[min(at, len(sizes) - 1)] for at in range(3))
    pattern = section.text("rw", "read").split(":")[0].strip().removeprefix("rand")
    used = {"read": [of_reads], "write": [of_writes], "trim": [of_trims],
            "trimwrite": [of_trims, of_writes]}.get(pattern, [of_reads, of_writes])  # fmt: skip
    return used[0] if len(set(used)) == 1 else None


def _figure(text: str, base: int, name: str, where: str) -> int | None:
    try:
        return figures.size(text.split(",", maxsplit=1)[0], kb_base=base, what=name, where=where)
    except UsageError:
        return None
