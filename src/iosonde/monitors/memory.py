"""What waits in the page cache to be written: /proc/meminfo (proc_meminfo(5)), in KiB there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.hosts.host import FilesSnapshot
from iosonde.hosts.sampler import SampledFigure, Sampler

PATH = "/proc/meminfo"
_WANTED = re.compile(rb"^(Dirty|Writeback|Cached|MemAvailable): +(\d+) kB", re.MULTILINE)
_NAMES = {
    "Dirty": "dirty", "Writeback": "writeback", "Cached": "cached", "MemAvailable": "available",
}  # fmt: skip


class Memory(Sampler):
    """Dirty, under writeback, cached and available memory at the end of each second."""

    name = "memory"
    paths = (PATH,)

    @override
    def points(self, before: FilesSnapshot, after: FilesSnapshot) -> Iterator[SampledFigure]:
        del before
        for name, size in _WANTED.findall(after.files.get(PATH, b"")):
            yield SampledFigure("memory", _NAMES[name.decode()], "B", float(int(size) * units.KIB))
