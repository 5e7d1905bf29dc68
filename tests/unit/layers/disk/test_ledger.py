"""What a disk makes of requests, reckoned by hand.

Linux 6.1, block/blk-settings.c: a request has at most BLK_DEF_MAX_SECTORS, 2560 sectors of 512
bytes, unless queue/max_sectors_kb says less.
"""

from __future__ import annotations

import pytest

from tests.unit.layers.accounts import KIB, MIB, account


@pytest.mark.parametrize(
    ("length", "most", "requests"),
    [
        (1280 * KIB, None, 1), (1280 * KIB + 512, None, 2), (4 * MIB, None, 4), (4 * MIB, 512, 8),
        (512 * KIB, 512, 1), (512 * KIB + 512, 512, 2), (4 * KIB, None, 1),
    ],
)  # fmt: skip
def test_what_is_larger_than_a_request_is_cut(length: int, most: int | None, requests: int) -> None:
    extra = {"d1": {"max_sectors_kb": most}} if most else None
    for way, row in (("write", (0, 0, requests, length)), ("read", (requests, length, 0, 0))):
        assert account([], [(way, 0, length)], extra=extra) == {"d1": row}
