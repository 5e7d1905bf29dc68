"""Traces as text: what `iosonde trace` prints."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.table import Table

from iosonde import units
from iosonde.cli.output import err, out, print_next, styled
from iosonde.records.trace import BadTraceRecord, Description
from iosonde.trace.table import answer, facts, hot_rows, size_rows
from iosonde.verbs.trace import TraceResult


def print_traces(result: TraceResult) -> None:
    """What a result says, and on standard error what was not read."""
    for description in result.traces or ():
        print_description(description)
        _warn(description.name, description.bad, description.bad_first, description.lost_events)
    for fmt in result.formats or ():
        out().print(f"{fmt.name:<10} {fmt.about}")
    if written := result.written:
        size = units.show_bytes(written.bytes)
        out().print(f"{written.path}: {written.requests:,} requests of {written.format}, {size}")
        _warn(written.source, written.bad, written.bad_first, written.lost_events)
    if recorded := result.recorded:
        asked = f"{recorded.requests:,} requests" if recorded.requests else "not one request"
        files = f"{len(recorded.files)} file{'s' * (len(recorded.files) != 1)}"
        out().print(
            f"{recorded.path}: {asked} of {recorded.host}:{recorded.device} in "
            f"{units.show_seconds(recorded.seconds)}, {units.show_bytes(recorded.bytes)} in {files}"
        )
        _warn(recorded.path, recorded.bad, recorded.bad_first, recorded.lost_events)
        if recorded.cut:
            _caution(f"{recorded.path}: it ended early, the memory for it was full")
        if recorded.dropped and not recorded.lost_events:
            _caution(f"{recorded.path}: blktrace dropped {recorded.dropped:,} events")
        print_next(f"iosonde trace describe {shlex.quote(recorded.path)}")


def print_description(description: Description) -> None:
    """One trace: its facts, its sizes, its hot regions."""
    console = out()
    packed = f", {description.compression}" if description.compression else ""
    lines = f", {description.lines:,} lines" if description.lines is not None else ""
    console.print(styled("[bold]{}[/bold]: {}", description.name, answer(description)))
    console.print(f" read as {description.format}{packed}{lines}")
    table = Table(box=None, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, text in facts(description):
        table.add_row(name, text)
    console.print(table)
    for head, rows in (
        (("size", "reads", "writes"), size_rows(description)),
        (("most wanted", "from", "reads", "writes", "share"), hot_rows(description)),
    ):
        table = Table(box=None)
        for place, name in enumerate(head):
            table.add_column(name, justify="right" if place else "left")
        for row in rows:
            table.add_row(*row)
        if rows:
            console.print(table)
    others = ", ".join(f"{count:,} {name}" for name, count in description.others.items())
    if others:
        console.print(f" other records, which are no requests: {others}")
    for note in description.notes:
        console.print(f"  note: {note}")


def _warn(name: str, bad: int, first: Sequence[BadTraceRecord], lost: int | None) -> None:
    """What was not read, on standard error."""
    if bad:
        _caution(
            f"{name}: {bad} bad line{'s' * (bad > 1)} or records left out "
            f"(first at {first[0].place}: {first[0].problem})"
        )
    if lost:
        _caution(f"{name}: {lost} events were lost while it was recorded")


def _caution(sentence: str) -> None:
    err().print(sentence, style="yellow")
