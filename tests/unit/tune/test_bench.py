"""The simulated device of the benchmark: its noise is what it says it is."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from bench.tune_cost import (
    FULL,
    PLAN,
    _at_least,
    _at_most,
    _behind,
    _count,
    _median,
    campaign,
    run,
    share,
)
from bench.tune_device import KINDS, PASS, Device, read_page
from bench.tune_problems import Campaign, problems
from iosonde.errors import UsageError
from iosonde.records.bench import BenchFigure
from iosonde.tune.search.space import Candidate


def device(kind: str, seed: int, cv: float = 0.02, horizon: float = 4000) -> Device:
    means: dict[Candidate, float] = {(0,): 1000.0, (1,): 1000.0}
    return Device(means, dict.fromkeys(means, cv), kind, np.random.default_rng(seed), horizon)


def test_the_page_is_read_as_published() -> None:
    page = read_page()
    assert sorted(page.strips) == [64, 128, 256, 512, 1024]
    assert page.strips[256][0] == pytest.approx((1310.60 + 1309.90) / 2, abs=0.01)
    assert len(page.spreads) == 18
    assert min(page.spreads) == pytest.approx(0.0044, abs=1e-4)
    assert max(page.spreads) == pytest.approx(0.0341, abs=1e-4)


@pytest.mark.parametrize("kind", ["white", "ar1"])
def test_passes_of_a_minute_spread_as_told(kind: str) -> None:
    passes = [device(kind, seed).measure(PASS) for seed in range(1500)]
    assert np.std(passes) / 1000 == pytest.approx(0.02, rel=0.08)


def test_short_loops_spread_more_with_white_noise_than_with_memory() -> None:
    spreads = {
        kind: np.std([device(kind, seed).measure(5) for seed in range(800)]) / 1000
        for kind in ("white", "ar1")
    }
    assert spreads["white"] == pytest.approx(0.02 * np.sqrt(12), rel=0.1)
    assert 0.02 < spreads["ar1"] < 0.03


def test_neighbouring_loops_remember_with_memory_alone() -> None:
    for kind, least, most in (("white", -0.15, 0.15), ("ar1", 0.6, 1.0)):
        pairs = []
        for seed in range(400):
            disk = device(kind, seed)
            pairs.append((disk.measure(5), disk.measure(5)))
        assert least < np.corrcoef(np.array(pairs).T)[0, 1] < most


def test_drift_moves_the_whole_campaign() -> None:
    disk = device("drift", 1, cv=1e-9)
    figures = [disk.measure(60) for _ in range(40)]
    assert max(figures) / min(figures) > 1.01
    assert all(abs(a / b - 1) < 0.02 for a, b in pairwise(figures))


def test_a_change_costs_seconds_and_raises_the_first_ones() -> None:
    disk = device("first-loop", 3, cv=1e-9)
    disk.measure(600)  # past the start of the campaign
    assert disk.change((0,)) == 0
    before = disk.now
    assert 1 <= disk.change((1,)) <= 3
    assert disk.now > before
    assert disk.measure(1) > disk.measure(1) > disk.measure(5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_campaign_is_the_same_whenever_it_is_run(kind: str) -> None:
    problem = campaign("strips", "race", kind, 3)
    assert problem == campaign("strips", "race", kind, 3)
    assert problem.seconds <= problems()["strips"].budget


def test_the_fixed_protocol_takes_what_it_takes() -> None:
    done = campaign("strips", "5 × 60 s each", "white", 0)
    assert done.seconds == pytest.approx(25 * 61 + 5 * 2, abs=5)


def test_the_interval_of_a_share_is_the_textbooks() -> None:
    low, high = share(0, 100)
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 100))
    assert share(5, 100) == pytest.approx((0.01643, 0.11284), abs=1e-4)


def test_a_target_is_reached_only_where_the_whole_interval_says_so() -> None:
    figure = BenchFigure("x", 0.95, "fraction", interval=(0.93, 0.97))
    assert [_at_least(figure, limit, "").reached for limit in (0.92, 0.95, 0.98)] == [
        "yes", "undecided", "no",
    ]  # fmt: skip
    assert [_at_most(figure, limit, "").reached for limit in (0.92, 0.95, 0.98)] == [
        "no", "undecided", "yes",
    ]  # fmt: skip


def test_a_peer_is_behind_only_beyond_what_chance_gives() -> None:
    ours = BenchFigure("ours", 0.95, "fraction", count=400)
    verdicts = [
        _behind(BenchFigure("peer", value, "fraction", count=400), ours).reached
        for value in (0.80, 0.94, 0.99)
    ]
    assert verdicts == ["yes", "undecided", "no"]


def test_the_interval_of_a_median_holds_it() -> None:
    """Of 400 draws each from a law whose median is known: 95 % of intervals hold it."""
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(300):
        done = [Campaign(float(record), 0.0) for record in rng.exponential(size=101)]
        interval = _median("x", done).interval
        assert interval is not None
        held += interval[0] <= np.log(2) <= interval[1]
    assert 0.90 < held / 300 < 0.99


def test_the_number_of_campaigns_goes_down_in_proportion() -> None:
    assert _count(FULL, 1000, "strips", quick=False) == 1000
    assert _count(500, 1000, "large", quick=False) == 50
    assert _count(500, 1, "large", quick=False) == 1
    assert _count(500, FULL, "large", quick=True) == 1


def test_one_problem_alone_with_its_targets() -> None:
    figures = run(quick=False, campaigns=3, only=["strips"])
    assert {figure.name.split(".")[1] for figure in figures} == {"strips"}
    assert {figure.count for figure in figures} == {3}
    aimed = [figure for figure in figures if figure.target]
    assert len(aimed) == 4 * len(KINDS)
    assert {bench_figure.reached for bench_figure in aimed} <= {"yes", "no", "undecided"}
    assert len({figure.name for figure in figures}) == len(figures)


def test_a_problem_or_number_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="no problem stripes"):
        run(quick=True, only=["stripes"])
    with pytest.raises(UsageError, match="1 campaign or more"):
        run(quick=False, campaigns=0)
    assert set(PLAN) == set(problems())
