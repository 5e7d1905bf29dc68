"""The requests of a load, one by one: made as fio would make them, or read from a trace.

Counts need no clock: a load that is bounded by time is asked for so many requests.

Source: fio 3.33, HOWTO (rw, bs, bssplit, size, offset, rwmixread, norandommap, fsync); a random map
lets fio touch every block once before it touches one again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from iosonde.errors import UsageError
from iosonde.loads.fio import figures
from iosonde.loads.fio.demand import demand_of, jobs_of
from iosonde.loads.fio.job import Effective, effective, job_of
from iosonde.predict.memory import NOT_RECKONED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from iosonde.records import Load

Numbers: TypeAlias = "NDArray[np.uint64]"

READ, WRITE, FLUSH = 0, 1, 2
_RANDOM = {"randread": READ, "randwrite": WRITE, "randrw": None}
_SEQUENTIAL = {"read": READ, "write": WRITE, "rw": None, "readwrite": None}
_ACTIONS = {"read": READ, "write": WRITE, "sync": FLUSH, "datasync": FLUSH}
_UNKNOWN = ("bsrange", "zonemode", "random_distribution", "verify", "percentage_random")


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """Requests in the order in which they are made.

    `ops` holds 0 read, 1 write, 2 flush (uint8), `offsets` and `lengths` bytes (uint64).
    `notes` say where they differ from what the load would do.
    """

    ops: NDArray[np.uint8]
    offsets: Numbers
    lengths: Numbers
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Reads and writes."""
        return int(np.count_nonzero(self.ops != FLUSH))

    def parts(self) -> Iterator[Requests]:
        """All at once; a recorded trace comes in several."""
        yield self


def of_load(load: Load, count: int, span: int) -> Requests:
    """The requests of a fio load.

    Args:
        load: as declared.
        count: how many, where the load itself does not say.
        span: bytes of the target.

    Raises:
        UsageError: no load of fio, or one whose requests cannot be told beforehand.
    """
    if load.engine != "fio":
        raise UsageError(
            f"the requests of {load.engine} are not known beforehand", where=load.name,
            hint="take a load of fio, or a trace (fio --write_iolog)",
        )  # fmt: skip
    job = job_of(load)
    notes = [] if demand_of(job, where=load.name).direct else [
        NOT_RECKONED
    ]  # fmt: skip
    streams: list[Requests] = []
    for section in effective(job):
        jobs = range(jobs_of(section, load.name))
        streams += [_stream(section, number, count, span, load.name) for number in jobs]
    each = -(-count // len(streams))
    kept = [_first(one, each) if len(streams) > 1 else one for one in streams]
    mixed = _in_turn(kept)
    return Requests(mixed.ops, mixed.offsets, mixed.lengths, tuple(notes))


def _first(requests: Requests, count: int) -> Requests:
    return Requests(requests.ops[:count], requests.offsets[:count], requests.lengths[:count])


def _in_turn(streams: Sequence[Requests]) -> Requests:
    """One request of each stream, then the next of each."""
    turns = np.concatenate([np.arange(len(one.ops)) for one in streams])
    order = np.argsort(turns, kind="stable")
    return Requests(
        np.concatenate([one.ops for one in streams])[order],
        np.concatenate([one.offsets for one in streams])[order],
        np.concatenate([one.lengths for one in streams])[order],
    )


def _stream(section: Effective, number: int, count: int, span: int, where: str) -> Requests:
    """The requests of one job of a section."""
    place = f"{where}, job {section.name}"
    for option in _UNKNOWN:
        if section.text(option) not in {"", "0", "random"}:
            raise UsageError(f"{option} is not understood by `predict`", where=place)
    base = figures.count(section.text("kb_base", "1024"), what="kb_base", where=place)

    def size(option: str, default: int) -> int:
        text = section.text(option)
        found = figures.size(text, kb_base=base, what=option, where=place) if text else None
        return default if found is None else found

    direction = section.text("rw", "read").split(":")[0].strip()
    if direction not in _RANDOM | _SEQUENTIAL:
        raise UsageError(f"rw={direction} cannot be predicted", where=place)
    begin = size("offset", 0) + number * size("offset_increment", 0)
    room = min(size("size", span), span - begin)
    seed = figures.count(section.text("randseed", "1"), what="randseed", where=place)
    chance = np.random.default_rng((number, seed))
    total = size("io_size", 0) or size("number_ios", 0)
    read, write = _blocks(section, base, place)
    wanted = total // max(read, write) if section.text("io_size") else total or count
    if room < max(read, write):
        raise UsageError(
            f"the load's blocks do not fit into the {span} bytes of the target", where=place
        )
    ops = _ops((_RANDOM | _SEQUENTIAL)[direction], section, wanted, chance, place)
    lengths = np.where(ops == READ, read, write).astype(np.uint64)
    grain = min(read, write)
    blocks = (room - max(read, write)) // grain + 1
    if direction in _RANDOM:
        places = _places(blocks, wanted, chance, again=section.has("norandommap"))
    else:
        places = np.arange(wanted, dtype=np.uint64) % np.uint64(blocks)
    offsets = np.uint64(begin) + places * np.uint64(grain)
    return _flushed(Requests(ops, offsets, lengths), section, place)


def _blocks(section: Effective, base: int, place: str) -> tuple[int, int]:
    """Bytes of a read and of a write."""
    texts = section.text("bs", "4k").split(",")
    sizes = [figures.size(text, kb_base=base, what="bs", where=place) for text in texts if text]
    if section.text("bssplit") or not sizes or None in sizes or 0 in sizes:
        raise UsageError("`predict` needs one block size for each direction", where=place)
    known = [one for one in sizes if one]
    return known[0], known[1] if len(known) > 1 else known[0]


def _ops(
    only: int | None, section: Effective, count: int, chance: np.random.Generator, place: str
) -> NDArray[np.uint8]:
    if only is not None:
        return np.full(count, only, dtype=np.uint8)
    reads = figures.count(section.text("rwmixread", "50"), what="rwmixread", where=place)
    if text := section.text("rwmixwrite"):
        reads = 100 - figures.count(text, what="rwmixwrite", where=place)
    return (chance.integers(0, 100, count) >= reads).astype(np.uint8)


def _places(blocks: int, count: int, chance: np.random.Generator, *, again: bool) -> Numbers:
    """Numbers of blocks at random; without `again` each once before one comes a second time."""
    if again or blocks > 2**24:
        return chance.integers(0, blocks, count, dtype=np.uint64)
    passes = [chance.permutation(blocks) for _ in range(-(-count // blocks))]
    return np.concatenate(passes)[:count].astype(np.uint64)


def _flushed(requests: Requests, section: Effective, place: str) -> Requests:
    """With a flush behind every so many writes."""
    text = section.text("fsync") or section.text("fdatasync")
    every = figures.count(text, what="fsync", where=place) if text else 0
    if not every:
        return requests
    writes = np.flatnonzero(requests.ops == WRITE)[every - 1 :: every] + 1
    zeros = np.zeros(len(writes), dtype=np.uint64)
    return Requests(
        np.insert(requests.ops, writes, FLUSH),
        np.insert(requests.offsets, writes, zeros),
        np.insert(requests.lengths, writes, zeros),
    )


def is_trace(path: Path) -> bool:
    """Whether a name is that of a trace that `iosonde.trace` reads."""
    from iosonde.predict import recorded

    return recorded.is_trace(path)


def of_trace(path: Path) -> Requests:
    """The reads, writes and flushes of a trace, in its order, all at once.

    Raises:
        UsageError: it cannot be read.
    """
    from iosonde.predict import recorded

    return recorded.of_trace(path)


def of_lines(lines: Iterator[str], where: str) -> Requests:
    """The reads, writes and flushes of the lines of a fio trace, version 2 or 3, in their order.

    Raises:
        UsageError: a line is none of a trace; `where` and its number name it.
    """
    rows = list(_rows(lines, where))
    table = np.array(rows, dtype=np.uint64).reshape(len(rows), 3)
    return Requests(table[:, 0].astype(np.uint8), table[:, 1].copy(), table[:, 2].copy())


def _rows(lines: Iterator[str], path: str) -> Iterator[tuple[int, int, int]]:
    timed = "3" in next(lines).split()[2:3]
    for number, line in enumerate(lines, 2):
        words = line.split()[1 if timed else 0 :]
        op = _ACTIONS.get(words[1]) if len(words) > 1 else None
        try:
            if op == FLUSH:
                yield FLUSH, 0, 0
            elif op is not None:
                yield op, int(words[2]), int(words[3])
        except (IndexError, ValueError):
            raise UsageError(
                "this is no line of a trace", where=f"{path}:{number}",
                hint="expected: [time] file read|write offset length",
            ) from None  # fmt: skip
