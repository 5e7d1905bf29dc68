"""Slow accounts of what layers below get, and the core held against them.

An account is a log of (layer, operation, first sector, sectors).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from iosonde._core import Same
from tests.unit.predict.nodes import KIB, PAGE, SECTOR, Node, Request, core_of, run

READ, WRITE, FLUSH = 0, 1, 2
SLOW, FAST = 0, 1
OF_PAGE = PAGE // SECTOR
PIECE = 512 * KIB // SECTOR  # what kcopyd copies at once
Log = list[tuple[int, int, int, int]]


def bare() -> Node:
    """A device that counts what it gets, and merges nothing."""
    return Node(Same())


def runs(sectors: Iterable[int]) -> list[tuple[int, int]]:
    """Runs of neighbours: first and length."""
    rows: list[tuple[int, int]] = []
    for sector in sorted(sectors):
        if rows and sum(rows[-1]) == sector:
            rows[-1] = (rows[-1][0], rows[-1][1] + 1)
        else:
            rows.append((sector, 1))
    return rows


def counted(log: Log, layer: int) -> tuple[int, ...]:
    """Reads, writes, flushes, bytes read, bytes written of a layer below."""
    own = [row for row in log if row[0] == layer]
    number = Counter(op for _, op, _, _ in own)
    size = Counter[int]()
    for _, op, _, length in own:
        size[op] += length * SECTOR
    return (*(number[op] for op in (READ, WRITE, FLUSH)), size[READ], size[WRITE])


def copied(source: tuple[int, int], target: tuple[int, int], sectors: int) -> Log:
    """What a copy of so many sectors costs: in pieces of 512 KiB."""
    log: Log = []
    for begin in range(0, sectors, PIECE):
        size = min(PIECE, sectors - begin)
        log.append((source[0], READ, source[1] + begin, size))
        log.append((target[0], WRITE, target[1] + begin, size))
    return log


def compare(node: Node, given: Sequence[Request], log: Log, *, settle: bool) -> dict[str, int]:
    """The core does what the slow account did.

    Returns:
        The events that it counted.
    """
    core, _ = core_of(node)
    run(core, list(given))
    if settle:
        core.settle()
    for layer in range(len(node.below)):
        got = core.counts(1 + layer)
        here = (got.reads, got.writes, got.flushes, got.read_bytes, got.write_bytes)
        assert here == counted(log, layer)
    return core.events(0)


def asked(sectors: int, longest: int, flushes: bool = False) -> st.SearchStrategy[list[Request]]:
    data = st.tuples(st.integers(0, 1), st.integers(0, sectors), st.integers(1, longest))
    every = st.one_of(data, data, data, st.just((FLUSH, 0, 0))) if flushes else data
    return st.lists(every, min_size=1, max_size=60)


def scaled(places: int, longest: int, unit: int = 1) -> st.SearchStrategy[list[Request]]:
    """Requests and flushes whose places and lengths are multiples of so many sectors."""
    data = st.tuples(st.integers(0, 1), st.integers(0, places), st.integers(1, longest))
    multiples = data.map(lambda row: (row[0], row[1] * unit, row[2] * unit))
    every = st.one_of(multiples, multiples, multiples, st.just((FLUSH, 0, 0)))
    return st.lists(every, min_size=1, max_size=60)
