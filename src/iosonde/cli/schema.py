"""`iosonde schema`: the JSON schemas of what the verbs print.

A schema is a file of src/iosonde/schemas, named for the verb whose object it describes; adding one
is adding the file.
"""

from __future__ import annotations

import json
from difflib import get_close_matches
from importlib.resources import files
from typing import Annotated, cast

import typer

from iosonde.cli.output import out, print_json
from iosonde.errors import UsageError
from iosonde.records import Json


def schema_names() -> tuple[str, ...]:
    """The names of all schemas, sorted."""
    folder = files("iosonde") / "schemas"
    names = (one.name for one in folder.iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


def read_schema(name: str) -> dict[str, Json]:
    """One schema, JSON Schema draft 2020-12.

    Raises:
        UsageError: no such schema; the message lists those there are.
    """
    known = schema_names()
    if name not in known:
        near = get_close_matches(name, known, n=1)
        raise UsageError(
            f"there is no schema {name!r}; known: {', '.join(known)}",
            hint=f"did you mean {near[0]!r}?" if near else "",
        )
    text = (files("iosonde") / "schemas" / f"{name}.json").read_text(encoding="utf-8")
    return cast("dict[str, Json]", json.loads(text))


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
    if name is not None:
        print_json(read_schema(name))
        return
    if as_json:
        print_json({"schema": "iosonde.schemas/1", "schemas": list(schema_names())})
        return
    console = out()
    for one in schema_names():
        console.print(f"{one:<10} {read_schema(one).get('title', '')}")
