"""The requests of a trace made ready to be issued again at a target."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

from iosonde import units
from iosonde.errors import UsageError
from iosonde.extras import LazyModule
from iosonde.trace.read import DISCARD, FLUSH, READ, WRITE, open_trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from iosonde.records.stack import Json
    from iosonde.trace.read import RequestBatch, Trace
else:
    np = LazyModule("numpy")

Fit: TypeAlias = Literal["refuse", "wrap", "scale", "skip"]
MOST = 1_000_000
"""Requests of a replay: they are held in memory here and on the host, about 40 bytes each."""
LONGEST = 1 << 26
"""Bytes of a request; longer ones are left out."""
_FARTHEST = 1 << 63  # bytes; no device is larger, so what lies beyond is taken to lie there
_GRID = 4096
_UNFIT = ("requests longer than the target", "requests beyond the target's end")


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """What of a trace is replayed, and how.

    Args:
        trace: the file.
        format: see `Trace`; None: by content.
        event: see `Trace`.
        device: of the trace; empty: its only one.
        speed: 2: twice as fast; None: as fast as the device can.
        seconds: of the trace from its first request; None: all.
        fit: what becomes of requests beyond the target's end.
        align: bytes to which requests are widened; 0: as they are.
        reads_only: leave writes and flushes out.
        in_flight: requests at once.
        direct: past the page cache.
        size: bytes of the target that are used; None: up to the trace's last byte.
    """

    trace: str
    format: str | None = None
    event: str | None = None
    device: str = ""
    speed: float | None = 1.0
    seconds: float | None = None
    fit: Fit = "refuse"
    align: int = 0
    reads_only: bool = False
    in_flight: int = 128
    direct: bool = True
    size: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ReplayRequests:
    """Requests in the order of the trace; columns of one length.

    `times` are nanoseconds since the first, as they are to be issued, never decreasing (uint64);
    `left_out` says how many requests were left out, and why.
    """

    times: NDArray[np.uint64]
    offsets: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    ops: NDArray[np.uint8]
    left_out: Mapping[str, int]
    moved: int = 0
    """Requests that lay beyond the target's end and were given another place."""

    def __len__(self) -> int:
        """Requests."""
        return len(self.ops)

    @property
    def extent(self) -> int:
        """The byte behind the last one asked for."""
        return int((self.offsets + self.lengths).max())

    @property
    def digest(self) -> str:
        """SHA-256 of the columns."""
        return hashlib.sha256(self.packed()).hexdigest()

    def packed(self) -> bytes:
        """As loads/replay/submit.py reads them."""
        columns = (
            self.times.astype("<u8"), self.offsets.astype("<u8"), self.lengths.astype("<u4"),
            self.ops.astype("u1"),
        )  # fmt: skip
        skipped = sum(self.left_out.get(why, 0) for why in _UNFIT)
        head = b"iosonde requests 1 %d %d %d\n" % (len(self), self.moved, skipped)
        return b"".join((head, *(column.tobytes() for column in columns)))

    def kept(self, mask: NDArray[np.bool_], why: str) -> ReplayRequests:
        """Without those that the mask has not."""
        gone = len(self) - int(np.count_nonzero(mask))
        if not gone:
            return self
        return ReplayRequests(
            self.times[mask], self.offsets[mask], self.lengths[mask], self.ops[mask],
            {**self.left_out, why: self.left_out.get(why, 0) + gone},
        )  # fmt: skip


def read_requests(options: ReplayOptions) -> ReplayRequests:
    """The requests that are to be replayed, at their times, before they are fitted to a target.

    Raises:
        UsageError: it is no trace, has too many requests, those of several devices, no times, or
            none that can be replayed.
    """
    if options.fit not in get_args(Fit):
        raise UsageError(
            f"{options.fit!r} is no way to fit", where="--fit", hint=", ".join(get_args(Fit))
        )
    trace = open_trace(options.trace, fmt=options.format, event=options.event)
    parts: list[RequestBatch] = []
    left_out: Counter[str] = Counter()
    first, count, timed = None, 0, False
    for batch in trace.batches():
        mask = _of_device(trace, batch, options)
        times = batch.times[mask]
        if first is None and len(times):
            first = int(times[0])
        timed = timed or bool((times != first).any())
        if options.seconds is not None and first is not None:
            mask &= batch.times < np.uint64(min(first + int(options.seconds * 1e9), (1 << 64) - 1))
        mask &= _replayable(batch, mask, options, left_out)
        parts.append(_masked(batch, mask))
        count += len(parts[-1])
        if count > MOST:
            raise UsageError(
                f"more than {MOST:,} requests", where=options.trace,
                hint="replay a part of it, such as its first minute: --seconds 60s",
            )  # fmt: skip
    if damaged := trace.damage.count:
        left_out["lines or records that cannot be read"] += damaged
    if not count:
        raise UsageError("no request that can be replayed", where=options.trace)
    if count > 1 and not timed and options.speed is not None:
        raise UsageError(
            "the trace has no times", where=options.trace,
            hint="--speed max issues its requests as fast as the device can",
        )  # fmt: skip
    return _timed(parts, options, dict(left_out))


def _of_device(trace: Trace, batch: RequestBatch, options: ReplayOptions) -> NDArray[np.bool_]:
    """Which requests are those of the device that is replayed.

    Raises:
        UsageError: there are several, or not this one.
    """
    names = trace.core.devices
    if options.device:
        wanted = [number for number, name in enumerate(names) if name == options.device]
        return np.isin(batch.devices, np.array(wanted, np.uint32))
    if len(names) > 1:
        listed = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
        raise UsageError(
            f"the trace has requests of {len(names)} devices ({listed})", where=options.trace,
            hint=f"say which is replayed, such as --device {names[0]}",
        )  # fmt: skip
    return np.ones(len(batch), np.bool_)


def _replayable(
    batch: RequestBatch, mask: NDArray[np.bool_], options: ReplayOptions, left_out: Counter[str]
) -> NDArray[np.bool_]:
    """Which requests can be issued; the others are counted by why not."""
    data = (batch.ops == READ) | (batch.ops == WRITE)
    reasons = {
        "discards": batch.ops == DISCARD,
        "requests without data": data & (batch.lengths == 0),
        f"requests longer than {units.show_bytes(LONGEST)}": data & (batch.lengths > LONGEST),
    }
    if options.reads_only:
        reasons["writes and flushes"] = (batch.ops == WRITE) | (batch.ops == FLUSH)
    good = np.ones(len(batch), np.bool_)
    for why, which in reasons.items():
        if gone := int(np.count_nonzero(which & mask & good)):
            left_out[why] += gone
        good &= ~which
    return good


def _masked(batch: RequestBatch, mask: NDArray[np.bool_]) -> RequestBatch:
    return replace(
        batch, times=batch.times[mask], ops=batch.ops[mask], devices=batch.devices[mask],
        offsets=batch.offsets[mask], lengths=batch.lengths[mask],
    )  # fmt: skip


def _timed(
    parts: list[RequestBatch], options: ReplayOptions, left_out: dict[str, int]
) -> ReplayRequests:
    """At the times at which they are to be issued; none is earlier than the one before it."""
    times = np.maximum.accumulate(np.concatenate([part.times for part in parts]))
    times = times - times[0]
    if options.speed is None:
        times = np.zeros_like(times)
    elif options.speed != 1:
        times = (times / options.speed).astype(np.uint64)
    ops = np.concatenate([part.ops for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    offsets = np.minimum(np.concatenate([part.offsets for part in parts]), np.uint64(_FARTHEST))
    lengths[ops == FLUSH] = offsets[ops == FLUSH] = 0
    if options.align:
        grid = np.uint64(options.align)
        ends = (offsets + lengths + grid - np.uint64(1)) // grid * grid
        offsets = offsets // grid * grid
        lengths = np.where(ops == FLUSH, np.uint64(0), ends - offsets)
    return ReplayRequests(times, offsets, lengths.astype(np.uint32), ops, left_out)


def fitted(requests: ReplayRequests, size: int, options: ReplayOptions) -> ReplayRequests:
    """The requests within the target's bytes.

    Args:
        requests: of the trace.
        size: bytes of the target.
        options: say what becomes of requests beyond its end.

    Raises:
        UsageError: there are some, and nothing was said; none would be left.
    """
    lengths = requests.lengths.astype(np.uint64)
    whole = np.uint64(size)
    beyond = (lengths > whole) | (requests.offsets > whole - np.minimum(lengths, whole))
    count = int(np.count_nonzero(beyond))
    if not count:
        return requests
    if options.fit == "refuse":
        raise UsageError(
            f"{count:,} of {len(requests):,} requests lie beyond the target's end: the trace "
            f"reaches to {units.show_bytes(requests.extent)}, the target to "
            f"{units.show_bytes(size)}",
            where=options.trace,
            hint="--fit wrap folds them into it, --fit scale shrinks all distances, --fit skip "
            "leaves them out",
        )
    requests = requests.kept(lengths <= whole, _UNFIT[0])
    if options.fit == "skip":
        lengths = requests.lengths.astype(np.uint64)
        requests = requests.kept(requests.offsets <= whole - lengths, _UNFIT[1])
    if not len(requests):
        raise UsageError("no request fits into the target", where=options.trace)
    if options.fit == "skip":
        return requests
    moved = _moved(requests, size, options)
    return replace(requests, offsets=moved, moved=int(np.count_nonzero(moved != requests.offsets)))


def _moved(requests: ReplayRequests, size: int, options: ReplayOptions) -> NDArray[np.uint64]:
    """Offsets within the target, on the grid of the trace's own offsets and lengths."""
    grid = np.uint64(options.align or _grid_of(requests))
    whole, offsets = np.uint64(size), requests.offsets
    last = (whole - requests.lengths.astype(np.uint64)) // grid * grid
    if options.fit == "wrap":
        moved = offsets % (whole // grid * grid or grid)
    else:
        moved = (offsets.astype(np.float64) * (size / requests.extent)).astype(np.uint64)
        moved = moved // grid * grid
    clipped: NDArray[np.uint64] = np.minimum(moved, last)
    return clipped


def _grid_of(requests: ReplayRequests) -> int:
    """The largest power of two up to 4 KiB of which all offsets and lengths are multiples."""
    bits = int(np.bitwise_or.reduce(requests.offsets)) | int(np.bitwise_or.reduce(requests.lengths))
    return min(bits & -bits, _GRID) if bits else _GRID


def spec_of(options: ReplayOptions, requests: ReplayRequests) -> dict[str, Json]:
    """The declaration of a replay, from which `packed_again` makes the same requests."""
    counts = np.bincount(requests.ops, minlength=4)
    return {
        **asdict(options), "requests": len(requests), "reads": int(counts[READ]),
        "writes": int(counts[WRITE]), "flushes": int(counts[FLUSH]),
        "extent": requests.extent, "length": int(requests.times[-1]) / 1e9,
        "left_out": dict(requests.left_out), "digest": requests.digest,
    }  # fmt: skip


def packed_again(spec: Mapping[str, Json], size: int | None) -> bytes:
    """The file of requests for a target.

    Args:
        spec: see `spec_of`.
        size: bytes of the target; None: it is not known, so that nothing is fitted.

    Raises:
        UsageError: the trace is gone, is not what it was, or does not fit.
    """
    names = ReplayOptions.__dataclass_fields__
    options = ReplayOptions(**cast("dict[str, str]", {name: spec[name] for name in names}))  # type: ignore[arg-type]
    requests = read_requests(options)
    if requests.digest != spec["digest"]:
        raise UsageError("the trace has changed since the run began", where=options.trace)
    return (requests if size is None else fitted(requests, size, options)).packed()
