"""`iosonde run`: measure a study."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from iosonde.cli.ending import to_resume, until_signal
from iosonde.cli.options import Destroy, StorePlace, StudyOrRun, Trace
from iosonde.cli.output import err, out, print_json
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from iosonde.cli.progress import LineProgress, LiveProgress
    from iosonde.measure.study import Plan, Study
    from iosonde.records import Run
    from iosonde.store.store import Store

# Keys of a study whose options are called otherwise.
_OPTIONS = {
    "study": "name", "targets": "target", "loads": "fio, --load", "prepare": "drop-caches",
    "until": "until, --max-seconds",
}  # fmt: skip


def run(
    study: StudyOrRun = None,
    fio: Annotated[
        list[str] | None,
        typer.Option(help="A fio command line as pasted, or the path of a .fio job file."),
    ] = None,
    load: Annotated[
        list[str] | None, typer.Option(help="A named load; `iosonde loads` lists them.")
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(help="Where: a directory, a new scratch file or a device; HOST:/PATH."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the study.")] = None,
    loops: Annotated[int | None, typer.Option(min=1, help="Loops of each trial (5).")] = None,
    until: Annotated[
        str | None,
        typer.Option(help="Loop until the 95 % interval is within this, such as 2%."),
    ] = None,
    max_seconds: Annotated[
        str | None, typer.Option(help="With --until: give up after this long (10 min).")
    ] = None,
    seconds: Annotated[
        str | None, typer.Option(help="Length of one loop; else as the load says.")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Size of scratch files.")] = None,
    simultaneous: Annotated[
        bool | None, typer.Option("--simultaneous", help="All targets at the same time.")
    ] = None,
    together: Annotated[
        bool | None,
        typer.Option("--together", help="All targets as one load that fio starts on all hosts."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="What a load and its page cache may have (root)."),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="LAYER.KEY=VALUE", help="In the study's stack instead."),
    ] = None,
    drop_caches: Annotated[
        bool | None, typer.Option("--drop-caches", help="Drop the page cache before (root).")
    ] = None,
    ledger: Annotated[
        bool | None,
        typer.Option("--ledger", help="Count I/Os of every device of the stack and predict them."),
    ] = None,
    destroy: Destroy = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an interrupted run (default: the last).")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report here.")] = None,
    store: StorePlace = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the trials and commands; run nothing.")
    ] = False,
    trace: Trace = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the run as JSON.")] = False,
) -> int:
    """Measure how fast a storage stack is: loads at targets, in loops, with honest statistics."""
    from iosonde.change.guard import parse_destroy
    from iosonde.hosts.command import set_trace
    from iosonde.stack.overrides import parse_overrides
    from iosonde.store import open_store

    set_trace(trace)
    permissions = parse_destroy(destroy or [])
    options: dict[str, Any] = {
        "study": name,
        "targets": [target_of(text) for text in target or []] or None,
        "loads": [*_loads(fio or []), *(load or [])] or None,
        "loops": loops,
        "seconds": seconds,
        "size": size,
        "simultaneous": simultaneous,
        "together": together,
        "memory": memory,
        "ledger": ledger,
        "set": parse_overrides(values) if values else None,
    }
    if until or max_seconds:
        limit = {"max_seconds": max_seconds} if max_seconds else {}
        options["until"] = {**({"halfwidth": until} if until else {}), **limit}
    if drop_caches:
        options["prepare"] = {"drop_caches": True}
    options = {key: value for key, value in options.items() if value is not None}
    kept = open_store(store)
    try:
        if resume:
            plan, old = _resumed(kept, study, options)
        else:
            plan, old = _planned(study, options), None
            _tell_notes(plan)
        if dry_run:
            return _show_plan(plan, as_json=as_json)
        return _measure(plan, kept, old, permissions, report, as_json=as_json)
    finally:
        kept.close()


def target_of(text: str) -> dict[str, str]:
    """A target of the command line: a local path is relative to here, not to a study's file."""
    from iosonde.measure.study import probe_point

    probe = probe_point(text)
    path = str(Path(probe.path).expanduser().absolute()) if probe.host == "local" else probe.path
    return {"host": probe.host, "path": path}


def _loads(texts: list[str]) -> list[dict[str, str]]:
    """Each `--fio`; a path that exists is a job file, anything else a command line."""
    return [{"fio": text} for text in texts]


def _study(file: str | None, options: dict[str, Any]) -> tuple[Study, str]:
    """The study in the file, changed by the options; or of the options alone."""
    from iosonde.measure.study import Study, read_study
    from iosonde.stack.declare import check_declaration

    if file is None:
        if "targets" not in options or "loads" not in options:
            raise UsageError(
                "say what to measure: a study's file, or --target with --load or --fio",
                hint="for example: iosonde run --load latency --target .",
            )
        return check_declaration(options, "command line", Study), "command line"
    declared = read_study(Path(file)).model_dump(mode="json")
    return check_declaration({**declared, **options}, file, Study), file


def _planned(file: str | None, options: dict[str, Any]) -> Plan:
    from iosonde.measure.study import make_plan

    study, where = _study(file, options)
    return make_plan(study, where=where)


def _resumed(kept: Store, which: str | None, options: dict[str, Any]) -> tuple[Plan, Run]:
    """The plan of an interrupted run, and the run, now ours."""
    from iosonde.measure.study import plan_again
    from iosonde.store.owner import this_process

    which = to_resume(kept, which, [_OPTIONS.get(key, key) for key in options], campaign=False)
    if kept.campaign(which) is not None:
        raise UsageError(
            f"run {which} is a campaign", hint=f"`iosonde tune --resume {which}` goes on with it"
        )
    old = kept.resume(which, owner=this_process())
    return plan_again(old.plan), old


def _tell_notes(plan: Plan) -> None:
    """What was left out of the loads or read otherwise than written, on standard error."""
    loads = {trial.load.name: trial.load for part in plan.rounds for trial in part}
    for name, load in loads.items():
        for note in cast("list[str]", load.spec.get("notes", [])):
            err().print(f"{name}: {note}", markup=False)


def _show_plan(plan: Plan, *, as_json: bool) -> int:
    from iosonde.measure.ready import planned_command

    trials = [
        {"id": trial.id, "host": trial.probe.host, "command": planned_command(trial, plan.study)}
        for part in plan.rounds
        for trial in part
    ]
    if as_json:
        print_json({"schema": "iosonde.plan/1", "trials": [dict(trial) for trial in trials]})
        return 0
    for trial in trials:
        out().print(f"{trial['host']}: {trial['id']}\n  {trial['command']}", markup=False)
    return 0


def _measure(
    plan: Plan,
    kept: Store,
    old: Run | None,
    permissions: Any,
    report: Path | None,
    *,
    as_json: bool,
) -> int:
    from iosonde.cli.result import show_result

    if report is not None:
        _writable(report)
    finished = execute(plan, kept, old, permissions)
    return 130 if finished is None else show_result(finished, report, as_json=as_json)


def execute(plan: Plan, kept: Store, old: Run | None, permissions: Any) -> Run | None:
    """Measure with progress on standard error; None where it was interrupted."""
    from iosonde.measure.run import run_plan

    progress = _progress()
    try:
        return asyncio.run(
            until_signal(
                run_plan(plan, kept, permissions=permissions, progress=progress, resume=old)
            )
        )
    except (KeyboardInterrupt, asyncio.CancelledError):
        progress.close()
        err().print(
            "interrupted; finished loops are kept. `iosonde run --resume` goes on."
            if progress.begun or old
            else "interrupted before anything was measured"
        )
        return None
    finally:
        progress.close()


def _writable(report: Path) -> None:
    """A report that can't be written is refused before hours of measuring, not after."""
    try:
        with report.open("ab"):
            pass
    except OSError as problem:
        raise UsageError(
            f"the report cannot be written: {problem.strerror}", where=str(report)
        ) from None


def _progress() -> LineProgress | LiveProgress:
    from iosonde.cli.progress import LineProgress, LiveProgress

    return LiveProgress() if sys.stderr.isatty() else LineProgress()
