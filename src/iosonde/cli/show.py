"""`iosonde show`: what is this host's stack?"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.output import err, out, print_json
from iosonde.errors import UsageError
from iosonde.records import Capture, Json, StackLayer

if TYPE_CHECKING:
    from iosonde.hosts.host import Host

# Columns of a pipe: a tree is cut at the width of its console, and nothing may be lost there.
_UNFOLDED = 20_000


def show(
    hosts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="HOST",
            help="local (the default), a name that ssh knows, or recording:DIR; several at will.",
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
    capture = asyncio.run(_discover(hosts or ["local"], record))
    if as_json:
        print_json(show_document(capture))
    elif dot or mermaid:
        _print_graph(capture, dot=dot)
    else:
        from iosonde.stack.draw import draw

        console = out()
        if not console.is_terminal:
            console.width = _UNFOLDED
        console.print(draw(capture, settings=settings), soft_wrap=False)


async def _open(name: str, record: Path | None) -> Host:
    """A host the user named, and a recorder around it where one is asked for."""
    from iosonde.hosts import open_host

    host = await open_host(name)
    if record is None:
        return host
    from iosonde.hosts.recording import Recorder

    return Recorder(host, record / host.name.replace("/", "_"))


async def _discover(names: Sequence[str], record: Path | None) -> Capture:
    from iosonde.stack.discover import discover

    opened: dict[str, Host] = {}
    try:
        for name in names:
            host = await _open(name, record)
            if host.name in opened:  # two names of one host
                await host.close()
            opened.setdefault(host.name, host)
        return await discover(tuple(opened.values()))
    finally:
        for host in opened.values():
            await host.close()


def _print_graph(capture: Capture, *, dot: bool) -> None:
    from iosonde.stack.dot import to_dot
    from iosonde.stack.draw import gap_line
    from iosonde.stack.mermaid import to_mermaid

    sys.stdout.write(to_dot(capture) if dot else to_mermaid(capture))
    messages = err()
    for gap in capture.gaps:
        messages.print(gap_line(gap, several=len(capture.hosts) > 1))


def _layer_document(layer: StackLayer) -> Json:
    return {
        "id": layer.id,
        "kind": layer.kind,
        "host": layer.host,
        "device": layer.device,
        "size": layer.size,
        "below": list(layer.below),
        "mount": layer.mount,
        "facts": dict(layer.facts),
        "settings": dict(layer.settings),
        "hazards": list(layer.hazards),
    }


def show_document(capture: Capture) -> dict[str, Json]:
    """The object of the contract, `iosonde.show/1`."""
    return {
        "schema": "iosonde.show/1",
        "taken": capture.taken,
        "hosts": [
            {"name": one.name, "kernel": one.kernel, "cpus": one.cpus, "memory": one.memory}
            for one in capture.hosts
        ],
        "layers": [_layer_document(layer) for layer in capture.layers],
        "host_wide": dict(capture.host_wide),
        "gaps": [
            {"host": one.host, "what": one.what, "reason": one.reason, "remedy": one.remedy or None}
            for one in capture.gaps
        ],
    }
