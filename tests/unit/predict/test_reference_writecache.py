"""dm-writecache in the core against a slow, obvious account, block by block."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iosonde._core import Writecache
from tests.examples import examples
from tests.unit.predict.accounts import (
    FAST,
    FLUSH,
    READ,
    SLOW,
    WRITE,
    Log,
    bare,
    compare,
    copied,
    scaled,
)  # fmt: skip
from tests.unit.predict.nodes import SECTOR, Node, Request


@dataclass
class Entry:
    """A block that was put into a place; the newest of its number counts."""

    number: int
    place: int
    committed: bool = False


@dataclass
class SlowWritecache:
    """Entries in the order in which they were put in; sizes in sectors."""

    size: int
    blocks: int
    high: int
    low: int
    most: int
    start: int
    rate: int
    now: int = 0
    calm: int = 0
    due: bool = False
    entries: list[Entry] = field(default_factory=list)
    free: list[int] = field(default_factory=list)
    next: int = 0
    overwrote: bool = False
    log: Log = field(default_factory=list)

    def __post_init__(self) -> None:
        self.free = list(range(self.blocks))
        head = 64 + 16 * self.blocks
        self.metadata = -(-head // (self.size * SECTOR)) * self.size

    def at(self, place: int) -> int:
        return self.start + self.metadata + place * self.size

    def newest(self, number: int) -> Entry | None:
        entries = [entry for entry in self.entries if entry.number == number]
        return entries[-1] if entries else None

    def around(self, number: int, end: int) -> int:
        """The first block behind one that is kept, or the end."""
        return min([entry.number for entry in self.entries if number < entry.number < end] + [end])

    def pop(self) -> int:
        place = self.free.pop(self.free.index(self.next))
        behind = [number for number in self.free if number > place]
        self.next = (behind or self.free or [0])[0]
        return place

    def give(self, place: int) -> None:
        if not self.free:
            self.next = place
        self.free = sorted([*self.free, place])

    def read(self, number: int, end: int) -> None:
        while number < end:
            entry = self.newest(number)
            upto = number + 1 if entry else self.around(number, end)
            at = self.at(entry.place) if entry else number * self.size
            self.log.append((FAST if entry else SLOW, READ, at, (upto - number) * self.size))
            number = upto

    def write(self, number: int, end: int) -> None:
        while number < end:
            entry, begin = self.newest(number), number
            if entry is not None:
                place = entry.place
                while entry is not None and entry.place == place + number - begin:
                    self.overwrote |= entry.committed
                    number += 1
                    entry = self.newest(number) if number < end else None
            elif self.free:
                place = self.next
                while number < end and self.free and self.next == place + number - begin:
                    self.entries.append(Entry(number, self.pop()))
                    self.due |= len(self.free) <= (self.blocks * (100 - self.high) + 50) // 100
                    number += 1
            else:
                number = self.around(number, end)
                self.calm = self.now + 3 * self.rate
                self.log.append((SLOW, WRITE, begin * self.size, (number - begin) * self.size))
                continue
            self.log.append((FAST, WRITE, self.at(place), (number - begin) * self.size))
        if sum(not cached.committed for cached in self.entries) >= self.most:
            self.commit()

    def entries_written(self, places: list[int]) -> None:
        pieces = {
            piece
            for place in places
            for piece in range((64 + 16 * place) >> 16, ((79 + 16 * place) >> 16) + 1)
        }
        end = self.metadata
        for piece in sorted(pieces):
            if piece - 1 not in pieces:
                last = piece
                while last + 1 in pieces:
                    last += 1
                until = min((last + 1) * 128, end)
                self.log.append((FAST, WRITE, self.start + piece * 128, until - piece * 128))
        self.log.append((FAST, FLUSH, 0, 0))

    def commit(self) -> None:
        fresh = [entry for entry in self.entries if not entry.committed]
        overwrote, self.overwrote = self.overwrote, False
        if not fresh:
            if overwrote:
                self.log.append((FAST, FLUSH, 0, 0))
            return
        self.entries_written([cached.place for cached in fresh])
        self.log.append((FAST, WRITE, self.start, min(8, self.metadata)))
        for cached in fresh:
            cached.committed = True
        old = [entry for entry in self.entries if self.newest(entry.number) is not entry]
        for cached in old:
            self.entries.remove(cached)
            self.give(cached.place)
        if old:
            self.entries_written([cached.place for cached in old])

    def back(self) -> None:
        freed: list[int] = []
        self.due = False
        while len(self.free) + len(freed) <= (self.blocks * (100 - self.low) + 50) // 100:
            if not self.entries:
                break
            if not self.entries[0].committed:
                self.commit()
                continue
            run = [self.entries[0]]
            behind = self.newest(run[0].number) is run[0]
            while behind and len(run) < 256:
                entry = self.newest(run[-1].number + 1)
                if entry is None or not entry.committed or entry.place != run[-1].place + 1:
                    break
                run.append(entry)
            for entry in run:
                self.entries.remove(entry)
                freed.append(entry.place)
            first = run[0]
            self.log += copied(
                (FAST, self.at(first.place)), (SLOW, first.number * self.size), len(run) * self.size
            )
        for place in freed:
            self.give(place)

    def ask(self, op: int, first: int, length: int) -> None:
        number, end = first // self.size, (first + length) // self.size
        self.now += 1
        if op == FLUSH:
            self.calm = self.now + 3 * self.rate
            self.log.append((SLOW, FLUSH, 0, 0))
            self.commit()
        elif op == READ:
            self.read(number, end)
        else:
            self.write(number, end)
        if self.due and self.now >= self.calm:
            self.back()

    def settle(self) -> None:
        self.commit()
        if self.due:
            self.back()


@given(
    st.sampled_from([1, 8]), st.integers(1, 90), st.integers(0, 100), st.integers(0, 100),
    st.sampled_from([7, 30, 65536]), st.sampled_from([0, 1, 4]), st.data(),
)  # fmt: skip
@settings(max_examples=examples(400), deadline=None)
def test_a_write_cache_takes_all_writes(
    size: int, blocks: int, high: int, low: int, most: int, rate: int, data: st.DataObject
) -> None:
    given = data.draw(scaled(120, 30, size))
    high, low = max(high, low), min(high, low)
    slow = SlowWritecache(size, blocks, high, low, most, 2048, rate)
    for request in given:
        slow.ask(*request)
    slow.settle()
    rule = Writecache(
        block=size * SECTOR, blocks=blocks, high=high, low=low, commit=most,
        start=2048 * SECTOR, rate=rate,
    )  # fmt: skip
    events = compare(Node(rule, [bare(), bare()]), given, slow.log, settle=True)
    assert events["blocks_in_use"] == len(slow.entries)


PIECES = given(st.integers(3000, 9000), st.lists(st.integers(1, 2000), min_size=1, max_size=12))


@pytest.mark.slow
@PIECES
@settings(max_examples=12, deadline=None)
def test_metadata_are_written_in_pieces_of_64_kib(blocks: int, sizes: list[int]) -> None:
    written_in_pieces(blocks, sizes)


@pytest.mark.long
@PIECES
@settings(max_examples=examples(200), deadline=None)
def test_metadata_of_many_are_written_in_pieces_of_64_kib(blocks: int, sizes: list[int]) -> None:
    written_in_pieces(blocks, sizes)


def written_in_pieces(blocks: int, sizes: list[int]) -> None:
    """Writes one behind the other, each with a flush, in a cache with several such pieces."""
    given: list[Request] = []
    for number, size in enumerate(sizes):
        given += [(WRITE, number * 10000 % 7777, size), (FLUSH, 0, 0)]
    slow = SlowWritecache(1, blocks, 60, 50, 65536, 2048, 0)
    for request in given:
        slow.ask(*request)
    rule = Writecache(
        block=SECTOR, blocks=blocks, high=60, low=50, commit=65536, start=2048 * SECTOR, rate=0
    )
    slow.settle()
    compare(Node(rule, [bare(), bare()]), given, slow.log, settle=True)
