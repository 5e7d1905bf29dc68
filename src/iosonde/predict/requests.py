"""The requests of a load, one by one: made as fio would make them, or read from a trace.

Counts need no clock: a load that is bounded by time is asked for so many requests. What one job
does is in stream.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iosonde.errors import UsageError
from iosonde.extras import LazyModule
from iosonde.loads.fio.demand import demand_of, jobs_of
from iosonde.loads.fio.job import effective, job_of
from iosonde.predict.memory import NOT_RECKONED
from iosonde.predict.stream import (
    FLUSH,
    READ,
    WRITE,
    Numbers,
    Stream,
    is_durable,
    stream,
    with_flushes,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from iosonde.records.load import Load
else:
    np = LazyModule("numpy")

__all__ = ["FLUSH", "READ", "WRITE", "Numbers", "Requests", "durable", "of_lines", "of_load"]
_ACTIONS = {"read": READ, "write": WRITE, "sync": FLUSH, "datasync": FLUSH}


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


def of_load(load: Load, count: int, span: int, *, exactly: bool = False) -> Requests:
    """The requests of a fio load.

    Args:
        load: as declared.
        count: how many, where the load itself does not say.
        span: bytes of the target.
        exactly: so many, whatever the load says: it is known how many there were.

    Raises:
        UsageError: no load of fio, or one whose requests cannot be told beforehand.
    """
    if load.engine != "fio":
        raise UsageError(
            f"the requests of {load.engine} are not known beforehand", where=load.name,
            hint="take a load of fio, or a trace (fio --write_iolog)",
        )  # fmt: skip
    job = job_of(load)
    notes = [] if demand_of(job, where=load.name).direct else [NOT_RECKONED]
    streams: list[Stream] = []
    for section in effective(job):
        jobs = range(jobs_of(section, load.name))
        streams += [
            stream(section, number, count, span, load.name, exactly=exactly) for number in jobs
        ]
    each = -(-count // len(streams))
    bounded = any(stream.ends for stream in streams)
    kept = streams if bounded or len(streams) == 1 else [stream.first(each) for stream in streams]
    mixed = _in_turn(kept)
    notes += dict.fromkeys(note for stream in streams for note in stream.notes)
    return Requests(mixed.ops, mixed.offsets, mixed.lengths, tuple(notes))


def _in_turn(streams: Sequence[Stream]) -> Requests:
    """One request of each stream, then the next of each."""
    turns = np.concatenate([np.arange(len(stream.ops)) for stream in streams])
    order = np.argsort(turns, kind="stable")
    return Requests(
        np.concatenate([stream.ops for stream in streams])[order],
        np.concatenate([stream.offsets for stream in streams])[order],
        np.concatenate([stream.lengths for stream in streams])[order],
    )


def durable(load: Load, recorded: Requests) -> Requests:
    """What fio wrote down of a load, with the flushes that `sync` brings: it notes none of them."""
    if not all(is_durable(section) for section in effective(job_of(load))):
        return recorded
    made = Stream(recorded.ops, recorded.offsets, recorded.lengths, ends=True)
    whole = with_flushes(made, 1)
    return Requests(whole.ops, whole.offsets, whole.lengths, recorded.notes)


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
        fields = line.split()[1 if timed else 0 :]
        op = _ACTIONS.get(fields[1]) if len(fields) > 1 else None
        try:
            if op == FLUSH:
                yield FLUSH, 0, 0
            elif op is not None:
                yield op, int(fields[2]), int(fields[3])
        except (IndexError, ValueError):
            raise UsageError(
                "this is not a line of a trace", where=f"{path}:{number}",
                hint="expected: [time] file read|write offset length",
            ) from None  # fmt: skip
