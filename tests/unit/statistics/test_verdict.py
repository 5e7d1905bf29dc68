from __future__ import annotations

import numpy as np
import pytest

from iosonde.records.comparison import Outcome
from iosonde.statistics.contrast import Bar
from iosonde.statistics.estimates import summarise
from iosonde.statistics.verdict import Circumstances, Judgement, judge, within_noise

APART = Circumstances(distance=0.0)


def _judge(a: list[float], b: list[float], metric: str = "write.iops", **how: object) -> Judgement:
    document = how.get("known", APART)
    bar = how.get("bar")
    assert isinstance(document, Circumstances)
    assert bar is None or isinstance(bar, Bar)
    first, second = summarise(metric, "1/s", a), summarise(metric, "1/s", b)
    return judge(first, second, circumstances=document, bar=bar)


STEADY = [1000.0, 1004.0, 996.0, 1001.0, 999.0]
MORE = [value * 1.1 for value in STEADY]


@pytest.mark.parametrize(
    ("metric", "outcome"),
    [
        ("write.iops", Outcome.BETTER),
        ("random_read.bandwidth", Outcome.BETTER),
        ("write.latency.p99", Outcome.WORSE),
        ("cpu.system", Outcome.WORSE),
        ("cpu.per_io", Outcome.WORSE),
        ("elapsed", Outcome.WORSE),
    ],
)
def test_more_is_better_for_rates_and_worse_for_the_rest(metric: str, outcome: Outcome) -> None:
    verdict = _judge(STEADY, MORE, metric).verdict
    assert verdict.outcome is outcome
    assert verdict.change == pytest.approx(0.1)
    assert verdict.interval is not None
    assert verdict.interval[0] < 0.1 < verdict.interval[1]
    assert verdict.more_loops is None


def test_no_difference_is_a_proof_and_not_a_lack_of_one() -> None:
    same = _judge(STEADY, [value * 1.001 for value in STEADY])
    assert same.verdict.outcome is Outcome.EQUIVALENT
    noisy = _judge([900, 1100, 1000, 1050, 950], [910, 1090, 1010, 1040, 960])
    assert noisy.verdict.outcome is Outcome.UNDECIDED
    assert noisy.verdict.more_loops is not None
    assert noisy.verdict.more_loops > 20
    assert noisy.reason == "the spread of the loops is too wide"


def test_a_single_loop_decides_nothing() -> None:
    judgement = _judge([1000.0], [2000.0])
    assert judgement.verdict.outcome is Outcome.UNDECIDED
    assert (judgement.verdict.change, judgement.verdict.interval, judgement.verdict.more_loops) == (
        1.0,
        None,
        4,
    )
    assert _judge([1000.0], STEADY).verdict.outcome is Outcome.UNDECIDED


def test_figures_without_spread() -> None:
    assert _judge([7.0] * 5, [7.0] * 5).verdict.outcome is Outcome.EQUIVALENT
    assert _judge([7.0] * 5, [8.0] * 5).verdict.outcome is Outcome.BETTER
    assert _judge([7.0] * 2, [8.0] * 2).verdict.outcome is Outcome.UNDECIDED
    assert _judge([7.0] * 5, MORE).verdict.outcome is Outcome.BETTER


def test_percentiles_are_no_finer_than_fios_bins() -> None:
    """Neighbouring bins in every loop: 1.5 % apart and no spread, but no difference either."""
    lower, upper = [4.42368e-3] * 5, [4.489216e-3] * 5
    assert _judge(lower, upper, "write.latency.p99").verdict.outcome is Outcome.UNDECIDED
    assert _judge(lower, lower, "write.latency.p99").verdict.outcome is Outcome.EQUIVALENT
    fine = _judge(lower, lower, "write.latency.p99", bar=Bar(margin=0.01))
    assert fine.verdict.outcome is Outcome.UNDECIDED
    assert fine.verdict.more_loops is None
    mean = _judge(lower, upper, "write.latency.mean", bar=Bar(margin=0.01))
    assert mean.verdict.outcome is Outcome.WORSE


@pytest.mark.parametrize("cv", [0.002, 0.006, 0.01, 0.02])
@pytest.mark.parametrize("effect", [1.0, 1.02])
def test_rounding_to_bins_makes_no_wrong_verdicts(cv: float, effect: float) -> None:
    """Wherever the truth lies in its bin: a difference of none, equivalence at the margin."""
    rng = np.random.default_rng(2)
    grain = np.log(1 + 1 / 64)
    trials, wrong = 600, 0
    for _ in range(trials):
        truth = np.log(4e-3) + grain * rng.random()
        a, b = (truth + cv * rng.normal(size=5) for _ in range(2))
        b += np.log(effect)
        a, b = (np.exp(np.round(x / grain) * grain) for x in (a, b))
        outcome = _judge(a.tolist(), b.tolist(), "write.latency.p99").verdict.outcome
        claims = {Outcome.BETTER, Outcome.WORSE} if effect == 1.0 else {Outcome.EQUIVALENT}
        wrong += outcome in claims
    assert wrong / trials <= 0.065  # 5 % and two standard errors


def test_zeros() -> None:
    assert _judge([0.0] * 3, [0.0] * 3, "cpu.user").verdict.outcome is Outcome.EQUIVALENT
    nothing = _judge([0.0] * 3, [0.0, 0.1, 0.1], "cpu.user")
    assert nothing.verdict.outcome is Outcome.UNDECIDED
    assert (nothing.verdict.change, nothing.verdict.interval) == (None, None)
    assert "zero" in nothing.reason
    partly = _judge([0.0, 0.1, 0.1], [1.0, 1.1, 1.2], "cpu.user", bar=Bar(level=0.2))
    assert partly.verdict.change == pytest.approx(1.1 / (0.2 / 3) - 1)


def test_a_drift_through_both_runs_is_named() -> None:
    line = [1000.0, 991, 979, 971, 960, 949, 941, 929, 921, 910]
    drifting = _judge(line[:5], line[5:], known=Circumstances())
    assert drifting.verdict.outcome is Outcome.UNDECIDED
    assert drifting.verdict.more_loops is None
    assert drifting.reason == "drift over the loops may explain the change"
    assert _judge(line[:5], line[5:]).verdict.outcome is Outcome.WORSE


def test_simultaneous_loops_are_compared_two_by_two() -> None:
    shared = np.array([1.0, 0.8, 1.2, 0.9, 1.1])
    a, b = (1000 * shared).tolist(), (1030 * shared * [1, 1.002, 0.999, 1, 1]).tolist()
    assert _judge(a, b).verdict.outcome is Outcome.UNDECIDED
    paired = _judge(a, b, known=Circumstances(simultaneous=True))
    assert paired.verdict.outcome is Outcome.BETTER


def test_within_noise_is_a_finding_with_figures() -> None:
    finding = within_noise(_judge([980, 1000, 1020, 990, 1010], [990, 1012, 1030, 1001, 1018]))
    assert finding is not None
    assert finding.rule == "within-noise"
    assert finding.message.startswith("a change of 1.02 % is within the noise: −")
    wide = within_noise(_judge([1, 2, 900, 3, 1], [990, 1, 1030, 1001, 4000]))
    assert wide
    assert wide.message == (
        "a change of a factor of 59.7 is within the noise: −35.8 % to a factor over 1,000"
    )
    assert within_noise(_judge(STEADY, MORE)) is None
    assert within_noise(_judge([1.0], [2.0])) is None


def test_the_forecast_of_loops_is_honest() -> None:
    """With as many more loops as forecast, about 80 % of the undecided are decided."""
    rng = np.random.default_rng(1)
    decided = []
    for effect in (1.0, 1.01, 1.03, 1.05):
        for _ in range(150):
            a, b = (1000 * (1 + 0.02 * rng.normal(size=5)) for _ in range(2))
            b *= effect
            more = _judge(a.tolist(), b.tolist()).verdict.more_loops
            if more is None or more > 400:
                continue
            longer_a = [*a, *(1000 * (1 + 0.02 * rng.normal(size=more)))]
            longer_b = [*b, *(effect * 1000 * (1 + 0.02 * rng.normal(size=more)))]
            later = _judge(longer_a, longer_b).verdict
            decided.append(later.outcome is not Outcome.UNDECIDED)
    assert len(decided) > 250
    assert 0.72 <= np.mean(decided) <= 0.92
