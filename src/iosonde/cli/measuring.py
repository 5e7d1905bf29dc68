"""What the verbs that measure share: their commands, their progress, how they end and go on."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import err, out, print_json
from iosonde.verbs.signals import Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from iosonde.cli.progress import QuietProgress
    from iosonde.records.requirement import RequirementResult
    from iosonde.verbs.run import MeasuredRun, RunCommands


def show_commands(planned: RunCommands, *, as_json: bool) -> int:
    """What would be run; 0."""
    if as_json:
        print_json(planned.to_json())
        return 0
    count = len(planned.trials)
    out().print(f"{count} trial{'s' * (count != 1)} would be run; nothing was")
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
