"""Limits of a study: what is understood, and what keeps them."""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from iosonde.records.load import unit_of
from iosonde.tune.campaign.limits import check_metric, parse_limit


@pytest.mark.parametrize(
    ("text", "metric", "sign", "bound"),
    [
        ("read.latency.p99 <= 2 ms", "read.latency.p99", "<=", 0.002),
        ("write.latency.p99_9≤ 500us", "write.latency.p99_9", "<=", 0.0005),
        ("cpu.system < 50%", "cpu.system", "<", 0.5),
        ("cpu.user <= 0.5", "cpu.user", "<=", 0.5),
        ("read.bandwidth >= 100 MiB/s", "read.bandwidth", ">=", 100 * 2**20),
        ("write.iops > 20k", "write.iops", ">", 20_000),
        ("elapsed < 90s", "elapsed", "<", 90),
    ],
)
def test_a_limit_is_in_the_metrics_unit(text: str, metric: str, sign: str, bound: float) -> None:
    limit = parse_limit(text)
    assert (limit.metric, limit.sign) == (metric, sign)
    assert limit.bound == pytest.approx(bound)


@pytest.mark.parametrize(
    "text",
    ["fast", "read.iops = 3", "reed < 3", "read.latency.p99 <= 2 apples", "read.iops > many",
     "read.bandwidth > 3 miles", "read.latency <= 1s"],
)  # fmt: skip
def test_what_is_no_limit_is_told(text: str) -> None:
    with pytest.raises(UsageError):
        parse_limit(text)


def test_a_limit_is_kept_on_its_side_and_broken_by_what_is_not_known() -> None:
    figures = {"read.latency.p99": 0.002}
    assert parse_limit("read.latency.p99 <= 2ms").kept(figures)
    assert not parse_limit("read.latency.p99 < 2ms").kept(figures)
    assert parse_limit("read.latency.p99 >= 2ms").kept(figures)
    assert not parse_limit("read.latency.p99 > 2ms").kept(figures)
    assert not parse_limit("write.latency.p99 <= 2ms").kept(figures)


def test_metrics_have_the_contracts_units() -> None:
    names = ("read.iops", "write.bandwidth", "read.latency.p99", "cpu.system", "elapsed")
    assert [unit_of(check_metric(name)) for name in names] == ["1/s", "B/s", "s", "cores", "s"]
