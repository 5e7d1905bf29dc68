"""`iosonde rm`, `iosonde prune`: remove runs from the store."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import Filters, StorePlace
from iosonde.cli.output import err, out, print_json, styled
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.verbs.removal import RemovedRuns

_SHOWN = 30  # runs that are listed


def rm(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN…", help="Ids, names or tags of runs; last.")
    ],
    store: StorePlace = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Remove runs with their loops: all of them or none.

    A run that is being measured stays, and one that another run refers to.
    """
    from iosonde.verbs import removal as verb

    _show(verb.rm(*runs, store=store), as_json=as_json)


def prune(
    older_than: Annotated[
        str, typer.Option(metavar="AGE", help="Only runs older than 30d, 12w, or a date.")
    ] = "",
    keep: Annotated[int, typer.Option(min=0, help="The newest N runs of each study stay.")] = 0,
    state: Annotated[
        list[str] | None, typer.Option(help="Only failed, interrupted or finished runs.")
    ] = None,
    filters: Filters = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would go; remove nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StorePlace = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> int:
    """Remove old runs with their loops, after showing which; at least one condition is needed.

    A run goes where all conditions hold. One that is being measured stays, and so does one that
    another run refers to, and the newest calibration of a device.
    """
    from iosonde.verbs import removal as verb

    removed = verb.prune(
        older_than=older_than, keep=keep, states=state or (), filters=filters or (),
        dry_run=dry_run, agreed=None if yes else _agreed, store=store,
    )  # fmt: skip
    _show(removed, as_json=as_json)
    return int(bool(removed.runs) and not removed.removed and not dry_run)


def _agreed(planned: RemovedRuns) -> bool:
    """Show what would go, on standard error, and ask.

    Raises:
        UsageError: nobody can be asked.
    """
    count = _count(len(planned.runs))
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        raise UsageError(
            f"{count} would be removed, and nobody can be asked without a terminal",
            hint="--dry-run shows them, --yes removes them",
        )
    for line in _lines(planned):
        err().print(line)
    return typer.confirm(f"remove {count} with all loops?", err=True)


def _show(removed: RemovedRuns, *, as_json: bool) -> None:
    if removed.rescued is not None:
        raise removed.rescued
    if as_json:
        print_json(removed.to_json())
        return
    count = _count(len(removed.runs))
    if not removed.runs:
        out().print("nothing to remove")
    else:
        out().print(f"{count} removed" if removed.removed else f"{count} would be removed")
        for line in _lines(removed):
            out().print(line)
    if removed.runs and not removed.removed:
        out().print("to remove them: the same command without --dry-run")
    for refused in removed.kept:
        out().print(styled("kept: run {} {}", refused.id, refused.reason))


def _lines(removed: RemovedRuns) -> list[str]:
    from iosonde.visible import visible

    lines = [
        visible("  ".join(filter(None, (
            run.id, run.name, time.strftime("%Y-%m-%d %H:%M", time.localtime(run.created)),
            run.study, run.state.value,
        )))) for run in removed.runs[:_SHOWN]
    ]  # fmt: skip
    more = len(removed.runs) - _SHOWN
    return [f"  {line}" for line in lines] + ([f"  and {more} more"] if more > 0 else [])


def _count(runs: int) -> str:
    return f"{runs} run{'s' * (runs != 1)}"
