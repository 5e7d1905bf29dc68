"""Journals for data and the page cache in the core against slow, obvious accounts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil

from hypothesis import given, settings
from hypothesis import strategies as st

from iosonde._core import Journal, PageCache
from tests.examples import examples
from tests.unit.predict.accounts import (
    FLUSH,
    OF_PAGE,
    READ,
    WRITE,
    Log,
    asked,
    bare,
    compare,
    runs,
)
from tests.unit.predict.nodes import Node, Request, core_of, run


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
        for _, length in runs({(self.head + number) % last for number in range(count)}):
            self.log.append((0, WRITE, 0, length * OF_PAGE))
        self.head = (self.head + count) % last

    def commit(self) -> None:
        if not self.running:
            return
        blocks = self.running | {-1}  # the inode
        count = len(blocks) + -(-len(blocks) // self.tags)
        self.waiting = [numbers - blocks for numbers in self.waiting]
        while self.waiting and self.blocks - 1 - sum(self.used) < count + 1:
            self.checkpoint()
        self.append(count)
        self.append(1)
        self.log += [(0, FLUSH, 0, 0)] * 2
        self.running = set()
        self.waiting.append(blocks)
        self.used.append(count + 1)

    def checkpoint(self) -> None:
        blocks = {self.blocks * 1000 if number < 0 else number for number in self.waiting.pop(0)}
        self.used.pop(0)
        self.log += [(0, WRITE, at, length * OF_PAGE) for at, length in runs(blocks)]
        self.log += [(0, FLUSH, 0, 0), (0, WRITE, 0, OF_PAGE)]

    def ask(self, op: int, first: int, length: int) -> None:
        wanted = range(first, first + length)
        if op == FLUSH:
            old = self.memory() - self.running - {-1}
            self.log += [(0, WRITE, at, length * OF_PAGE) for at, length in runs(old)]
            self.waiting = [numbers - old for numbers in self.waiting]
            if not self.running:
                self.log.append((0, FLUSH, 0, 0))
            self.commit()
        elif op == READ:
            missing = [number for number in wanted if number // OF_PAGE not in self.memory()]
            self.log += [(0, READ, at, count) for at, count in runs(missing)]
        else:
            for block in dict.fromkeys(number // OF_PAGE for number in wanted):
                own = range(block * OF_PAGE, (block + 1) * OF_PAGE)
                if not set(own) <= set(wanted) and block not in self.memory():
                    self.log.append((0, READ, block, OF_PAGE))
                if len(self.running) + 1 >= self.blocks // 4:
                    self.commit()
                self.running.add(block)


@given(st.integers(2, 300), asked(20000, 3000, flushes=True))
@settings(max_examples=examples(100), deadline=None)
def test_a_journal_takes_all_data_first(tags: int, given: list[Request]) -> None:
    slow = SlowJournal(1024, tags)
    for request in given:
        slow.ask(*request)
    slow.commit()
    if slow.waiting:
        slow.waiting, slow.used = [set().union(*slow.waiting)], [0]
        slow.checkpoint()
    rule = Journal(at=1 << 30, blocks=1024, tags=tags)
    compare(Node(rule, [bare()]), given, slow.log, settle=True)


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
        missing = [number for number in range(start, start + count) if number not in self.kept]
        self.io(READ, missing)
        mark = start + count - extra
        if extra and mark in missing:
            self.marks.add(mark)
        for number in missing:
            self.bring(number)

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
                (number for number in range(page + 1, page + most + 1) if number not in self.kept),
                0,
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
            order = sorted(self.dirty, key=lambda number: (number < self.next, number))[:1024]
            self.next = order[-1] + 1
            self.dirty -= set(order)
            self.io(WRITE, order)


@given(
    st.integers(1, 400), st.integers(0, 60), st.sampled_from([0, 4, 32, 64]),
    st.lists(
        st.one_of(
            st.tuples(st.integers(0, 1), st.integers(0, 3000), st.integers(1, 600)),
            st.tuples(st.just(READ), st.integers(0, 40).map(lambda at: at * 64), st.just(64)),
            st.just((FLUSH, 0, 0)),
        ), min_size=1, max_size=50,
    ), st.booleans(),
)  # fmt: skip
@settings(max_examples=examples(300), deadline=None)
def test_the_page_cache_reads_ahead_and_writes_back(
    pages: int, background: int, ahead: int, given: list[Request], in_order: bool
) -> None:
    if in_order:  # streams one behind the other, which windows grow with
        given = sorted(given, key=lambda row: row[1] // 900)
    slow = SlowPages(pages, background, ahead)
    for request in given:
        slow.ask(*request)
    slow.io(WRITE, slow.dirty)
    rule = PageCache(pages=pages, background=background, ahead=ahead, largest=320, size=1 << 30)
    compare(Node(rule, [bare()]), given, slow.log, settle=True)


def test_sequential_buffered_reads_come_in_full_windows() -> None:
    """What `iostat` shows of a sequential read with read_ahead_kb 128: requests of 128 KiB."""
    rule = PageCache(pages=10**6, background=10**5, ahead=32, largest=320, size=10**6)
    core, _ = core_of(Node(rule, [bare()]))
    run(core, [(READ, at * 8, 8) for at in range(32 * 1000)])
    got = core.counts(1)
    assert all(number <= other for number, other in pairwise([1000, got.reads, 1010]))
    assert got.read_bytes / got.reads > 127 * 1024
