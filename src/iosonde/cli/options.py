"""Options that several verbs have, each declared once."""

from __future__ import annotations

from typing import Annotated

import typer

from iosonde.errors import UsageError

_SHORTEST, _LONGEST = 5.0, 3600.0  # seconds

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
ReadOnly = Annotated[
    bool, typer.Option("--dry-run", help="Show the commands; read, but change nothing.")
]
StudyOrRun = Annotated[
    str | None,
    typer.Argument(help="A study's YAML file; with --resume the run to go on with."),
]
StorePlace = Annotated[str | None, typer.Option(help="Store: a file or a PostgreSQL URL.")]
Trace = Annotated[
    bool, typer.Option("--trace", help="Show every command as it is sent to its host.")
]


def checked_confirm(seconds: float) -> float:
    """How long a host waits for a sign of life before it puts everything back.

    Raises:
        UsageError: too short to get through, or too long to be any use.
    """
    if not _SHORTEST <= seconds <= _LONGEST:
        raise UsageError(
            f"expected {_SHORTEST:g} to {_LONGEST:g} seconds, got {seconds:g}", where="--confirm"
        )
    return seconds
