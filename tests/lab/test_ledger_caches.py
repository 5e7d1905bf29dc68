"""What the ledger counts of dm-cache and dm-writecache, against what Debian's kernel counts.

tests/lab/driven.py makes the cache on a node and drives it one request at a time. What differs and
why is in docs/decisions/0141-device-mapper-caches.md.
"""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from iosonde.layers.dm_cache.ledger import dm_cache_blocks
from iosonde.predict.model import Prediction
from tests.lab.conftest import running, ssh
from tests.lab.test_ledger_layers import (
    DISK,
    KIB,
    MIB,
    SCRIPT,
    Request,
    Row,
    blocks,
    made,
    predicted,
    row,
)

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long]
NAME = "test-ledger-caches"
ARGUMENT = 90 * KIB  # of the 128 KiB that Linux takes (MAX_ARG_STRLEN), some for quotes


@dataclass(frozen=True)
class Written:
    """dm-writecache: `what` names the requests, of which every so many are an fsync."""

    what: str
    size: int = 4 * KIB
    every: int = 0
    block: int = 4 * KIB
    count: int = 60
    fast: int = 64 * MIB
    span: int = 80 * MIB
    jobs: int = 1
    high: int = 50
    low: int = 45

    def __str__(self) -> str:
        return (
            f"{self.what}-{self.size // KIB}k-fsync{self.every}-block{self.block}x{self.count}"
            f"-{self.fast // MIB}m-{self.high}-jobs{self.jobs}"
        )

    def requests(self) -> list[Request]:
        chance = "random" in self.what
        chosen = blocks(self, self.count, self.span // self.size - 1, chance=chance)
        shift = self.block if "shifted" in self.what else 0
        rows: list[Request] = []
        for number, block in enumerate(chosen):
            rows.append(("w", block * self.size, self.size))
            if self.every and number % self.every == self.every - 1:
                rows.append(("s", 0, 0))
        if "twice" in self.what:
            rows += [("w", block * self.size + shift, self.size) for block in chosen[::2]]
        if "read" in self.what:
            rows += [("r", block * self.size + shift, self.size) for block in chosen]
        return [*rows, ("s", 0, 0)] if self not in ABOVE or self.every else rows

    def asked(self) -> dict[str, Any]:
        return {
            "kind": "dm_writecache", "block": self.block, "size": self.fast, "pause": 0,
            "settle": 5 if self in ABOVE else 1,
            "options": [
                "high_watermark", self.high, "low_watermark", self.low,
                "writeback_jobs", self.jobs, "autocommit_time", 3_600_000,
            ],
            "requests": self.requests(),
        }  # fmt: skip

    def predicted(self) -> Prediction:
        lines = [
            f"d1: {{kind: disk, host: n1, size: {DISK}, path: /dev/x1}}",
            f"d2: {{kind: disk, host: n1, size: {self.fast}, path: /dev/x2}}",
            f"r: {{kind: dm_writecache, of: [d1, d2], block_size: {self.block}, "
            f"high_watermark: {self.high}, low_watermark: {self.low}}}",
        ]
        return predicted(lines, {}, made(self.requests()))


WRITTEN = (
    *(
        Written(what, size, every)
        for what in ("random", "seq")
        for size in (4 * KIB, 64 * KIB)
        for every in (0, 1, 10)
    ),
    Written("random-read", 64 * KIB, 10), Written("random-read-shifted", 64 * KIB),
    Written("seq-read", 4 * KIB), Written("random-twice-read", 4 * KIB, 10),
    Written("random-twice-shifted-read", 64 * KIB, 10), Written("seq-twice-shifted-read", 16 * KIB),
    Written("seq-twice", 64 * KIB, 7), Written("random-read", 4 * KIB, 10, block=512),
    Written("random", 4 * KIB, 5, block=1024), Written("seq", 256 * KIB, 10),
    Written("random", 1024 * KIB, 3, count=20),
)  # fmt: skip
ABOVE = (
    Written("random", 4 * KIB, 100, count=1500, fast=8 * MIB, jobs=0),
    Written("random", 4 * KIB, 100, count=2000, fast=8 * MIB, jobs=0),
    Written("seq", 64 * KIB, count=200, fast=16 * MIB, jobs=0),
    Written("random", 64 * KIB, count=200, fast=16 * MIB, jobs=0),
    Written("random", 4 * KIB, count=1500, fast=8 * MIB, high=30, low=30, jobs=0),
)  # fmt: skip


@dataclass(frozen=True)
class Cached:
    """dm-cache: blocks at the beginning may be `warm`, that is read until they are there."""

    mode: str
    what: str
    size: int = 4 * KIB
    block: int = 64 * KIB
    warm: int = 0
    policy: str = "smq"
    count: int = 60
    room: int = 1024
    span: int = 80 * MIB
    pause: float = 0

    def __str__(self) -> str:
        return (
            f"{self.mode}-{self.policy}-{self.what}-{self.size // KIB}k-block{self.block // KIB}k"
            f"-warm{self.warm}x{self.count}-{self.room}-{self.span // MIB}m-{self.pause}"
        )

    def warming(self) -> list[int]:
        return [number * self.block for number in range(self.warm)]

    def requests(self) -> list[Request]:
        span = self.warm * self.block or self.span
        chance = "random" in self.what
        chosen = blocks(self, self.count, span // self.size - 1, chance=chance)
        if "skewed" in self.what:  # as many to the first block as to the next two, the next four …
            drawn = random.Random(str(self))
            chosen = [int((span // self.size) ** drawn.random()) - 1 for _ in range(self.count)]
        shift = self.size // 2 if "shifted" in self.what else 0
        ops = self.what.split("-")[0]
        # The slow device is asked once, else what is dirty may be written back at any moment.
        miss: list[Request] = [("r", DISK // 2, 4 * KIB)]
        return miss + [(op, block * self.size + shift, self.size) for op in ops for block in chosen]

    def asked(self) -> dict[str, Any]:
        return {
            "kind": "dm_cache", "mode": self.mode, "policy": self.policy, "block": self.block,
            "blocks": self.room, "warm": self.warming(), "pause": self.pause,
            "requests": self.requests(),
        }  # fmt: skip

    def fast(self) -> int:
        """Bytes of a fast device with room for so many blocks."""
        size = self.room * self.block
        while dm_cache_blocks(size, self.block) < self.room:
            size += self.block
        return size

    def of(self, requests: Sequence[Request], rate: int = 1000) -> Prediction:
        lines = [
            f"d1: {{kind: disk, host: n1, size: {DISK}, path: /dev/x1}}",
            f"d2: {{kind: disk, host: n1, size: {self.fast()}, path: /dev/x2}}",
            f"r: {{kind: dm_cache, of: [d1, d2], block_size: {self.block}, mode: {self.mode}, "
            f"policy: {self.policy}}}",
        ]
        return predicted(lines, {"request_rate": str(rate)}, made(requests))

    def predicted(self) -> list[Row]:
        """Of the requests, without what it takes to have the first blocks in the cache."""
        numbers = self.warming()  # then hits for more than a second, so that misses are forgotten
        first: list[Request] = [("r", number, 4 * KIB) for number in numbers for _ in range(20)]
        first += [("r", number, 4 * KIB) for number in numbers * 160]
        before = self.of(first, rate=100).disks() if first else ()
        after = self.of([*first, *self.requests()], rate=100).disks()
        rows = [row(counts) for counts in after]
        if not before:
            return rows
        return [less(pair, row(other)) for pair, other in zip(rows, before, strict=True)]


CACHED = (
    *(
        Cached(mode, f"{op}-random", 4 * KIB, policy=policy)
        for mode, policy in (("passthrough", "smq"), ("writethrough", "cleaner"))
        for op in "rw"
    ),
    Cached("writethrough", "rw-random-shifted", 64 * KIB, policy="cleaner"),
    Cached("passthrough", "rw-random-shifted", 256 * KIB),
    *(
        Cached(mode, f"{op}-random{shift}", size, warm=8)
        for mode in ("writethrough", "writeback")
        for op in "rw"
        for size, shift in ((4 * KIB, ""), (64 * KIB, "-shifted"), (128 * KIB, "-shifted"))
    ),
    *(
        Cached("writeback", "wr-seq", block, block, count=count)
        for block, count in (
            (32 * KIB, 60), (64 * KIB, 60), (256 * KIB, 60), (512 * KIB, 40), (MIB, 20),
        )
    ),
    Cached("writeback", "wwr-random", 64 * KIB), Cached("writeback", "wr-seq", 256 * KIB),
    Cached("writeback", "w-random", block=2 * MIB, warm=2),
)  # fmt: skip
POLICY = (
    Cached("writethrough", "w-seq", 64 * KIB),
    Cached("writeback", "w-random"),
    Cached("writethrough", "r-random", count=3000),
    Cached("writethrough", "r-random", block=32 * KIB, count=3000, room=256, span=512 * MIB),
    Cached("writethrough", "r-skewed", count=3000, span=512 * MIB),
    Cached("writethrough", "r-skewed", block=32 * KIB, count=3000, room=64, span=512 * MIB),
    Cached("writethrough", "r-seq", count=3000),
    Cached("writeback", "w-skewed", block=32 * KIB, count=3000, room=256, span=512 * MIB),
    Cached("writeback", "rw-random", count=1500),
)
Case = Written | Cached
Kernel = dict[str, list[list[tuple[int, ...]]]]


def less(pair: Row, other: Row) -> Row:
    reads, read, writes, written = (a - b for a, b in zip(pair, other, strict=True))
    return reads, read, writes, written


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    """What the kernel counts in each case: during the requests, and afterwards."""
    options = ("--name", NAME, "--nodes", "1", "--disks", "4", "--size", f"{DISK // MIB} MiB")
    with running(NAME, *options):
        return driven(NAME, [*WRITTEN, *ABOVE, *CACHED, *POLICY])


def driven(lab: str, cases: Sequence[Case]) -> Kernel:
    groups: Kernel = {}
    for some in parts(cases):
        arguments = [shlex.quote(name) for name in (SCRIPT, json.dumps([c.asked() for c in some]))]
        lines = ssh(lab, "n1", "python3", "-c", *arguments).splitlines()
        for case, line in zip(some, lines, strict=True):
            groups[str(case)] = [[tuple(row) for row in rows] for rows in json.loads(line)]
    return groups


def parts(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """Cases that go to the node together: six at most, and none too long for an argument."""
    some: list[Case] = []
    size = 0
    for case in cases:
        more = len(json.dumps(case.asked()))
        if some and (len(some) == 6 or size + more > ARGUMENT):
            yield some
            some, size = [], 0
        some.append(case)
        size += more
    yield some


def summed(*rows: Sequence[int]) -> Row:
    reads, read, writes, written = (sum(column) for column in zip(*rows, strict=True))
    return reads, read, writes, written


@pytest.mark.parametrize("case", WRITTEN, ids=str)
def test_a_write_cache_takes_writes_and_commits_them(kernel: Kernel, case: Written) -> None:
    """A flush is counted as a write of nothing.

    Then all is written back, at most 256 blocks at once, after each of which the slow device is
    flushed and 64 KiB of metadata are written (`writecache_endio_thread()`).
    """
    prediction, (during, after, _) = case.predicted(), kernel[str(case)]
    for counts, counted in zip(prediction.disks(), during, strict=True):
        assert counted == summed(row(counts), (0, 0, counts.flushes, 0))
    slow, fast = after
    left = prediction.layers[0].events["blocks_in_use"] * case.block
    assert slow[:2] == (0, 0)
    assert fast[1] == slow[3] == left
    copies, rest = divmod(fast[3], 64 * KIB)
    assert rest == 0
    assert fast[2] == 2 * copies
    assert slow[2] - copies >= copies
    assert left <= 256 * case.block * copies


@pytest.mark.parametrize("case", ABOVE, ids=str)
def test_a_write_cache_writes_back_above_its_watermark(kernel: Kernel, case: Written) -> None:
    """Copies that run at the same time merge. Without flushes it is the writer's pace that says
    how much is chosen to be written back at once; bytes then differ by what lies between the
    watermarks."""
    prediction, (during, _, rows) = case.predicted(), kernel[str(case)]
    slow, fast = prediction.disks()
    assert during[0][:2] == row(slow)[:2]
    assert during[0][3] == during[1][1] + rows[0][9] * case.block  # what went past it
    events = prediction.layers[0].events
    if case.every:
        assert (slow.write_bytes, fast.read_bytes) == (during[0][3], during[1][1])
        assert events["writes_around"] == rows[0][9]
        assert during[1][0] <= fast.reads
    else:
        between = max((case.high - case.low) * rows[0][1] // 100 * case.block, 2 * case.size)
        assert abs(during[1][1] - fast.read_bytes) <= between


@pytest.mark.parametrize("case", CACHED, ids=str)
def test_dm_cache_moves_the_data(kernel: Kernel, case: Cached) -> None:
    """Copies of what is dirty, of which several are under way at once, merge on the disks."""
    during, after, _ = kernel[str(case)]
    for place, (mine, first, then) in enumerate(zip(case.predicted(), during, after, strict=True)):
        theirs = summed(first, then)
        assert (theirs[1], theirs[3]) == (mine[1], mine[3])
        copied = 0 if place else 2  # the column of what the copies add to
        for column in (0, 2):
            if case.mode == "writeback" and column == copied:
                assert theirs[column] <= mine[column]
            else:
                assert theirs[column] == mine[column]


@pytest.mark.parametrize("case", POLICY, ids=str)
def test_what_the_policy_chooses_is_what_is_moved(kernel: Kernel, case: Cached) -> None:
    """By the cache's own counters, whatever smq chose."""
    during, after, (ended, _, _) = kernel[str(case)]
    slow, fast = (summed(*rows) for rows in zip(during, after, strict=True))
    read_hits, read_misses, write_hits, write_misses, _, promoted, _ = ended
    through = case.mode == "writethrough"
    copied_back, rest = divmod(fast[1] - read_hits * 4 * KIB, case.block)
    assert (rest, through and copied_back) == (0, 0)
    assert slow[1] == read_misses * 4 * KIB + promoted * case.block  # reads are of 4 KiB in all
    written = write_misses + (write_hits if through else 0)
    assert slow[3] == written * case.size + copied_back * case.block
    assert fast[3] == write_hits * case.size + promoted * case.block


@pytest.mark.parametrize("case", POLICY, ids=str)
def test_the_policy_moves_about_as_much(kernel: Kernel, case: Cached) -> None:
    """At the pace at which the requests came: smq looks at the clock each second."""
    during, after, (_, _, (took,)) = kernel[str(case)]
    requests = case.requests()
    prediction = case.of(requests, rate=max(1, len(requests) * 1000 // took))
    for counts, first, then in zip(prediction.disks(), during, after, strict=True):
        _, read, _, written = summed(first, then)
        assert abs(counts.read_bytes + counts.write_bytes - read - written) <= 0.25 * (
            read + written
        )
