"""The knee against closed queueing networks whose knee is known, solved exactly by another way."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from iosonde.statistics.knee import find_knee

DEPTHS = [1, 2, 4, 8, 16, 32, 64, 128]
# Stations (seconds an I/O, servers), seconds elsewhere.
NETWORKS: dict[str, tuple[list[tuple[float, int]], float]] = {
    "one disk": ([(1, 1)], 0),
    "four equal parts": ([(1, 1)] * 4, 0),
    "6 channels": ([(1, 6)], 0),
    "8 channels behind a core": ([(1, 8), (0.1, 1)], 0),
    "16 channels behind a core": ([(1, 16), (0.03, 1)], 0),
    "4 channels, a link and the load's own time": ([(1, 4), (0.2, 1)], 0.2),
    "two links and 4 channels": ([(0.5, 1), (0.4, 1), (1, 4)], 0),
}


def rates(stations: list[tuple[float, int]], elsewhere: float) -> list[float]:
    """X(N) by exact mean value analysis (Reiser and Lavenberg 1980)."""
    most = max(DEPTHS)
    shares = [np.eye(1, most + 1)[0] for _ in stations]  # probability of j I/Os at each station
    values = {}
    for n in range(1, most + 1):
        held = np.arange(1, n + 1)
        times = [
            float(np.sum(held * demand / np.minimum(held, servers) * share[:n]))
            for (demand, servers), share in zip(stations, shares, strict=True)
        ]
        values[n] = n / (elsewhere + sum(times))
        for at, (demand, servers) in enumerate(stations):
            new = np.zeros(most + 1)
            new[1 : n + 1] = demand / np.minimum(held, servers) * values[n] * shares[at][:n]
            new[0] = max(0.0, 1 - new.sum())
            shares[at] = new
    return [values[n] for n in DEPTHS]


def knee_of(stations: list[tuple[float, int]], elsewhere: float) -> float:
    busiest = max(demand / servers for demand, servers in stations)
    return (elsewhere + sum(demand for demand, _ in stations)) / busiest


@pytest.mark.parametrize("name", NETWORKS)
def test_both_bounds_hold_the_knee(name: str) -> None:
    network = NETWORKS[name]
    low, high = find_knee(DEPTHS, [rates(*network)]).bounds
    truth = knee_of(*network)
    assert low <= truth * 1.001
    assert high >= truth * 0.999
    assert high / low < 1.35


@pytest.mark.parametrize(("loops", "scatter"), [(3, 0.02), (5, 0.01), (5, 0.05), (10, 0.03)])
def test_intervals_hold_the_knee(loops: int, scatter: float) -> None:
    """In at least 93 % of runs over all networks; passes drift together besides."""
    chance = np.random.default_rng(3)
    hits = []
    for network in NETWORKS.values():
        exact, truth = np.array(rates(*network)), knee_of(*network)
        for _ in range(12):
            noise = 1 + scatter * chance.standard_normal((loops, len(DEPTHS)))
            passes = 1 + 2 * scatter * chance.standard_normal((loops, 1))
            interval = find_knee(DEPTHS, (exact * noise * passes).tolist()).interval
            assert interval is not None
            hits.append(interval[0] <= truth <= interval[1])
    assert np.mean(hits) >= 0.9  # 84 runs; the validation page has 400 of each


def test_a_rate_that_still_rises_has_no_upper_bound_within_what_was_measured() -> None:
    exact = rates([(1, 64)], 0)[:6]  # up to 32 in flight
    position = find_knee(DEPTHS[:6], [exact, [figure * 1.01 for figure in exact]])
    assert position.interval is not None
    assert position.interval[1] == inf
    assert position.at == pytest.approx(32)


def test_a_rate_that_falls_again_says_nothing_beyond_its_peak() -> None:
    exact = rates([(1, 1), (0.25, 1)], 0)
    falling = [*exact[:5], exact[4] * 0.8, exact[4] * 0.6, exact[4] * 0.4]
    low, high = find_knee(DEPTHS, [falling]).bounds
    assert low * 0.999 <= 1.25 <= high * 1.001
    assert find_knee([1, 2, 4], [[100, 80, 50]]).bounds == (1, 1)


@pytest.mark.parametrize("depths", [[1], [2, 4], []])
def test_without_one_in_flight_there_is_none(depths: list[int]) -> None:
    with pytest.raises(ValueError, match="one I/O in flight"):
        find_knee(depths, [[1.0] * len(depths)])
