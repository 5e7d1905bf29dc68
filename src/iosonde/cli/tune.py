"""`iosonde tune`: find the best settings, prove them, put everything back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iosonde.cli.options import (
    Destroy,
    InContainer,
    StorePlace,
    StudyOrRun,
    Trace,
    permitted,
)
from iosonde.cli.stored import store_to_write
from iosonde.errors import ConnectionLost, UsageError
from iosonde.verbs.ending import to_resume
from iosonde.verbs.signals import run_async

if TYPE_CHECKING:
    from iosonde.cli.tuning import LineTuning, LiveTuning
    from iosonde.records.run import Run
    from iosonde.store.store import Store
    from iosonde.tune.campaign.declare import TuneFile


def tune(
    study: StudyOrRun = None,
    apply: Annotated[
        bool,
        typer.Option("--apply", help="Keep the winner's settings if its gain is confirmed."),
    ] = False,
    budget: Annotated[
        str | None, typer.Option(help="Device time, such as 5min, instead of the study's.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="Strategy: race, model, staged, sweep or grid.")
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Ranking by `predict --search`; its first are measured first.",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all random orders (0).")] = None,
    confirm: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="Seconds after a loop's planned end until the host restores all.",
        ),
    ] = 60.0,
    destroy: Destroy = None,
    in_container: InContainer = False,
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
    from iosonde.change.tentative import checked_confirm
    from iosonde.hosts.command import set_trace
    from iosonde.tune.campaign.campaign import Options

    set_trace(trace)
    checked_confirm(confirm)
    permissions = permitted(destroy, in_container=in_container)
    first = None if prior is None else str(Path(prior).absolute())
    changes = {"budget": budget, "strategy": strategy, "prior": first, "seed": seed}
    changes = {key: value for key, value in changes.items() if value is not None}
    if dry_run and resume:
        raise UsageError(
            "a resumed campaign keeps its plan", where="--dry-run",
            hint="`iosonde list` and `iosonde report` show how far it is",
        )  # fmt: skip
    if dry_run:
        return _plan(_study(study, changes), permissions, as_json=as_json)
    with store_to_write(store) as kept:
        file, old = _resumed(kept, study, changes) if resume else (_study(study, changes), None)
        options = Options(apply=apply, confirm=confirm)
        return _search(file, kept, old, permissions, options, as_json=as_json)


def _study(file: str | None, changes: dict[str, Any]) -> TuneFile:
    from iosonde.tune.campaign.declare import read_tune

    if file is None:
        raise UsageError(
            "say what to tune: a study's file", hint="examples/loop.yaml is one for any machine"
        )
    return read_tune(Path(file), changes)


def _resumed(kept: Store, which: str | None, changes: dict[str, Any]) -> tuple[TuneFile, Run]:
    """The study of an interrupted campaign, and its run, now ours."""
    from iosonde.store.owner import this_process
    from iosonde.tune.campaign.conduct import file_again

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
    from iosonde.tune.campaign.conduct import conduct

    watch = _watch()
    try:
        run, campaign = run_async(
            conduct(file, kept, permissions=permissions, options=options, watch=watch, resume=old),
            "everything is put back and all measurements are kept. "
            "`iosonde tune --resume` goes on.",
        )
    except ConnectionLost as problem:
        problem.hint += (
            f"; `iosonde rollback {problem.where}` restores what the host has not restored itself, "
            "and `iosonde tune --resume` goes on"
        )
        raise
    finally:
        watch.close()
    return show_campaign(run, campaign, as_json=as_json)


def _watch() -> LineTuning | LiveTuning:
    from iosonde.cli.tuning import LineTuning, LiveTuning

    return LiveTuning() if sys.stderr.isatty() else LineTuning()


def _plan(file: TuneFile, permissions: Any, *, as_json: bool) -> int:
    from iosonde.cli.tuned import show_plan
    from iosonde.tune.campaign.outlook import outlook

    watch = _watch()
    try:
        found = run_async(outlook(file, permissions, watch))
    finally:
        watch.close()
    return show_plan(found, as_json=as_json)
