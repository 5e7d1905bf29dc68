"""The bounds of a race: against the textbook, and their error rate by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import betaincinv

from iosonde.tune.search.paired import EFFECT, PRIOR, Noise, differences, pooled, reach, slack


def test_the_noise_of_complete_blocks_is_the_residual_of_the_two_way_table() -> None:
    scores = np.random.default_rng(1).normal(size=(4, 6)) + np.arange(6)
    left = scores - scores.mean(axis=0) - scores.mean(axis=1)[:, None] + scores.mean()
    noise = pooled(list(scores))
    assert noise.freedom == 15
    assert noise.variance == pytest.approx((left**2).sum() / 15)


def test_the_noise_of_incomplete_blocks_is_the_residual_of_least_squares() -> None:
    rng = np.random.default_rng(2)
    lengths = (7, 7, 4, 2)
    series = [rng.normal(size=length) + rng.normal() for length in lengths]
    rows, figures = [], []
    for number, scores in enumerate(series):
        for block, score in enumerate(scores):
            row = np.zeros(4 + 7)
            row[number] = row[4 + block] = 1
            rows.append(row)
            figures.append(score)
    design, y = np.array(rows), np.array(figures)
    fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    freedom = len(y) - np.linalg.matrix_rank(design)
    noise = pooled(series)
    assert noise.freedom == freedom
    assert noise.variance == pytest.approx(((y - fitted) ** 2).sum() / freedom)


def test_drift_shared_by_a_block_leaves_no_trace() -> None:
    scores = np.random.default_rng(3).normal(size=(3, 8))
    drifting = scores + np.linspace(0, 50, 8)
    pairs = differences(scores, pooled(list(scores)))
    two = differences(drifting, pooled(list(drifting)))
    np.testing.assert_allclose(pairs.change, two.change, atol=1e-12)
    np.testing.assert_allclose(pairs.error, two.error, rtol=1e-9)


def test_the_reach_solves_the_probability_ratio() -> None:
    """Against the ratio itself: the marginal densities of t under both hypotheses."""
    freedom, blocks, level = 9.0, 5, 0.01
    grown = 1 + blocks * EFFECT

    def excess(t: float) -> float:
        under = (1 + t * t / freedom) ** (-(freedom + 1) / 2)
        over = (1 + t * t / freedom / grown) ** (-(freedom + 1) / 2) / np.sqrt(grown)
        return float(over / under - 1 / (2 * level))

    root = brentq(excess, 0.1, 100.0)
    assert float(reach(np.array([freedom]), blocks, level)[0]) == pytest.approx(root)


@pytest.mark.parametrize("level", [0.05, 0.0125])
def test_the_bound_is_passed_no_more_often_than_its_level_says(level: float) -> None:
    """Looked at after each of 300 blocks, two of five equal candidates: `slack` rests on it.

    The pair's own spread moderated by three others', as `differences` does it.
    """
    rng, paths, blocks = np.random.default_rng(8), 6000, 300
    total, squares, pool = np.zeros(paths), np.zeros(paths), np.zeros(paths)
    passed = np.zeros(paths, dtype=bool)
    for count in range(1, blocks + 1):
        step = rng.normal(size=paths)
        total, squares = total + step, squares + step**2
        pool += rng.chisquare(3, size=paths)
        if count < 2:
            continue
        prior = min(PRIOR, 3.0 * (count - 1))
        own = np.maximum(squares - total**2 / count, 0)
        error = np.sqrt((prior * pool / (3 * count) + own) / (prior + count - 1) / count)
        width = reach(np.array([prior + count - 1]), count, level * slack(2))
        passed |= total / count > width * error
    hits = int(passed.sum())
    # Not more than the level, nor so few that the bound is wider than it has to be (99.9 %).
    assert betaincinv(hits, paths - hits + 1, 0.001) < level
    assert betaincinv(hits + 1, paths - hits, 0.999) > 0.4 * level


def test_too_few_blocks_bound_nothing() -> None:
    assert np.isinf(reach(np.array([1.0]), 2, 1e-4)[0])


@pytest.mark.parametrize("memory", [0.0, 0.6])
def test_the_best_is_rarely_ever_lost(memory: float) -> None:
    """Looked at after each of 40 blocks, over noise of different size in every candidate.

    `memory`: each loop remembers the one before, across candidates in random order.
    """
    rng, trials, kinds, blocks, level = np.random.default_rng(4), 250, 4, 40, 0.05
    lost = 0
    for _ in range(trials):
        path = rng.normal(size=kinds * blocks)
        for at in range(1, len(path)):
            path[at] = memory * path[at - 1] + np.sqrt(1 - memory**2) * path[at]
        spread = rng.uniform(0.5, 2.0, size=kinds)
        scores = np.empty((kinds, blocks))
        for block in range(blocks):
            scores[rng.permutation(kinds), block] = path[block * kinds : (block + 1) * kinds]
        scores *= spread[:, None]
        for count in range(2, blocks + 1):
            seen = scores[:, :count]
            pairs = differences(seen, pooled(list(seen)))
            if (pairs.change - pairs.reach(level / (kinds - 1)))[1:, 0].max() > 0:
                lost += 1
                break
    # Not more than the level, as far as 250 trials can tell (Clopper and Pearson, 99.5 %).
    assert betaincinv(max(lost, 1), trials - lost + 1, 0.005) < level, lost


@pytest.mark.parametrize("level", [0.05, 0.1])
@pytest.mark.parametrize("noisy", [0, 4])
def test_a_noisy_candidate_is_no_way_to_a_wrong_pick(noisy: int, level: float) -> None:
    """The best of five is ahead by just the margin; it or another is 7.5 times as noisy.

    Wrong: another one is within the margin of all others, or the best is out. Looked at after each
    of 25 blocks.
    """
    rng, trials, margin = np.random.default_rng(12), 500, 0.01
    spread = np.full(5, 0.5 * margin)
    spread[noisy] *= 7.5
    wrong = 0
    for _ in range(trials):
        scores = rng.normal(size=(5, 25)) * spread[:, None]
        scores[0] += margin
        alive = np.arange(5)
        series: list[np.ndarray] = [np.empty(0)] * 5
        for count in range(3, 26):
            for number in alive:
                series[number] = scores[number, :count]
            pairs = differences(scores[alive, :count], pooled(series))
            reach = pairs.reach(level / 4, 5)
            bound = pairs.change + reach
            np.fill_diagonal(bound, -np.inf)
            ends = bound.max(axis=0) < margin
            if ends.any() or len(alive) == 1:
                wrong += alive[0] != 0 or (len(alive) > 1 and not ends[0])
                break
            alive = alive[~(pairs.change - reach > 0).any(axis=0)]
            if alive[0] != 0:
                wrong += 1
                break
    # Not more than the level, as far as 500 trials can tell (Clopper and Pearson, 99.5 %).
    assert betaincinv(max(wrong, 1), trials - wrong + 1, 0.005) < level, wrong


def test_figures_that_never_differ_leave_the_grain_as_their_doubt() -> None:
    scores = np.log([[1000.0] * 6, [1010.0] * 6])
    pairs = differences(scores, pooled(list(scores)), grain=0.002)
    assert pairs.reach(0.025)[1, 0] == 0.002


def test_a_noisy_pair_is_not_taken_for_a_quiet_one() -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(5, 30)) * np.array([8, 8, 1, 1, 1])[:, None]
    pairs = differences(scores, pooled(list(scores)))
    assert pairs.error[0, 1] > 2 * pairs.error[2, 3]
    assert pairs.error[2, 3] > 0


def test_with_two_candidates_it_is_the_paired_t_test() -> None:
    scores = np.random.default_rng(6).normal(size=(2, 9))
    pairs = differences(scores, pooled(list(scores)))
    steps = scores[0] - scores[1]
    assert pairs.freedom[0, 1] == 8
    assert pairs.error[0, 1] == pytest.approx(steps.std(ddof=1) / 3)


def test_of_the_others_only_what_they_add_counts() -> None:
    scores = np.random.default_rng(7).normal(size=(4, 3))
    pairs = differences(scores, pooled(list(scores)))
    assert pairs.freedom[0, 1] == PRIOR + 2  # of the table's four others no more may count
    few = np.random.default_rng(7).normal(size=(3, 2))
    assert differences(few, pooled(list(few))).freedom[0, 1] == 2  # one of its own, one other
    many = np.random.default_rng(7).normal(size=(9, 3))
    assert differences(many, pooled(list(many))).freedom[0, 1] == PRIOR + 2


def test_noise_of_nothing_is_nothing() -> None:
    assert pooled([[1.0], [2.0]]) == Noise(0.0, 0.0)
