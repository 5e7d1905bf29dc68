"""Prints the steps of `up` and `down`: as they are done, and how many there were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iosonde.cli.output import err, out, print_json, print_next
from iosonde.errors import IosondeError

if TYPE_CHECKING:
    from iosonde.change.build import Report
    from iosonde.verbs.up import StackSteps

_IDLE = {"unchanged", "found"}
"""States of steps that did nothing."""


@dataclass(frozen=True, slots=True)
class StepsAnswer:
    """What is said first where all went well, and what one does next."""

    done: str
    """There were steps that did something."""
    nothing: str
    """There was nothing to do."""
    next_commands: tuple[str, ...] = ()
    """After `done`."""


def print_steps(
    verb: Callable[[Callable[[Report], None]], StackSteps], answer: StepsAnswer, *, as_json: bool
) -> int:
    """Print each step as it is done and how many there were, also before a failure; or JSON; 0."""
    states = Counter[str]()
    planned: list[Report] = []

    def progress(step: Report) -> None:
        states[step.state] += 1
        if step.state == "planned":
            planned.append(step)
        elif not as_json:
            _print(step)

    try:
        done = verb(progress)
    except IosondeError:
        if states and not as_json:
            _print_all(states, planned)
        raise
    if as_json:
        print_json(done.to_json())
        return 0
    if not planned:
        worked = bool(states.keys() - _IDLE)
        sentence = answer.done if worked else answer.nothing
        out().print(f"{sentence} ({_counts(states)})" if states else sentence)
        if worked:
            print_next(*answer.next_commands)
    else:
        _print_all(states, planned)
    return 0


def _print_all(states: Counter[str], planned: list[Report]) -> None:
    out().print(_counts(states))
    for step in planned:
        _print_planned(step)


def _counts(states: Counter[str]) -> str:
    counts = ", ".join(f"{count} {state}" for state, count in states.items())
    number = states.total()
    return f"{number} step{'s' * (number != 1)}: {counts}"


def _print_planned(step: Report) -> None:
    out().print(f"{step.layer} on {step.host}: {step.action}", style="bold")
    for line in step.command.split("; "):
        out().print(f"  {line}")


def _print(step: Report) -> None:
    time = f" ({step.seconds:.1f} s)" if step.state not in {"unchanged", "found"} else ""
    word = {"found": "was there, not made by iosonde"}.get(step.state, step.state)
    err().print(f"{step.host}: {step.layer}: {step.action}: {word}{time}")
    if step.note:
        err().print(f"{step.host}: {step.layer}: {step.note}", style="bold")


class TenthsProgress:
    """What is done, each tenth of it once; nothing with --json."""

    def __init__(self, *, as_json: bool) -> None:
        self._silent = as_json
        self._last: tuple[str, int | None] = "", None

    def __call__(self, what: str, share: float | None) -> None:
        """Hear what is done, and how far it is as a fraction."""
        tenth = None if share is None else int(share * 10)
        if not self._silent and (what, tenth) != self._last:
            self._last = what, tenth
            percent = f" {share:4.0%}" if share is not None else ""
            err().print(f"{what}{percent}")
