"""Figures of a trace against slow, obvious ones."""

from __future__ import annotations

import itertools
import random
import statistics
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.records.trace import Description, OperationCount
from iosonde.trace.describe import describe
from iosonde.trace.page import rates
from iosonde.trace.read import sources
from tests.unit.trace.sample import Request, requests, text


@pytest.fixture
def made() -> list[Request]:
    return requests(3000, seed=5)


@pytest.fixture
def found(made: list[Request], tmp_path: Path) -> Description:
    path = tmp_path / "trace"
    path.write_bytes(text("alibaba", made))
    return describe(sources([str(path)])[0])


def test_counts_sizes_and_grids(made: list[Request], found: Description) -> None:
    reads = [one for one in made if one.op == "read"]
    assert found.requests == len(made)
    assert found.operations.read == OperationCount(len(reads), sum(read.length for read in reads))
    sizes = Counter((one.length, one.op) for one in made)
    assert {(size.size, "read"): size.reads for size in found.sizes} == {
        (size, op): count for (size, op), count in sizes.items() if op == "read"
    }
    for grid in found.grids:
        off = sum(bool(one.offset % grid.grid or one.length % grid.grid) for one in made)
        begins = sum(bool(one.offset % grid.grid) for one in made)
        assert grid.off == pytest.approx(off / len(made))
        assert grid.offset_off == pytest.approx(begins / len(made))


def test_order_and_steps(made: list[Request], found: Description) -> None:
    pairs = list(itertools.pairwise(made))
    steps = [abs(after.offset - before.offset - before.length) for before, after in pairs]
    sequential = sum(step == 0 for step in steps)
    assert found.order.sequential == pytest.approx(sequential / len(pairs))
    assert found.order.seek_mean == pytest.approx(statistics.mean(steps))
    assert found.order.run == pytest.approx(len(made) / (len(made) - sequential))
    assert sum(step.backwards + step.forwards for step in found.order.distances) == len(pairs)


def test_times(made: list[Request], found: Description) -> None:
    gaps = [(after.time - one.time) / 1e6 for one, after in itertools.pairwise(made)]
    assert found.arrivals is not None
    assert found.arrivals.mean == pytest.approx(statistics.mean(gaps))
    assert found.arrivals.cv == pytest.approx(
        statistics.pstdev(gaps) / statistics.mean(gaps), rel=0.01
    )
    assert found.arrivals.quantiles[0.9] == pytest.approx(
        sorted(gaps)[int(0.9 * len(gaps))], rel=0.01
    )
    assert found.span == pytest.approx((made[-1].time - made[0].time) / 1e6)
    seconds: dict[int, list[Request]] = defaultdict(list)
    for one in made:
        seconds[one.time // 1_000_000 - made[0].time // 1_000_000].append(one)
    assert {row.time: row.reads + row.writes for row in found.load.rows} == {
        float(second): len(them) for second, them in seconds.items()
    }
    assert max(row.peak for row in found.load.rows) == max(map(len, seconds.values()))


def lru_misses(made: list[Request], blocks: int) -> float:
    """Share of the references that a cache of so many blocks has not got, played through."""
    cache: dict[int, None] = {}
    misses = references = 0
    for one in made:
        for block in range(one.offset // 4096, (one.offset + one.length - 1) // 4096 + 1):
            references += 1
            if block in cache:
                del cache[block]
            else:
                misses += 1
                if len(cache) == blocks:
                    del cache[next(iter(cache))]
            cache[block] = None
    return misses / references


def test_miss_ratios_are_those_of_caches_played_through(
    made: list[Request], found: Description
) -> None:
    assert found.reuse.method == "exact"
    assert len(found.reuse.curve) > 10
    for point in found.reuse.curve:
        assert point.all == pytest.approx(lru_misses(made, point.size // 4096)), point.size
    touched = {
        block
        for one in made
        for block in range(one.offset // 4096, (one.offset + one.length - 1) // 4096 + 1)
    }
    assert found.reuse.working_set == 4096 * len(touched)
    assert found.reuse.cold == pytest.approx(len(touched) / found.reuse.references)


def test_a_sample_says_so_and_comes_close(made: list[Request], tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(text("msr", made))
    one = describe(sources([str(path)])[0], tracked=100)
    assert one.reuse.method == "shards"
    assert one.reuse.rate == 0.125
    touched = {one.offset // 4096 for one in made}
    assert one.reuse.working_set / 4096 == pytest.approx(len(touched), rel=0.2)
    for point in one.reuse.curve:
        if point.size >= 64 * 4096:
            assert point.all == pytest.approx(lru_misses(made, point.size // 4096), abs=0.1)


def test_hot_regions(made: list[Request], found: Description) -> None:
    regions = Counter(one.offset >> 20 for one in made)
    assert found.hot.region == 1 << 20
    assert found.hot.touched == len(regions)
    assert [
        (region.offset >> 20, region.reads + region.writes) for region in found.hot.regions
    ] == (sorted(regions.items(), key=lambda pair: (-pair[1], pair[0])))


def test_idle_time_is_drawn_as_such_and_nothing_is_lost() -> None:
    assert rates([(0.0, 10), (1.0, 20), (5.0, 30)], 1) == [
        (0.0, 10.0), (1.0, 20.0), (2.0, 0.0), (5.0, 30.0), (6.0, 0.0)
    ]  # fmt: skip
    many = rates([(float(second), 4) for second in range(0, 8000, 2)], 2)
    assert len(many) == 2001
    assert all(rate == 2.0 for _, rate in many[:-1])


def test_an_impossible_block_is_told(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(text("msr", requests(3)))
    for block in (512, 5000):
        with pytest.raises(UsageError, match="power of two"):
            describe(sources([str(path)])[0], block=block)
    with pytest.raises(UsageError, match="followed"):
        describe(sources([str(path)])[0], tracked=1 << 40)


def test_a_trace_without_requests_has_no_shares(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"fio version 3 iolog\n1 scratch add\n2 scratch open\n3 scratch close\n")
    one = describe(sources([str(path)])[0])
    assert (one.requests, one.arrivals, one.reuse.cold, one.order.sequential) == (
        0,
        None,
        None,
        None,
    )


def test_the_busiest_second_has_all_its_requests_where_times_go_back(tmp_path: Path) -> None:
    """Volumes one after the other in one file, and clocks of several CPUs that alternate."""
    chance = random.Random(12)
    times = [chance.randrange(40) * 1_000_000 + chance.randrange(1_000_000) for _ in range(3000)]
    lines = [f"7,R,{place * 4096},4096,{time}" for place, time in enumerate(times)]
    path = tmp_path / "trace.csv"
    path.write_text("\n".join(lines) + "\n")
    found = describe(sources([str(path)])[0], fmt="alibaba")
    seconds = Counter(time // 1_000_000 for time in times)
    first = min(seconds)
    assert {row.time: row.peak for row in found.load.rows} == {
        float(second - first): count for second, count in seconds.items()
    }
    assert found.arrivals is not None
    assert found.arrivals.backwards > 1000
