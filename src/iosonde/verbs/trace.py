"""Block traces: described, converted, recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from iosonde.contract import ABSENT, VerbResult
from iosonde.errors import UsageError
from iosonde.hosts import open_host
from iosonde.inputs import UnreadInput
from iosonde.records.trace import Description, DeviceRecording, TraceFormat, WrittenTrace
from iosonde.trace.convert import write_parquet
from iosonde.trace.describe import BLOCK, TRACKED, bad_records
from iosonde.trace.describe import describe as describe_source
from iosonde.trace.read import Trace, open_trace, sources
from iosonde.trace.read import formats as known_formats
from iosonde.trace.record import RecordedTrace
from iosonde.trace.record import record as record_device
from iosonde.trace.several import attempted, by_dask, by_threads
from iosonde.verbs.signals import run_async

_PARTS = {
    "describe": "traces", "convert": "written", "record": "recorded", "formats": "formats",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TraceResult(VerbResult):
    """Block traces: described (`traces`), converted (`written`), recorded (`recorded`), or the
    formats that are read. Sizes in bytes, times in seconds, shares as fractions; what is not known
    is null.
    """  # noqa: D205 - the whole is the schema's description

    SCHEMA = "iosonde.trace/1"
    KEYWORDS: ClassVar[Mapping[str, Any]] = {
        "allOf": [
            {"if": {"properties": {"action": {"const": action}}}, "then": {"required": [part]}}
            for action, part in _PARTS.items()
        ]
    }
    action: Literal["describe", "convert", "record", "formats"]
    traces: tuple[Description, ...] | None = field(default=None, metadata=ABSENT)
    failed: tuple[UnreadInput, ...] | None = field(default=None, metadata=ABSENT)
    """Files that could not be read; the others were. Absent where there is none."""
    written: WrittenTrace | None = field(default=None, metadata=ABSENT)
    recorded: DeviceRecording | None = field(default=None, metadata=ABSENT)
    formats: tuple[TraceFormat, ...] | None = field(default=None, metadata=ABSENT)


def describe(
    *files: str,
    fmt: str | None = None,
    event: str | None = None,
    block: int = BLOCK,
    tracked: int = TRACKED,
    dask: str = "",
    threads: int = 0,
) -> TraceResult:
    """What the requests of traces are like.

    Args:
        files: each a trace; "-" is standard input.
        fmt: a name of `formats()`; None: found in the content.
        event: which event of the block layer is a request: Q, D or C; None: by content.
        block: bytes whose reuse is followed, a power of two from 4096 on.
        tracked: blocks followed at once; with more, a sample of them.
        dask: address of a scheduler whose workers do it; "local": its threads here.
        threads: 0: one per processor.

    Raises:
        UsageError: not one of them can be read.
        HostFailed: the Dask cluster fails.
    """
    if not files:
        raise UsageError("say which traces", hint="iosonde trace describe FILE…")
    work = partial(attempted, describe_source, fmt=fmt, event=event, block=block, tracked=tracked)
    wanted = sources(files)
    if dask:
        answers = by_dask(work, wanted, address=dask)
    else:
        answers = by_threads(
            lambda source, go_on: work(source, go_on=go_on), wanted, threads=threads
        )
    described = [answer for answer in answers if not isinstance(answer, UsageError)]
    failed = [answer for answer in answers if isinstance(answer, UsageError)]
    if failed and not described:
        raise failed[0]
    return TraceResult(
        "describe", traces=tuple(described), failed=tuple(map(UnreadInput.of, failed)) or None
    )


def convert(
    file: str, out: str | Path, *, fmt: str | None = None, event: str | None = None
) -> TraceResult:
    """Write a trace as Parquet.

    Args:
        file: the trace; "-" is standard input.
        out: the new file, NAME.parquet.
        fmt: see `describe`.
        event: see `describe`.

    Raises:
        UsageError: it is no trace; the new file has another ending.
        Refused, OutputFailed: see `iosonde.outputs.write_output`.
    """
    path = Path(out)
    if path.suffix != ".parquet":
        raise UsageError(
            "say which trace and into which file", hint="iosonde trace convert FILE OUT.parquet"
        )
    trace = open_trace(file, fmt=fmt, event=event)
    requests = write_parquet(trace, path)
    damage = trace.damage
    written = WrittenTrace(
        str(path), trace.format, requests, path.stat().st_size, damage.count, damage.lost,
        bad_records(damage), file,
    )  # fmt: skip
    return TraceResult("convert", written=written)


def record(
    target: str,
    *,
    seconds: float = 10.0,
    directory: str | Path = ".",
    event: str | None = None,
    begun: Callable[[], None] = lambda: None,
) -> TraceResult:
    """Trace a block device while it works.

    Args:
        target: "[HOST:]/dev/sda".
        seconds: how long; blktrace counts whole ones.
        directory: where the recording's files go.
        event: which event is counted as a request; None: by content.
        begun: is called as soon as blktrace runs.

    Raises:
        UsageError, Refused, HostFailed: see `iosonde.trace.record.record`.
    """
    done = run_async(_record(target, seconds, Path(directory), begun))
    trace = Trace(sources([str(done.path)])[0], event=event)
    requests = sum(len(batch) for batch in trace.batches())
    damage = trace.damage
    recording = DeviceRecording(
        host=done.host,
        device=done.device,
        path=str(done.path),
        files=tuple(map(str, done.files)),
        seconds=seconds,
        bytes=done.bytes,
        requests=requests,
        dropped=done.dropped,
        lost_events=damage.lost,
        cut=done.cut,
        complete=not (done.cut or done.dropped or damage.lost or damage.count),
        bad=damage.count,
        bad_first=bad_records(damage),
    )
    return TraceResult("record", recorded=recording)


async def _record(
    target: str, seconds: float, directory: Path, begun: Callable[[], None]
) -> RecordedTrace:
    name, colon, path = target.rpartition(":/") if not target.startswith("/") else ("", "", target)
    host = await open_host(name)
    try:
        return await record_device(
            host, "/" + path if colon else path, seconds=seconds, directory=directory, begun=begun
        )
    finally:
        await host.close()


def formats() -> TraceResult:
    """The formats of traces that are read."""
    readable = known_formats()
    return TraceResult("formats", formats=tuple(TraceFormat(*row) for row in readable.items()))
