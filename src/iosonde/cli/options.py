"""Options that several verbs have, each declared once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from iosonde.change.guard import Permission

OneHost = Annotated[
    str, typer.Argument(metavar="[HOST]", help="local (the default) or another host.")
]
Destroy = Annotated[
    list[str] | None,
    typer.Option(
        help="A device whose content may be destroyed: /dev/sdx, or /dev/sdx=ext4 where it "
        "carries that signature."
    ),
]
InContainer = Annotated[
    bool,
    typer.Option(
        "--in-container",
        help="Write to devices in a container too, though what uses them outside is not seen.",
    ),
]
ReadOnly = Annotated[
    bool, typer.Option("--dry-run", help="Show the commands; read, but change nothing.")
]
StudyOrRun = Annotated[
    str | None,
    typer.Argument(help="A study's YAML file; with --resume the run to go on with."),
]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="KEY=VALUE",
        help="Runs with study, name, tag, host, target, load, state or id like this ('lab*,ci'), "
        "KEY!=VALUE without; since=7d, before=DATE; may be repeated.",
    ),
]
StorePlace = Annotated[str | None, typer.Option(help="Store: a file or a PostgreSQL URL.")]
TraceFormat = Annotated[
    str, typer.Option("--format", help="Format of the trace (recognised by content).")
]
TraceEvent = Annotated[
    str, typer.Option(help="Of the block layer, that is a request: Q, D or C; else by content.")
]
Trace = Annotated[
    bool, typer.Option("--trace", help="Show every command as it is sent to its host.")
]


def permitted(destroy: Sequence[str] | None, *, in_container: bool) -> tuple[Permission, ...]:
    """What `--destroy` and `--in-container` permit; the latter is warned of on standard error.

    Raises:
        UsageError: `--destroy` names no device.
    """
    from iosonde.change.guard import parse_destroy
    from iosonde.cli.output import err

    permissions = parse_destroy(destroy or [], in_container=in_container)
    if in_container:
        err().print(
            "--in-container: processes, mounts and swap outside a container cannot be seen from "
            "inside it; make sure that nothing outside uses the devices written to",
            markup=False,
        )
    return permissions
