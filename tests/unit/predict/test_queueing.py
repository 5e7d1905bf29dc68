"""Queues whose figures are known in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from iosonde.predict.queueing import Coming, Work, arrive, flow
from iosonde.predict.service.limits import LimitsModel, Side
from iosonde.predict.service.service import Access

WRITE = Access(write=True, count=1, size=4096)
READ = Access(write=False, count=1, size=4096)


@dataclass(frozen=True)
class Server:
    """Takes exponential times, or always the same."""

    mean: float
    even: bool = False
    buffer: int = 0
    burst: float = 0.0
    rotates: bool = False
    covers: str = ""

    def seconds(self, access: Access, queue: int, chance: Random) -> tuple[float, float]:
        return (self.mean if self.even else chance.expovariate(1 / self.mean)), 0.0

    def slow(self) -> Server:
        return self

    def fast(self) -> Server:
        return self

    def over(self, span: float) -> Server:
        return self


def in_turn(number: int, access: Access = WRITE) -> Work:
    return tuple(((place, access),) for place in range(number))


def mean_value_analysis(demands: list[float], customers: int) -> tuple[float, float]:
    """Exact: Reiser and Lavenberg, J. ACM 27 (1980)."""
    queues = [0.0 for _ in demands]
    rate = latency = 0.0
    for number in range(1, customers + 1):
        times = [time_ * (1 + queue) for time_, queue in zip(demands, queues, strict=True)]
        latency = sum(times)
        rate = number / latency
        queues = [rate * time_ for time_ in times]
    return rate, latency


def test_requests_at_times_of_their_own_wait_as_lindley_has_it() -> None:
    """D. Lindley, "The theory of queues with a single server" (1952): each waits for the rest."""
    chance, times, waits, now, wait = Random(5), [], [], 0.0, 0.0
    for number in range(400):
        gap = chance.expovariate(1 / 0.0012) if number else 0.0
        now, wait = now + gap, max(0.0, wait + (0.001 if number else 0.0) - gap)
        times.append(now)
        waits.append(wait)
    server, works = [Server(0.001, even=True)], [in_turn(1)] * len(times)
    served = arrive(works, server, times, in_flight=len(times))
    assert served.late == tuple([0.0] * len(times))
    assert served.latencies == pytest.approx([wait + 0.001 for wait in waits])
    alone = arrive(works, server, times, in_flight=1)  # waits before it is issued instead
    assert alone.late == pytest.approx(waits, abs=1e-12)
    assert alone.latencies == pytest.approx([0.001] * len(times))


@pytest.mark.parametrize("load", [0.3, 0.7, 0.85])
def test_one_server_with_poisson_arrivals_is_m_m_1(load: float) -> None:
    queue_flow = flow(
        [in_turn(1)], [Server(1.0)], coming=Coming(gaps=1 / load, random=True), requests=60_000
    )
    assert queue_flow.rate == pytest.approx(load, rel=0.03)
    assert queue_flow.latency == pytest.approx(1 / (1 - load), rel=0.1)
    assert queue_flow.busy[0] == pytest.approx(load, rel=0.03)


def test_one_even_server_with_poisson_arrivals_is_m_d_1() -> None:
    coming = Coming(gaps=1 / 0.7, random=True)
    queue_flow = flow([in_turn(1)], [Server(1.0, even=True)], coming=coming, requests=60_000)
    assert queue_flow.latency == pytest.approx(
        1 + 0.7 / (2 * 0.3), rel=0.06
    )  # Pollaczek, Khinchine


@pytest.mark.parametrize("customers", [1, 2, 8, 32])
def test_a_closed_network_agrees_with_mean_value_analysis(customers: int) -> None:
    demands = [1.0, 0.5, 0.8]
    queue_flow = flow(
        [in_turn(3)],
        [Server(demand) for demand in demands],
        coming=Coming(customers),
        requests=20_000,
    )
    rate, latency = mean_value_analysis(demands, customers)
    assert queue_flow.rate == pytest.approx(rate, rel=0.02)
    assert queue_flow.latency == pytest.approx(latency, rel=0.03)
    assert abs(queue_flow.rate / rate - 1) < 3 * queue_flow.error + 0.005


@pytest.mark.parametrize("customers", [1, 3, 10, 200])
def test_the_asymptotic_bounds_hold_and_are_reached(customers: int) -> None:
    """Even servers reach min(N / R0, 1 / Dmax): nothing waits before the slowest is saturated."""
    queue_flow = flow(
        [in_turn(2)], [Server(2e-3, even=True), Server(1e-3, even=True)], coming=Coming(customers)
    )
    assert queue_flow.rate == pytest.approx(min(customers / 3e-3, 1 / 2e-3), rel=1e-3)
    assert queue_flow.rate * queue_flow.latency == pytest.approx(customers, rel=0.02)  # Little


def test_what_is_asked_of_several_at_once_takes_as_long_as_the_slowest() -> None:
    """The longest of k exponential times is their mean times 1 + 1/2 + … + 1/k."""
    work = (tuple((place, WRITE) for place in range(4)),)
    queue_flow = flow([work], [Server(1.0)] * 4, requests=20_000)
    assert queue_flow.latency == pytest.approx(1 + 1 / 2 + 1 / 3 + 1 / 4, rel=0.03)


def test_a_held_device_makes_up_for_idle_time_and_no_more() -> None:
    """Alone it would serve at 100 /s; of two in turn each is idle half of the time."""
    side = Side(0.0, 100.0, 0.0)
    works = [((choice, WRITE),) for choice in (0, 1)]
    turns: list[Work] = [(work,) for work in works]
    held = flow(turns, [LimitsModel(side, side, burst=0.1)] * 2)
    strict = flow(turns, [LimitsModel(side, side)] * 2)
    assert held.rate == pytest.approx(200, rel=0.02)
    assert strict.rate == pytest.approx(100, rel=0.02)
    alone = flow([in_turn(1)], [LimitsModel(side, side, burst=0.1)])
    assert alone.rate == pytest.approx(100, rel=0.02)


def test_a_write_cache_hides_the_time_of_writes_but_not_the_rate() -> None:
    slow = Server(1e-3, even=True)
    cached = Server(1e-3, even=True, buffer=16 * 4096)
    gaps = Coming(gaps=2e-3)
    assert flow([in_turn(1)], [slow], coming=gaps).latency == pytest.approx(1e-3)
    assert flow([in_turn(1)], [cached], coming=gaps).latency == 0
    assert flow([in_turn(1, READ)], [cached], coming=gaps).latency == pytest.approx(1e-3)
    assert flow([in_turn(1)], [cached]).rate == pytest.approx(1e3, rel=0.02)


def test_reads_go_to_the_copy_with_least_to_do() -> None:
    servers = [Server(1e-3, even=True)] * 2
    both = {0: (0, 1), 1: (0, 1)}
    assert flow([in_turn(1, READ)], servers, coming=Coming(4)).rate == pytest.approx(1e3)
    mirrored = flow([in_turn(1, READ)], servers, mirrors=both, coming=Coming(4))
    assert mirrored.rate == pytest.approx(2e3, rel=1e-3)
    shortest, by_chance = (
        flow([in_turn(1, READ)], [Server(1e-3, rotates=flag)] * 2, mirrors=both, coming=Coming(4))
        for flag in (False, True)
    )
    assert shortest.rate == pytest.approx(2e3, rel=0.04)
    assert by_chance.rate == pytest.approx(2e3, rel=0.04)  # what is idle is found all the same
    writes = flow([in_turn(1)], servers, mirrors=both, coming=Coming(4))
    assert writes.rate == pytest.approx(1e3)


def test_requests_without_work_do_not_count_as_progress() -> None:
    """A cache that takes nine of ten writes makes ten times as many of them, at any depth."""
    works: list[Work] = [in_turn(1), *[()] * 9]
    for customers in (1, 64):
        queue_flow = flow(works, [Server(1e-3, even=True)], coming=Coming(customers))
        assert queue_flow.rate == pytest.approx(10_000, rel=0.02)


class Noting(Server):
    """Writes down the places that it is asked for."""

    def __init__(self) -> None:
        super().__init__(0.01, even=True, rotates=True)
        object.__setattr__(self, "places", [])

    def seconds(self, access: Access, queue: int, chance: Random) -> tuple[float, float]:
        self.places.append(access.place)  # type: ignore[attr-defined]
        return super().seconds(access, queue, chance)


def test_busy_mirrors_are_read_by_the_nearest_head() -> None:
    """Two streams far apart: each ends up at a disk of its own, as read_balance() has it."""
    both = Noting(), Noting()
    works: list[Work] = [
        (((0, Access(write=False, count=1, size=4096, place=place)),),) for place in (0, 10**9)
    ]
    flow(works, both, mirrors={0: (0, 1)}, coming=Coming(8), requests=400)
    for noting in both:
        assert len(set(noting.places[-100:])) == 1  # type: ignore[attr-defined]
