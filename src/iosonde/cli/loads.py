"""`iosonde loads`: the bundled loads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.output import out, print_json, print_next, styled, write_text

if TYPE_CHECKING:
    from iosonde.verbs.loads import BundledLoads


def loads(
    name: Annotated[
        str | None, typer.Argument(help="Print this load's or study's file, to copy and change.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="All that is known of each.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the loads that come with iosonde, or print one so that it can be copied and changed."""
    from iosonde.verbs import loads as verb

    bundled = verb.loads(*([name] if name else []))
    if as_json:
        print_json(bundled.to_json())
    elif name:
        write_text(bundled.loads[0].text if bundled.loads else bundled.studies[0].text)
    else:
        _print(bundled, verbose=verbose)


def _print(bundled: BundledLoads, *, verbose: bool) -> None:
    """A line for each, with the first sentence about it; with -v all that its file says."""
    from rich.table import Table

    from iosonde import units

    out().print(
        f"{len(bundled.loads)} bundled loads, {len(bundled.studies)} studies; "
        "`iosonde loads NAME` prints one to copy and change\n"
    )
    table = Table(box=None, pad_edge=False)
    for heading in ("load", "does", "size"):
        table.add_column(heading, no_wrap=True)
    table.add_column("about")
    for load in bundled.loads:
        does = "+".join(
            word for word, yes in (("reads", load.reads), ("writes", load.writes)) if yes
        )
        size = units.show_bytes(load.size) if load.size else "device"
        table.add_row(
            styled("[bold]{}[/bold]", load.name),
            does,
            size,
            load.about if verbose else _about(load.about),
        )
    out().print(table)
    out().print("\nstudies: `iosonde demo`; `iosonde run NAME --target DEVICE --destroy DEVICE`")
    rows = Table(box=None, pad_edge=False, show_header=False)
    for study in bundled.studies:
        rows.add_row(
            styled("[bold]{}[/bold]", study.name), study.about if verbose else _about(study.about)
        )
    out().print(rows)
    if not verbose:
        out().print("\nwith their sources and limits: iosonde loads -v")
    print_next("iosonde run --load latency --target DIRECTORY")


def _about(text: str) -> str:
    """The first sentence."""
    return re.split(r"(?<=[.:])\s", text, maxsplit=1)[0].rstrip(".:")
