"""`iosonde tune`: find the best settings, prove them, put everything back."""

from __future__ import annotations

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
from iosonde.cli.output import write_message
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from iosonde.cli.progress import QuietProgress


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
) -> None:
    """Find the best settings in the least device time: change, measure, prove, put back.

    The winner's gain is confirmed by fresh loops. Afterwards everything is put back, unless --apply
    leaves a proven winner in force; the commands that set and keep it are printed. Ctrl-C is a
    normal way to end: everything is put back, and --resume goes on. "No gain" is a result too.
    """
    from iosonde.change.tentative import checked_confirm
    from iosonde.cli.tune_plan import show_plan
    from iosonde.cli.tune_result import show_campaign
    from iosonde.hosts.command import set_trace
    from iosonde.verbs import tune as verb

    set_trace(trace)
    checked_confirm(confirm)
    permitted(destroy, in_container=in_container)
    options: dict[str, Any] = {
        "budget": budget, "strategy": strategy, "prior": prior, "seed": seed,
    }  # fmt: skip
    options = {key: value for key, value in options.items() if value is not None}
    options |= {"destroy": destroy or (), "in_container": in_container}
    if dry_run and resume:
        raise UsageError(
            "a resumed campaign keeps its plan", where="--dry-run",
            hint="`iosonde list` and `iosonde report` show how far it is",
        )  # fmt: skip
    if dry_run:
        with watched() as watch:
            planned = verb.plan(study, watch=watch, **options)
        show_plan(planned, as_json=as_json)
        return
    with watched() as watch:
        tuned = verb.tune(
            study, resume=resume, apply=apply, confirm=confirm, store=store, watch=watch,
            tell=write_message, **options,
        )  # fmt: skip
    show_campaign(tuned, as_json=as_json)
    if tuned.rescued is not None:
        raise tuned.rescued


def watched() -> AbstractContextManager[QuietProgress]:
    """Progress on standard error, taken off the screen however the block ends."""
    from iosonde.cli.progress import drawn
    from iosonde.cli.tune_progress import CampaignView

    return drawn(CampaignView())
