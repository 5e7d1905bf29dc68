"""What DRBD makes of requests, reckoned by hand.

Linux 6.1, drivers/block/drbd/drbd_actlog.c: before the first write to an extent of 4 MiB that is
not in the activity log, al_write_transaction() writes a page of 4 KiB to its own side. The log has
`al-extents` extents (drbd.conf(5)), of which the least recently used makes room. Both sides have
every write; reads are served by its own (read-balancing: prefer-local).
"""

from __future__ import annotations

import pytest

from tests.unit.layers.accounts import KIB, MIB, Row, account

PAGE, EXTENT = 4 * KIB, 4 * MIB


def sides(offsets: list[int], *, way: str = "write", options: str = "") -> tuple[Row, Row]:
    """What its own disk and the peer's get of requests of 4 KiB."""
    far = "e: {kind: disk, host: n2, size: 1 GiB, path: /dev/y}"
    volume = f"r: {{kind: drbd, of: [d1, e]{options}}}"
    counts = account([far, volume], [(way, offset, PAGE) for offset in offsets])
    return counts["d1"], counts["e"]


@pytest.mark.parametrize(
    ("offsets", "transactions"),
    [([0], 1), ([0, 2 * PAGE], 1), ([0, EXTENT - PAGE], 1), ([0, EXTENT], 2),
     ([0, EXTENT, 2 * PAGE], 2)],
)  # fmt: skip
def test_the_first_write_to_an_extent_writes_the_log(offsets: list[int], transactions: int) -> None:
    writes = len(offsets)
    own, far = sides(offsets)
    assert far == (0, 0, writes, writes * PAGE)
    assert own == (0, 0, writes + transactions, (writes + transactions) * PAGE)


@pytest.mark.parametrize(("extents", "transactions"), [(67, 69), (68, 68), (1237, 68)])
def test_an_extent_that_left_the_log_is_written_anew(extents: int, transactions: int) -> None:
    """68 extents one after the other, then the first again."""
    offsets = [number * EXTENT for number in range(68)] + [0]
    own, far = sides(offsets, options=f", disk: {{al-extents: {extents}}}")
    assert far[2] == 69
    assert own[2] == 69 + transactions


def test_its_own_side_is_read() -> None:
    assert sides([0, EXTENT], way="read") == ((2, 2 * PAGE, 0, 0), (0, 0, 0, 0))
