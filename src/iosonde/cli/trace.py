"""`iosonde trace`: block traces recorded, described, converted."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iosonde import units
from iosonde.cli.output import err, failures, out, print_json, styled
from iosonde.errors import UsageError
from iosonde.outputs import write_output
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from iosonde.records.stack import Json
    from iosonde.trace.describe import Description
    from iosonde.trace.read import Damage
    from iosonde.trace.record import RecordedTrace

ACTIONS = {
    "describe": "what the requests of traces are like: `describe FILE…`",
    "convert": "one trace as Parquet: `convert FILE OUT.parquet`",
    "record": "trace a block device while it works: `record [HOST:]DEVICE`",
    "formats": "what can be read",
}


def trace(
    action: Annotated[str, typer.Argument(metavar="ACTION", help=", ".join(ACTIONS))],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WHAT", help="Traces (- is standard input); a device."),
    ] = None,
    fmt: Annotated[
        str, typer.Option("--format", help="Format of the trace (recognised by content).")
    ] = "",
    event: Annotated[
        str, typer.Option(help="Of the block layer, that is a request: Q, D or C; else by content.")
    ] = "",
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
    options: dict[str, Any] = {
        "format": fmt or None, "event": event or None, "block": units.parse_bytes(block),
        "tracked": tracked, "html": html, "dask": dask, "threads": threads, "json": as_json,
        "seconds": units.parse_seconds(seconds, where="--seconds"), "output": output,
    }  # fmt: skip
    if action not in _DOING:
        raise UsageError(
            f"there is no action {action!r}; known: {', '.join(ACTIONS)}",
            hint="iosonde trace --help",
        )
    answer = _DOING[action](words or [], options)
    if as_json:
        print_json({"schema": "iosonde.trace/1", "action": action, **answer})
    if "failed" in answer:
        raise typer.Exit(2)


def _describe(words: list[str], options: dict[str, Any]) -> dict[str, Json]:
    from iosonde.trace.describe import describe
    from iosonde.trace.document import document
    from iosonde.trace.read import sources
    from iosonde.trace.several import attempted, by_dask, by_threads

    if not words:
        raise UsageError("say which traces", hint="iosonde trace describe FILE…")
    work = partial(
        attempted, describe, fmt=options["format"], event=options["event"], block=options["block"],
        tracked=options["tracked"],
    )  # fmt: skip
    files = sources(words)
    if options["dask"]:
        answers = by_dask(work, files, address=options["dask"])
    else:
        answers = by_threads(
            lambda one, go_on: work(one, go_on=go_on), files, threads=options["threads"]
        )
    found = [one for one in answers if not isinstance(one, UsageError)]
    failed = [one for one in answers if isinstance(one, UsageError)]
    if failed and not found:
        raise failed[0]
    if options["html"]:
        from iosonde.trace.page import page

        write_output(options["html"], page(found), "the page")
    if not options["json"]:
        for one in found:
            _print(out(), one)
            _warn(one.name, one.damage)
    answer: dict[str, Json] = {"traces": [document(one) for one in found]}
    if failed:
        answer["failed"] = failures(failed)
    return answer


def _convert(words: list[str], options: dict[str, Any]) -> dict[str, Json]:
    from iosonde.trace.convert import write_parquet
    from iosonde.trace.read import open_trace

    if len(words) != 2 or not words[1].endswith(".parquet"):
        raise UsageError(
            "say which trace and into which file", hint="iosonde trace convert FILE OUT.parquet"
        )
    read = open_trace(words[0], fmt=options["format"], event=options["event"])
    path = Path(words[1])
    requests = write_parquet(read, path)
    size = path.stat().st_size
    if not options["json"]:
        out().print(f"{path}: {requests} requests of {read.format}, {units.show_bytes(size)}")
        _warn(words[0], read.damage)
    return {
        "written": {
            "path": str(path), "format": read.format, "requests": requests, "bytes": size,
            "bad": read.damage.count, "lost_events": read.damage.lost,
        }
    }  # fmt: skip


def _record(words: list[str], options: dict[str, Any]) -> dict[str, Json]:
    from iosonde.trace.read import Trace, sources

    if len(words) != 1:
        raise UsageError("say which device", hint="iosonde trace record [HOST:]/dev/sda")
    done = run_async(_recorded(words[0], options))
    trace = Trace(sources([str(done.path)])[0], event=options["event"])
    requests = sum(len(batch) for batch in trace.batches())
    damage = trace.damage
    if not options["json"]:
        out().print(
            f"{done.path}: {requests} requests of {done.host}:{done.device}, "
            f"{units.show_bytes(done.bytes)} in {len(done.files)} files",
        )
        _warn(str(done.path), damage)
        if done.cut:
            err().print(f"{done.path}: it ended early, the memory for it was full", style="yellow")
        if done.dropped and not damage.lost:
            err().print(f"{done.path}: blktrace dropped {done.dropped} events", style="yellow")
    return {
        "recorded": {
            "host": done.host, "device": done.device, "path": str(done.path),
            "files": [str(one) for one in done.files], "seconds": options["seconds"],
            "bytes": done.bytes, "requests": requests, "dropped": done.dropped,
            "lost_events": damage.lost, "cut": done.cut,
            "complete": not (done.cut or done.dropped or damage.lost or damage.count),
        }
    }  # fmt: skip


async def _recorded(target: str, options: dict[str, Any]) -> RecordedTrace:
    from iosonde.hosts import open_host
    from iosonde.trace.record import record

    name, colon, path = target.rpartition(":/") if not target.startswith("/") else ("", "", target)
    host = await open_host(name)
    try:
        return await record(
            host, "/" + path if colon else path, seconds=options["seconds"],
            directory=options["output"] or Path(),
        )  # fmt: skip
    finally:
        await host.close()


def _formats(words: list[str], options: dict[str, Any]) -> dict[str, Json]:
    from iosonde.trace.read import formats

    if words:
        raise UsageError("`formats` takes no file", hint="iosonde trace formats")
    known = formats()
    if not options["json"]:
        for name, about in known.items():
            out().print(f"{name:<10} {about}")
    return {"formats": [{"name": name, "about": about} for name, about in known.items()]}


_DOING: dict[str, Callable[[list[str], dict[str, Any]], dict[str, Json]]] = {
    "describe": _describe,
    "convert": _convert,
    "record": _record,
    "formats": _formats,
}


def _print(console: Console, one: Description) -> None:
    from rich.table import Table

    from iosonde.trace.table import facts, hot_rows, size_rows

    packed = f", {one.compression}" if one.compression else ""
    lines = f", {one.lines} lines" if one.lines is not None else ""
    console.print(styled("[bold]{}[/bold]: {}{}{}", one.name, one.format, packed, lines))
    table = Table(box=None, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, text in facts(one):
        table.add_row(name, text)
    console.print(table)
    for head, rows in (
        (("size", "reads", "writes"), size_rows(one)),
        (("most wanted", "from", "reads", "writes", "share"), hot_rows(one)),
    ):
        table = Table(box=None)
        for place, name in enumerate(head):
            table.add_column(name, justify="right" if place else "left")
        for row in rows:
            table.add_row(*row)
        if rows:
            console.print(table)
    others = ", ".join(f"{name} {count}" for name, count in one.others.items())
    if others:
        console.print(f"  no requests: {others}")
    for note in one.notes:
        console.print(f"  note: {note}")


def _warn(name: str, damage: Damage) -> None:
    """What was not read, on standard error."""
    if damage.count:
        place, problem = damage.first[0]
        err().print(
            f"{name}: {damage.count} bad line{'s' * (damage.count > 1)} or records left out "
            f"(first at {place}: {problem})",
            style="yellow",
        )  # fmt: skip
    if damage.lost:
        err().print(
            f"{name}: {damage.lost} events were lost while it was recorded",
            style="yellow",
        )  # fmt: skip
