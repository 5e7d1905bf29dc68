"""What `iosonde import` tells of each output: made where the output was found, in any process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from iosonde.records.printed import PrintedTrial, StoredExtra, Unread
from iosonde.text.find import FoundOutput
from iosonde.text.forms import Printed, each_run_once, printed_run
from iosonde.text.imported import settings_of

if TYPE_CHECKING:
    from iosonde.store.packed import Packed

Row = tuple[str, ...]
"""File, heading, lines, tool, host, what it is, what it says, loops."""


class How(Enum):
    """How the outputs are told."""

    TABLE = "table"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class PrintableOutput:
    """One output, ready to be printed.

    Args:
        trials: how many there are in it; so of `states`, `counters` and `loads`.
        lone: the command, where a command is all there is.
        commands: that its trials were made with.
        rows: of the table.
        texts: JSON objects, each with the list of the contract that it belongs to.
        unread: why it could not be read.
        packed: ready for a store, where it is to be kept.
        run: of fio, which may have printed it in several forms.
    """

    trials: int = 0
    states: int = 0
    counters: int = 0
    loads: int = 0
    lone: str | None = None
    commands: frozenset[str] = frozenset()
    rows: tuple[Row, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    unread: Unread | None = None
    packed: Packed | None = None
    run: Printed | None = None


def tell(one: FoundOutput | Unread, *, how: How, keep: bool) -> PrintableOutput:
    """What is told of an output.

    Args:
        one: the output.
        how: as rows of a table or as JSON.
        keep: also make it ready for a store.
    """
    from iosonde.cli.imported import texts_of

    packed = _packed(one) if keep else None
    texts = tuple(texts_of(one)) if how is How.JSON else ()
    if isinstance(one, Unread):
        return PrintableOutput(texts=texts, unread=one, packed=packed)
    beside = one.trials or one.states or one.counters
    return PrintableOutput(
        len(one.trials), len(one.states), len(one.counters), len(one.loads),
        lone=one.loads[0].command if one.loads and not beside else None,
        commands=frozenset(trial.command for trial in one.trials),
        rows=tuple(_rows(one)) if how is How.TABLE else (),
        texts=texts, packed=packed, run=printed_run(one),
    )  # fmt: skip


def _packed(one: FoundOutput | Unread) -> Packed:
    from iosonde.store.packed import pack
    from iosonde.text.imported import kept_of, trial_of

    if isinstance(one, Unread):
        return pack((), (StoredExtra(one.place, one),))
    return pack((trial_of(one, printed) for printed in one.trials), kept_of(one))


def without_repeats(told: Iterator[PrintableOutput]) -> Iterator[PrintableOutput]:
    """A command alone is left out where the output below it names it too.

    So is a run of fio that stands beside the same run in a form that says more.
    """
    waiting: list[PrintableOutput] = []
    for one in each_run_once(told, lambda one: one.run):
        if one.lone is not None:
            waiting.append(one)
            continue
        if one.unread is None:
            yield from (lone for lone in waiting if lone.lone not in one.commands)
            waiting.clear()
        yield one
    yield from waiting


def counted(number: int, what: str) -> str:
    """`3 trials`."""
    return f"{number} {what}{'s' * (number != 1)}"


def _rows(found: FoundOutput) -> Iterator[Row]:
    lines = f"{found.place.first_line}–{found.place.last_line}"
    start = (found.place.file, found.place.heading, lines)
    for trial in found.trials:
        beside = sum(len(settings_of(state)) for state in found.states)
        said = _figure(trial) + (f", {counted(beside, 'setting')}" if beside else "")
        what = trial.label if trial.label not in {"", found.place.heading} else trial.target
        yield *start, trial.tool, trial.host, what, said, str(len(trial.loops))
    for state in () if found.trials else found.states:
        what = ", ".join(dict.fromkeys(one.name or one.kind for one in state.subjects))
        said = counted(len(settings_of(state)), "setting")
        yield *start, state.tool, state.host, what, said, ""
    for one in found.counters:
        yield *start, one.tool, one.host, one.name, counted(len(one.values), "counter"), ""
    for load in found.loads:
        yield *start, load.tool, load.host, "a load", load.command, ""


def _figure(trial: PrintedTrial) -> str:
    """The mean of the metric that stands for a trial, and of its syncs."""
    from iosonde import units
    from iosonde.records.sheet import SYNC_LATENCY
    from iosonde.statistics.direction import headline_among

    first = trial.loops[0]
    names = [headline_among(first.metrics)]
    names += [SYNC_LATENCY] if SYNC_LATENCY in first.metrics else []
    said = []
    for name in names:
        values = [loop.metrics[name] for loop in trial.loops if name in loop.metrics]
        if values:
            shown = units.show(sum(values) / len(values), first.units.get(name, ""))
            said.append(f"{name} {shown}")
    return ", ".join(said) or "no figures"
