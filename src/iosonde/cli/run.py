"""`iosonde run`: measure a study."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iosonde import units
from iosonde.cli.options import Destroy, InContainer, StorePlace, StudyOrRun, Trace, permitted
from iosonde.cli.output import err, out, print_json, write_message
from iosonde.verbs.signals import Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from iosonde.cli.progress import QuietProgress
    from iosonde.records.requirement import RequirementResult
    from iosonde.verbs.run import MeasuredRun, RunCommands


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
    name: Annotated[
        str | None, typer.Option(help="A name for this run, as good as its id everywhere.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="A tag for this run; may be repeated.")
    ] = None,
    loops: Annotated[int | None, typer.Option(min=1, help="Loops of each trial (5).")] = None,
    until: Annotated[
        str | None,
        typer.Option(help="Loop until the 95 % interval is within this, such as 2%."),
    ] = None,
    max_seconds: Annotated[
        str | None,
        typer.Option(help="With --until or --require: give up after this long (10 min)."),
    ] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'METRIC < LIMIT'",
            help="Pass or fail, such as 'sync.latency.p99 < 10 ms'; loops go on until it is "
            "decided.",
        ),
    ] = None,
    seconds: Annotated[
        str | None, typer.Option(help="Length of one loop (as the load says).")
    ] = None,
    size: Annotated[str | None, typer.Option(help="Size of scratch files.")] = None,
    simultaneous: Annotated[
        bool | None, typer.Option("--simultaneous", help="Measure all targets at the same time.")
    ] = None,
    together: Annotated[
        bool | None,
        typer.Option(
            "--together", help="Measure all targets as one load that fio starts on all hosts."
        ),
    ] = None,
    interleave: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="A B",
            help="Two targets, loads or settings (LAYER.NAME=VALUE), measured in turns: drift "
            "cancels.",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory limit of a load and its page cache (root)."),
    ] = None,
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="LAYER.KEY=VALUE",
            help="Value of a key, in place of the one in the study's stack.",
        ),
    ] = None,
    drop_caches: Annotated[
        bool | None, typer.Option("--drop-caches", help="Drop the page cache before (root).")
    ] = None,
    ledger: Annotated[
        bool | None,
        typer.Option("--ledger", help="Count I/Os of every device of the stack and predict them."),
    ] = None,
    destroy: Destroy = None,
    in_container: InContainer = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with an interrupted run (default: the last).")
    ] = False,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report here.")] = None,
    store: StorePlace = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the trials and commands; run nothing.")
    ] = False,
    trace: Trace = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every metric of every trial.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the run as JSON.")] = False,
) -> int:
    """Measure how fast a storage stack is: loads at targets, in loops, with honest statistics."""
    from iosonde.extras import require_extra
    from iosonde.hosts.command import set_trace
    from iosonde.measure.requirements import parse_option
    from iosonde.outputs import require_output
    from iosonde.stack.overrides import parse_overrides
    from iosonde.verbs import run as verb

    set_trace(trace)
    permitted(destroy, in_container=in_container)
    options: dict[str, Any] = {
        "targets": target or None,
        "tags": tag or None,
        "loads": [*({"fio": text} for text in fio or []), *(load or [])] or None,
        "loops": loops,
        "seconds": seconds,
        "size": size,
        "simultaneous": simultaneous,
        "together": together,
        "interleave": list(interleave) if interleave else None,
        "memory": memory,
        "ledger": ledger,
        "set": parse_overrides(values) if values else None,
    }
    if until or (max_seconds and not require):
        limit = {"max_seconds": max_seconds} if max_seconds else {}
        options["until"] = {**({"halfwidth": until} if until else {}), **limit}
    if require:
        options["require"] = dict(map(parse_option, require))
        options["max_seconds"] = max_seconds
    if drop_caches:
        options["prepare"] = {"drop_caches": True}
    options = {key: value for key, value in options.items() if value is not None}
    options |= {"resume": resume, "name": name or "", "store": store, "tell": write_message}
    if dry_run:
        return show_commands(verb.commands(study, **options), as_json=as_json)
    if report is not None:
        require_extra("report")
        require_output(report, "the report")
    again = resume_options(store, destroy, in_container=in_container)
    with watched(again) as progress:
        measured = verb.run(
            study, destroy=destroy or (), in_container=in_container, progress=progress, **options
        )
    return _show(measured, report, again, everything=everything, as_json=as_json)


def show_commands(planned: RunCommands, *, as_json: bool) -> int:
    """What would be run; 0."""
    if as_json:
        print_json(planned.to_json())
        return 0
    for trial in planned.trials:
        out().print(f"{trial.host}: {trial.id}\n  {trial.command}")
    for number, taken in enumerate(planned.passes[:2], 1):
        out().print(f"pass {number}: {', '.join(taken)}")
    if planned.passes:
        out().print(
            f"{len(planned.trials)} points in {len(planned.passes)} passes: about "
            f"{units.show_seconds(planned.seconds)}"
        )
    return 0


def _show(
    measured: MeasuredRun, report: Path | None, again: Sequence[str], *, everything: bool,
    as_json: bool,
) -> int:  # fmt: skip
    """Show what was measured, say what was not and how to go on; the exit code."""
    from iosonde.cli.result import show_result

    show_result(measured, report, everything=everything, as_json=as_json)
    return completion_code(measured, again)


def completion_code(measured: MeasuredRun, again: Sequence[str]) -> int:
    """Say what was not measured and how to go on; the exit code.

    Args:
        measured: the run.
        again: options that `--resume` needs as well.

    Raises:
        StoreFailed: all of it is in another file than was named.
    """
    from iosonde.cli.output import print_error

    if measured.failures:
        first, *more = measured.failures
        print_error(first, as_json=False)
        also = f" (and {len(more)} more)" if more else ""
        err().print(
            f"The run is incomplete{also}; what is shown was measured. "
            f"To go on: {resume_command(measured.id, again)}"
        )
    if measured.rescued is not None:
        raise measured.rescued
    if measured.failures:
        return measured.failures[0].exit_code
    return requirement_code(measured.sheet.requirements)


def requirement_code(results: Sequence[RequirementResult]) -> int:
    """0: every requirement is met, or there is none; 1: one is not; 5: one is undecided."""
    verdicts = {result.verdict for result in results}
    return 1 if "fail" in verdicts else 5 if "undecided" in verdicts else 0


def resume_command(run: str, again: Sequence[str]) -> str:
    """The command that goes on with a run."""
    from iosonde.hosts.command import quote

    return quote(["iosonde", "run", "--resume", run, *again])


def resume_options(
    store: str | None, destroy: Sequence[str] | None, *, in_container: bool
) -> list[str]:
    """The options that are not kept with a run, so that `--resume` needs them again."""
    options = [word for device in destroy or [] for word in ("--destroy", device)]
    options += ["--in-container"] if in_container else []
    return [*options, *(["--store", store] if store else [])]


@contextmanager
def watched(again: Sequence[str] = ()) -> Iterator[QuietProgress]:
    """Progress on standard error; where a signal ends the measuring, how to go on with it.

    Args:
        again: options that `--resume` needs as well.
    """
    from iosonde.cli.progress import RunView, drawn

    view = RunView()
    try:
        with drawn(view) as progress:
            yield progress
    except Interrupted as end:
        end.advice = "nothing was measured"
        if run := view.run or end.run:
            end.advice = f"finished loops are kept. To go on: {resume_command(run, again)}"
        raise
