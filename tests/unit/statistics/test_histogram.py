from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.records.load import Histogram
from iosonde.statistics.histogram import merge, quantile

_BINS = st.lists(
    st.tuples(st.sampled_from([1e-6, 2e-6, 5e-6, 1e-3, 0.5]), st.integers(0, 30)), max_size=5
)


def _histogram(bins: list[tuple[float, int]]) -> Histogram:
    ordered = sorted(dict(bins).items())
    return Histogram(tuple(v for v, _ in ordered), tuple(c for _, c in ordered))


def _all(histogram: Histogram) -> list[float]:
    return [
        value
        for value, count in zip(histogram.values, histogram.counts, strict=True)
        for _ in range(count)
    ]


@given(st.lists(_BINS, max_size=4))
def test_merging_keeps_every_io(several: list[list[tuple[float, int]]]) -> None:
    histograms = [_histogram(bins) for bins in several]
    assert _all(merge(histograms)) == sorted(v for h in histograms for v in _all(h))


@given(_BINS, st.sampled_from([0.0, 0.5, 0.9, 0.99, 1.0]))
def test_a_quantile_is_the_first_io_with_that_share_at_or_below(
    bins: list[tuple[float, int]], q: float
) -> None:
    ios = _all(_histogram(bins))
    if not ios:
        with pytest.raises(ValueError, match="without I/Os"):
            quantile(_histogram(bins), q)
        return
    expected = next(v for v in ios if sum(w <= v for w in ios) >= q * len(ios))
    assert quantile(_histogram(bins), q) == expected


def test_the_percentile_of_two_hosts_is_not_the_mean_of_their_percentiles() -> None:
    quick = Histogram((1e-4, 1e-3), (990, 10))
    slow = Histogram((1e-4, 1e-1), (90, 10))
    assert quantile(merge([quick, slow]), 0.99) == 1e-3
    assert (quantile(quick, 0.99) + quantile(slow, 0.99)) / 2 == pytest.approx(0.05, rel=0.01)


def test_a_quantile_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1, not at 99"):
        quantile(Histogram((1.0,), (1,)), 99)
