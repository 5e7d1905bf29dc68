"""Bitmaps and caches of devices in the core against slow, obvious accounts, sector by sector."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from iosonde._core import Bcache, Bitmap, Controller, Parity, Raid1, Raid10
from tests.examples import examples
from tests.unit.predict.accounts import (
    FAST,
    OF_PAGE,
    READ,
    SLOW,
    WRITE,
    Log,
    asked,
    bare,
    compare,
    runs,
)
from tests.unit.predict.nodes import PAGE, SECTOR, Node, Request, core_of, run

if TYPE_CHECKING:
    from iosonde._core import Rule

# --- md's write-intent bitmap


@given(
    st.sampled_from(["raid1", "raid10", "parity"]), st.integers(1, 6), st.integers(3, 5),
    st.integers(0, 4), asked(9000, 700),
)  # fmt: skip
@settings(max_examples=examples(150), deadline=None)
def test_the_first_write_to_a_chunk_costs_a_page_on_each_member(
    rule: str, bit: int, members: int, lost: int, given: list[Request]
) -> None:
    bit, chunk, parity = bit * 8 * SECTOR, 16 * SECTOR, 1 if rule == "parity" else 0
    failed = 1 << lost if lost < members and rule != "raid10" else 0
    arrays: dict[str, Rule] = {
        "raid1": Raid1(failed=failed),
        "raid10": Raid10(chunk=chunk, size=2**30),
        "parity": Parity(parity=1, chunk=chunk, failed=failed),
    }
    array = arrays[rule]
    covers, at = 9 * 2**20, 8192
    bitmap = Bitmap(chunk=bit, covers=covers, at=at)
    plain, _ = core_of(Node(array, [bare() for _ in range(members)]))
    core, _ = core_of(Node(array, [bare() for _ in range(members)], bitmap=bitmap))
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
    core.settle()  # all bits are cleared, unless a member is lost
    cleared = set(pages) if failed == 0 else set()
    pages += cleared
    lengths = [min(PAGE, -(-(size - page * PAGE) // SECTOR) * SECTOR) for page in pages]
    for member in range(members):
        here = failed >> member & 1 == 0
        more = core.counts(1 + member) - plain.counts(1 + member)
        assert (more.reads, more.flushes, more.read_bytes) == (0, 0, 0)
        assert (more.writes, more.write_bytes) == (len(pages) * here, sum(lengths) * here)
    events = core.events(0)
    names = ("bitmap_bits", "bitmap_pages", "bitmap_pages_cleared")
    assert [events[name] for name in names] == [len(seen), len(pages) - len(cleared), len(cleared)]


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
        return sum(len(numbers) for numbers in self.dirty.values())

    def out(self) -> None:
        fullest = max(
            self.dirty, key=lambda number: len(self.dirty[number])
        )  # the first of several
        self.log += [(0, WRITE, at, length) for at, length in runs(self.dirty.pop(fullest))]

    def ask(self, op: int, first: int, length: int) -> None:
        sectors = range(first, first + length)
        pages = range(first // OF_PAGE, -(-(first + length) // OF_PAGE))
        if op == WRITE:
            self.read = [index for index in self.read if index not in pages]
            for number in dict.fromkeys(sector // self.width for sector in sectors):
                stripe = self.dirty.pop(number, set())
                self.dirty[number] = stripe | {
                    sector for sector in sectors if sector // self.width == number
                }
            while self.held() > self.room:
                self.out()
        elif op == READ:
            here = {index for stripe in self.dirty.values() for index in stripe}
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
@settings(max_examples=examples(300), deadline=None)
def test_a_controller_lets_the_fullest_stripe_go(
    width: int, room: int, reads: int, given: list[Request]
) -> None:
    slow = SlowController(width, max(room, width), reads)
    for request in given:
        slow.ask(*request)
    while slow.dirty:
        slow.out()
    rule = Controller(width=width * SECTOR, room=room * SECTOR, reads=reads * PAGE)
    compare(Node(rule, [bare()]), given, slow.log, settle=True)


# --- bcache
MODES: tuple[Literal["back", "through", "around", "none"], ...] = (
    "back", "through", "around", "none",
)  # fmt: skip
"""By the numbers of the slow account."""


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
        rows: list[list[int]] = []
        for sector in sorted(set(sectors) & set(self.kept)):
            if rows and rows[-1][-1] + 1 == sector:
                (at, dirty), (here, same) = self.kept[sector - 1], self.kept[sector]
                if at + 1 == here and here % self.bucket and dirty == same:
                    rows[-1].append(sector)
                    continue
            rows.append([sector])
        return rows

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
            count
            for count, (at, dirty) in self.kept.items()
            if dirty and at // self.bucket == number
        ]

    def room(self) -> int:
        """How much fits behind the last place."""
        if self.head % self.bucket and self.head >= 0:
            return self.bucket - self.head % self.bucket
        if len(self.used) < self.buckets:
            number = len(self.used)
        else:
            clean = [count for count in self.used if not self.dirty_in(count)]
            number = clean[0] if clean else self.used[0]
            self.back(self.dirty_in(number))
            self.kept = {
                count: place
                for count, place in self.kept.items()
                if place[0] // self.bucket != number
            }
        self.head = number * self.bucket
        return self.bucket

    def back(self, sectors: Iterable[int]) -> None:
        for extent in self.extents(sectors):
            self.log.append((FAST, READ, self.kept[extent[0]][0], len(extent)))
            self.log.append((SLOW, WRITE, extent[0], len(extent)))
            for sector in extent:
                self.kept[sector] = (self.kept[sector][0], False)

    def insert(self, first: int, length: int, dirty: bool) -> None:
        for number in range(first, first + length):
            self.kept.pop(number, None)
        while length:
            now = min(length, self.room())
            self.touch(self.head // self.bucket)
            self.log.append((FAST, WRITE, self.head, now))
            for number in range(now):
                self.kept[first + number] = (self.head + number, dirty)
            self.head += now
            first, length = first + now, length - now

    def ask(self, op: int, first: int, length: int) -> None:
        past = self.past(op, first, length)
        wanted = range(first, first + length)
        if op == READ:
            missing = runs(set(wanted) - set(self.kept))
            for extent in self.extents(wanted):
                self.touch(self.kept[extent[0]][0] // self.bucket)
                self.log.append((FAST, READ, self.kept[extent[0]][0], len(extent)))
            self.log += [(SLOW, READ, at, count) for at, count in missing]
            if missing and not past:
                self.insert(*missing[0], dirty=False)
        else:
            soiled = sum(bool(self.dirty_in(number)) for number in self.used)
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
            left = sorted(number for number, (_, dirty) in self.kept.items() if dirty)
            if len(left) * SECTOR <= most:
                break
            each = self.extents(left)
            extent = next((numbers for numbers in each if numbers[0] >= self.next), each[0])
            self.back(extent)
            self.next = extent[-1] + 1


@given(
    st.sampled_from([8, 32, 50]), st.integers(2, 5), st.integers(0, 3),
    st.sampled_from([0, 0, 20000, 40000]), st.integers(0, 40), asked(150, 60),
)  # fmt: skip
@settings(max_examples=examples(400), deadline=None)
def test_bcache_fills_buckets(
    bucket: int, buckets: int, mode: int, cutoff: int, percent: int, given: list[Request]
) -> None:
    slow = SlowBcache(bucket, buckets, mode, cutoff, percent)
    for request in given:
        slow.ask(*request)
    rule = Bcache(
        bucket=bucket * SECTOR, buckets=buckets, mode=MODES[mode], cutoff=cutoff, percent=percent
    )
    events = compare(Node(rule, [bare(), bare()]), given, slow.log, settle=True)
    assert events["dirty_bytes"] == SECTOR * sum(dirty for _, dirty in slow.kept.values())
