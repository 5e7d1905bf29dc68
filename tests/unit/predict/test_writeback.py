"""The write-back cache against a slow, obvious one of single strips."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from iosonde.predict.requests import Requests
from iosonde.predict.writeback import Cache, Destage, Geometry, destaged

STRIP = 65536


def array(data: int, parity: int, copies: int = 1) -> Geometry:
    return Geometry(STRIP, data, parity, copies)


def totals(gone: list[Destage]) -> tuple[int, int]:
    """Bytes read and written."""
    reads = sum(size for destage in gone for _, size in destage.reads.values())
    return reads, sum(size for destage in gone for _, size in destage.writes.values())


@pytest.mark.parametrize("shape", [array(4, 0), array(3, 1), array(20, 2), array(2, 0, copies=2)])
def test_what_goes_in_comes_out_once(shape: Geometry) -> None:
    """Whole strips at random: what was written is in the cache, or has left it, never both."""
    chance, grain = Random(3), 4096
    cache = Cache(shape, 40 * STRIP * shape.data, grain)
    gone, written = [], 0
    for _ in range(3000):
        gone.append(cache.write(chance.randrange(2000) * STRIP, STRIP))
        written += STRIP
    _, out = totals(gone)
    assert cache.held * grain <= 40 * STRIP * shape.data
    data = out / shape.copies if not shape.parity else out
    if not shape.parity:
        assert data + cache.held * grain <= written
        hits = written - data - cache.held * grain
        assert 0 <= hits < written / 2
    assert {drive for destage in gone for drive in destage.writes} == set(range(shape.drives))


def test_a_whole_stripe_needs_no_reads_and_writes_each_drive_once() -> None:
    shape = array(3, 1)
    cache = Cache(shape, 2 * 3 * STRIP, STRIP)
    gone = [cache.write(at * 3 * STRIP, 3 * STRIP) for at in range(4)]
    assert not any(destage.reads for destage in gone)
    last = [destage for destage in gone if destage.writes]
    assert len(last) == 2
    assert all(sorted(destage.writes) == [0, 1, 2, 3] for destage in last)
    assert all(entry == [1, STRIP] for destage in last for entry in destage.writes.values())


@pytest.mark.parametrize("parity", [1, 2])
@pytest.mark.parametrize("dirty", [1, 2, 3, 5, 7])
def test_a_part_of_a_stripe_reads_the_fewer(parity: int, dirty: int) -> None:
    """Old data and parity, or the data that are not there, as a table would have it."""
    shape = array(8, parity)
    cache = Cache(shape, 8 * STRIP, STRIP)
    gone = [cache.write(at * 8 * STRIP, dirty * STRIP) for at in range(20)]
    part = [destage for destage in gone if destage.writes]
    assert part
    for destage in part:
        stripes = sum(size for _, size in destage.writes.values()) / STRIP / (dirty + parity)
        reads = sum(size for _, size in destage.reads.values()) / STRIP
        assert reads == stripes * min(dirty + parity, 8 - dirty)


def test_the_fullest_stripe_leaves_first() -> None:
    shape = array(4, 1)
    cache = Cache(shape, 6 * STRIP, STRIP)
    cache.write(0, STRIP)  # stripe 0: a quarter
    cache.write(4 * STRIP, 3 * STRIP)  # stripe 1: three quarters
    gone = cache.write(8 * STRIP, 3 * STRIP)
    assert sum(size for _, size in gone.writes.values()) == 4 * STRIP  # three and a parity


def test_small_writes_are_runs_of_pages() -> None:
    shape = array(3, 1)
    cache = Cache(shape, 3 * STRIP, 4096)
    cache.write(0, 4096)
    cache.write(8192, 4096)
    gone = cache.write(3 * STRIP, 3 * STRIP)
    gone = gone if gone.reads else cache.write(6 * STRIP, 3 * STRIP)
    whole = [entry for entry in gone.writes.values() if entry[1] == STRIP]
    rest = [entry for entry in gone.writes.values() if entry[1] == 8192]
    assert whole
    assert rest == [] or all(entry == [2, 8192] for entry in rest)


def requests(offsets: list[int], size: int) -> Requests:
    count = len(offsets)
    return Requests(
        np.ones(count, dtype=np.uint8), np.array(offsets, dtype=np.uint64),
        np.full(count, size, dtype=np.uint64),
    )  # fmt: skip


def test_what_fits_into_the_cache_never_leaves_it() -> None:
    small = requests([at * STRIP for at in range(16)], STRIP)
    assert destaged(small, array(3, 1), 64 * STRIP, most=100) == []
    assert len(destaged(small, array(3, 1), 8 * STRIP, most=100)) == 100
    assert destaged(requests([], STRIP), array(3, 1), STRIP, most=5) == []
