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
    orders = list(dict.fromkeys(planned.passes))
    same = len(orders) < len(planned.passes)  # of each matrix one
    for number, taken in enumerate(orders if same else orders[:2], 1):
        _print_pass("each pass" if same else f"pass {number}", taken)
    if planned.passes:
        out().print(
            f"{len(planned.trials)} points in {len(planned.passes)} passes: about "
            f"{units.show_seconds(planned.seconds)}"
        )
    return 0


def _print_pass(name: str, trials: Sequence[str]) -> None:
    """The points of a pass in their order; what all have in common stands once, before them."""
    from iosonde.visible import visible

    first = trials[0]
    points = [trial.partition("@")[0] for trial in trials]
    load, place = first.partition(" ")[0], first.partition("@")[2]
    if len(trials) > 1 and all(
        trial.startswith(f"{load} ") and trial.partition("@")[2] == place for trial in trials
    ):
        name += f" of {load} at {place}"
        points = [point.removeprefix(f"{load} ") for point in points]
    else:
        points = list(trials)
    out().print(f"{name}:")
    width, line = out().width, " "
    for point in (visible(f"{point},") for point in points):
        if len(line) > 1 and len(line) + 1 + len(point) > width:
            out().print(line)
            line = " "
        line += f" {point}"
    out().print(line.removesuffix(","))


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
