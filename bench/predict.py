"""The ledger over a trace of 20 million requests with Zipf reuse, on one core and on two.

4 KiB requests, seven of ten of them writes, over 8 million blocks, Zipf's exponent 0.99. Frame
split → volume of LVM → RAID 5, without a cache and with one of 800 000 blocks between: 512-way FIFO
as flashcache has it, and LRU over all blocks. Time is the processor's, so that a busy machine does
not count; its caches are shared all the same. Two cores: the trace in two halves, a stack and a
thread for each, and what both do in a second of their own processor time.

Where `libcachesim` is installed (extra `bench`), its FIFO and LRU run over the same trace in the
same run.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.figures import ROUNDS, medians
from iosonde import _core
from iosonde._core import Node
from iosonde.records.bench import BenchFigure

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCKS, KEPT, PAGE, MIB = 8_000_000, 800_000, 4096, 2**20
WANTED = {"no cache": 30e6, "fifo, 512 ways": 15e6, "lru": 8e6}  # requests a second


def zipf(count: int, chance: np.random.Generator) -> NDArray[np.uint64]:
    """Numbers of blocks, the frequent ones strewn over the whole range."""
    weights = np.arange(1, BLOCKS + 1, dtype=np.float64) ** -0.99
    sums = np.cumsum(weights)
    ranks = np.searchsorted(sums, chance.random(count) * sums[-1])
    strewn: NDArray[np.uint64] = chance.permutation(BLOCKS).astype(np.uint64)
    figures: NDArray[np.uint64] = strewn[ranks]
    return figures


def _raid(first: int) -> list[Node]:
    members = [first + 2 + number for number in range(4)]
    array = _core.Parity(parity=1, chunk=65536)
    disk = _core.Limits(most=1280 * 1024, merges=True, segments=254)
    return [
        Node(_core.Linear(start=MIB), below=[first + 1]),
        Node(array, below=members, starts=[MIB] * 4, limits=_core.Limits(most=MIB)),
        *(Node(_core.Same(), limits=disk) for _ in members),
    ]


def _stack(cache: _core.Cache | None) -> list[Node]:
    frames = _core.Limits(most=1280 * 1024, merges=True)
    top = Node(_core.Far(read=8704, write=8704), below=[1], limits=frames)
    if cache is None:
        return [top, *_raid(1)]
    return [top, Node(cache, below=[3, 2]), Node(_core.Same()), *_raid(3)]


STACKS = {
    "no cache": None,
    "fifo, 512 ways": _core.Cache(block=PAGE, blocks=KEPT, ways=512, mode="back"),
    "lru": _core.Cache(block=PAGE, blocks=KEPT, lru=True, mode="back"),
}


def run(*, quick: bool) -> list[BenchFigure]:
    """Medians of three rounds over 20 million requests; 2 million with `quick`."""
    count = 2_000_000 if quick else 20_000_000
    chance = np.random.default_rng(1)
    blocks = zipf(count, chance)
    ops = (chance.random(count) < 0.7).astype(np.uint8)
    columns = (
        ops.tobytes(), (blocks * PAGE).tobytes(), np.full(count, PAGE, dtype=np.uint64).tobytes(),
    )  # fmt: skip
    rounds = []
    hits: dict[str, float] = {}
    for _ in range(ROUNDS):
        speeds = {}
        for name, cache in STACKS.items():
            speeds[name], hits[name] = _timed(_stack(cache), columns, count)
        rounds.append(speeds)
    speed = medians(rounds)
    figures = [
        BenchFigure(
            f"predict.{name}", speed[name], "1/s", f"{wanted / 1e6:.0f} M/s", speed[name] / wanted
        )
        for name, wanted in WANTED.items()
    ]
    figures += [
        BenchFigure(f"predict.hits of {name}", hits[name], "fraction")
        for name in STACKS if name != "no cache"
    ]  # fmt: skip
    return [*figures, _two_cores(columns, count), *_peers(blocks, speed)]


def _two_cores(columns: tuple[bytes, bytes, bytes], count: int) -> BenchFigure:
    """How much two threads do together, each on half of the trace, against one."""
    half = count // 2
    parts = [
        tuple(
            column[start * len(column) // count : (start + half) * len(column) // count]
            for column in columns
        )
        for start in (0, half)
    ]
    gains = []
    for _ in range(ROUNDS):
        alone = _of_thread(parts[0], half)
        with ThreadPoolExecutor(len(parts)) as pool:
            speeds = list(pool.map(lambda part: _of_thread(part, half), parts))
        gains.append(sum(speeds) / alone)
    gain = statistics.median(gains)
    return BenchFigure("predict.two cores", gain, "", "1.8 times one", gain / 1.8)


def _of_thread(columns: tuple[bytes, ...], count: int) -> float:
    """Requests of this thread for each second that it has a processor."""
    core = _core.Ledger(_stack(STACKS["fifo, 512 ways"]))
    begin = time.thread_time()
    core.run(*columns)
    return count / (time.thread_time() - begin)


def _timed(
    nodes: list[Node], columns: tuple[bytes, bytes, bytes], count: int
) -> tuple[float, float]:
    """Requests a second of processor time, and the share of hits."""
    core = _core.Ledger(nodes)
    begin = time.process_time()
    core.run(*columns)
    seconds = time.process_time() - begin
    events = core.events(1)
    hits = events.get("read_hits", 0) + events.get("write_hits", 0)
    return count / seconds, hits / count


def _peers(blocks: NDArray[np.uint64], speed: dict[str, float]) -> list[BenchFigure]:
    """The caches of libCacheSim on the same trace, where it is installed.

    It reads the trace from a file of its own format (oracleGeneral) and walks through it in C. Its
    FIFO has one set for all blocks; its LRU is ours, so both must have the same hits.
    """
    try:
        lcs = import_module("libcachesim")
    except ImportError:
        return []
    fields = [("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")]
    requests = np.zeros(len(blocks), dtype=fields)
    requests["id"], requests["size"], requests["next"] = blocks + 1, 1, -1
    figures = []
    with tempfile.NamedTemporaryFile(suffix=".oracleGeneral") as file:
        requests.tofile(file.name)
        for name, kind in (("fifo, 512 ways", lcs.FIFO), ("lru", lcs.LRU)):
            reader: Any = lcs.TraceReader(
                file.name, lcs.TraceType.ORACLE_GENERAL_TRACE, lcs.ReaderInitParam()
            )
            begin = time.process_time()
            missed, _ = kind(cache_size=KEPT).process_trace(reader)
            other = len(blocks) / (time.process_time() - begin)
            figures += [
                BenchFigure(
                    f"predict.{name} of libCacheSim", other, "1/s", "iosonde", speed[name] / other
                ),
                BenchFigure(f"predict.hits of {name} of libCacheSim", 1 - missed, "fraction"),
            ]
    return figures
