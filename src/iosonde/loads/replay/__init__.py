"""Replay: the requests of a block trace, issued again at their times.

fio's `read_iolog` does not serve (docs/decisions/0160-replay-by-own-submission.md), so `submit.py`,
which iosonde puts on the host for a loop, issues the requests; it needs python3 there and nothing
else. The trace is read where iosonde runs (trace/replay.py), before the first loop.

Metrics beside the usual ones, in seconds: `arrival.error.p50`, `.p99` and `.max`: how much later
than in the trace requests were issued; `arrival.lag`: the same at the end, over the last requests.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar, cast

from iosonde import kerneltext
from iosonde.errors import LoadFailed, UsageError
from iosonde.loads.load import REPLAYED
from iosonde.records.load import (
    Demand,
    Histogram,
    Load,
    LoadCommand,
    LoadResult,
    RawOutput,
    Target,
)
from iosonde.statistics.lateness import lags

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from iosonde.records.stack import Json

    Times = NDArray[np.int64]

RESULT = "replayed.bin"
_SCRIPT = "submit.py"
_GRACE = 3600.0  # seconds that a slow device may lag behind
_OPS = ("read", "write", "sync")
_PERCENTILES = {"p50": 50, "p90": 90, "p95": 95, "p99": 99, "p99_9": 99.9, "p99_99": 99.99}
_LAST = 100  # of so many requests the last is among those at the end


class Replay:
    """See `iosonde.loads.load.LoadEngine`; the spec is that of `iosonde.trace.replay.spec_of`."""

    name: ClassVar[str] = "replay"
    parser_version: ClassVar[int] = 1

    def declare(self, spec: str | Mapping[str, Json], *, name: str, where: str) -> Load:
        """See `LoadEngine.declare`."""
        if isinstance(spec, str) or "digest" not in spec:
            raise UsageError(
                "a trace is replayed by a verb of its own", where=where,
                hint="iosonde trace replay FILE --target PLACE",
            )  # fmt: skip
        return Load(self.name, name, dict(spec))

    def adjust(self, load: Load, options: Mapping[str, Json], *, where: str) -> Load:
        """See `LoadEngine.adjust`: nothing of a replay is changed afterwards."""
        raise UsageError(
            f"{', '.join(options)}: {load.name} is as its trace", where=where,
            hint="give the options to `iosonde trace replay`",
        )  # fmt: skip

    def demand(self, load: Load) -> Demand:
        """See `LoadEngine.demand`."""
        spec = load.spec
        return Demand(
            reads=bool(spec["reads"]),
            writes=bool(spec["writes"]),
            size=cast("int", spec["size"] or spec["extent"]),
            seconds=cast("float", spec["length"]) or None,
            direct=bool(spec["direct"]),
            tools=("python3",),
            check=(("python3", "-c", "import os; os.preadv, os.pwritev"), b""),
            directions=(*_OPS, "arrival"),
        )

    def command(
        self, load: Load, target: Target, *, directory: str, seconds: float | None
    ) -> LoadCommand:
        """See `LoadEngine.command`. The trace says how long it takes."""
        del seconds
        requests, result = f"{directory}/{REPLAYED}", f"{directory}/{RESULT}"
        direct = "1" if load.spec["direct"] else "0"
        return LoadCommand(
            argv=(
                "python3", f"{directory}/{_SCRIPT}", requests, target.path, result,
                str(load.spec["in_flight"]), direct,
            ),
            outputs=(result, requests),
            timeout=10 * cast("float", load.spec["length"]) + _GRACE,
        )  # fmt: skip

    def replays(self, load: Load) -> Mapping[str, Json]:
        """See `ReplayingEngine.replays`."""
        return load.spec

    def programs(self) -> Mapping[str, bytes]:
        """See `ReplayingEngine.programs`."""
        return {_SCRIPT: files(__name__).joinpath(_SCRIPT).read_bytes()}

    def parse(self, raw: RawOutput) -> LoadResult:
        """See `LoadEngine.parse`."""
        if raw.status or RESULT not in raw.files or REPLAYED not in raw.files:
            said = kerneltext.lines(kerneltext.decoded(raw.stderr).strip())
            raise LoadFailed(
                f"the replay ended with status {raw.status}: {said[-1] if said else 'no message'}",
                hint="a file system without direct I/O needs --buffered",
            )
        return _result(raw.files[REPLAYED], replayed_of(raw))


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """Requests of a loop in the order of the trace, and how they went.

    `times` and `late` (behind them) are nanoseconds, `took` from issue to end; `offsets` and
    `lengths` bytes; `ops` 0 read, 1 write, 2 flush; `errors` the host's numbers, 0 of none.
    """

    times: NDArray[np.uint64]
    offsets: NDArray[np.uint64]
    lengths: NDArray[np.uint32]
    ops: NDArray[np.uint8]
    late: Times
    took: Times
    errors: NDArray[np.uint16]


def replayed_of(raw: RawOutput) -> Replayed:
    """What a loop left behind, request by request.

    Raises:
        LoadFailed: it is not whole.
    """
    if RESULT not in raw.files or REPLAYED not in raw.files:
        raise LoadFailed("the result of the replay is not kept")
    asked = _columns(raw.files[REPLAYED], b"iosonde requests 1 ", ("<u8", "<u8", "<u4", "u1"))
    went = _columns(raw.files[RESULT], b"iosonde replayed 1 ", ("<i8", "<i8", "<u2"))
    if len(asked[0]) != len(went[0]):
        raise LoadFailed("the result of the replay is not that of its requests")
    return Replayed(*asked, *went)


def _columns(content: bytes, head: bytes, kinds: tuple[str, ...]) -> list[NDArray[Any]]:
    """The columns of a file of `submit.py`.

    Raises:
        LoadFailed: it is torn.
    """
    import numpy as np

    first, _, rest = content.partition(b"\n")
    count = first.removeprefix(head).partition(b" ")[0]
    sizes = [np.dtype(kind).itemsize for kind in kinds]
    if not first.startswith(head) or not count.isdigit() or len(rest) != int(count) * sum(sizes):
        raise LoadFailed("the result of the replay is not whole")
    columns, at = [], 0
    for kind, size in zip(kinds, sizes, strict=True):
        columns.append(np.frombuffer(rest, kind, int(count), at))
        at += int(count) * size
    return columns


def _result(requests: bytes, loop: Replayed) -> LoadResult:
    times, lengths, ops = loop.times, loop.lengths, loop.ops
    late, took, errors = loop.late, loop.took, loop.errors
    issued = times.astype("i8") + late
    began = 0 if times.any() else issued.min()
    elapsed = float((issued + took).max() - began) / 1e9
    good = errors == 0
    faults = (*_failures(errors), *_unfit(requests))
    if not good.any():
        raise LoadFailed(
            f"no request succeeded: {next(_failures(errors))}",
            hint="requests off the device's block size need --align 4k"
            if errors[0] == errno.EINVAL else "",
        )  # fmt: skip
    metrics, histograms, issued_by = dict[str, float](), dict[str, Histogram](), dict[str, int]()
    for number, way in enumerate(_OPS):
        of_way = good & (ops == number)
        if not of_way.any():
            continue
        issued_by[way] = int(of_way.sum())
        metrics |= _figures(way, took[of_way] / 1e9)
        histograms[way] = _histogram(took[of_way])
        if way != "sync":
            metrics[f"{way}.iops"] = issued_by[way] / elapsed
            metrics[f"{way}.bandwidth"] = int(lengths[of_way].sum(dtype="u8")) / elapsed
    if times.any():
        arrival = arrivals(late)
        metrics |= arrival
        faults += tuple(_lagging(arrival, int(times[-1]) / 1e9))
    metrics["elapsed"] = elapsed
    return replace(
        LoadResult.of(metrics),
        histograms=histograms, issued=issued_by, faults=faults, tool_version="1",
    )  # fmt: skip


def _figures(way: str, seconds: NDArray[np.float64]) -> dict[str, float]:
    import numpy as np

    values = np.percentile(seconds, list(_PERCENTILES.values()))
    return {
        f"{way}.latency.mean": float(seconds.mean()), f"{way}.latency.min": float(seconds.min()),
        f"{way}.latency.max": float(seconds.max()), f"{way}.latency.stdev": float(seconds.std()),
        **{
            f"{way}.latency.{name}": float(value)
            for name, value in zip(_PERCENTILES, values, strict=True)
        },
    }  # fmt: skip


def _histogram(took: Times) -> Histogram:
    """Latencies in bins of less than 1 %."""
    import numpy as np

    values = np.maximum(took, 1)
    step = np.maximum(10.0 ** (np.floor(np.log10(values)) - 2), 1)
    bins, counts = np.unique(np.round(values / step) * step, return_counts=True)
    return Histogram(tuple((bins / 1e9).tolist()), tuple(counts.tolist()))


def arrivals(late: Times) -> dict[str, float]:
    """How much later than in the trace requests were issued, in seconds.

    Args:
        late: ns, of each request in its order.

    Returns:
        Metric → seconds; the lag is the median over the last hundredth of the requests.
    """
    import numpy as np

    error = np.maximum(late, 0) / 1e9
    p50, p99 = np.percentile(error, [50, 99])
    last = error[-max(len(error) // _LAST, 1) :]
    return {
        "arrival.error.p50": float(p50), "arrival.error.p99": float(p99),
        "arrival.error.max": float(error.max()), "arrival.lag": float(np.median(last)),
    }  # fmt: skip


def _lagging(arrival: Mapping[str, float], length: float) -> Iterator[str]:
    lag = arrival["arrival.lag"]
    if lags(lag, length):
        yield (
            f"the trace's rate was not kept: the last requests were issued {lag:.3g} s late, so "
            "the gaps between requests are not those of the trace"
        )


def _unfit(requests: bytes) -> Iterator[str]:
    """What of the trace did not lie within the target."""
    _, _, _, count, moved, skipped = requests.partition(b"\n")[0].split()
    if int(moved):
        yield f"{int(moved):,} of {int(count):,} requests were moved to lie within the target"
    if int(skipped):
        yield f"{int(skipped):,} requests beyond the target's end were left out"


def _failures(errors: NDArray[np.uint16]) -> Iterator[str]:
    import numpy as np

    for number, count in zip(*np.unique(errors[errors > 0], return_counts=True), strict=True):
        yield f"{count} of {len(errors)} requests failed: {os.strerror(int(number))}"
