"""`iosonde trace`: block traces recorded, described, converted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import units
from iosonde.cli.options import TraceEvent, TraceFormat
from iosonde.cli.output import failures, print_json
from iosonde.errors import UsageError
from iosonde.outputs import write_output

if TYPE_CHECKING:
    from collections.abc import Callable

    from iosonde.verbs.trace import TraceResult

ACTIONS = {
    "describe": "what the requests of traces are like: `describe FILE…`",
    "convert": "one trace as Parquet: `convert FILE OUT.parquet`",
    "record": "trace a block device while it works: `record [HOST:]DEVICE`",
    "formats": "what can be read",
    "replay": "a trace again at a target: `replay FILE --target PLACE`",
}


def trace(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="What to do (above).")],
    operands: Annotated[
        list[str] | None,
        typer.Argument(metavar="WHAT", help="Traces (- is standard input); a device."),
    ] = None,
    fmt: TraceFormat = "",
    event: TraceEvent = "",
    block: Annotated[str, typer.Option(help="Size of the blocks whose reuse is followed.")] = "4k",
    tracked: Annotated[
        int, typer.Option(help="Blocks followed at once; with more, a sample of them.", min=1)
    ] = 1 << 20,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a page with charts.")
    ] = None,
    dask: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Describe on the workers of a Dask cluster; local: its threads here.",
        ),
    ] = "",
    threads: Annotated[
        int, typer.Option(min=0, help="Number of threads; 0: one per processor.")
    ] = 0,
    seconds: Annotated[str, typer.Option("--seconds", help="How long to record.")] = "10s",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Directory of the recording."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Record block traces, describe them, convert them.

    Traces of blktrace, blkparse, fio and the common public formats are told apart by their content,
    gzip and zstd are taken off.
    """
    from iosonde.verbs import trace as verb

    what, event_name = operands or [], event or None
    size, duration = units.parse_bytes(block), units.parse_seconds(seconds, where="--seconds")

    def describe() -> TraceResult:
        return verb.describe(
            *what, fmt=fmt or None, event=event_name, block=size, tracked=tracked, dask=dask,
            threads=threads,
        )  # fmt: skip

    def convert() -> TraceResult:
        _require(len(what) == 2, "say which trace and into which file", "convert FILE OUT.parquet")
        return verb.convert(what[0], what[1], fmt=fmt or None, event=event_name)

    def record() -> TraceResult:
        _require(len(what) == 1, "say which device", "record [HOST:]/dev/sda")
        at = output or Path()
        return verb.record(what[0], seconds=duration, directory=at, event=event_name)

    def formats() -> TraceResult:
        _require(not what, "`formats` takes no file", "formats")
        return verb.formats()

    doing: dict[str, Callable[[], TraceResult]] = {
        "describe": describe, "convert": convert, "record": record, "formats": formats,
    }  # fmt: skip
    _require(action != "replay", "its options follow it", "replay FILE --target PLACE")
    actions = ", ".join(ACTIONS)
    _require(action in doing, f"there is no action {action!r}; known: {actions}", "--help")
    result = doing[action]()
    if html and result.traces:
        from iosonde.trace.page import page

        write_output(html, page(result.traces), "the page")
    if as_json:
        print_json(result.to_json())
    else:
        from iosonde.cli.traced import print_traces

        print_traces(result)
    failures(failed.problem for failed in result.failed or ())
    if result.failed:
        raise typer.Exit(2)


def _require(holds: bool, sentence: str, usage: str) -> None:
    if not holds:
        raise UsageError(sentence, hint=f"iosonde trace {usage}")
