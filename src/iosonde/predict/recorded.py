"""The requests of a recorded trace, of any format that `iosonde.trace` reads, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from iosonde.errors import UsageError
from iosonde.predict.requests import FLUSH, Requests
from iosonde.trace.read import DISCARD, Trace, open_trace


@dataclass(slots=True)
class Recorded:
    """A trace as a load: read again for each `parts`, so that it need not fit into memory.

    `notes` say what of it is no part of the load; they are whole once it has been read.
    """

    path: Path
    notes: tuple[str, ...] = ()
    _count: int = field(default=0, init=False)

    def __len__(self) -> int:
        """Reads and writes, once it has been read."""
        return self._count

    def parts(self) -> Iterator[Requests]:
        """Its reads, writes and flushes in its order.

        Raises:
            UsageError: it cannot be read.
        """
        trace = open_trace(str(self.path))
        count = left_out = 0
        for batch in trace.batches():
            kept = (batch.ops != DISCARD) & ((batch.lengths > 0) | (batch.ops == FLUSH))
            left_out += len(batch) - int(np.count_nonzero(kept))
            part = Requests(batch.ops[kept], batch.offsets[kept], batch.lengths[kept])
            count += len(part)
            yield part
        self._count = count
        self.notes = tuple(_notes(trace, left_out))


def _notes(trace: Trace, left_out: int) -> Iterator[str]:
    damage = trace.damage
    if damage.count:
        place, problem = damage.first[0]
        yield f"{damage.count} damaged lines of the trace are left out (at {place}: {problem})"
    if damage.lost:
        yield f"{damage.lost} events were lost while the trace was recorded"
    if left_out:
        yield f"{left_out} discards and requests without data are left out"
    if len(trace.core.devices) > 1:
        yield f"{len(trace.core.devices)} devices of the trace are laid over each other"


def is_trace(path: Path) -> bool:
    """Whether a name is that of a trace."""
    try:
        open_trace(str(path))
    except (UsageError, OSError):  # a pasted command line is longer than any name
        return False
    return True


def of_trace(path: Path) -> Requests:
    """All requests of a trace at once.

    Raises:
        UsageError: it cannot be read.
    """
    recorded = Recorded(path)
    parts = list(recorded.parts()) or [
        Requests(np.zeros(0, np.uint8), np.zeros(0, np.uint64), np.zeros(0, np.uint64))
    ]
    return Requests(
        np.concatenate([part.ops for part in parts]),
        np.concatenate([part.offsets for part in parts]),
        np.concatenate([part.lengths for part in parts]),
        recorded.notes,
    )
