"""`iosonde trace replay`: a trace's requests issued again at a target, at their times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from iosonde import units
from iosonde.cli.options import (
    Destroy,
    InContainer,
    ReadOnly,
    StorePlace,
    TraceEvent,
    TraceFormat,
    permitted,
)
from iosonde.cli.output import write_message
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.trace.replay import Fit


def replay(
    trace: Annotated[str, typer.Argument(metavar="FILE", help="The trace.")],
    target: Annotated[
        str,
        typer.Option(help="Where: a directory, a new scratch file or a device; HOST:/PATH."),
    ],
    speed: Annotated[
        str, typer.Option(metavar="N|max", help="2: twice as fast as recorded; max: no waiting.")
    ] = "1",
    seconds: Annotated[
        str | None, typer.Option(help="Replay so much of the trace, from its first request.")
    ] = None,
    loops: Annotated[int, typer.Option(min=1, help="How often it is replayed.")] = 1,
    fit: Annotated[
        str,
        typer.Option(help="Requests beyond the target's end: refuse, wrap, scale or skip them."),
    ] = "refuse",
    size: Annotated[
        str | None, typer.Option(help="Bytes of the target that are used; else as the trace.")
    ] = None,
    align: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Widen requests to multiples of this.")
    ] = None,
    device: Annotated[str, typer.Option(help="Of the trace, where it has several.")] = "",
    reads_only: Annotated[
        bool, typer.Option("--reads-only", help="Leave writes and flushes out.")
    ] = False,
    in_flight: Annotated[
        int, typer.Option(min=1, max=1024, help="Requests at once, at most.")
    ] = 128,
    buffered: Annotated[
        bool, typer.Option("--buffered", help="Through the page cache, not past it.")
    ] = False,
    fmt: TraceFormat = "",
    event: TraceEvent = "",
    destroy: Destroy = None,
    in_container: InContainer = False,
    store: StorePlace = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report here.")] = None,
    dry_run: ReadOnly = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Replay a block trace at a target and measure it; say how true to the trace's times it was."""
    from iosonde.cli.measuring import resume_options, show_commands, watched
    from iosonde.cli.replayed import show_replay
    from iosonde.outputs import require_output
    from iosonde.trace.replay import ReplayOptions
    from iosonde.verbs import replay as verb

    options = ReplayOptions(
        trace, format=fmt or None, event=event or None, device=device, speed=_speed(speed),
        seconds=units.parse_seconds(seconds, where="--seconds") if seconds else None,
        fit=cast("Fit", fit), align=units.parse_bytes(align) if align else 0,
        reads_only=reads_only, in_flight=in_flight, direct=not buffered,
        size=units.parse_bytes(size) if size else None,
    )  # fmt: skip
    permitted(destroy, in_container=in_container)
    if dry_run:
        return show_commands(
            verb.replay_commands(options, target, loops=loops, store=store), as_json=as_json
        )
    if report is not None:
        require_output(report, "the report")
    again = resume_options(store, destroy, in_container=in_container)
    with watched(again) as progress:
        done = verb.replay(
            options, target, loops=loops, destroy=destroy or (), in_container=in_container,
            store=store, progress=progress, tell=write_message,
        )  # fmt: skip
    return show_replay(done, report, again, store, as_json=as_json)


def _speed(text: str) -> float | None:
    """A factor; None: as fast as possible.

    Raises:
        UsageError: it is neither.
    """
    if text == "max":
        return None
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 1e-3 <= factor <= 1e6:
        raise UsageError(
            f"a speed of {text!r}: expected a factor from 0.001 to 1000000, or max", where="--speed"
        )
    return factor
