"""What a controller's virtual drive makes of requests, reckoned by hand.

Patterson, Gibson, Katz, "A case for redundant arrays of inexpensive disks" (1988): a small write to
a parity array reads old data and parity, or what else the stripe holds, and writes data and parity:
two reads and two writes with one parity, three of each with two. A stripe that is written as a
whole is read by nobody.
"""

from __future__ import annotations

import pytest

from iosonde.errors import UsageError
from tests.unit.layers.accounts import KIB, account

STRIP = 64 * KIB


def totals(level: int, drives: int, length: int, offset: int = 0) -> tuple[int, int, int]:
    """Reads and writes of all drives by one write, and how many drives had any I/O."""
    named = ", ".join(f'"252:{slot}"' for slot in range(drives))
    layer = (
        f"r: {{kind: hwraid, host: n1, level: {level}, drives: [{named}], strip_size: 64 KiB, "
        "drive_size: 1 GiB, write_policy: write_through}"
    )
    counts = account([layer], [("write", offset, length)], disks=0)
    rows = [row for name, row in counts.items() if name != "r"]
    assert len(rows) == drives
    return sum(row[0] for row in rows), sum(row[2] for row in rows), sum(any(row) for row in rows)


@pytest.mark.parametrize(
    ("level", "drives", "length", "reads", "writes", "busy"),
    [
        (0, 4, 4 * KIB, 0, 1, 1), (0, 4, 4 * STRIP, 0, 4, 4),
        (1, 2, 4 * KIB, 0, 2, 2), (10, 4, 4 * KIB, 0, 2, 2), (10, 4, 2 * STRIP, 0, 4, 4),
        (5, 8, 4 * KIB, 2, 2, 2), (5, 8, 7 * STRIP, 0, 8, 8),
        (6, 8, 4 * KIB, 3, 3, 3), (6, 8, 6 * STRIP, 0, 8, 8),
    ],
)  # fmt: skip
def test_a_write_costs_what_its_level_costs(
    level: int, drives: int, length: int, reads: int, writes: int, busy: int
) -> None:
    assert totals(level, drives, length) == (reads, writes, busy)


def test_a_stripe_that_is_not_filled_is_read() -> None:
    """Of seven data strips six are written: the seventh is read for the parity."""
    assert totals(5, 8, 6 * STRIP) == (1, 7, 8)


def test_a_strip_ends_where_it_is_declared_to() -> None:
    assert totals(0, 4, STRIP) == (0, 1, 1)
    assert totals(0, 4, STRIP, offset=32 * KIB) == (0, 2, 2)


def test_an_array_of_arrays_is_refused() -> None:
    with pytest.raises(UsageError, match="RAID 50"):
        totals(50, 6, 4 * KIB)
