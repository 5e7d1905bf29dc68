from __future__ import annotations

import pytest

from iosonde.records.comparison import Outcome, Verdict
from iosonde.records.requirement import RequirementResult
from iosonde.records.sheet import TrialSheet
from iosonde.sentences import (
    loops_words,
    metric_words,
    requirement_words,
    trial_words,
    verdict_words,
)
from iosonde.statistics.estimates import summarise
from tests.sample import sample_run


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("read.iops", "read IOPS"),
        ("write.64k.bandwidth", "write bandwidth at 64k"),
        ("random_read.bandwidth", "random read bandwidth"),
        ("sync.latency.p99_9", "p99.9 sync latency"),
        ("write.latency.mean", "mean write latency"),
        ("elapsed", "elapsed"),
        ("cpu.user", "cpu.user"),
        ("read.latency.p", "read.latency.p"),
    ],
)
def test_metrics_are_said_in_words(metric: str, message: str) -> None:
    assert metric_words(metric) == message


def verdict(
    outcome: Outcome, change: float | None, interval: tuple[float, float] | None
) -> Verdict:
    return Verdict("read.iops", "a", "b", outcome, change, interval)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            verdict(Outcome.BETTER, 0.086, (0.049, 0.125)),
            "read IOPS better, +8.6 % (+4.9 … +12.5 %)",
        ),
        (verdict(Outcome.WORSE, -0.5, None), "read IOPS worse, −50.0 %"),
        (
            verdict(Outcome.EQUIVALENT, 0.001, (-0.01, 0.012)),
            "no difference in read IOPS beyond 2 % (−1.0 … +1.2 %)",
        ),
        (
            verdict(Outcome.UNDECIDED, -0.1, (-0.61, 0.39)),
            "no proven change in read IOPS (−61.0 … +39.0 %)",
        ),
        (
            verdict(Outcome.UNDECIDED, 1.0, (-0.9, 12.0)),
            "no proven change in read IOPS (± 100 % or more)",
        ),
        (
            verdict(Outcome.UNDECIDED, 0.24, (0.11, 0.39)),
            "no proven change in read IOPS (+11.0 … +39.0 %): a single loop",
        ),
        (verdict(Outcome.UNDECIDED, None, None), "no proven change in read IOPS: a single loop"),
    ],
)
def test_a_verdict_is_one_sentence(given: Verdict, message: str) -> None:
    assert verdict_words(given, 0.02, "a single loop") == message


def test_a_forecast_that_nobody_would_follow_is_no_advice() -> None:
    assert loops_words(1) == "1 more loop of each"
    assert loops_words(30) == "30 more loops of each"
    assert loops_words(31) == "noise too large"
    assert loops_words(None) == ""


def test_what_a_trial_reached_is_one_sentence() -> None:
    trial = sample_run().trials[0].trial
    metrics = tuple(
        summarise(name, unit, loops)
        for name, loops, unit in (
            ("write.iops", (980.0, 1000.0, 1020.0), "1/s"),
            ("write.latency.p99", (0.002, 0.002, 0.002), "s"),
            ("sync.latency.mean", (0.004, 0.005, 0.006), "s"),
        )
    )
    sheet = TrialSheet(trial, metrics, "write.iops")
    assert trial_words(sheet) == (
        "write 1,000 IOPS ± 4.97 %, p99 2 ms, mean sync latency 5 ms ± 49.7 %, 3 loops"
    )
    once = TrialSheet(trial, (summarise("write.iops", "1/s", (980.0,)),), "write.iops")
    assert trial_words(once) == "write 980 IOPS, 1 loop: how much it scatters is not known"
    assert trial_words(TrialSheet(trial, (), "")) == "no figures"


def test_a_requirement_of_processors_is_not_of_seconds() -> None:
    result = RequirementResult("cpu.system < 2", "cpu.system", "pass", 1.0, None, 1, "t1")
    assert requirement_words(result) == "pass: cpu.system < 2 (1 cores, 1 loop)"
