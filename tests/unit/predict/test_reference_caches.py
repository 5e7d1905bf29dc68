"""Caches and journals in the core against slow, obvious accounts, sector by sector.

What each layer below got is written down as (layer, operation, first sector, sectors).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.predict.nodes import PAGE, SECTOR, Node, Request, core_of, run

READ, WRITE, FLUSH = 0, 1, 2
SLOW, FAST = 0, 1
OF_PAGE = PAGE // SECTOR
Log = list[tuple[int, int, int, int]]


def bare() -> Node:
    """A device that counts what it gets, and merges nothing."""
    return Node("same", {})


def runs(sectors: Iterable[int]) -> list[tuple[int, int]]:
    """Runs of neighbours: first and length."""
    found: list[tuple[int, int]] = []
    for one in sorted(sectors):
        if found and sum(found[-1]) == one:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((one, 1))
    return found


def counted(log: Log, layer: int) -> tuple[int, ...]:
    """Reads, writes, flushes, bytes read, bytes written of a layer below."""
    own = [one for one in log if one[0] == layer]
    number = Counter(op for _, op, _, _ in own)
    size = Counter[int]()
    for _, op, _, length in own:
        size[op] += length * SECTOR
    return (*(number[op] for op in (READ, WRITE, FLUSH)), size[READ], size[WRITE])


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
        assert tuple(core.counts(1 + layer)[:5]) == counted(log, layer)
    return dict(core.events(0))


def asked(sectors: int, longest: int, flushes: bool = False) -> st.SearchStrategy[list[Request]]:
    data = st.tuples(st.integers(0, 1), st.integers(0, sectors), st.integers(1, longest))
    every = st.one_of(data, data, data, st.just((FLUSH, 0, 0))) if flushes else data
    return st.lists(every, min_size=1, max_size=60)


# --- md's write-intent bitmap


@given(
    st.sampled_from(["raid1", "raid10", "parity"]), st.integers(1, 6), st.integers(3, 5),
    st.integers(0, 4), asked(9000, 700),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_the_first_write_to_a_chunk_costs_a_page_on_each_member(
    rule: str, bit: int, members: int, lost: int, given: list[Request]
) -> None:
    bit, chunk, parity = bit * 8 * SECTOR, 16 * SECTOR, 1 if rule == "parity" else 0
    figures = {"chunk": chunk, "size": 2**30, "parity": 1, "layout": 2 if parity else 0x102}
    figures["failed"] = 1 << lost if lost < members and rule != "raid10" else 0
    covers, at = 9 * 2**20, 8192
    marked = {
        "bitmap_chunk": bit, "bitmap_covers": covers, "bitmap_at": at,
        "bitmap_data": (members - 1) * parity,
    }  # fmt: skip
    plain, _ = core_of(Node(rule, figures, [bare() for _ in range(members)]))
    core, _ = core_of(Node(rule, figures | marked, [bare() for _ in range(members)]))
    size = 256 + ceil(ceil(covers / bit) / 8)
    seen: set[int] = set()
    pages: list[int] = []
    for request in given:
        run(plain, [request])
        run(core, [request])
        fresh: set[int] = set()
        for sector in range(request[1], request[1] + request[2]) if request[0] == WRITE else ():
            place = sector * SECTOR
            if parity:
                row, inside = place // (chunk * (members - 1)), place % chunk
                place = row * chunk + inside
            if place // bit not in seen:
                seen.add(place // bit)
                fresh.add((256 * 8 + place // bit) // (PAGE * 8))
        pages += fresh
    lengths = [min(PAGE, -(-(size - page * PAGE) // SECTOR) * SECTOR) for page in pages]
    for member in range(members):
        here = figures["failed"] >> member & 1 == 0
        more = [
            one - other
            for one, other in zip(core.counts(1 + member), plain.counts(1 + member), strict=True)
        ]
        assert more[:5] == [0, len(pages) * here, 0, 0, sum(lengths) * here]
    events = dict(core.events(0))
    assert (events["bitmap_bits"], events["bitmap_pages"]) == (len(seen), len(pages))


# --- a controller's write-back cache


@dataclass
class SlowController:
    """Sectors of stripes in a dictionary, in the order in which these were last written to."""

    width: int
    room: int
    reads: int
    dirty: dict[int, set[int]] = field(default_factory=dict)
    read: list[int] = field(default_factory=list)
    log: Log = field(default_factory=list)

    def held(self) -> int:
        return sum(len(one) for one in self.dirty.values())

    def out(self) -> None:
        fullest = max(self.dirty, key=lambda one: len(self.dirty[one]))  # the first of several
        self.log += [(0, WRITE, at, length) for at, length in runs(self.dirty.pop(fullest))]

    def ask(self, op: int, first: int, length: int) -> None:
        sectors = range(first, first + length)
        pages = range(first // OF_PAGE, -(-(first + length) // OF_PAGE))
        if op == WRITE:
            self.read = [one for one in self.read if one not in pages]
            for number in dict.fromkeys(one // self.width for one in sectors):
                stripe = self.dirty.pop(number, set())
                self.dirty[number] = stripe | {
                    one for one in sectors if one // self.width == number
                }
            while self.held() > self.room:
                self.out()
        elif op == READ:
            here = {one for stripe in self.dirty.values() for one in stripe}
            missing = set(sectors) - here
            for page in pages if self.reads else ():
                own = set(range(page * OF_PAGE, (page + 1) * OF_PAGE))
                if page in self.read:
                    missing -= own
                    self.read.remove(page)
                    self.read.append(page)
                elif own & missing:
                    self.read = [*self.read, page][-self.reads :]
            self.log += [(0, READ, at, count) for at, count in runs(missing)]


@given(
    st.integers(1, 40), st.integers(0, 200), st.integers(0, 6), asked(300, 60, flushes=True)
)  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_a_controller_lets_the_fullest_stripe_go(
    width: int, room: int, reads: int, given: list[Request]
) -> None:
    slow = SlowController(width, max(room, width), reads)
    for request in given:
        slow.ask(*request)
    while slow.dirty:
        slow.out()
    figures = {"width": width * SECTOR, "room": room * SECTOR, "reads": reads * PAGE}
    compare(Node("controller", figures, [bare()]), given, slow.log, settle=True)


# --- bcache


@dataclass
class SlowBcache:
    """Each sector: where on the fast device it is, and whether it is dirty."""

    bucket: int
    buckets: int
    mode: int
    cutoff: int
    percent: int
    kept: dict[int, tuple[int, bool]] = field(default_factory=dict)
    used: list[int] = field(default_factory=list)
    head: int = -1
    next: int = 0
    streams: list[tuple[int, int]] = field(default_factory=list)
    stream: int = 0
    average: int = 0
    log: Log = field(default_factory=list)

    def extents(self, sectors: Iterable[int]) -> list[list[int]]:
        """Sectors that lie one behind the other on both devices, in one bucket, alike."""
        found: list[list[int]] = []
        for one in sorted(set(sectors) & set(self.kept)):
            if found and found[-1][-1] + 1 == one:
                (at, dirty), (here, same) = self.kept[one - 1], self.kept[one]
                if at + 1 == here and here % self.bucket and dirty == same:
                    found[-1].append(one)
                    continue
            found.append([one])
        return found

    def touch(self, number: int) -> None:
        if number in self.used:
            self.used.remove(number)
        self.used.append(number)

    def past(self, op: int, first: int, length: int) -> bool:
        if self.mode == 3 or (self.mode == 2 and op == WRITE):
            return True
        if not self.cutoff:
            return False
        size, old = length * SECTOR, None
        for place, (end, _) in enumerate(self.streams):
            if end == first:
                old = place
        if old is None:
            self.average = (self.average * 7 + self.stream) // 8
            self.streams = self.streams[-127:]
            self.stream = size
        else:
            self.stream = self.streams.pop(old)[1] + size
        self.streams.append((first + length, self.stream))
        return max(self.stream, self.average) // SECTOR >= self.cutoff // SECTOR

    def dirty_in(self, number: int) -> list[int]:
        return [
            one for one, (at, dirty) in self.kept.items() if dirty and at // self.bucket == number
        ]

    def room(self) -> int:
        """How much fits behind the last place."""
        if self.head % self.bucket and self.head >= 0:
            return self.bucket - self.head % self.bucket
        if len(self.used) < self.buckets:
            number = len(self.used)
        else:
            clean = [one for one in self.used if not self.dirty_in(one)]
            number = clean[0] if clean else self.used[0]
            self.back(self.dirty_in(number))
            self.kept = {
                one: place for one, place in self.kept.items() if place[0] // self.bucket != number
            }
        self.head = number * self.bucket
        return self.bucket

    def back(self, sectors: Iterable[int]) -> None:
        for one in self.extents(sectors):
            self.log.append((FAST, READ, self.kept[one[0]][0], len(one)))
            self.log.append((SLOW, WRITE, one[0], len(one)))
            for sector in one:
                self.kept[sector] = (self.kept[sector][0], False)

    def insert(self, first: int, length: int, dirty: bool) -> None:
        for one in range(first, first + length):
            self.kept.pop(one, None)
        while length:
            now = min(length, self.room())
            self.touch(self.head // self.bucket)
            self.log.append((FAST, WRITE, self.head, now))
            for one in range(now):
                self.kept[first + one] = (self.head + one, dirty)
            self.head += now
            first, length = first + now, length - now

    def ask(self, op: int, first: int, length: int) -> None:
        past = self.past(op, first, length)
        wanted = range(first, first + length)
        if op == READ:
            missing = runs(set(wanted) - set(self.kept))
            for one in self.extents(wanted):
                self.touch(self.kept[one[0]][0] // self.bucket)
                self.log.append((FAST, READ, self.kept[one[0]][0], len(one)))
            self.log += [(SLOW, READ, at, count) for at, count in missing]
            if missing and not past:
                self.insert(*missing[0], dirty=False)
        else:
            soiled = sum(bool(self.dirty_in(one)) for one in self.used)
            dirty = self.mode == 0 and soiled * 100 <= 70 * self.buckets
            if past or not dirty:
                self.log.append((SLOW, WRITE, first, length))
            if past:
                for sector in wanted:
                    self.kept.pop(sector, None)
            else:
                self.insert(first, length, dirty)
        most = self.bucket * SECTOR * self.buckets // 100 * self.percent
        while self.mode == 0:
            left = sorted(one for one, (_, dirty) in self.kept.items() if dirty)
            if len(left) * SECTOR <= most:
                break
            each = self.extents(left)
            one = next((one for one in each if one[0] >= self.next), each[0])
            self.back(one)
            self.next = one[-1] + 1


@given(
    st.sampled_from([8, 32, 50]), st.integers(2, 5), st.integers(0, 3),
    st.sampled_from([0, 0, 20000, 40000]), st.integers(0, 40), asked(150, 60),
)  # fmt: skip
@settings(max_examples=400, deadline=None)
def test_bcache_fills_buckets(
    bucket: int, buckets: int, mode: int, cutoff: int, percent: int, given: list[Request]
) -> None:
    slow = SlowBcache(bucket, buckets, mode, cutoff, percent)
    for request in given:
        slow.ask(*request)
    figures = {
        "bucket": bucket * SECTOR, "buckets": buckets, "mode": mode, "cutoff": cutoff,
        "percent": percent,
    }  # fmt: skip
    events = compare(Node("bcache", figures, [bare(), bare()]), given, slow.log, settle=True)
    assert events["dirty_bytes"] == SECTOR * sum(dirty for _, dirty in slow.kept.values())


# --- data=journal


@dataclass
class SlowJournal:
    """Transactions as sets of blocks."""

    blocks: int
    tags: int
    running: set[int] = field(default_factory=set)
    waiting: list[set[int]] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    head: int = 0
    log: Log = field(default_factory=list)

    def memory(self) -> set[int]:
        return self.running.union(*self.waiting)

    def append(self, count: int) -> None:
        last = self.blocks - 1
        for _, length in runs({(self.head + one) % last for one in range(count)}):
            self.log.append((0, WRITE, 0, length * OF_PAGE))
        self.head = (self.head + count) % last

    def commit(self) -> None:
        if not self.running:
            return
        blocks = self.running | {-1}  # the inode
        count = len(blocks) + -(-len(blocks) // self.tags)
        self.waiting = [one - blocks for one in self.waiting]
        while self.waiting and self.blocks - 1 - sum(self.used) < count + 1:
            self.checkpoint()
        self.append(count)
        self.append(1)
        self.log += [(0, FLUSH, 0, 0)] * 2
        self.running = set()
        self.waiting.append(blocks)
        self.used.append(count + 1)

    def checkpoint(self) -> None:
        blocks = {self.blocks * 1000 if one < 0 else one for one in self.waiting.pop(0)}
        self.used.pop(0)
        self.log += [(0, WRITE, at, length * OF_PAGE) for at, length in runs(blocks)]
        self.log += [(0, FLUSH, 0, 0), (0, WRITE, 0, OF_PAGE)]

    def ask(self, op: int, first: int, length: int) -> None:
        wanted = range(first, first + length)
        if op == FLUSH:
            if not self.running:
                self.log.append((0, FLUSH, 0, 0))
            self.commit()
        elif op == READ:
            missing = [one for one in wanted if one // OF_PAGE not in self.memory()]
            self.log += [(0, READ, at, count) for at, count in runs(missing)]
        else:
            for block in dict.fromkeys(one // OF_PAGE for one in wanted):
                own = range(block * OF_PAGE, (block + 1) * OF_PAGE)
                if not set(own) <= set(wanted) and block not in self.memory():
                    self.log.append((0, READ, block, OF_PAGE))
                if len(self.running) + 1 >= self.blocks // 4:
                    self.commit()
                self.running.add(block)


@given(st.integers(2, 300), asked(20000, 3000, flushes=True))
@settings(max_examples=100, deadline=None)
def test_a_journal_takes_all_data_first(tags: int, given: list[Request]) -> None:
    slow = SlowJournal(1024, tags)
    for request in given:
        slow.ask(*request)
    slow.commit()
    while slow.waiting:
        slow.checkpoint()
    figures = {"at": 1 << 30, "blocks": 1024, "tags": tags}
    compare(Node("journal", figures, [bare()]), given, slow.log, settle=True)


# --- the page cache


@dataclass
class SlowPages:
    """Pages in the order of their use."""

    pages: int
    background: int
    ahead: int
    kept: list[int] = field(default_factory=list)
    dirty: set[int] = field(default_factory=set)
    marks: set[int] = field(default_factory=set)
    window: tuple[int, int, int] = (0, 0, 0)
    before: int = -10
    next: int = 0
    log: Log = field(default_factory=list)

    def io(self, op: int, pages: Iterable[int]) -> None:
        self.log += [(0, op, at, length * OF_PAGE) for at, length in runs(pages)]

    def bring(self, page: int) -> None:
        self.kept.append(page)
        if len(self.kept) > self.pages:
            gone = self.kept.pop(0)
            self.marks.discard(gone)
            if gone in self.dirty:
                self.dirty.remove(gone)
                self.io(WRITE, [gone])

    def load(self, start: int, count: int, extra: int) -> None:
        missing = [one for one in range(start, start + count) if one not in self.kept]
        self.io(READ, missing)
        mark = start + count - extra
        if extra and mark in missing:
            self.marks.add(mark)
        for one in missing:
            self.bring(one)

    def grown(self, size: int, most: int) -> int:
        return 4 * size if size < most // 16 else 2 * size if size <= most // 2 else most

    def read_ahead(self, page: int, wanted: int, marked: bool) -> None:
        """ondemand_readahead() of Linux 6.1, as it is written there."""
        most = min(wanted, 320) if wanted > self.ahead else self.ahead
        start, size, extra = self.window
        if page and page in (start + size - extra, start + size):
            size = self.grown(size, most)
            start, extra = start + self.window[1], size
        elif page and marked:
            later = next(
                (one for one in range(page + 1, page + most + 1) if one not in self.kept), 0
            )
            if not later:
                return
            start, size = later, self.grown(later - page + wanted, most)
            extra = size
        elif page == 0 or wanted > most or page - self.before in (0, 1):
            size = 1
            while size < wanted:
                size *= 2
            size = size * 4 if size <= most // 32 else size * 2 if size <= most // 4 else most
            start, extra = page, size - wanted if size > wanted else size
        else:
            history = 0
            while history < min(page, most) and page - history - 1 in self.kept:
                history += 1
            if history <= wanted:
                self.load(page, wanted, 0)
                return
            if history >= page:
                history *= 2
            start, size, extra = page, min(history + wanted, most), 1
        if page == start and size == extra:
            more = self.grown(size, most)
            size, extra = (size + more, more) if size + more <= most else (most, most // 2)
        self.window = (start, size, extra)
        self.load(start, size, extra)

    def read(self, page: int, wanted: int, there: bool) -> None:
        if not there and self.ahead:
            self.read_ahead(page, wanted, marked=False)
        elif not there:
            self.load(page, 1, 0)
        if page in self.marks:
            self.marks.remove(page)
            self.read_ahead(page, wanted, marked=True)

    def ask(self, op: int, first: int, length: int) -> None:
        end = first + length
        for page in range(first // OF_PAGE, ceil(end / OF_PAGE)) if op != FLUSH else ():
            there = page in self.kept
            if there:
                self.kept.remove(page)
                self.kept.append(page)
            if op == READ:
                self.read(page, ceil(end / OF_PAGE) - page, there)
                self.before = min(end, (page + 1) * OF_PAGE) // OF_PAGE
            else:
                if not there:
                    if page * OF_PAGE < first or (page + 1) * OF_PAGE > end:
                        self.io(READ, [page])
                    self.bring(page)
                self.dirty.add(page)
        if op == FLUSH:
            self.io(WRITE, self.dirty)
            self.dirty = set()
            self.log.append((0, FLUSH, 0, 0))
        while op == WRITE and len(self.dirty) > self.background:
            order = sorted(self.dirty, key=lambda one: (one < self.next, one))[:1024]
            self.next = order[-1] + 1
            self.dirty -= set(order)
            self.io(WRITE, order)


@given(
    st.integers(1, 400), st.integers(0, 60), st.sampled_from([0, 4, 32, 64]),
    st.lists(
        st.one_of(
            st.tuples(st.integers(0, 1), st.integers(0, 3000), st.integers(1, 600)),
            st.tuples(st.just(READ), st.integers(0, 40).map(lambda one: one * 64), st.just(64)),
            st.just((FLUSH, 0, 0)),
        ), min_size=1, max_size=50,
    ), st.booleans(),
)  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_the_page_cache_reads_ahead_and_writes_back(
    pages: int, background: int, ahead: int, given: list[Request], in_order: bool
) -> None:
    if in_order:  # streams one behind the other, which windows grow with
        given = sorted(given, key=lambda one: one[1] // 900)
    slow = SlowPages(pages, background, ahead)
    for request in given:
        slow.ask(*request)
    slow.io(WRITE, slow.dirty)
    figures = {
        "pages": pages, "background": background, "ahead": ahead, "largest": 320, "size": 1 << 30,
    }  # fmt: skip
    compare(Node("pagecache", figures, [bare()]), given, slow.log, settle=True)


def test_sequential_buffered_reads_come_in_full_windows() -> None:
    """What `iostat` shows of a sequential read with read_ahead_kb 128: requests of 128 KiB."""
    core, _ = core_of(
        Node(
            "pagecache",
            {"pages": 10**6, "background": 10**5, "ahead": 32, "largest": 320, "size": 10**6},
            [bare()],
        )
    )
    run(core, [(READ, at * 8, 8) for at in range(32 * 1000)])
    reads, _, _, size, *_ = core.counts(1)
    assert all(one <= other for one, other in pairwise([1000, reads, 1010]))
    assert size / reads > 127 * 1024
