"""What the ledger counts of layers that hold back, against what Debian's kernel counts.

tests/lab/driven.py makes the layer on a node and drives it one request at a time; the counters of
its disks are read before and behind, and again when nothing is held back any more. What differs
and why is in docs/decisions/0140-write-back-layers-are-settled-at-the-end.md.
"""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from iosonde.predict.model import Counts, Prediction, model_of, predict, top_of
from iosonde.predict.requests import Requests
from iosonde.predict.what_if import SettingValues, variants
from iosonde.stack.file import understand
from tests.lab.conftest import running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long]

NAME, KIB, MIB, SECTOR = "test-ledger-layers", 1024, 2**20, 512
DISK = 9 * 1024 * MIB  # sparse: for a bitmap of several pages, and a cache of many buckets
SCRIPT = (Path(__file__).parent / "driven.py").read_text()
Request = tuple[str, int, int]  # "r", "w" or "s" (fsync), offset, length
Row = tuple[int, int, int, int]  # reads, bytes read, writes, bytes written


def made(requests: Sequence[Request]) -> Requests:
    ops = np.array(["rws".index(request[0]) for request in requests], dtype=np.uint8)
    table = np.array([request[1:] for request in requests], dtype=np.uint64)
    return Requests(ops, table[:, 0].copy(), table[:, 1].copy())


def row(counts: Counts) -> Row:
    return counts.reads, counts.read_bytes, counts.writes, counts.write_bytes


def predicted(lines: Sequence[str], settings: dict[str, str], requests: Requests) -> Prediction:
    """Of the layer `r`, or `f`, that these lines declare."""
    head = ["stack: s", "hosts: {n1: {at: local}}", "layers:"]
    stack = understand("\n".join([*head, *(f"  {line}" for line in lines)]), "s.yaml")
    top = top_of(stack)
    (variant,) = variants(
        stack, top, [SettingValues(top.name, key, (of,)) for key, of in settings.items()]
    )
    return predict(model_of(variant.top, stack.mtu, variant.extra, buffered=True), requests)


def disks(count: int) -> list[str]:
    return [
        f"d{number}: {{kind: disk, host: n1, size: {DISK}, path: /dev/x{number}}}"
        for number in range(1, count + 1)
    ]


def blocks(case: object, count: int, room: int, *, chance: bool) -> list[int]:
    """So many of a room's blocks: in order, or by a chance that is the case's own and stays."""
    chosen = random.Random(str(case))
    return [chosen.randrange(room) if chance else number for number in range(count)]


@dataclass(frozen=True)
class Array:
    """An array with a bitmap: `bit` bytes for each bit, `size` bytes a write."""

    level: int
    disks: int
    size: int
    random: bool = True
    bit: int = 64 * KIB
    count: int = 40
    chunk: int = 64 * KIB
    span: int = 80 * MIB

    def __str__(self) -> str:
        way = f"random{self.span // MIB}m" if self.random else "seq"
        return f"raid{self.level}x{self.disks}-{self.size // KIB}k-{way}-bit{self.bit // KIB}k"

    def requests(self) -> list[Request]:
        chosen = blocks(self, self.count, self.span // self.size, chance=self.random)
        return [("w", block * self.size, self.size) for block in chosen]

    def asked(self) -> dict[str, Any]:
        return {
            "kind": "bitmap", "level": self.level, "disks": self.disks, "bit": self.bit,
            "chunk": self.chunk, "requests": self.requests(),
        }  # fmt: skip

    def predicted(self) -> Prediction:
        of = ", ".join(f"d{number}" for number in range(1, self.disks + 1))
        lines = disks(self.disks)
        lines.append(
            f"r: {{kind: md, level: {self.level}, chunk_size: {self.chunk}, of: [{of}], "
            "bitmap: internal}"
        )
        return predicted(lines, {"bitmap_chunk": str(self.bit)}, made(self.requests()))


LEVELS = ((1, 2), (10, 4), (5, 4))
ARRAYS = (
    *(
        Array(level, count, size, chance, bit)
        for level, count in LEVELS
        for size, bit in ((4 * KIB, MIB), (64 * KIB, 64 * KIB))
        for chance in (True, False)
    ),
    *(Array(level, count, 4 * KIB, span=8192 * MIB) for level, count in LEVELS),
)


@dataclass(frozen=True)
class Cached:
    """bcache in one of its modes; `what` names the requests."""

    mode: str
    what: str
    cutoff: int = 0
    count: int = 60
    bucket: int = 256 * KIB
    journal_delay: int = 60_000  # ms: longer than the requests take, so that none is written

    def __str__(self) -> str:
        return f"bcache-{self.mode}-{self.what}-cutoff{self.cutoff // KIB}k-{self.journal_delay}"

    def requests(self) -> list[Request]:
        size = 64 * KIB if "64k" in self.what else 4 * KIB
        chosen = blocks(self, self.count, 80 * MIB // size, chance="random" in self.what)
        shift = 4 * KIB if "shifted" in self.what else 0
        first = "r" if "missed" in self.what else "w"
        given = [(first, block * size, size) for block in chosen]
        return given + [("r", block * size + shift, size) for block in chosen]

    def asked(self) -> dict[str, Any]:
        return {
            "kind": "bcache", "mode": self.mode, "bucket": self.bucket, "cutoff": self.cutoff,
            "journal_delay": self.journal_delay, "requests": self.requests(),
        }  # fmt: skip

    def predicted(self) -> Prediction:
        lines = disks(2)
        lines.append(
            f"r: {{kind: bcache, of: [d1, d2], cache_mode: {self.mode}, "
            f"bucket_size: {self.bucket}, sequential_cutoff: {self.cutoff}, writeback_percent: 40}}"
        )
        return predicted(lines, {}, made(self.requests()))


CACHES = (
    *(
        Cached(mode, what)
        for mode in ("writeback", "writethrough", "writearound")
        for what in ("random-4k", "random-64k", "seq-64k")
    ),
    Cached("writethrough", "missed-random-4k"), Cached("writethrough", "missed-random-64k-shifted"),
    Cached("writeback", "random-64k-shifted"), Cached("writeback", "seq-64k", 512 * KIB),
    Cached("writethrough", "missed-seq-64k", 512 * KIB), Cached("writeback", "seq-4k", 64 * KIB),
    Cached("writeback", "random-4k", journal_delay=100),
)  # fmt: skip


@dataclass(frozen=True)
class File:
    """A file of an ext4; `every`: writes before each fsync, 0: only one behind all."""

    data: str
    size: int
    every: int
    direct: bool = False
    random: bool = True
    count: int = 60
    journal: int = 8 * MIB

    def __str__(self) -> str:
        way = "direct" if self.direct else "buffered"
        order = "random" if self.random else "seq"
        return f"ext4-{self.data}-{self.size // KIB}k-{way}-{order}-fsync{self.every}x{self.count}"

    def requests(self) -> list[Request]:
        chosen = blocks(self, self.count, 48 * MIB // self.size, chance=self.random)
        rows: list[Request] = []
        for number, block in enumerate(chosen):
            rows.append(("w", block * self.size, self.size))
            if self.every and number % self.every == self.every - 1:
                rows.append(("s", 0, 0))
        return [*rows, ("s", 0, 0)]

    def asked(self) -> dict[str, Any]:
        return {
            "kind": "ext4", "data": self.data, "direct": self.direct, "journal": self.journal,
            "size": 48 * MIB, "requests": self.requests(),
        }  # fmt: skip

    def predicted(self) -> Prediction:
        lines = disks(1)
        lines.append(
            f"f: {{kind: ext4, of: d1, mount: /mnt/f, journal: {self.data}, "
            f"journal_size: {self.journal}}}"
        )
        paged = {} if self.direct else {"page_cache": str(256 * MIB)}
        return predicted(lines, paged, made(self.requests()))


FILES = (
    *(
        File(data, size, every, direct)
        for data in ("journal", "ordered")
        for size in (4 * KIB, 64 * KIB)
        for every in (1, 10, 0)
        for direct in (True, False)
    ),
    File("journal", 64 * KIB, 0, count=300), File("journal", 64 * KIB, 10, count=300),
    File("journal", 4 * KIB, 10, random=False), File("ordered", 4 * KIB, 0, random=False),
)  # fmt: skip


@dataclass(frozen=True)
class Paged:
    """A disk through the page cache."""

    op: str
    size: int
    random: bool
    shift: int = 0
    count: int = 200
    background: int = 64 * MIB
    span: int = 64 * MIB

    def __str__(self) -> str:
        order = "random" if self.random else "seq"
        return (
            f"pages-{self.op}-{self.size}-{order}+{self.shift}x{self.count}"
            f"-{self.span // MIB}m-{self.background // MIB}m"
        )

    def requests(self) -> list[Request]:
        chosen = blocks(self, self.count, self.span // self.size - 1, chance=self.random)
        return [(self.op, self.shift + block * self.size, self.size) for block in chosen]

    def asked(self) -> dict[str, Any]:
        return {"kind": "pages", "background": self.background, "requests": self.requests()}

    def predicted(self) -> Prediction:
        settings = {"page_cache": str(256 * MIB), "dirty_background_bytes": str(self.background)}
        return predicted(disks(1), settings, made(self.requests()))


PAGES = (
    *(
        Paged(op, size, chance, shift)
        for op in "rw"
        for size in (4 * KIB, 64 * KIB)
        for chance in (True, False)
        for shift in (0, 512)
    ),
    Paged("r", 512, False), Paged("w", 512, True), Paged("r", 256 * KIB, False, count=60),
    Paged("r", 16 * KIB, True, count=600), Paged("r", 4 * KIB, True, count=600, span=8 * MIB),
    Paged("w", 64 * KIB, False, count=400, background=8 * MIB),
    Paged("w", 64 * KIB, True, count=400, background=8 * MIB),
    Paged("w", 256 * KIB, False, count=60),
)  # fmt: skip
Case = Array | Cached | File | Paged
LEAF = 4 * KIB - 48  # bytes of keys that a leaf gathers before it is written
Kernel = dict[str, list[list[Row]]]


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    """What the kernel counts in each case: during the requests, and afterwards."""
    options = ("--name", NAME, "--nodes", "1", "--disks", "4", "--size", f"{DISK // MIB} MiB")
    with running(NAME, *options):
        return driven(NAME, [*ARRAYS, *CACHES, *FILES, *PAGES])


def driven(lab: str, cases: Sequence[Case]) -> Kernel:
    groups: Kernel = {}
    for begin in range(0, len(cases), 6):
        some = cases[begin : begin + 6]
        arguments = [shlex.quote(name) for name in (SCRIPT, json.dumps([c.asked() for c in some]))]
        lines = ssh(lab, "n1", "python3", "-c", *arguments).splitlines()
        for case, line in zip(some, lines, strict=True):
            groups[str(case)] = [[tuple(row) for row in rows] for rows in json.loads(line)]
    return groups


def summed(*rows: Sequence[int]) -> Row:
    reads, read, writes, written = (sum(column) for column in zip(*rows, strict=True))
    return reads, read, writes, written


@pytest.mark.parametrize("case", ARRAYS, ids=str)
def test_a_bitmap_is_written_before_the_data_and_when_bits_are_cleared(
    kernel: Kernel, case: Array
) -> None:
    """Besides, as an array becomes active: its superblock and the bitmap's (`md_update_sb()`),
    which is on the first page, and that again with the number of the event (`need_sync`)."""
    prediction, (during, after) = case.predicted(), kernel[str(case)]
    array = next(layer for layer in prediction.layers if layer.kind == "md")
    covers = array.size // (case.disks - 1) if case.level == 5 else array.size
    page = min(4 * KIB, -(-(256 + -(-covers // case.bit) // 8) // SECTOR) * SECTOR)
    cleared = array.events["bitmap_pages_cleared"]
    for counts, first, then in zip(prediction.disks(), during, after, strict=True):
        assert then[:3] == (0, 0, cleared + 1)
        assert summed(first, then) == summed(row(counts), (0, 0, 3, SECTOR + 2 * page))


@pytest.mark.parametrize("case", CACHES, ids=str)
def test_bcache_moves_the_data(kernel: Kernel, case: Cached) -> None:
    """Besides: the slow device's superblock when the cache becomes dirty (`bch_writeback_add()`), a
    leaf of the btree when a page of keys is full (`bch_btree_leaf_dirty()`: two words a key and
    one a pointer; a miss inserts a key to check first), and the journal by its delay."""
    prediction, (during, after) = case.predicted(), kernel[str(case)]
    slow, fast = prediction.disks()
    events = next(layer for layer in prediction.layers if layer.kind == "bcache").events
    dirty, extents = events["dirty_bytes"], events["dirty_extents"]
    mark = (0, 0, 1, 4 * KIB) if dirty else (0, 0, 0, 0)
    assert during[0] == summed(row(slow), mark)
    assert after == [(0, 0, extents, dirty), (extents, dirty, 0, 0)]
    assert during[1][:2] == row(fast)[:2]
    writes, written = (
        index - other for index, other in zip(during[1][2:], row(fast)[2:], strict=True)
    )
    number = 6 * events["misses"]
    if not case.what.startswith("missed"):
        number += case.count * (2 if case.mode == "writearound" else 3)
    full = 8 * number > LEAF
    journal = case.count if case.journal_delay < 60_000 else 0
    assert int(full) <= writes <= int(full) + journal
    assert written <= 4 * KIB * writes


@pytest.mark.parametrize("case", FILES, ids=str)
def test_a_journal_takes_what_it_is_given(kernel: Kernel, case: File) -> None:
    """Besides: superblocks of the file system and of the journal, flushes, which are counted as
    writes of nothing; with data=ordered two writes of three blocks for each fsync."""
    prediction, (during, after) = case.predicted(), kernel[str(case)]
    mine, theirs = row(prediction.disks()[0]), summed(*during, *after)
    writes, blocks = theirs[2] - mine[2], (theirs[3] - mine[3]) // (4 * KIB)
    if case.data == "ordered":
        commits = -(-case.count // case.every) if case.every else 1
        assert 2 * commits <= writes <= 2 * commits + 14
        assert 3 * commits <= blocks <= 3 * commits + 8
    elif case.size * (case.every or case.count) * 16 <= case.journal and case.count < 100:
        assert 5 <= writes <= 9
        assert 4 <= blocks <= 6
    else:  # the journal fills, or a transaction does
        assert abs(theirs[3] / mine[3] - 1) < 0.2


EXACT_PAGES = tuple(page for page in PAGES if page.background > 8 * MIB and page.size < 256 * KIB)


@pytest.mark.parametrize("case", EXACT_PAGES, ids=str)
def test_pages_are_read_ahead_and_written_merged(kernel: Kernel, case: Paged) -> None:
    """Besides, the flush of the fsync, which is counted as a write of nothing."""
    (during,), (after,) = kernel[str(case)]
    mine = row(case.predicted().disks()[0])
    written = (0, 0, *mine[2:])
    assert during == (*mine[:2], 0, 0)
    assert after == summed(written, (0, 0, 1, 0))


@pytest.mark.parametrize("case", [page for page in PAGES if page not in EXACT_PAGES], ids=str)
def test_pages_that_are_written_meanwhile_or_read_by_large_requests(
    kernel: Kernel, case: Paged
) -> None:
    """When the flusher begins depends on the clock, and so does which window is under way when
    the next one is asked for."""
    theirs, mine = summed(*kernel[str(case)][0], *kernel[str(case)][1]), case.predicted()
    reads, read, writes, written = row(mine.disks()[0])
    assert theirs[1] == read
    assert 0.95 * written <= theirs[3] <= 1.05 * written
    assert 0.6 * reads <= theirs[0] <= reads
    assert 0.7 * writes <= theirs[2] <= 1.3 * writes + 2
