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
def description(made: list[Request], tmp_path: Path) -> Description:
    path = tmp_path / "trace"
    path.write_bytes(text("alibaba", made))
    return describe(sources([str(path)])[0])


def test_counts_sizes_and_grids(made: list[Request], description: Description) -> None:
    reads = [request for request in made if request.op == "read"]
    assert description.requests == len(made)
    assert description.operations.read == OperationCount(
        len(reads), sum(read.length for read in reads)
    )
    sizes = Counter((request.length, request.op) for request in made)
    assert {(size.size, "read"): size.reads for size in description.sizes} == {
        (size, op): count for (size, op), count in sizes.items() if op == "read"
    }
    for grid in description.grids:
        off = sum(
            bool(request.offset % grid.grid or request.length % grid.grid) for request in made
        )
        begins = sum(bool(request.offset % grid.grid) for request in made)
        assert grid.off == pytest.approx(off / len(made))
        assert grid.offset_off == pytest.approx(begins / len(made))


def test_order_and_steps(made: list[Request], description: Description) -> None:
    pairs = list(itertools.pairwise(made))
    steps = [abs(after.offset - before.offset - before.length) for before, after in pairs]
    sequential = sum(step == 0 for step in steps)
    assert description.order.sequential == pytest.approx(sequential / len(pairs))
    assert description.order.seek_mean == pytest.approx(statistics.mean(steps))
    assert description.order.run == pytest.approx(len(made) / (len(made) - sequential))
    assert sum(step.backwards + step.forwards for step in description.order.distances) == len(pairs)


def test_times(made: list[Request], description: Description) -> None:
    gaps = [(after.time - request.time) / 1e6 for request, after in itertools.pairwise(made)]
    assert description.arrivals is not None
    assert description.arrivals.mean == pytest.approx(statistics.mean(gaps))
    assert description.arrivals.cv == pytest.approx(
        statistics.pstdev(gaps) / statistics.mean(gaps), rel=0.01
    )
    assert description.arrivals.quantiles[0.9] == pytest.approx(
        sorted(gaps)[int(0.9 * len(gaps))], rel=0.01
    )
    assert description.span == pytest.approx((made[-1].time - made[0].time) / 1e6)
    seconds: dict[int, list[Request]] = defaultdict(list)
    for request in made:
        seconds[request.time // 1_000_000 - made[0].time // 1_000_000].append(request)
    assert {row.time: row.reads + row.writes for row in description.load.rows} == {
        float(second): len(them) for second, them in seconds.items()
    }
    assert max(row.peak for row in description.load.rows) == max(map(len, seconds.values()))


def lru_misses(made: list[Request], blocks: int) -> float:
    """Share of the references that a cache of so many blocks has not got, played through."""
    cache: dict[int, None] = {}
    misses = references = 0
    for request in made:
        for block in range(
            request.offset // 4096, (request.offset + request.length - 1) // 4096 + 1
        ):
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
    made: list[Request], description: Description
) -> None:
    assert description.reuse.method == "exact"
    assert len(description.reuse.curve) > 10
    for point in description.reuse.curve:
        assert point.all == pytest.approx(lru_misses(made, point.size // 4096)), point.size
    touched = {
        block
        for request in made
        for block in range(
            request.offset // 4096, (request.offset + request.length - 1) // 4096 + 1
        )
    }
    assert description.reuse.working_set == 4096 * len(touched)
    assert description.reuse.cold == pytest.approx(len(touched) / description.reuse.references)


def test_a_sample_says_so_and_comes_close(made: list[Request], tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(text("msr", made))
    description = describe(sources([str(path)])[0], tracked=100)
    assert description.reuse.method == "shards"
    assert description.reuse.rate == 0.125
    touched = {request.offset // 4096 for request in made}
    assert description.reuse.working_set / 4096 == pytest.approx(len(touched), rel=0.2)
    for point in description.reuse.curve:
        if point.size >= 64 * 4096:
            assert point.all == pytest.approx(lru_misses(made, point.size // 4096), abs=0.1)


def test_hot_regions(made: list[Request], description: Description) -> None:
    regions = Counter(request.offset >> 20 for request in made)
    assert description.hot.region == 1 << 20
    assert description.hot.touched == len(regions)
    assert [
        (region.offset >> 20, region.reads + region.writes) for region in description.hot.regions
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
    description = describe(sources([str(path)])[0])
    assert (
        description.requests,
        description.arrivals,
        description.reuse.cold,
        description.order.sequential,
    ) == (
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
    description = describe(sources([str(path)])[0], fmt="alibaba")
    seconds = Counter(time // 1_000_000 for time in times)
    first = min(seconds)
    assert {row.time: row.peak for row in description.load.rows} == {
        float(second - first): count for second, count in seconds.items()
    }
    assert description.arrivals is not None
    assert description.arrivals.backwards > 1000
