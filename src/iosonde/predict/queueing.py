"""Requests that queue at devices: a closed or an open network with forks, gone through in order.

Each request passes phases one after the other; the accesses of a phase go to their devices at the
same time, and the next phase begins when the last of them is answered. A device serves one access
after the other in the order they come. That is simulated, since product-form solutions know no
forks; where there are none, the results agree with exact mean value analysis (tests).

Source: E. Lazowska, J. Zahorjan, G. Graham and K. Sevcik, "Quantitative System Performance" (1984):
closed networks (chapters 4 and 6), asymptotic bounds (5), flow-equivalent servers (8); A. Law,
"Simulation Modeling and Analysis": batch means.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import inf, sqrt
from random import Random
from typing import TypeAlias

from iosonde.predict.service.service import Access, ServiceModel

Phase: TypeAlias = tuple[tuple[int, Access], ...]
"""Accesses at the same time: number of the device, what is asked of it."""
Work: TypeAlias = tuple[Phase, ...]
"""One request."""

_BATCHES = 16
_T95 = 2.131  # Student's t, 15 degrees of freedom, two-sided 95 %
_WARM = 0.25


@dataclass(frozen=True, slots=True)
class Coming:
    """How requests come.

    Args:
        customers: requests under way at the same time; the next begins when one ends.
        gaps: seconds from one request to the next, whatever is under way: then the network is open
            and `customers` do not count; 0 for a closed one.
        random: whether the gaps are those of a Poisson process instead of even ones.
    """

    customers: int = 1
    gaps: float = 0.0
    random: bool = False


@dataclass(frozen=True, slots=True)
class Flow:
    """What a network of devices does.

    Args:
        rate: requests a second.
        latency: mean seconds of a request.
        error: half of the 95 % interval of the rate that is left by the length of the simulation,
            as a fraction.
        busy: for each device the fraction of time that it works.
    """

    rate: float
    latency: float
    error: float
    busy: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ServedRequests:
    """Requests that came at times of their own, in their order.

    Args:
        late: seconds that each was issued after its time, since too many were under way.
        latencies: seconds of each from its issue to its end.
    """

    late: tuple[float, ...]
    latencies: tuple[float, ...]


class Station:
    """A device and what waits there."""

    def __init__(self, service: ServiceModel) -> None:
        self.service = service
        self.worked = 0.0
        self._free = 0.0
        self._waiting: deque[tuple[float, int, int]] = deque()  # done, bytes to be written, place
        self._held = 0
        self.head = 0

    def queue(self, now: float) -> int:
        """Accesses that are not answered yet."""
        while self._waiting and self._waiting[0][0] <= now:
            _, held, place = self._waiting.popleft()
            self._held -= held
            self.head = place if place >= 0 else self.head
        return len(self._waiting)

    def serve(self, now: float, access: Access, chance: Random) -> float:
        """When the answer to an access that comes now is there. Calls come in order of time."""
        busy, after = self.service.seconds(access, self.queue(now) + 1, chance)
        begin = max(now, self._free)
        self._free = begin + busy
        self.worked += busy
        burst, buffer = self.service.burst, self.service.buffer
        done = max(now, begin - burst) if burst else self._free
        written = access.size if access.write and buffer else 0
        answered = done + after
        if written:
            answered = min(answered, self._taken(now, written, buffer) + after)
        self._waiting.append((done, written, access.place))
        self._held += written
        return answered

    def _taken(self, now: float, size: int, buffer: int) -> float:
        """When the write cache has room for bytes that come now."""
        over, at = self._held + size - buffer, now
        for done, held, _ in self._waiting:
            if over <= 0:
                break
            over, at = over - held, done
        return at


def flow(
    works: Sequence[Work],
    services: Sequence[ServiceModel],
    *,
    mirrors: Mapping[int, tuple[int, ...]] | None = None,
    coming: Coming = Coming(),
    requests: int = 4000,
    seed: int = 1,
) -> Flow:
    """Requests, over and over, through devices.

    Args:
        works: the requests in order; they begin again at the end.
        services: the devices.
        mirrors: device → all those that hold the same. A read goes to the first that is idle;
            where none is, of rotating disks to that whose head was last seen nearest, of others to
            the shortest queue.
        coming: how requests come.
        requests: how many are gone through that have something to do; the first quarter of them,
            and as many as are under way twice over, are not counted.
        seed: of chance.
    """
    stations = [Station(service) for service in services]
    net = _Net(works, stations, mirrors or {}, Random(seed))  # noqa: S311
    gaps = coming.gaps
    for _ in range(1 if gaps else coming.customers):
        net.begin(0.0)
    began = 0
    warm = max(int(requests * _WARM), 0 if gaps else 2 * coming.customers)
    while net.worked < requests + warm:
        now, phase, ended = net.step()
        if gaps and phase == 0:
            net.begin(now + (net.chance.expovariate(1 / gaps) if coming.random else gaps))
        if ended and not gaps:
            net.begin(now)
        if ended and not began and net.worked >= warm:
            began = len(net.ends)
            for station in net.stations:
                station.worked = 0.0
    return _summed(net.ends, net.waits, began, net.stations)


def arrive(
    works: Sequence[Work],
    services: Sequence[ServiceModel],
    times: Sequence[float],
    *,
    in_flight: int,
    mirrors: Mapping[int, tuple[int, ...]] | None = None,
    seed: int = 1,
) -> ServedRequests:
    """Requests through devices, each at its own time, or as soon as there is room for it.

    Args:
        works: the requests in order.
        services: the devices.
        times: seconds at which each is to be issued, never decreasing; as many as `works`.
        in_flight: requests under way at the most.
        mirrors: see `flow`.
        seed: of chance.
    """
    stations = [Station(service) for service in services]
    net = _Net(works, stations, mirrors or {}, Random(seed))  # noqa: S311
    late, latencies = [0.0] * len(times), [0.0] * len(times)
    now, begun, flying = 0.0, 0, 0
    while begun < len(times) or flying:
        if begun < len(times) and flying < in_flight:
            start = max(times[begun], now)
            if start <= net.next:
                late[begun] = start - times[begun]
                net.begin(start)
                begun, flying = begun + 1, flying + 1
                continue
        now, _, ended = net.step()
        if ended:
            flying -= 1
            latencies[net.number] = net.waits[-1]
    return ServedRequests(tuple(late), tuple(latencies))


class _Net:
    """Requests on their way: the next event is that of the earliest time."""

    def __init__(
        self,
        works: Sequence[Work],
        stations: Sequence[Station],
        mirrors: Mapping[int, tuple[int, ...]],
        chance: Random,
    ) -> None:
        self.stations, self.chance = stations, chance
        self._mirrors = mirrors
        self.worked = 0
        self.number = -1
        """Of the request that went on last."""
        self.ends: list[float] = []
        self.waits: list[float] = []
        self._works = works
        self._numbers = count()
        self._events: list[tuple[float, int, int, float]] = []  # time, number, phase, begun

    def _copy(self, now: float, places: tuple[int, ...], access: Access) -> Station:
        """The device that is read from (drivers/md/raid1.c and raid10.c, read_balance).

        Heads are where the last access that has ended left them (`update_head_pos()`).
        """
        among = [self.stations[place] for place in places]
        shortest = min(among, key=lambda station: station.queue(now))
        if shortest.queue(now) and among[0].service.rotates:
            return min(among, key=lambda station: abs(access.place - station.head))
        return shortest

    def begin(self, at: float) -> None:
        """The next request comes."""
        heappush(self._events, (at, next(self._numbers), 0, at))

    @property
    def next(self) -> float:
        """When a request goes on; infinity where none is under way."""
        return self._events[0][0] if self._events else inf

    def step(self) -> tuple[float, int, bool]:
        """A request goes on: when, with which phase, and whether it has ended."""
        now, number, phase, begun = heappop(self._events)
        self.number = number
        work = self._works[number % len(self._works)]
        if phase == len(work):
            self.worked += bool(work)
            self.ends.append(now)
            self.waits.append(now - begun)
            return now, phase, True
        answered = now
        for place, access in work[phase]:
            station = self.stations[place]
            if not access.write and place in self._mirrors:
                station = self._copy(now, self._mirrors[place], access)
            answered = max(answered, station.serve(now, access, self.chance))
        heappush(self._events, (answered, number, phase + 1, begun))
        return now, phase, False


def _summed(
    ends: Sequence[float], waits: Sequence[float], began: int, stations: Sequence[Station]
) -> Flow:
    """The rate by batch means, without the requests before `began`."""
    counted = len(ends) - began
    span = ends[-1] - ends[began - 1]
    if span <= 0:
        return Flow(float("inf"), 0.0, 0.0, tuple(0.0 for _ in stations))
    size = counted // _BATCHES
    spans = [
        ends[began - 1 + (number + 1) * size] - ends[began - 1 + number * size]
        for number in range(_BATCHES)
    ]
    mean = sum(spans) / _BATCHES
    variance = sum((span - mean) ** 2 for span in spans) / (_BATCHES - 1)
    error = _T95 * sqrt(variance / _BATCHES) / mean if mean else 0.0
    latency = sum(waits[began:]) / counted
    busy = tuple(min(station.worked / span, 1.0) for station in stations)
    return Flow(counted / span, latency, error, busy)
