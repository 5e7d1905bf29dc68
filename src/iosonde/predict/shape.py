"""How a load keeps a stack busy: requests under way at the same time, or a pace that it keeps.

Source: fio 3.33, HOWTO (iodepth, numjobs, ioengine, rate_iops, rate_process); engines that are
synchronous have one request under way whatever `iodepth` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from iosonde.loads.fio import figures
from iosonde.loads.fio.demand import demand_of, jobs_of
from iosonde.loads.fio.job import Effective, effective, job_of

if TYPE_CHECKING:
    from iosonde.records.load import Load

_SYNCHRONOUS = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"})


@dataclass(frozen=True, slots=True)
class Shape:
    """How requests come.

    Args:
        depth: requests under way at the same time.
        rate: requests a second that the load holds itself to; 0 for as fast as it can.
        random: whether these come as a Poisson process.
        buffered: they go through the page cache.
    """

    depth: int = 1
    rate: float = 0.0
    random: bool = False
    buffered: bool = False


def shape_of(load: Load) -> Shape:
    """The shape of a fio load.

    Raises:
        UsageError: a figure cannot be read.
    """
    job = job_of(load)
    sections = effective(job)
    depth, rate = 0, 0.0
    for section in sections:
        jobs = jobs_of(section, load.name)
        depth += jobs * _depth(section, load.name)
        rate += jobs * _rate(section, load.name)
    poisson = any(section.text("rate_process") == "poisson" for section in sections)
    return Shape(depth, rate, poisson, not demand_of(job, where=load.name).direct)


def _depth(section: Effective, name: str) -> int:
    if section.text("ioengine", "psync") in _SYNCHRONOUS:
        return 1
    where = f"{name}, job {section.name}"
    return max(figures.count(section.text("iodepth", "1"), what="iodepth", where=where), 1)


def _rate(section: Effective, name: str) -> float:
    """I/Os a second of `rate_iops`, of reads and writes together."""
    text = section.text("rate_iops")
    given = [figure for figure in text.split(",") if figure.strip()]
    where = f"{name}, job {section.name}"
    counts = [figures.count(figure.strip(), what="rate_iops", where=where) for figure in given]
    mixed = section.text("rw", "read").split(":")[0] in {"rw", "readwrite", "randrw"}
    if len(counts) > 1 and mixed:
        return float(sum(counts[:2]))
    return float(counts[0]) * (2 if mixed else 1) if counts else 0.0
