"""Pressure stall information: the share of time in which tasks waited.

Source: Documentation/accounting/psi.rst: `total` is microseconds of stall since boot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.hosts.host import FilesSnapshot
from iosonde.hosts.sampler import SampledFigure, Sampler, change

_TOTAL = re.compile(rb"^(some|full) .*\btotal=(\d+)", re.MULTILINE)


class Pressure(Sampler):
    """Share of the time that some, and that all, tasks waited for I/O, CPU or memory."""

    name = "pressure"
    paths = tuple(f"/proc/pressure/{resource}" for resource in ("io", "cpu", "memory"))

    @override
    def points(self, before: FilesSnapshot, after: FilesSnapshot) -> Iterator[SampledFigure]:
        seconds = after.time - before.time
        for path in self.paths:
            old, new = (
                {kind.decode(): int(total) for kind, total in _TOTAL.findall(reading.files[path])}
                if path in reading.files
                else {}
                for reading in (before, after)
            )
            for kind, total in new.items():
                if kind in old and seconds > 0:
                    share = min(change(old[kind], total) / 1e6 / seconds, 1.0)
                    yield SampledFigure(path.rsplit("/", 1)[1], kind, "fraction", share)
