"""What dm-writecache makes of requests, reckoned by hand.

Linux 6.1, Documentation/admin-guide/device-mapper/writecache.rst: writes go to the cache
and are kept there; reads are never cached, and come from the cache only where it holds the block.
"""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from tests.unit.layers.accounts import KIB, MIB, account

CACHE = ["w: {kind: dm_writecache, of: [d1, d2]}"]


def test_a_write_is_read_from_the_cache_and_its_neighbour_from_the_slow_layer() -> None:
    there = account(CACHE, [("write", 0, 8 * KIB), ("read", 4 * KIB, 4 * KIB)], disks=2)
    assert there["d1"] == (0, 0, 0, 0)
    assert there["d2"][:2] == (1, 4 * KIB)
    beside = account(CACHE, [("write", 0, 8 * KIB), ("read", 8 * KIB, 4 * KIB)], disks=2)
    assert beside["d1"] == (1, 4 * KIB, 0, 0)
    assert beside["d2"][:2] == (0, 0)


def test_a_read_is_not_kept() -> None:
    twice = account(CACHE, [("read", MIB, 4 * KIB), ("read", MIB, 4 * KIB)], disks=2)
    assert twice["d1"] == (2, 8 * KIB, 0, 0)
    assert twice["d2"][:2] == (0, 0)


def test_a_fast_layer_without_room_for_a_block_is_refused() -> None:
    with pytest.raises(UsageError, match="no room for a block"):
        account(CACHE, [("write", 0, 4 * KIB)], disks=2, size="4 KiB")
