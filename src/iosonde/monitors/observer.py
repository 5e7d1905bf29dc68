"""Watches a host while a load runs: the samplers' files once a second, parsed when it is over.

The host reads them (`Host.watch`); during the load only bytes are kept, so that watching costs the
load as little as can be.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from types import TracebackType

from iosonde.hosts.host import FilesSnapshot, FilesWatch, Host
from iosonde.monitors import SAMPLERS, diskstats
from iosonde.records.run import Series
from iosonde.units import show_fraction

_BATCH = 64  # readings packed at a time


@dataclass(frozen=True, slots=True)
class Live:
    """What a device did in the last second: I/Os and bytes a second, all directions."""

    iops: float
    bandwidth: float


class Observer:
    """`async with Observer(host, devices=…) as observer:` watches until the block ends.

    Args:
        host: whose files are read.
        devices: kernel names whose series are kept even where nothing moved; others are kept only
            where something did.
        interval: seconds between readings.
    """

    def __init__(self, host: Host, *, devices: tuple[str, ...] = (), interval: float = 1.0) -> None:
        self._host = host
        self._devices = devices
        self._interval = interval
        self._samplers = [SAMPLERS.load(name)() for name in SAMPLERS]
        self._in_background = SAMPLERS.load("resync")()
        self._watch: FilesWatch | None = None
        self._packed: list[bytes] = []
        self._fresh: list[FilesSnapshot] = []
        self._last: tuple[FilesSnapshot, FilesSnapshot] | None = None
        self._going: dict[str, str] = {}

    async def __aenter__(self) -> Observer:
        paths = dict.fromkeys(path for sampler in self._samplers for path in sampler.paths)
        self._watch = await self._host.watch(tuple(paths), self._interval)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watch is not None:
            await self._watch.close()
            self._take()

    @property
    def missed(self) -> int:
        """Readings that came so late that the next one was due."""
        return self._watch.missed if self._watch else 0

    def _take(self) -> None:
        """What the host has read since the last time."""
        taken = self._watch.take() if self._watch else ()
        newest = self._last[1] if self._last else (self._fresh[-1] if self._fresh else None)
        for reading in taken:
            if newest is not None:
                self._last = (newest, reading)
            newest = reading
            for point in self._in_background.points(reading, reading):
                work = f"{point.subject}: {point.name}"
                self._going[work] = f"{work} {show_fraction(point.value or 0.0)}"
        self._fresh += taken
        if len(self._fresh) >= _BATCH:
            self._pack()

    def _pack(self) -> None:
        """Readings that lie behind take little room: each says nearly what the last one said."""
        rows = [(reading.time, dict(reading.files)) for reading in self._fresh]
        self._packed.append(zlib.compress(pickle.dumps(rows), 1))
        self._fresh = []

    def live(self, device: str) -> Live | None:
        """What a device did in the last second; None before the second reading."""
        self._take()
        if self._last is None:
            return None
        before, after = self._last
        old, new = (
            diskstats.line_of(reading.files.get(diskstats.PATH, b""), device)
            for reading in self._last
        )
        seconds = after.time - before.time
        if old is None or new is None or seconds <= 0:
            return None
        figures = {name: value for name, _, value in diskstats.rates(old, new, seconds)}
        sides = ("read", "write", "discard")
        return Live(
            sum(figures.get(f"{side}.iops", 0.0) for side in sides),
            sum(figures.get(f"{side}.bandwidth", 0.0) for side in sides),
        )

    def background(self) -> tuple[str, ...]:
        """What went on in the background since the start, as last seen: "md0: resync 12.6 %"."""
        self._take()
        return tuple(self._going.values())

    def _readings(self) -> Iterator[FilesSnapshot]:
        for blob in self._packed:
            for moment, files in pickle.loads(zlib.decompress(blob)):  # noqa: S301 - _pack's own
                yield FilesSnapshot(moment, files)
        yield from self._fresh

    def series(self) -> tuple[Series, ...]:
        """All figures over time; those that never moved only of the devices asked for."""
        self._take()
        moving: dict[tuple[str, str, str, str], dict[float, float | None]] = {}
        times: list[float] = []
        for before, after in pairwise(self._readings()):
            times.append(after.time)
            for sampler in self._samplers:
                for point in sampler.points(before, after):
                    key = (sampler.name, point.subject, point.name, point.unit)
                    moving.setdefault(key, {})[after.time] = point.value
        moved = {key[:2] for key, values in moving.items() if any(values.values())}
        return tuple(
            Series(*key, times=tuple(times), values=tuple(map(values.get, times)))
            for key, values in moving.items()
            if key[1] in self._devices or key[:2] in moved
        )
