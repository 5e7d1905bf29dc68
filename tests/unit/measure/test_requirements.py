from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from iosonde.measure.requirements import declared, parse_option, parse_requirement


@pytest.mark.parametrize(
    ("metric", "bound", "above", "limit"),
    [
        ("sync.latency.p99", "< 10 ms", False, 0.01),
        ("read.iops", "> 20k", True, 20_000),
        ("read.iops", ">= 1.5M IOPS", True, 1_500_000),
        ("write.bandwidth", "> 500 MiB/s", True, 500 * 2**20),
        ("read.latency.p99_9", "<250us", False, 250e-6),
    ],
)
def test_bounds_are_read_in_the_unit_of_their_metric(
    metric: str, bound: str, above: bool, limit: float
) -> None:
    requirement = parse_requirement(metric, bound, where="x")
    assert (requirement.metric, requirement.above) == (metric, above)
    assert requirement.limit == pytest.approx(limit)


@pytest.mark.parametrize(
    ("metric", "bound", "said"),
    [
        ("read.iopsy", "> 20k", "no metric that can be required"),
        ("elapsed", "< 10 s", "no metric that can be required"),
        ("read.iops", "20k", "no bound on read.iops"),
        ("read.iops", "> 3 ms", "not a rate"),
        ("read.latency.p99", "< 20k", "not a time"),
        ("read.bandwidth", "> 3 ms", "not a size"),
    ],
)
def test_what_cannot_be_required_is_refused(metric: str, bound: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_requirement(metric, bound, where="x")


def test_an_option_is_a_metric_and_a_bound() -> None:
    assert parse_option("sync.latency.p99 < 10 ms") == ("sync.latency.p99", "< 10 ms")
    assert parse_option(" read.iops>20k") == ("read.iops", ">20k")
    with pytest.raises(UsageError, match="no requirement"):
        parse_option("read.iops = 20k")


def test_a_study_without_requirements_has_none() -> None:
    assert declared({}) == ()
    (only,) = declared({"require": {"read.iops": "> 1k"}})
    assert only.text == "read.iops > 1k"
