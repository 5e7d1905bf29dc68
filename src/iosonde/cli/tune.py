"""`iosonde tune`: find the best settings, prove them, put everything back."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iosonde.cli.ending import to_resume, until_signal
from iosonde.cli.options import Destroy, StorePlace, StudyOrRun, Trace, checked_confirm
from iosonde.cli.output import err
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.cli.tuning import LineTuning, LiveTuning
    from iosonde.records import Run
    from iosonde.session.declare import TuneFile
    from iosonde.store.store import Store


def tune(
    study: StudyOrRun = None,
    apply: Annotated[
        bool,
        typer.Option(
            "--apply", help="Leave the winner in force if its gain is proven; else all is put back."
        ),
    ] = False,
    budget: Annotated[
        str | None, typer.Option(help="Device time, such as 5min, instead of the study's.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="race, model, staged, sweep or grid.")
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="What `predict --search --prior FILE` ranks first is measured first.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of all random orders (0).")] = None,
    confirm: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="The host puts all back by itself so long after a loop should have ended.",
        ),
    ] = 60.0,
    destroy: Destroy = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with an interrupted campaign (default: the last)."),
    ] = False,
    store: StorePlace = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show candidates and costs; read, but change nothing."),
    ] = False,
    trace: Trace = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (iosonde schema tune).")
    ] = False,
) -> int:
    """Find the best settings in the least device time: change, measure, prove, put back.

    The winner's gain is confirmed by fresh loops. Afterwards everything is put back, unless --apply
    leaves a proven winner in force; the commands that set and keep it are printed. Ctrl-C is a
    normal way to end: everything is put back, and --resume goes on. "No gain" is a result too.
    """
    from iosonde.change.guard import parse_destroy
    from iosonde.hosts.command import set_trace
    from iosonde.session.session import Options
    from iosonde.store import open_store

    set_trace(trace)
    checked_confirm(confirm)
    permissions = parse_destroy(destroy or [])
    first = None if prior is None else str(Path(prior).absolute())
    changes = {"budget": budget, "strategy": strategy, "prior": first, "seed": seed}
    changes = {key: value for key, value in changes.items() if value is not None}
    if dry_run and resume:
        raise UsageError(
            "a campaign that goes on has no other plan than it had", where="--dry-run",
            hint="`iosonde list` and `iosonde report` show how far it is",
        )  # fmt: skip
    if dry_run:
        return _plan(_study(study, changes), permissions, as_json=as_json)
    kept = open_store(store)
    try:
        file, old = _resumed(kept, study, changes) if resume else (_study(study, changes), None)
        options = Options(apply=apply, confirm=confirm)
        return _search(file, kept, old, permissions, options, as_json=as_json)
    finally:
        kept.close()


def _study(file: str | None, changes: dict[str, Any]) -> TuneFile:
    from iosonde.session.declare import read_tune

    if file is None:
        raise UsageError(
            "say what to tune: a study's file", hint="examples/loop.yaml is one for any machine"
        )
    return read_tune(Path(file), changes)


def _resumed(kept: Store, which: str | None, changes: dict[str, Any]) -> tuple[TuneFile, Run]:
    """The study of an interrupted campaign, and its run, now ours."""
    from iosonde.session.conduct import file_again
    from iosonde.store.owner import this_process

    which = to_resume(kept, which, list(changes), campaign=True)
    file = file_again(kept.load(which))
    return file, kept.resume(which, owner=this_process())


def _search(
    file: TuneFile,
    kept: Store,
    old: Run | None,
    permissions: Any,
    options: Any,
    *,
    as_json: bool,
) -> int:
    from iosonde.cli.tuned import show_campaign
    from iosonde.session.conduct import conduct

    watch = _watch()
    try:
        run, campaign = asyncio.run(
            until_signal(
                conduct(
                    file, kept, permissions=permissions, options=options, watch=watch, resume=old
                )
            )
        )
    except (KeyboardInterrupt, asyncio.CancelledError):
        watch.close()
        err().print(
            "interrupted; everything is put back and all measurements are kept. "
            "`iosonde tune --resume` goes on."
        )
        return 130
    finally:
        watch.close()
    return show_campaign(run, campaign, as_json=as_json)


def _watch() -> LineTuning | LiveTuning:
    from iosonde.cli.tuning import LineTuning, LiveTuning

    return LiveTuning() if sys.stderr.isatty() else LineTuning()


def _plan(file: TuneFile, permissions: Any, *, as_json: bool) -> int:
    from iosonde.cli.tuned import show_plan
    from iosonde.session.outlook import outlook

    watch = _watch()
    try:
        found = asyncio.run(outlook(file, permissions, watch))
    finally:
        watch.close()
    return show_plan(found, as_json=as_json)
