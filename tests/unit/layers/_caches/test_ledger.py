"""A cache that sends all one way, as those are bounded that nobody can look into."""

from __future__ import annotations

import pytest

from iosonde._core import Limits, Mirror, Segment, Segments
from iosonde.errors import UsageError
from iosonde.layers._caches.ledger import routed
from tests.unit.layers.accounts import KIB, MIB, account

SLOW, FAST = 0, 1


@pytest.mark.parametrize(("place", "child"), [(SLOW, 0), (FAST, 1)])
def test_reads_and_writes_to_one_place(place: int, child: int) -> None:
    finding = routed(MIB, SLOW, FAST, place, (place,))
    assert finding.rule == Segments(segments=[Segment(start=0, length=MIB, child=child, at=0)])
    assert (finding.size, finding.order) == (MIB, (SLOW, FAST))


@pytest.mark.parametrize(("reads", "order"), [(SLOW, (SLOW, FAST)), (FAST, (FAST, SLOW))])
def test_writes_to_both_are_read_from_the_first_of_the_order(
    reads: int, order: tuple[int, int]
) -> None:
    finding = routed(MIB, SLOW, FAST, reads, (SLOW, FAST), boundary=64 * KIB)
    assert finding.rule == Mirror()
    assert (finding.order, finding.limits) == (order, Limits(boundary=64 * KIB))


def test_a_cache_that_goes_by_the_clock_needs_a_rate() -> None:
    """A thousand requests a second where nobody says how many; none at all is no rate."""
    cache = ["w: {kind: dm_writecache, of: [d1, d2]}"]
    said = account(cache, [("write", 0, 4 * KIB)], disks=2, extra={"w": {"request_rate": 1000}})
    assert said == account(cache, [("write", 0, 4 * KIB)], disks=2)
    for rate in (0, "many"):
        with pytest.raises(UsageError, match="request_rate"):
            account(cache, [("write", 0, 4 * KIB)], disks=2, extra={"w": {"request_rate": rate}})
