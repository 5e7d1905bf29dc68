"""One run that fio printed several times counts once.

With `--output-format=normal,terse` it stands there in several forms: fio prints them below each
other: terse lines, JSON, text. What stands for the run is the JSON, which is exact, else the text,
which says more than terse lines do.

With `--status-interval`, or on SIGUSR1, fio prints all figures since its start again and again: the
last report is the result, those before it are what it was made of. Nothing in a report says that it
is not the last. What tells two reports of a run from two runs of one command on machines or in
containers that number their processes alike: counts only grow, and so do extremes.

Source: fio 3.33, stat.c, __show_run_stats(): the order of the forms; __show_running_run_stats(),
which prints the same statistics that go on being added to; add_stat_sample(), which moves min_val
only down and max_val only up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeVar

from iosonde.records.printed import PrintedTrial, Unread
from iosonde.text.search import FoundOutput

_COMPARED = (".iops", ".bandwidth", ".latency.mean")
_LEAST, _GREATEST = ".latency.min", ".latency.max"
_ROUNDING = 1.001  # of two steps added, as floats hold them
_SECOND = 1.5  # text names the whole second in which a report was printed
_APART = 3

Item = TypeVar("Item")


class _Form(IntEnum):
    """The forms, the one that says most last."""

    TERSE = 1
    TEXT = 2
    JSON = 3


class _JobState(NamedTuple):
    """How far a job was: when it began, for how long it ran, what it had issued; its process.

    `extremes` are the least and the greatest latencies by metric, s, with half of their last digit.
    """

    started: float | None
    elapsed: float
    issued: Mapping[str, float]
    pid: object
    extremes: Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Printed:
    """What tells a run of fio from another: its jobs, their figures, how far these were rounded.

    `states` says how far each job was, `first` and `last` are the lines of the output.
    """

    form: _Form
    jobs: tuple[tuple[str, Mapping[str, float], Mapping[str, float]], ...]
    states: tuple[_JobState, ...]
    first: int
    last: int


def printed_run(output: FoundOutput | Unread) -> Printed | None:
    """The run that an output of fio stands for; None of any other."""
    if isinstance(output, Unread) or output.tool != "fio" or not output.trials:
        return None
    states = tuple(map(_state, output.trials))
    place = output.place
    jobs = tuple(map(_job, output.trials))
    return Printed(_form(output.trials[0]), jobs, states, place.first_line, place.last_line)


def _state(trial: PrintedTrial) -> _JobState:
    loop = trial.loops[0]
    extremes = {
        name: (value, trial.steps.get(name, 0.0))
        for name, value in loop.metrics.items()
        if name.endswith((_LEAST, _GREATEST))
    }
    pid = trial.details.get("pid")
    return _JobState(trial.started, sum(trial.elapsed or ()), loop.issued, pid, extremes)


def _form(trial: PrintedTrial) -> _Form:
    if not trial.steps:
        return _Form.JSON
    return _Form.TERSE if "usr_cpu" in trial.details else _Form.TEXT


def _job(trial: PrintedTrial) -> tuple[str, Mapping[str, float], Mapping[str, float]]:
    figures = trial.loops[0].metrics
    names = [name for name in figures if name.endswith(_COMPARED)]
    return (
        trial.label,
        {name: figures[name] for name in names},
        {name: trial.steps.get(name, 0.0) for name in names},
    )


def each_run_once(
    items: Iterable[Item], run_of: Callable[[Item], Printed | None]
) -> Iterator[Item]:
    """The items without those that print the run of the item before or after them once more."""
    held: tuple[Item, Printed] | None = None
    for item in items:
        run = run_of(item)
        if held and run and _same(held[1], run):
            held = (item, run) if run.form > held[1].form else held
            continue
        if held and run and _is_earlier(held[1], run):
            held = item, run
            continue
        if held:
            yield held[0]
            held = None
        if run:
            held = item, run
        else:
            yield item
    if held:
        yield held[0]


def _same(run: Printed, other: Printed) -> bool:
    """Whether both print one run: in two forms, with the same jobs and the same figures."""
    if run.form == other.form or len(run.jobs) != len(other.jobs):
        return False
    return all(
        name == other_name and _alike(figures, steps, other_figures, other_steps)
        for (name, figures, steps), (other_name, other_figures, other_steps) in zip(
            run.jobs, other.jobs, strict=True
        )
    )


def _is_earlier(run: Printed, other: Printed) -> bool:
    """Whether the other is a later report of the same run: the same jobs, which did more since.

    Processes that run side by side end almost at once; their numbers tell them apart. JSON does not
    name these, but its reports stand right below each other.
    """
    if run.form != other.form or [name for name, *_ in run.jobs] != [
        name for name, *_ in other.jobs
    ]:
        return False
    if run.form != _Form.TEXT and not 0 < other.first - run.last <= _APART:
        return False
    return all(
        before.started is not None
        and after.started is not None
        and abs(after.started - before.started) <= _SECOND
        and before.pid == after.pid
        and (run.form != _Form.TEXT or before.pid is not None)
        and after.elapsed > before.elapsed
        and before.issued.keys() <= after.issued.keys()
        and all(after.issued[name] >= count for name, count in before.issued.items())
        and _widened(before.extremes, after.extremes)
        for before, after in zip(run.states, other.states, strict=True)
    )


def _widened(
    before: Mapping[str, tuple[float, float]], after: Mapping[str, tuple[float, float]]
) -> bool:
    """Whether no least latency rose and no greatest one fell by more than was cut off of them.

    fio chooses a unit for each report, and cuts off what is below it (nsec_to_usec() divides).
    """
    for name in before.keys() & after.keys():
        (old, old_step), (new, new_step) = before[name], after[name]
        narrower = new - old if name.endswith(_LEAST) else old - new
        if narrower > 2 * (old_step + new_step) * _ROUNDING + 1e-12:
            return False
    return True


def _alike(
    figures: Mapping[str, float], steps: Mapping[str, float],
    other_figures: Mapping[str, float], other_steps: Mapping[str, float],
) -> bool:  # fmt: skip
    both = figures.keys() & other_figures.keys()
    return any(name.endswith(".iops") for name in both) and all(
        abs(figures[name] - other_figures[name])
        <= (steps[name] + other_steps[name]) * _ROUNDING + 1e-12
        for name in both
    )
