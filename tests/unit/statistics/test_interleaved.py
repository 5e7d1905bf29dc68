"""Loops in turns: what a drift, fading noise and a slow first loop make of the verdict.

The oracle is the plain model: equal settings must be claimed to differ in at most 5 %, whatever
the noise, and 5 % at CV 1.2 % must be found as often as by runs one after the other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from iosonde.statistics.contrast import Bar, contrast, decide, paired
from iosonde.statistics.interleaved import are_enough, fading_factor, interleaved
from tests.unit.statistics import noise
from tests.unit.statistics.noise import Floats

NO_MARGIN = Bar(margin=1e-9)
CV = 0.012


def orders(count: int, seed: int = 0) -> tuple[bool, ...]:
    """A B B A and B A A B by lot, as a run draws them."""
    lots = np.random.default_rng(seed).random(count) < 0.5
    return tuple(bool(lots[number // 2]) ^ bool(number % 2) for number in range(count))


def taken(rows: Floats, a_first: tuple[bool, ...]) -> tuple[Floats, Floats]:
    """A's and B's loops of series of loops as they came."""
    at = [2 * number + (not first) for number, first in enumerate(a_first)]
    of_b = [2 * number + first for number, first in enumerate(a_first)]
    return rows[:, at], rows[:, of_b]


def claimed(rows: Floats, a_first: tuple[bool, ...], *, effect: float = 1.0, bar: Bar) -> float:
    a, b = taken(rows, a_first)
    difference = interleaved(list(np.log(a).T), list(np.log(b * effect).T), a_first)
    return float(decide(difference, bar).differs.mean())


def sequential(rows: Floats, *, effect: float = 1.0) -> float:
    """The same loops, B's after A's: what `compare` says of two runs."""
    count = rows.shape[1] // 2
    a, b = list(np.log(rows[:, :count]).T), list(np.log(rows[:, count:] * effect).T)
    return float(decide(contrast(a, b, distance=float(count)), Bar()).differs.mean())


def white(rng: np.random.Generator, trials: int, count: int) -> Floats:
    return noise.loops(rng, trials, 2 * count, CV, mean=1)


def fading(rng: np.random.Generator, trials: int, count: int, length: int) -> Floats:
    """Loops of seconds that correlate at 0.98."""
    seconds = noise.seconds(rng, trials, 0.98, CV, count=2 * count, length=length)
    rows: Floats = seconds.mean(axis=2) / 1000
    return rows


def drifting(rng: np.random.Generator, trials: int, count: int, steps: float) -> Floats:
    """A rate that falls by so many standard deviations a loop."""
    return white(rng, trials, count) - steps * CV * np.arange(2 * count)


def noises(trials: int, count: int) -> Iterator[tuple[str, Floats]]:
    rng = np.random.default_rng(11)
    yield "white", white(rng, trials, count)
    for rho in (0.3, 0.5, 0.7, 0.98):
        yield f"loops at {rho}", 1 + CV * noise.ar1(rng, trials, 2 * count, rho)
    for length in (10, 30, 60, 120):
        yield f"loops of {length} s at 0.98", fading(rng, trials, count, length)
    for steps in (0.3, 1.0, 2.0):
        yield f"drift of {steps} sd", drifting(rng, trials, count, steps)
    cold = white(rng, trials, count)
    cold[:, 0] *= 0.5
    yield "cold first loop", cold
    yield "settling", white(rng, trials, count) * (1 + 0.05 * np.exp(-np.arange(2 * count) / 3))


def test_equal_arms_are_claimed_to_differ_in_at_most_5_percent() -> None:
    """A slice of the simulation below: five loops each, worst of its noises."""
    rng = np.random.default_rng(1)
    a_first = orders(5)
    for rows in (white(rng, 4000, 5), 1 + CV * noise.ar1(rng, 4000, 10, 0.5),
                 fading(rng, 2000, 5, 60), drifting(rng, 4000, 5, 1.0)):  # fmt: skip
        limit = 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(rows))
        assert claimed(rows, a_first, bar=NO_MARGIN) <= limit


def test_without_the_factor_fading_noise_is_claimed_more_often() -> None:
    """So the test above can fail."""
    a_first = orders(8)
    rows = 1 + CV * noise.ar1(np.random.default_rng(2), 20_000, 16, 0.5)
    a, b = taken(rows, a_first)
    plain = decide(paired(list(np.log(a).T), list(np.log(b).T)), NO_MARGIN).differs.mean()
    assert plain > 0.06
    assert claimed(rows, a_first, bar=NO_MARGIN) <= 0.05


def test_a_drift_hides_a_change_from_runs_one_after_the_other_alone() -> None:
    rng = np.random.default_rng(3)
    steady, drift = white(rng, 4000, 5), drifting(rng, 4000, 5, 0.5)
    assert claimed(steady, orders(5), effect=1.05, bar=Bar()) >= 0.92
    assert sequential(steady, effect=1.05) >= 0.92
    assert claimed(drift, orders(5), effect=1.05, bar=Bar()) >= 0.9
    assert sequential(drift, effect=1.05) <= 0.4


@pytest.mark.long
@pytest.mark.parametrize("count", [4, 5, 6, 8, 12])
def test_error_rates_of_all_noises(count: int) -> None:
    """40,000 runs of each noise, with orders drawn anew: at most 5 % (two standard errors more).

    docs/decisions/0170-loops-in-turns.md has the figures; --capture=no shows them.
    """
    for name, rows in noises(40_000, count):
        parts = np.array_split(rows, 8)
        rates = [
            [claimed(part, orders(count, seed), bar=bar) for seed, part in enumerate(parts)]
            for bar in (NO_MARGIN, Bar())
        ]
        strict, usual = (float(np.mean(rate)) for rate in rates)
        number = np.mean([
            claimed(part, orders(count, seed), effect=1.05, bar=Bar())
            for seed, part in enumerate(parts)
        ])  # fmt: skip
        after = sequential(rows), sequential(rows, effect=1.05)
        figures = "  ".join(f"{rate:.1%}" for rate in (strict, usual, number, *after))
        sys.stdout.write(f"{count} pairs, {name}: {figures}\n")
        assert strict <= 0.0522, name
        assert usual <= 0.03, name


def test_the_change_is_the_mean_step_without_the_drift() -> None:
    """By hand: B is 10 % more than A, each loop 1 % less than the one before; odd pairs too."""
    for count in (4, 5, 7):
        a_first = orders(count)
        rows = np.exp(-0.01 * np.arange(2 * count))[np.newaxis]
        a, b = taken(rows, a_first)
        effect = interleaved(np.log(a[0]).tolist(), np.log(b[0] * 1.1).tolist(), a_first)
        assert effect.change == pytest.approx(np.log(1.1), abs=1e-12)
        assert effect.error == pytest.approx(0, abs=1e-12)
        assert effect.freedom == count - 2


def test_a_pass_alone_in_its_order_decides_nothing() -> None:
    """A cold first loop would be fitted exactly, and a factor of six pass for a proven change."""
    assert are_enough((True, False, False, True))
    assert not are_enough((True, False, False))
    assert not are_enough((True, False, False, False))
    with pytest.raises(ValueError, match="two pairs in each order"):
        interleaved([0.0] * 3, [0.0] * 3, (True, False, False))


def test_the_factor_is_that_of_the_worst_fading() -> None:
    """Against covariances written out by hand for A B B A at a correlation of 0.5."""
    rho = 0.5
    by_hand = rho * (1 - rho) ** 2  # of the steps B1 − A1 and B2 − A2: r1 − 2 r2 + r3
    own = 2 * (1 - rho)
    alike = by_hand / own
    assert alike == pytest.approx(0.125)
    assert 1.1 < fading_factor((True, False) * 2) < 1.2
    assert fading_factor((True, False) * 24) == fading_factor((True, False) * 60) < 1.2
