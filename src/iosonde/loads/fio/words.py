"""A fio job's options as plain values: what rules, tables and imported outputs are compared by."""

from __future__ import annotations

from collections.abc import Sequence

from iosonde.errors import UsageError
from iosonde.loads.fio import figures
from iosonde.loads.fio.demand import jobs_of
from iosonde.loads.fio.job import Effective, effective, job_of
from iosonde.records import Load, Scalar

_TEXTS = ("ioengine",)
_SIZES = ("bs", "size", "filesize", "io_size")
_COUNTS = ("iodepth", "fsync", "fdatasync", "rwmixread")
_FLAGS = ("direct", "end_fsync", "time_based", "group_reporting", "fsync_on_close")


def words_of(load: Load) -> dict[str, Scalar]:
    """The options of a fio load that all its sections agree on, with fio's defaults for some.

    Returns:
        rw and ioengine as text, bs, size, filesize and io_size in bytes, runtime in seconds,
        iodepth, numjobs (of all sections together), fsync, fdatasync and rwmixread as numbers,
        direct, end_fsync, time_based, group_reporting as bool. What cannot be read is left out.
    """
    if "sections" not in load.spec:
        return {}
    sections = effective(job_of(load))
    each = [_of_section(section, load.name) for section in sections]
    if not each:
        return {}
    words = {
        name: value
        for name, value in each[0].items()
        if all(other.get(name) == value for other in each)
    }
    if jobs := _jobs(sections, load.name):
        words["numjobs"] = jobs
    return words


def _jobs(sections: Sequence[Effective], where: str) -> int | None:
    try:
        return sum(jobs_of(section, where) for section in sections)
    except UsageError:
        return None


def _of_section(section: Effective, where: str) -> dict[str, Scalar]:
    words: dict[str, Scalar] = {"rw": section.text("rw", "read").split(":")[0].strip()}
    words |= {name: section.text(name) for name in _TEXTS if section.text(name)}
    try:
        base = figures.count(section.text("kb_base", "1024"), what="kb_base", where=where)
    except UsageError:
        return words
    for name in _SIZES:
        words[name] = _figure(section.text(name), base, name, where)
    for name in _COUNTS:
        words[name] = int(text) if (text := section.text(name)).isdecimal() else None
    for name in _FLAGS:
        words[name] = section.has(name) if name in section.options else None
    try:
        words["runtime"] = figures.seconds(section.text("runtime"), what="runtime", where=where)
    except UsageError:
        words["runtime"] = None
    words["bs"] = words["bs"] or (4096 if not section.text("bs") else None)
    words["iodepth"] = words["iodepth"] or (1 if not section.text("iodepth") else None)
    return {name: value for name, value in words.items() if value is not None}


def _figure(text: str, base: int, name: str, where: str) -> int | None:
    try:
        return figures.size(text.split(",", maxsplit=1)[0], kb_base=base, what=name, where=where)
    except UsageError:
        return None
