"""Where the CPUs' time went: /proc/stat, in cores.

Source: proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice in
USER_HZ (100 on every Linux architecture we know of); user includes guest, nice includes guest_nice.
"""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import FilesSnapshot
from iosonde.hosts.sampler import SampledFigure, Sampler

PATH = "/proc/stat"
_NAMES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_IDLE = {"idle", "iowait"}
_USER_HZ = 100


def _lines(text: bytes) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for line in kerneltext.lines(text):
        name, *figures = kerneltext.fields(line) or [b""]
        if name.startswith(b"cpu") and figures and all(word.isdigit() for word in figures):
            counts[name.decode()] = [int(word) for word in figures[: len(_NAMES)]]
    return counts


class Cpu(Sampler):
    """User, system, iowait … of all CPUs together, and how busy the busiest one was."""

    name = "cpu"
    paths = (PATH,)

    @override
    def points(self, before: FilesSnapshot, after: FilesSnapshot) -> Iterator[SampledFigure]:
        """Iowait may run backwards (proc_stat(5)); that counts as 0."""
        old, new = (_lines(reading.files.get(PATH, b"")) for reading in (before, after))
        seconds = after.time - before.time
        if seconds <= 0:
            return
        busiest = 0.0
        for cpu, figures in new.items():
            spent = {
                name: max(now - then, 0) / _USER_HZ / seconds
                for name, then, now in zip(_NAMES, old.get(cpu, figures), figures, strict=False)
            }
            if cpu == "cpu":
                for name, cores in spent.items():
                    yield SampledFigure("all", name, "cores", cores)
            else:
                busy = sum(cores for name, cores in spent.items() if name not in _IDLE)
                busiest = max(busiest, min(busy, 1.0))
        if new:
            yield SampledFigure("busiest", "busy", "fraction", busiest)
