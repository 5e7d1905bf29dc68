"""dm-cache with smq in the core against a slow, obvious account, block by block."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from iosonde._core import Promote
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
from tests.unit.predict.nodes import SECTOR, Node

TOP = 63


@dataclass(eq=False)
class Block:
    """What a queue of smq orders: a block of the cache, or several as one hotspot."""

    number: int
    place: int = 0
    level: int = 0
    dirty: bool = False
    since: int = 0


@dataclass
class SlowQueue:
    """Lists of 64 levels, the eldest first; the top 8 levels may be meant for so many."""

    top: int = 0
    meant: int = 0
    lists: list[list[Block]] = field(default_factory=lambda: [[] for _ in range(64)])

    def put(self, block: Block, level: int) -> None:
        for each in self.lists:
            if block in each:
                each.remove(block)
        block.level = level
        self.lists[level].append(block)

    def rise(self, block: Block, by: int) -> None:
        level = min(block.level + by, TOP)
        if by and block.level < TOP and self.lists[level]:
            self.put(self.lists[level][0], block.level)
        self.put(block, level)

    def spread(self) -> None:
        total = sum(map(len, self.lists))
        wanted = [0] * 64
        for begin, end, count in (
            (0, 64 - self.top, max(total - self.meant, 0)), (64 - self.top, 64, self.meant),
        ):  # fmt: skip
            for number in range(count if end > begin else 0):
                wanted[begin + number % (end - begin)] += 1
        for level in range(63):
            while len(self.lists[level]) < wanted[level]:
                above = [block for each in self.lists[level + 1 :] for block in each]
                if not above:
                    break
                self.put(above[0], level)
            while len(self.lists[level]) > wanted[level]:
                self.put(self.lists[level][-1], level + 1)


@dataclass
class SlowPromote:
    """dm-cache with smq; a request is so many a second; sizes in sectors."""

    size: int
    room: int
    mode: int
    origin: int
    rate: int
    start: int
    now: int = 0
    kept: dict[int, Block] = field(default_factory=dict)
    places: list[int] = field(default_factory=list)
    clean: SlowQueue = field(default_factory=SlowQueue)
    dirty: SlowQueue = field(default_factory=SlowQueue)
    hot: dict[int, Block] = field(default_factory=dict)
    going: list[Block] = field(default_factory=list)
    leaving: list[Block] = field(default_factory=list)
    hit_places: set[int] = field(default_factory=set)
    hit_hot: set[int] = field(default_factory=set)
    seen: list[bool] = field(default_factory=list)
    jump: int = 4
    threshold: int = 48
    old: tuple[int, int] = (0, 0)
    busy: int = 0
    log: Log = field(default_factory=list)

    def __post_init__(self) -> None:
        self.together, self.blocks = 16, max(self.room // 4, 1024)
        while self.together > 1 and self.together * self.blocks > self.origin:
            self.together //= 2
        self.hotspot = SlowQueue(8, min(self.blocks // 64, self.room // self.together))
        self.places = list(range(self.room))
        self.due = {
            "hot": self.rate,
            "cache": 60 * self.rate,
            "old": 10 * self.rate,
            "look": self.rate,
        }

    def back(self, block: Block) -> None:
        at = self.start + block.place * self.size
        self.log += copied((FAST, at), (SLOW, block.number * self.size), self.size)
        block.dirty = False
        for each in self.dirty.lists:
            if block in each:
                each.remove(block)
        self.clean.put(block, block.level)

    def clean_all(self) -> None:
        """What is larger than 1 MiB is not written back by itself."""
        for block in [block for each in self.dirty.lists for block in each]:
            if self.size <= 2048:
                self.back(block)

    def work(self) -> None:
        for block in self.leaving:
            self.back(block)
        for block in self.going:
            del self.kept[block.number]
            self.places.append(block.place)
        self.leaving, self.going = [], []

    def heat(self, number: int) -> int:
        block = self.hot.get(number)
        self.seen.append(block is not None and block.level >= 48)
        if block is not None:
            self.hotspot.rise(block, 0 if number in self.hit_hot else self.jump)
            self.hit_hot.add(number)
            return block.level
        level = 0
        if len(self.hot) == self.blocks:
            each = next(each for each in self.hotspot.lists if each)
            level = each[0].level
            del self.hot[each.pop(0).number]
        self.hot[number] = Block(number)
        self.hotspot.put(self.hot[number], level)
        return level

    def make_room(self) -> None:
        if len(self.going) >= self.room * 25 // 100:
            return
        lower = [block for each in self.clean.lists[:32] for block in each]
        if lower:
            self.clean.lists[lower[0].level].remove(lower[0])
            self.going.append(lower[0])
            return
        first = [each[0] for each in self.dirty.lists if each and each[0].since < self.old[0]]
        if first:
            self.dirty.lists[first[0].level].remove(first[0])
            self.leaving.append(first[0])

    def lookup(self, number: int, whole: bool) -> tuple[Block | None, bool]:
        """The block, if it is there, and whether it was before."""
        cached_block = self.kept.get(number)
        if cached_block is not None:
            if (
                cached_block not in self.going + self.leaving
                and cached_block.place not in self.hit_places
            ):
                self.hit_places.add(cached_block.place)
                cached_block.since = self.now
                (self.dirty if cached_block.dirty else self.clean).rise(cached_block, 1)
            return cached_block, True
        level = self.heat(number // self.together)
        if level < self.threshold and not (whole and self.places):
            return None, False
        if not self.places:
            self.make_room()
            return None, False
        cached_block = self.kept[number] = Block(number, self.places.pop(0), TOP, since=self.now)
        self.clean.put(cached_block, TOP)
        return cached_block, False

    def soil(self, block: Block) -> None:
        if not block.dirty and block not in self.going:
            self.clean.lists[block.level].remove(block)
            block.dirty, block.since = True, self.now
            self.dirty.put(block, block.level)

    def piece(self, op: int, number: int, first: int, length: int) -> None:
        back = op == WRITE and self.mode == 0
        whole = back and length == self.size
        block, before = (None, False) if self.mode == 2 else self.lookup(number, whole)
        fast = block is not None and (before or whole)
        if block is not None and fast:
            at = self.start + block.place * self.size + first % self.size
            self.log.append((FAST, op, at, length))
        if not fast or (op == WRITE and not back):
            self.log.append((SLOW, op, first, length))
            self.busy = self.now
        if block is not None and not fast:
            at = self.start + block.place * self.size
            self.log += copied((SLOW, number * self.size), (FAST, at), self.size)
        elif block is not None and back:
            self.soil(block)

    def tick(self) -> None:
        self.now += 1
        looks = self.now >= self.due["look"]
        if looks:
            self.due["look"] = self.now + self.rate
        if self.now > self.due["old"]:
            self.old = (self.old[1], self.now)
            self.due["old"] = self.now + 10 * self.rate
        self.hit_hot = set()
        share = 256 * sum(self.seen) // len(self.seen) if self.seen else 0
        grade = 4 if share < 16 else 2 if share < 32 else 1
        self.threshold = 64 - 64 // grade
        if self.now > self.due["hot"]:
            self.jump, self.seen = grade, []
            self.hotspot.spread()
            self.due["hot"] = self.now + self.rate
        if self.now > self.due["cache"]:
            self.hit_places = set()
            self.dirty.spread()
            self.clean.spread()
            self.due["cache"] = self.now + 60 * self.rate
        if looks and self.now > self.busy + self.rate:
            self.clean_all()

    def ask(self, op: int, first: int, length: int) -> None:
        if op == FLUSH:
            self.log += [(SLOW, FLUSH, 0, 0), (FAST, FLUSH, 0, 0)]
            return
        self.work()
        while length:
            here = min(length, self.size - first % self.size)
            self.piece(op, first // self.size, first, here)
            first, length = first + here, length - here
        self.tick()


MODES: tuple[Literal["back", "through", "around"], ...] = ("back", "through", "around")
"""By the numbers of the slow account."""


@given(
    st.sampled_from([8, 1536, 2048, 4096]), st.integers(1, 12), st.integers(0, 2),
    st.sampled_from([20, 5000, 10**6]), st.integers(1, 5), st.data(),
)  # fmt: skip
@settings(max_examples=examples(300), deadline=None)
def test_dm_cache_does_what_smq_says(
    size: int, room: int, mode: int, origin: int, rate: int, data: st.DataObject
) -> None:
    slow = SlowPromote(size, room, mode, origin, rate, 2048)
    given = data.draw(scaled(100, 20, size // 8))
    times = data.draw(st.integers(1, 8))
    for request in given * times:
        slow.ask(*request)
    slow.work()
    slow.clean_all()
    rule = Promote(
        block=size * SECTOR, blocks=room, mode=MODES[mode], origin=origin, rate=rate,
        start=2048 * SECTOR,
    )  # fmt: skip
    node = Node(rule, [bare(), bare()])
    compare(node, given * times, slow.log, settle=True)


def test_more_hotspots_than_smq_knows() -> None:
    """One that was missed long ago gives its place and its level to another."""
    chance = Random(7)
    given = [(READ, 8 * int(2 ** (chance.random() * 15.2)), 8) for _ in range(8000)]
    slow = SlowPromote(8, 40, 1, 40_000, 30, 2048)
    for request in given:
        slow.ask(*request)
    assert len(slow.hot) == slow.blocks
    rule = Promote(
        block=4096, blocks=40, mode="through", origin=40_000, rate=30, start=2048 * SECTOR
    )
    events = compare(Node(rule, [bare(), bare()]), given, slow.log, settle=True)
    assert events["demotions"] > 0
