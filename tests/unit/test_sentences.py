from __future__ import annotations

import pytest

from iosonde.records import Outcome, Verdict
from iosonde.sentences import loops_words, metric_words, verdict_words


@pytest.mark.parametrize(
    ("metric", "words"),
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
def test_metrics_are_said_in_words(metric: str, words: str) -> None:
    assert metric_words(metric) == words


def verdict(
    outcome: Outcome, change: float | None, interval: tuple[float, float] | None
) -> Verdict:
    return Verdict("read.iops", "a", "b", outcome, change, interval)


@pytest.mark.parametrize(
    ("given", "words"),
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
        (verdict(Outcome.UNDECIDED, None, None), "no proven change in read IOPS: a single loop"),
    ],
)
def test_a_verdict_is_one_sentence(given: Verdict, words: str) -> None:
    assert verdict_words(given, 0.02, "a single loop") == words


def test_a_forecast_that_nobody_would_follow_is_no_advice() -> None:
    assert loops_words(1) == "1 more loop of each"
    assert loops_words(30) == "30 more loops of each"
    assert loops_words(31) == "noise too large"
    assert loops_words(None) == ""
