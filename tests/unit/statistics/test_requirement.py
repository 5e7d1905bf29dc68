"""Error rates of requirements by simulation, where loops go on until a verdict."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest

from iosonde.statistics.requirement import LEVEL, judge_limit, level_at

FIRST = 3
MOST = 40  # loops
RUNS = 400
LIMIT = 10e-3  # seconds


def verdict_of(draw: Callable[[], float], *, above: bool = False) -> tuple[str, int]:
    """Verdict and number of loops of a trial that goes on until it is decided."""
    values = [draw() for _ in range(FIRST - 1)]
    for look in range(1, MOST - FIRST + 2):
        values.append(draw())
        verdict, _, _ = judge_limit(values, LIMIT, above=above, look=look, level=LEVEL)
        if verdict != "undecided":
            return verdict, len(values)
    return "undecided", MOST


def normal(noise: random.Random, mean: float, cv: float) -> Callable[[], float]:
    return lambda: noise.gauss(mean, cv * mean)


def skewed(noise: random.Random, mean: float, cv: float) -> Callable[[], float]:
    sigma = math.sqrt(math.log(1 + cv * cv))
    return lambda: noise.lognormvariate(math.log(mean) - sigma * sigma / 2, sigma)


def shares(of: Callable[..., Callable[[], float]], mean: float, cv: float) -> dict[str, float]:
    noise = random.Random(f"{mean}{cv}{of.__name__}")
    verdicts = [verdict_of(of(noise, mean, cv))[0] for _ in range(RUNS)]
    return {name: verdicts.count(name) / RUNS for name in ("pass", "fail", "undecided")}


@pytest.mark.parametrize("of", [normal, skewed])
@pytest.mark.parametrize("cv", [0.02, 0.1, 0.3])
def test_what_is_good_enough_is_rarely_refused(
    of: Callable[..., Callable[[], float]], cv: float
) -> None:
    assert shares(of, 9.5e-3, cv)["fail"] <= 0.05


@pytest.mark.parametrize("of", [normal, skewed])
@pytest.mark.parametrize("cv", [0.02, 0.1, 0.3])
def test_what_is_too_slow_is_rarely_passed(
    of: Callable[..., Callable[[], float]], cv: float
) -> None:
    assert shares(of, 10.5e-3, cv)["pass"] <= 0.05


def test_a_clear_case_is_decided_with_few_loops() -> None:
    noise = random.Random(1)
    passed = [verdict_of(normal(noise, 5e-3, 0.1)) for _ in range(50)]
    assert {verdict for verdict, _ in passed} == {"pass"}
    assert sorted(loops for _, loops in passed)[25] <= 4


def test_above_is_below_turned_round() -> None:
    slow: Sequence[float] = (12e-3, 12.1e-3, 11.9e-3)
    assert judge_limit(slow, LIMIT, above=False, look=1, level=LEVEL)[0] == "fail"
    assert judge_limit(slow, LIMIT, above=True, look=1, level=LEVEL)[0] == "pass"


def test_one_loop_decides_nothing() -> None:
    assert judge_limit((1e-3,), LIMIT, above=False, look=1, level=LEVEL) == (
        "undecided",
        1e-3,
        None,
    )
    assert judge_limit((), LIMIT, above=False, look=1, level=LEVEL) == ("undecided", None, None)


def test_all_looks_together_spend_the_level_and_no_more() -> None:
    spent = sum(level_at(look, 0.05) for look in range(1, 100_000))
    assert 0.0499 < spent < 0.05


def stalls(noise: random.Random, mean: float, share: float) -> Callable[[], float]:
    """Nothing but stalls: rarely a long time, else none, of a mean."""
    return lambda: mean / share if noise.random() < share else 0.0


@pytest.mark.parametrize("share", [0.03, 0.1, 0.3])
def test_rare_stalls_that_are_good_enough_on_average_are_rarely_refused(share: float) -> None:
    assert shares(stalls, 9.5e-3, share)["fail"] <= 0.05


@pytest.mark.parametrize("stall", [0.2, 1.0, 30.0])
def test_a_stall_in_one_loop_does_not_keep_what_is_too_slow_from_being_refused(
    stall: float,
) -> None:
    """The interval of Student's t alone holds zero here for as many loops as the stall is long."""
    noise = random.Random(2)
    usual = normal(noise, 50e-3, 0.1)
    values = [usual(), usual(), stall]
    for look in range(2, 7):
        values.append(usual())
        verdict, mean, interval = judge_limit(values, LIMIT, above=False, look=look, level=LEVEL)
    assert verdict == "fail"
    assert mean is not None
    assert interval is not None
    assert mean == pytest.approx(sum(values) / len(values))
    assert LIMIT < interval[0] < mean < interval[1]
    assert judge_limit(values, 2 * mean, above=False, look=6, level=LEVEL)[0] == "undecided"


def test_rates_with_an_empty_loop_pass_a_low_limit() -> None:
    """Loops of a fifth of a second, in one of which a busy machine did nothing."""
    rates = [16_000.0, 3_100.0, 0.0, *[2_160.0, 15_900.0] * 5]
    verdicts = [
        judge_limit(rates[:number], 10.0, above=True, look=number - FIRST + 1, level=LEVEL)[0]
        for number in range(FIRST, len(rates) + 1)
    ]
    assert verdicts[0] == "undecided"
    assert verdicts[-1] == "pass"
    assert "fail" not in verdicts
