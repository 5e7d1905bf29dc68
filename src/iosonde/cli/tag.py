"""`iosonde tag`: names and tags of a run."""

from __future__ import annotations

from typing import Annotated

import typer

from iosonde.cli.options import StorePlace
from iosonde.cli.output import out, print_json, styled


def tag(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id, name or tag of a run; last.")],
    tags: Annotated[
        list[str] | None, typer.Argument(metavar="[TAG…]", help="Tags that it gets.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="A tag that it loses; may be repeated.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Its name from now on; an empty one: none.")
    ] = None,
    store: StorePlace = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Name a run and mark it with tags, which are as good as its id wherever a run is asked for.

    A name is of one run, a tag of any number; it stands for a run while no other has it. Without
    options: show what the run has.
    """
    from iosonde.verbs import tag as verb

    labelled = verb.tag(run, *(tags or ()), remove=remove or (), name=name, store=store)
    if labelled.rescued is not None:
        raise labelled.rescued
    if as_json:
        print_json(labelled.to_json())
        return
    out().print(styled(
        "run [bold]{}[/bold] of {}: {}, {}", labelled.id, labelled.study,
        f"name {labelled.name}" if labelled.name else "no name",
        f"tags {', '.join(labelled.tags)}" if labelled.tags else "no tags",
    ))  # fmt: skip
