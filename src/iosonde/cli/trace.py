"""`iosonde trace`: block traces recorded, described, converted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import units
from iosonde.cli.misspelt import no_such_action
from iosonde.cli.options import TraceEvent, TraceFormat
from iosonde.cli.output import failures, print_json, write_message
from iosonde.outputs import write_output

if TYPE_CHECKING:
    from iosonde.verbs.trace import TraceResult

ACTIONS = {
    "describe": "what the requests of traces are like: `describe FILE…`",
    "convert": "one trace as Parquet: `convert FILE OUT.parquet`",
    "record": "trace a block device while it works: `record [HOST:]DEVICE`",
    "formats": "what can be read",
    "replay": "a trace again at a target: `replay FILE --target PLACE`",
}

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def trace(
    action: Annotated[str, typer.Argument(metavar="ACTION", help="What to do (above).")],
    operands: Annotated[
        list[str] | None, typer.Argument(metavar="WHAT", help="Of the action; its options follow.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Record block traces, describe them, convert them, replay them.

    Traces of blktrace, blkparse, fio and the common public formats are told apart by their content,
    gzip and zstd are taken off. `iosonde trace ACTION --help` has an action's options.
    """
    del operands, as_json
    raise no_such_action("trace", action, ACTIONS)


def describe(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Traces; - is standard input.")
    ],
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
    as_json: AsJson = False,
) -> None:
    """What the requests of traces are like: sizes, order, reuse, hot spots."""
    from iosonde.verbs import trace as verb

    result = verb.describe(
        *files, fmt=fmt or None, event=event or None,
        block=units.parse_bytes(block, where="--block"), tracked=tracked, dask=dask,
        threads=threads,
    )  # fmt: skip
    if html and result.traces:
        from iosonde.trace.page import page

        write_output(html, page(result.traces), "the page")
    _print(result, as_json=as_json)


def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The trace; - is standard input.")],
    out: Annotated[str, typer.Argument(metavar="OUT.parquet", help="The new file.")],
    fmt: TraceFormat = "",
    event: TraceEvent = "",
    as_json: AsJson = False,
) -> None:
    """Write a trace as Parquet, which every table program reads."""
    from iosonde.verbs import trace as verb

    _print(verb.convert(file, out, fmt=fmt or None, event=event or None), as_json=as_json)


def record(
    device: Annotated[str, typer.Argument(metavar="[HOST:]DEVICE", help="A block device.")],
    seconds: Annotated[str, typer.Option("--seconds", help="How long to record.")] = "10s",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Directory of the recording."),
    ] = None,
    event: TraceEvent = "",
    as_json: AsJson = False,
) -> None:
    """Trace a block device while it works, by blktrace on its host."""
    from iosonde.verbs import trace as verb

    result = verb.record(
        device, seconds=units.parse_seconds(seconds, where="--seconds"),
        directory=output or Path(), event=event or None,
        begun=lambda: write_message(f"recording {device} for {seconds}"),
    )  # fmt: skip
    _print(result, as_json=as_json)


def formats(as_json: AsJson = False) -> None:
    """The formats of traces that can be read."""
    from iosonde.verbs import trace as verb

    _print(verb.formats(), as_json=as_json)


def _print(result: TraceResult, *, as_json: bool) -> None:
    if as_json:
        print_json(result.to_json())
    else:
        from iosonde.cli.traced import print_traces

        print_traces(result)
    failures(failed.problem for failed in result.failed or ())
    if result.failed:
        raise typer.Exit(2)
