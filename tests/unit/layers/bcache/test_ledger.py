"""What bcache makes of requests by its mode, reckoned by hand.

Documentation/admin-guide/bcache.rst: writethrough writes both, writeback the cache alone,
writearound the slow device alone; a read that misses is read from the slow device and then kept.
Data begin 8 KiB behind the beginning of the slow device.
"""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from tests.unit.layers.accounts import KIB, MIB, account

BCACHE = "b: {{kind: bcache, of: [d1, d2], cache_mode: {0}, sequential_cutoff: 0}}"
NONE = (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("mode", "slow", "fast"),
    [("writethrough", (0, 0, 1, 8 * KIB), (0, 0, 1, 8 * KIB)),
     ("writeback", NONE, (0, 0, 1, 8 * KIB)),
     ("writearound", (0, 0, 1, 8 * KIB), NONE)],
)  # fmt: skip
def test_where_a_write_goes(mode: str, slow: tuple[int, ...], fast: tuple[int, ...]) -> None:
    counts = account([BCACHE.format(mode)], [("write", 0, 8 * KIB)], disks=2)
    assert (counts["d1"], counts["d2"]) == (slow, fast)


@pytest.mark.parametrize("mode", ["writethrough", "writeback"])
def test_what_was_written_is_read_from_the_cache(mode: str) -> None:
    there = [("write", 0, 8 * KIB), ("read", 4 * KIB, 4 * KIB)]
    counts = account([BCACHE.format(mode)], there, disks=2)
    assert (counts["d1"][:2], counts["d2"][:2]) == ((0, 0), (1, 4 * KIB))
    elsewhere = [("write", 0, 8 * KIB), ("read", 8 * KIB, 4 * KIB)]
    missed = account([BCACHE.format(mode)], elsewhere, disks=2)
    assert (missed["d1"][:2], missed["d2"][:2]) == ((1, 4 * KIB), (0, 0))


def test_what_was_written_around_the_cache_is_kept_once_it_is_read() -> None:
    twice = [("write", 0, 8 * KIB), ("read", 0, 4 * KIB), ("read", 0, 4 * KIB)]
    counts = account([BCACHE.format("writearound")], twice, disks=2)
    assert counts["d1"] == (1, 4 * KIB, 1, 8 * KIB)
    assert counts["d2"] == (1, 4 * KIB, 1, 4 * KIB)


def test_the_first_8_kib_of_the_slow_device_are_no_data() -> None:
    last = [("read", 1024 * MIB - 12 * KIB, 4 * KIB)]
    assert account([BCACHE.format("writeback")], last, disks=2)["d1"][0] == 1
    with pytest.raises(UsageError):
        account([BCACHE.format("writeback")], [("read", 1024 * MIB - 8 * KIB, 4 * KIB)], disks=2)
