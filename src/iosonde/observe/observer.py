"""Reads the samplers' files of a host once a second while a load runs, as cheaply as it can.

Only bytes are kept during the load; they are parsed when it is over. The schedule is absolute, so
that a late reading does not shift the later ones; rates are per second that really passed.
"""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import time
import zlib
from dataclasses import dataclass
from itertools import pairwise
from types import TracebackType

from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.observe import SAMPLERS, diskstats, resync
from iosonde.observe.sampler import Reading
from iosonde.records import Series


@dataclass(frozen=True, slots=True)
class Live:
    """What a device did in the last second: I/Os and bytes a second, all directions."""

    iops: float
    bandwidth: float


class Observer:
    """`async with Observer(host, devices=…) as observer:` samples until the block ends.

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
        self._paths = tuple(
            dict.fromkeys(path for sampler in self._samplers for path in sampler.paths)
        )
        self._kept: list[bytes] = []
        self._last: tuple[Reading, Reading] | None = None
        self._newest: Reading | None = None
        self._going: dict[str, str] = {}
        self._task: asyncio.Task[None] | None = None
        self.missed = 0
        """Readings that came so late that the next one was due."""

    async def __aenter__(self) -> Observer:
        await self._read()
        if self._newest is not None:  # files this host lacks are not asked for again
            self._paths = tuple(path for path in self._paths if path in self._newest.files)
        self._task = asyncio.create_task(self._sample())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _sample(self) -> None:
        due = time.monotonic() + self._interval
        while True:
            await asyncio.sleep(max(due - time.monotonic(), 0))
            with contextlib.suppress(IosondeError):  # a cut connection is the load's to report
                await self._read()
            due += self._interval
            while due < time.monotonic():
                due += self._interval
                self.missed += 1

    async def _read(self) -> None:
        found = await self._host.read_many(self._paths)
        files = {path: text for path, text in found.items() if isinstance(text, bytes)}
        reading = Reading(time.time(), files)
        if self._newest is not None:
            self._last = (self._newest, reading)
        self._newest = reading
        self._kept.append(zlib.compress(pickle.dumps((reading.time, files)), 1))
        for array, (what, share) in resync.operations(files.get(resync.PATH, b"")).items():
            self._going[f"{array}: {what}"] = f"{array}: {what} {share * 100:.1f} %"

    def live(self, device: str) -> Live | None:
        """What a device did in the last second; None before the second reading."""
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
        return tuple(self._going.values())

    def series(self) -> tuple[Series, ...]:
        """All figures over time; those that never moved only of the devices asked for."""
        readings = [Reading(*pickle.loads(zlib.decompress(blob))) for blob in self._kept]  # noqa: S301 - our own
        found: dict[tuple[str, str, str, str], dict[float, float | None]] = {}
        for before, after in pairwise(readings):
            for sampler in self._samplers:
                for point in sampler.points(before, after):
                    key = (sampler.name, point.subject, point.name, point.unit)
                    found.setdefault(key, {})[after.time] = point.value
        moved = {
            (sampler, subject)
            for (sampler, subject, _, _), values in found.items()
            if any(values.values())
        }
        times = tuple(reading.time for reading in readings[1:])
        return tuple(
            Series(*key, times=times, values=tuple(values.get(moment) for moment in times))
            for key, values in found.items()
            if key[1] in self._devices or (key[0], key[1]) in moved
        )
