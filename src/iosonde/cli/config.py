"""`iosonde config`: the defaults that hold here, and where each comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.output import out, print_json

if TYPE_CHECKING:
    from iosonde.verbs.config import Configuration


def config(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema config).")
    ] = False,
) -> None:
    """Show the defaults that hold here and where each comes from.

    An option comes before an environment variable, that before the configuration file, that
    before the default of iosonde.
    """
    from iosonde.verbs import config as verb

    shown = verb.config()
    if as_json:
        print_json(shown.to_json())
    else:
        _print(shown)


def _print(shown: Configuration) -> None:
    from rich.table import Table

    count = sum(value.origin != "default" for value in shown.values)
    state = "" if shown.exists else " (not there)"
    out().print(
        f"{count} of {len(shown.values)} defaults are set here; "
        f"configuration file: {shown.file}{state}"
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("key", "value", "from", "what it sets"):
        table.add_column(title, overflow="fold")
    for value in shown.values:
        table.add_row(
            value.key, str(value.value).removesuffix(".0"), value.where or "default", value.what
        )
    out().print(table)
