"""What each block device did: /proc/diskstats.

Source: Documentation/admin-guide/iostats.rst: after major, minor and name come 11 figures, 15 since
4.18 (discards), 17 since 5.5 (flushes); sectors are of 512 bytes whatever the device; times are
milliseconds. The counters are unsigned long and wrap. 2.6 kernels gave partitions 4 figures.
"""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import override

from iosonde import kerneltext, units
from iosonde.hosts.host import FilesSnapshot
from iosonde.hosts.sampler import SampledFigure, Sampler, change

PATH = "/proc/diskstats"
# Direction → columns of completed I/Os, sectors and milliseconds, from the first figure.
_DIRECTIONS = {"read": (0, 2, 3), "write": (4, 6, 7), "discard": (11, 13, 14)}
_FLUSH = (15, 16)
_IN_FLIGHT, _BUSY, _WEIGHTED = 8, 9, 10


def figures(text: bytes) -> dict[str, list[int]]:
    """Device → its figures; lines that are none are passed over."""
    devices: dict[str, list[int]] = {}
    for line in kerneltext.lines(text):
        fields = kerneltext.fields(line)
        if len(fields) >= 14 and all(word.isdigit() for word in fields[3:]):
            devices[fields[2].decode(errors="replace")] = [int(word) for word in fields[3:]]
    return devices


def line_of(text: bytes, device: str) -> list[int] | None:
    """The figures of one device, found without parsing the others."""
    start = text.find(kerneltext.encoded(f" {device} "))
    if start < 0:
        return None
    fields = kerneltext.fields(text[start : text.find(b"\n", start)])[1:]
    if len(fields) < 11 or not all(word.isdigit() for word in fields):
        return None
    return [int(word) for word in fields]


def rates(before: list[int], after: list[int], seconds: float) -> Iterator[tuple[str, str, float]]:
    """Name, unit and value of what a device did in `seconds` between two sets of figures."""
    both = min(len(before), len(after))
    for direction, (ios, sectors, time) in _DIRECTIONS.items():
        if both <= time:
            continue
        count = change(before[ios], after[ios])
        size = change(before[sectors], after[sectors]) * units.SECTOR
        if direction == "discard" and not count:
            continue
        yield f"{direction}.iops", "1/s", count / seconds
        yield f"{direction}.bandwidth", "B/s", size / seconds
        if count:
            yield f"{direction}.request_size", "B", size / count
            yield f"{direction}.await", "s", change(before[time], after[time]) / 1e3 / count
    if both > _FLUSH[1] and (flushes := change(before[_FLUSH[0]], after[_FLUSH[0]])):
        yield "flush.iops", "1/s", flushes / seconds
        spent = change(before[_FLUSH[1]], after[_FLUSH[1]])
        yield "flush.await", "s", spent / 1e3 / flushes
    yield "queue", "", change(before[_WEIGHTED], after[_WEIGHTED]) / 1e3 / seconds
    yield "utilisation", "fraction", min(change(before[_BUSY], after[_BUSY]) / 1e3 / seconds, 1.0)


class Diskstats(Sampler):
    """IOPS, bandwidth, request size, await, queue and utilisation of each device."""

    name = "diskstats"
    paths = (PATH,)

    @override
    def points(self, before: FilesSnapshot, after: FilesSnapshot) -> Iterator[SampledFigure]:
        """Devices that came or went in between are left out."""
        old, new = (figures(reading.files.get(PATH, b"")) for reading in (before, after))
        seconds = after.time - before.time
        for device, now in new.items():
            if device in old and seconds > 0:
                for name, unit, value in rates(old[device], now, seconds):
                    yield SampledFigure(device, name, unit, value)
