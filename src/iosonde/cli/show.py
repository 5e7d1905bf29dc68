"""`iosonde show`: what is this host's stack?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.output import err, out, print_json, write_text
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.records.stack import Capture

# Columns of a pipe: a tree is cut at the width of its console, and nothing may be lost there.
_UNFOLDED = 20_000


def show(
    hosts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="HOST",
            help="local (the default), a name that ssh knows, or recording:PATH: a recording, a "
            "sosreport, a directory or tar of outputs; several at will.",
        ),
    ] = None,
    settings: Annotated[
        bool, typer.Option("--settings", "-s", help="Show the value of every setting too.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema show).")
    ] = False,
    dot: Annotated[bool, typer.Option("--dot", help="Print the graph for Graphviz.")] = False,
    mermaid: Annotated[
        bool, typer.Option("--mermaid", help="Print the graph as a Mermaid flowchart.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep all that each host answers in DIR/HOST, for `show recording:DIR/HOST`.",
        ),
    ] = None,
) -> None:
    """Show the storage stack of hosts: from file systems down to the disks.

    Every layer comes with its size, what it is, and the hazards of writing to it. What this user
    may not read is listed at the end, with what would be needed.
    """
    if as_json + dot + mermaid > 1:
        raise UsageError("--json, --dot and --mermaid exclude each other", hint="give one of them")
    from iosonde.verbs import show as verb

    capture = verb.show(*hosts or (), record=record)
    if as_json:
        print_json(capture.to_json())
    elif dot or mermaid:
        _print_graph(capture, dot=dot)
    else:
        from iosonde.stack.draw import draw

        console = out()
        if not console.is_terminal:
            console.width = _UNFOLDED
        console.print(draw(capture, settings=settings), soft_wrap=False)


def _print_graph(capture: Capture, *, dot: bool) -> None:
    from iosonde.stack.dot import to_dot
    from iosonde.stack.draw import gap_line
    from iosonde.stack.mermaid import to_mermaid

    write_text(to_dot(capture) if dot else to_mermaid(capture))
    messages = err()
    for gap in capture.gaps:
        messages.print(gap_line(gap, several=len(capture.hosts) > 1))
