"""One run that fio printed in several forms, as `--output-format=normal,terse` does, counts once.

fio prints them below each other: terse lines, JSON, text. What stands for the run is the JSON,
which is exact, else the text, which says more than terse lines do.

Source: fio 3.33, stat.c, __show_run_stats(): the order of the forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

from iosonde.records.printed import PrintedTrial, Unread
from iosonde.text.find import FoundOutput

_COMPARED = (".iops", ".bandwidth", ".latency.mean")
_ROUNDING = 1.001  # of two steps added, as floats hold them

Item = TypeVar("Item")


class _Form(IntEnum):
    """The forms, the one that says most last."""

    TERSE = 1
    TEXT = 2
    JSON = 3


@dataclass(frozen=True, slots=True)
class Printed:
    """What tells a run of fio from another: its jobs, their figures, how far these were rounded."""

    form: _Form
    jobs: tuple[tuple[str, Mapping[str, float], Mapping[str, float]], ...]


def printed_run(output: FoundOutput | Unread) -> Printed | None:
    """The run that an output of fio stands for; None of any other."""
    if isinstance(output, Unread) or output.tool != "fio" or not output.trials:
        return None
    return Printed(_form(output.trials[0]), tuple(map(_job, output.trials)))


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
