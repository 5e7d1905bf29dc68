"""`iosonde schema`: the JSON schemas of what the verbs print."""

from __future__ import annotations

from typing import Annotated

import typer

from iosonde.cli.output import out, print_json


def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A verb, or `error`; without a name all are listed."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the list of names as JSON too.")
    ] = False,
) -> None:
    """Print the JSON schema of a verb's --json output, or list the schemas there are."""
    from iosonde.verbs import schema as verb

    if name is not None:
        print_json(verb.schema(name))
        return
    listed = verb.list_schemas()
    if as_json:
        print_json(listed.to_json())
        return
    console = out()
    for listed_name in listed.schemas:
        console.print(f"{listed_name:<10} {verb.schema(listed_name).get('title', '')}")
