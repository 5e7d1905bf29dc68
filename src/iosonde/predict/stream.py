"""The requests of one job of fio, one by one: which way, where, how long, and when they end.

Counts need no clock: a job that is bounded by time is asked for so many requests.

Source: fio 3.33, HOWTO (rw, rw_sequencer, bs, blockalign, size, io_size, number_ios, loops, offset,
rwmixread, norandommap, sync, fsync), io_u.c (`get_next_seq_offset()`, `get_next_block()`,
`last_block()`), backend.c (`keep_running()`, `io_bytes_exceeded()`), init.c (`fixup_options()`:
blockalign turns the random map off and means nothing to sequential jobs); each held against what
fio writes down itself. A random map lets fio touch every block once before one a second time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from iosonde.errors import UsageError
from iosonde.extras import LazyModule
from iosonde.loads.fio import figures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from iosonde.loads.fio.job import Effective
else:
    np = LazyModule("numpy")

Numbers: TypeAlias = "NDArray[np.uint64]"

READ, WRITE, FLUSH = 0, 1, 2
MOST = 2**20
"""Requests of a load that are gone through; those after them are like them."""
_RANDOM = {"randread": READ, "randwrite": WRITE, "randrw": None}
_SEQUENTIAL = {"read": READ, "write": WRITE, "rw": None, "readwrite": None}
_UNKNOWN = ("bsrange", "zonemode", "random_distribution", "verify", "percentage_random")
_DURABLE = frozenset({"1", "sync", "dsync"})


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """Requests of a job in their order; see `Requests`. `ends`: the job itself says where."""

    ops: NDArray[np.uint8]
    offsets: Numbers
    lengths: Numbers
    ends: bool
    notes: tuple[str, ...] = ()

    def first(self, count: int) -> Stream:
        """No more than so many of them."""
        return Stream(
            self.ops[:count], self.offsets[:count], self.lengths[:count], self.ends, self.notes
        )


@dataclass(frozen=True, slots=True)
class _Room:
    """Where a job may go: from `begin`, `room` bytes of it, on a target of `span` behind that.

    `read` and `write` are the bytes of a request, `grain` those between their places, by direction.
    """

    begin: int
    room: int
    span: int
    lengths: tuple[int, int]
    grain: tuple[int, int]

    def blocks(self, way: int) -> int:
        """Places at which a random request may begin (`last_block()`)."""
        over = max(self.lengths[way] - self.grain[way], 0)
        return max((self.room - over) // self.grain[way], 0)


class _Options:
    """The options of a section, with fio's sizes as bytes."""

    def __init__(self, section: Effective, where: str, span: int) -> None:
        self.section, self.span = section, span
        self.place = f"{where}, job {section.name}"
        self.base = self.count("kb_base", "1024")

    def count(self, option: str, default: str = "0") -> int:
        text = self.section.text(option, default)
        return figures.count(text, what=option, where=self.place)

    def bytes_of(self, text: str, option: str) -> int:
        size = figures.size(text, kb_base=self.base, what=option, where=self.place)
        return int(self.span * float(text.strip()[:-1]) / 100) if size is None else size

    def size(self, option: str, default: int) -> int:
        text = self.section.text(option)
        return self.bytes_of(text, option) if text else default

    def ways(self, option: str, default: str) -> tuple[int, int]:
        """A size for reads and one for writes."""
        texts = self.section.text(option, default).split(",")
        sizes = [self.bytes_of(text, option) for text in texts if text]
        if not sizes or 0 in sizes or "-" in self.section.text(option):
            raise UsageError("`predict` needs one block size for each direction", where=self.place)
        return sizes[0], sizes[1] if len(sizes) > 1 else sizes[0]

    def postfix(self) -> tuple[str, str]:
        """The direction, and what follows its colon."""
        direction, _, more = self.section.text("rw", "read").partition(":")
        return direction.strip(), more.strip()


def stream(
    section: Effective, number: int, count: int, span: int, where: str,
    *, exactly: bool = False,
) -> Stream:  # fmt: skip
    """The requests of one job of a section.

    Args:
        section: of the job file.
        number: of the job among its `numjobs`.
        count: how many, where it does not say.
        span: bytes of the target.
        where: the load, for messages.
        exactly: so many, whatever it says.

    Raises:
        UsageError: an option that is not understood, or no room for a block.
    """
    options = _Options(section, where, span)
    for option in (*_UNKNOWN, "bssplit"):
        if section.text(option) not in {"", "0", "random"}:
            raise UsageError(f"{option} is not understood by `predict`", where=options.place)
    direction, _ = options.postfix()
    if direction not in _RANDOM | _SEQUENTIAL:
        raise UsageError(f"rw={direction} cannot be predicted", where=options.place)
    room = _room(options, number, direction in _RANDOM)
    ends = not exactly and _ends(section)
    limit = _limit(options, room) if ends else None
    wanted = count if limit is None else min(limit[0], MOST)
    chance = np.random.default_rng((number, options.count("randseed", "1")))
    ops = _ops((_RANDOM | _SEQUENTIAL)[direction], options, wanted, chance)
    places = _places(options, room, ops, chance, once=ends)
    ops = ops[: len(places)]
    lengths = np.where(ops == READ, *room.lengths).astype(np.uint64)
    made = Stream(ops, np.uint64(room.begin) + places, lengths, ends)
    if limit is not None:
        within = int(np.searchsorted(np.cumsum(lengths), limit[1])) + 1
        made = made.first(within)
        if limit[0] > MOST and len(made.ops) == MOST:
            note = f"{options.place}: its first {MOST:,} requests are reckoned with"
            made = Stream(made.ops, made.offsets, made.lengths, ends, (note,))
    return _flushed(made, section, options)


def _room(options: _Options, number: int, random: bool) -> _Room:
    begin = options.size("offset", 0) + number * options.size("offset_increment", 0)
    lengths = options.ways("bs", "4k")
    grain = lengths
    if random and options.section.text("ba"):
        grain = options.ways("ba", "")
    behind = options.span - begin
    room = _Room(begin, min(options.size("size", options.span), behind), behind, lengths, grain)
    if room.room < max(lengths) or (random and not min(map(room.blocks, (READ, WRITE)))):
        raise UsageError(
            f"the load's blocks do not fit into the {options.span} bytes of the target",
            where=options.place,
        )
    return room


def _ends(section: Effective) -> bool:
    """Whether the job says how much it does: fio heeds that if nothing bounds it by time."""
    if section.has("time_based"):
        return False
    if any(section.text(option) not in {"", "0"} for option in ("number_ios", "io_size")):
        return True
    return bool(section.text("size")) and section.text("runtime", "0") in {"", "0"}


def _limit(options: _Options, room: _Room) -> tuple[int, int]:
    """The most requests and the bytes after which a job ends: whichever comes first."""
    loops = max(options.count("loops", "1"), 1)
    total = (options.size("io_size", 0) or room.room) * loops
    by_bytes = -(-total // min(room.lengths))
    requests = options.count("number_ios") * loops
    return (min(requests, by_bytes) if requests else by_bytes), total


def _ops(
    only: int | None, options: _Options, count: int, chance: np.random.Generator
) -> NDArray[np.uint8]:
    if only is not None:
        return np.full(count, only, dtype=np.uint8)
    reads = options.count("rwmixread", "50")
    if options.section.text("rwmixwrite"):
        reads = 100 - options.count("rwmixwrite")
    return (chance.integers(0, 100, count) >= reads).astype(np.uint8)


# ── where ─────────────────────────────────────────────────────────────────────────────────────


def _places(
    options: _Options, room: _Room, ops: NDArray[np.uint8], chance: np.random.Generator,
    *, once: bool,
) -> Numbers:  # fmt: skip
    """Bytes from where the job begins; fewer than `ops` where the job ends before.

    Args:
        options: of the job.
        room: where it may go.
        ops: the direction of each.
        chance: for random places.
        once: the job ends with its room.
    """
    direction, more = options.postfix()
    if direction in _SEQUENTIAL:
        skip = _skip(options, more)
        return _holed(room, ops, skip, once) if skip else _in_order(room, ops)
    if more and not more.isdecimal():
        raise UsageError(f"rw={direction}:{more} is not understood", where=options.place)
    random = np.zeros(len(ops), dtype=np.uint64)
    again = options.section.has("norandommap") or room.grain != room.lengths
    for way in (READ, WRITE):
        own = ops == way
        blocks = _blocks(room.blocks(way), int(own.sum()), chance, again=again)
        random[own] = blocks * np.uint64(room.grain[way])
    if more and int(more) > 1:
        same = options.section.text("rw_sequencer", "sequential").startswith("ident")
        return _in_runs(room, ops, random, int(more), same=same, once=once)
    return random


def _blocks(blocks: int, count: int, chance: np.random.Generator, *, again: bool) -> Numbers:
    """Numbers of blocks at random; without `again` each once before one comes a second time."""
    if again or blocks > 2**24 or not count:
        return chance.integers(0, blocks, count, dtype=np.uint64)
    passes = [chance.permutation(blocks) for _ in range(-(-count // blocks))]
    return np.concatenate(passes)[:count].astype(np.uint64)


def _skip(options: _Options, more: str) -> int:
    """Bytes between the end of one sequential request and the next: `write:124k`; back: `-8k`."""
    if not more:
        return 0
    sign = -1 if more.startswith("-") else 1
    return sign * options.bytes_of(more.removeprefix("-"), "rw")


def _in_order(room: _Room, ops: NDArray[np.uint8]) -> Numbers:
    """One behind the other, reads and writes each from the beginning."""
    places = np.zeros(len(ops), dtype=np.uint64)
    for way in (READ, WRITE):
        own = ops == way
        length = room.lengths[way]
        # The last one may reach beyond the room, where the target does.
        blocks = min(-(-room.room // length), room.span // length)
        turns = np.arange(int(own.sum()), dtype=np.uint64) % np.uint64(blocks)
        places[own] = turns * np.uint64(length)
    return places


def _holed(room: _Room, ops: NDArray[np.uint8], skip: int, once: bool) -> Numbers:
    """With a hole between two, as `get_next_seq_offset()` goes on."""

    def all_of() -> Iterator[int]:
        last = [0, 0]
        for way in ops.tolist():
            place = last[way]
            if place:
                place += skip
                if not 0 <= place < room.span:
                    place = 0 if skip > 0 else min(room.room, room.span) + skip
            if place >= room.room or place < 0 or place + room.lengths[way] > room.span:
                if once:
                    return
                place, last = 0, [0, 0]
            last[way] = place + room.lengths[way]
            yield place

    return np.fromiter(all_of(), dtype=np.uint64)


def _in_runs(
    room: _Room, ops: NDArray[np.uint8], random: Numbers, each: int, *, same: bool, once: bool
) -> Numbers:
    """A random place for every so many requests; the others follow the last one of their way.

    With `rw_sequencer=identical` (`same`) they are at its place again.
    """

    def all_of() -> Iterator[int]:
        start, end = [0, 0], [0, 0]
        for number, (way, place) in enumerate(zip(ops.tolist(), random.tolist(), strict=True)):
            at = place
            if number % each:
                at = start[way] if same else end[way]
                if at >= room.room:
                    if once and room.room < room.span:
                        return
                    at = place
            start[way], end[way] = at, at + room.lengths[way]
            yield at

    return np.fromiter(all_of(), dtype=np.uint64)


# ── flushes ───────────────────────────────────────────────────────────────────────────────────


def is_durable(section: Effective) -> bool:
    """Whether each write is on the device before it ends: O_SYNC or O_DSYNC."""
    return section.text("sync") in _DURABLE


def _flushed(made: Stream, section: Effective, options: _Options) -> Stream:
    """With a flush behind every so many writes, and behind each where `sync` says so."""
    every = options.count("fsync") or options.count("fdatasync")
    if is_durable(section):
        every = 1
    return with_flushes(made, every) if every else made


def with_flushes(made: Stream, every: int) -> Stream:
    """With a flush behind every so many writes."""
    writes = np.flatnonzero(made.ops == WRITE)[every - 1 :: every] + 1
    zeros = np.zeros(len(writes), dtype=np.uint64)
    return Stream(
        np.insert(made.ops, writes, FLUSH), np.insert(made.offsets, writes, zeros),
        np.insert(made.lengths, writes, zeros), made.ends, made.notes,
    )  # fmt: skip
