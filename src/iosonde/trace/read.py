"""A trace of any format as columns of NumPy, batch by batch.

The formats are files of crates/iosonde-core/src/trace/formats, each with the source of its facts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde import _core
from iosonde.errors import UsageError
from iosonde.extras import LazyModule
from iosonde.inputs import input_path

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")

READ, WRITE, FLUSH, DISCARD = 0, 1, 2, 3
OPS = ("read", "write", "flush", "discard")
BATCH = 1 << 18
"""Requests of a batch, about."""

_OF_A_CPU = re.compile(r"^(?P<name>.+)\.blktrace\.(?P<cpu>\d+)(?P<packed>\.gz|\.zst)?$")


@dataclass(frozen=True, slots=True, eq=False)
class RequestBatch:
    """Some requests in the order of the trace; columns of one length.

    `times` are nanoseconds on the trace's clock (uint64), `ops` as READ and so on (uint8),
    `devices` numbers of the trace's device names (uint32), `offsets` and `lengths` bytes (uint64).
    """

    times: NDArray[np.uint64]
    ops: NDArray[np.uint8]
    devices: NDArray[np.uint32]
    offsets: NDArray[np.uint64]
    lengths: NDArray[np.uint64]

    def __len__(self) -> int:
        """Requests."""
        return len(self.ops)


@dataclass(frozen=True, slots=True)
class TraceSource:
    """The files of one trace, and what it is called."""

    name: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Damage:
    """What was not read.

    `count` lines, or gaps between records; `first` the first ten: the line's number from 1 (of a
    binary trace the byte's from 0) and what is wrong. `lost` events for which the kernel had no
    room, None where the format does not tell.
    """

    count: int
    first: tuple[tuple[int, str], ...]
    lost: int | None


class Trace:
    """A trace that is being read, once, from the beginning to the end.

    Args:
        source: its files.
        fmt: a name of `formats()`; None: found in the content.
        event: which event of the block layer is a request: Q (queued), D (issued) or C
            (completed); None: the first of these that there is.

    Raises:
        UsageError: it cannot be opened; it is no trace.
    """

    def __init__(
        self, source: TraceSource, *, fmt: str | None = None, event: str | None = None
    ) -> None:
        if fmt is not None and fmt not in formats():
            names = ", ".join(formats())
            raise UsageError(f"there is no format of traces {fmt!r}; known: {names}")
        if event not in {None, "Q", "D", "C"}:
            raise UsageError(
                f"{event!r} is not an event that can be a request",
                hint="Q (queued), D (issued to the driver) or C (completed)",
            )
        self.source = source
        try:
            with ExitStack() as held:
                paths = [held.enter_context(input_path(path)) for path in source.paths]
                self.core = _core.TraceReader(paths, fmt=fmt, event=event)
        except _core.TraceError as problem:
            raise UsageError(
                str(problem), where=source.name, hint="`iosonde trace formats` lists what is read"
            ) from None
        except OSError as problem:
            raise UsageError(
                f"cannot be read: {os.strerror(problem.errno or 5)}", where=source.name
            ) from None

    def batches(self, size: int = BATCH) -> Iterator[RequestBatch]:
        """Its requests, at least `size` at once but for the last.

        Raises:
            UsageError: reading it failed.
        """
        while True:
            try:
                columns = self.core.read(size)
            except OSError as problem:
                raise UsageError(f"reading it failed: {problem}", where=self.source.name) from None
            if columns is None:
                return
            times, ops, devices, offsets, lengths = columns
            yield RequestBatch(
                np.frombuffer(times, dtype=np.uint64),
                np.frombuffer(ops, dtype=np.uint8),
                np.frombuffer(devices, dtype=np.uint32),
                np.frombuffer(offsets, dtype=np.uint64),
                np.frombuffer(lengths, dtype=np.uint64),
            )

    @property
    def format(self) -> str:
        """Name of its format."""
        return self.core.format

    @property
    def damage(self) -> Damage:
        """What was not read so far."""
        return Damage(self.core.bad, tuple(self.core.named_bad), self.core.lost)


def formats() -> dict[str, str]:
    """Names of all formats, and what they are."""
    return dict(_core.trace_formats())


def sources(names: Sequence[str]) -> list[TraceSource]:
    """The traces that the names of files mean, in their order.

    Files that blktrace wrote for the processors of one device (`NAME.blktrace.0` and so on) are one
    trace, and so is `NAME` where only these exist. `-` is standard input.

    Raises:
        UsageError: there is no such file.
    """
    groups: dict[str, list[str]] = {}
    for name in names:
        if name == "-":
            groups.setdefault("-", ["/dev/stdin"])
            continue
        path = Path(name)
        if match := _OF_A_CPU.match(name):
            groups.setdefault(match["name"], []).append(name)
        elif not path.exists() and (parts := _of_all_cpus(path)):
            groups.setdefault(name, []).extend(parts)
        else:
            groups.setdefault(name, [name])
    return [TraceSource(name, tuple(dict.fromkeys(paths))) for name, paths in groups.items()]


def _of_all_cpus(path: Path) -> list[str]:
    """What blktrace wrote under a name, by processor."""
    if not path.parent.is_dir():
        return []
    stem = path.name.removesuffix(".blktrace")
    parts = [
        (int(match["cpu"]), str(file))
        for file in path.parent.iterdir()
        if (match := _OF_A_CPU.match(file.name)) and match["name"] == stem
    ]
    return [name for _, name in sorted(parts)]


def open_trace(name: str, *, fmt: str | None = None, event: str | None = None) -> Trace:
    """The trace of one file, or of the files that blktrace wrote under one name.

    Raises:
        UsageError: see `Trace`.
    """
    return Trace(sources([name])[0], fmt=fmt, event=event)
