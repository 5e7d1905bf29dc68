"""What a partition makes of requests, reckoned by hand: its start is added to each offset.

Linux 6.1, block/blk-core.c, blk_partition_remap(). The array below shows where requests end up:
RAID 0 of two disks with chunks of 64 KiB has the even chunks on the first.
"""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from tests.unit.layers.accounts import KIB, MIB, account

ARRAY = "r: {kind: md, level: 0, chunk_size: 64k, of: [d1, d2]}"


@pytest.mark.parametrize(
    ("start", "offset", "first", "second"),
    [
        ("1 MiB", 0, 64 * KIB, 0), ("1 MiB", 64 * KIB, 0, 64 * KIB),
        ("1056 KiB", 0, 32 * KIB, 32 * KIB), ("1056 KiB", 32 * KIB, 0, 64 * KIB),
        ("1088 KiB", 0, 0, 64 * KIB),
    ],
)  # fmt: skip
def test_the_start_decides_which_chunks_are_met(
    start: str, offset: int, first: int, second: int
) -> None:
    partition = f"p: {{kind: partition, of: r, start: {start}, size: 64 MiB}}"
    counts = account([ARRAY, partition], [("write", offset, 64 * KIB)], disks=2)
    assert counts["p"] == counts["r"] == (0, 0, 1, 64 * KIB)
    for disk, written in (("d1", first), ("d2", second)):
        assert counts[disk] == (0, 0, int(written > 0), written)


def test_it_ends_where_its_size_says_or_the_disk_does() -> None:
    last = [("write", 64 * MIB - 4 * KIB, 4 * KIB)]
    sized = "p: {kind: partition, of: d1, size: 64 MiB}"
    assert account([sized], last)["d1"] == (0, 0, 1, 4 * KIB)
    with pytest.raises(UsageError, match="ends at"):
        account([sized], [("write", 64 * MIB - 4 * KIB, 8 * KIB)])
    rest = "p: {kind: partition, of: d1, start: 8 MiB}"
    end = (1024 - 8) * MIB
    assert account([rest], [("read", end - 4 * KIB, 4 * KIB)])["d1"] == (1, 4 * KIB, 0, 0)
    with pytest.raises(UsageError, match="ends at"):
        account([rest], [("read", end, 4 * KIB)])
