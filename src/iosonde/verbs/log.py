"""What do fio's per-I/O logs and traces say?"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from iosonde.contract import ABSENT, VerbResult
from iosonde.errors import UsageError
from iosonde.inputs import UnreadInput
from iosonde.loads.fio.logs import FioLog, LogKind, read_fio_log

_KINDS = tuple(kind.value for kind in LogKind if kind is not LogKind.TRACE)


@dataclass(frozen=True, slots=True)
class FioLogs(VerbResult):
    """What fio's per-I/O logs and traces say.

    Sizes in bytes, times in seconds, rates in bytes/s or 1/s, shares as fractions. A figure that is
    not known is null. A quantile errs by at most 0.8 %.
    """

    SCHEMA = "iosonde.log/1"
    logs: tuple[FioLog, ...]
    failed: tuple[UnreadInput, ...] | None = field(metadata=ABSENT)
    """Files that could not be read; the others were. Absent where there is none."""


def log(
    *files: str,
    strict: bool = False,
    kind: str | None = None,
    variant: str | None = None,
    latency_unit: str = "ns",
    interval: float = 1.0,
    threads: int = 0,
) -> FioLogs:
    """Percentiles, sizes, I/Os off the 4 KiB grid and seconds of fio's logs.

    Args:
        files: logs (`--write_lat_log` and its like) or traces (`--write_iolog`); "-" is standard
            input.
        strict: refuse a log with a bad line, instead of counting it.
        kind: what the values are: "latency", "bandwidth" or "iops"; None: by the file's name.
        variant: its columns, such as "time,value,ddir,bs", or "iolog2"; None: by content.
        latency_unit: "ns", or "us" for logs of fio 2.x.
        interval: seconds of a step of the series.
        threads: 0: one per processor.

    Raises:
        UsageError: not one of them can be read.
    """
    if kind is not None and kind not in _KINDS:
        raise UsageError(
            f"{kind!r} is not a kind of log", where="--kind", hint="latency, bandwidth or iops"
        )
    logs, failed = [], []
    for file in files:
        try:
            read = read_fio_log(
                Path("/dev/stdin") if file == "-" else file,
                strict=strict,
                threads=threads,
                variant=variant,
                kind=LogKind(kind) if kind else None,
                latency_unit=latency_unit,
                interval=interval,
            )
        except UsageError as problem:  # one bad file does not lose the others
            failed.append(problem)
        else:
            logs.append(read)
    if failed and not logs:
        raise failed[0]
    return FioLogs(tuple(logs), tuple(map(UnreadInput.of, failed)) or None)
