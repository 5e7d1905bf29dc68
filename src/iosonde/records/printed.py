"""What the printed output of a tool says: trials, states and counters, with their place in a text.

The parsers of outputs live with their loads and layers; text/ finds where outputs begin and
calls them. A figure is what the tool printed, in bytes, seconds, 1/s, B/s or fractions; how
coarsely it was printed travels with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import cast

from iosonde.contract import ADDED, HIDDEN, NULL
from iosonde.records.load import LoadResult
from iosonde.records.prediction import Forecast
from iosonde.records.stack import Json, Scalar

PRINTED = "printed"
"""The tool of what was read without a reader: whatever printed it."""
AS_PRINTED = "printed, not interpreted"
"""The kind of counters that are names and texts as they stand there; nothing is concluded of them.

Their values are texts, or lists of texts; of a table `columns` and `rows`.
"""


class Unreadable(Exception):
    """An output that was recognised cannot be read; `reason` says in a few words why.

    `last` is the index of its last line, where that is known: what stands in it is not tried again.
    """

    def __init__(self, reason: str, last: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.last = last


@dataclass(frozen=True, slots=True)
class TextLocation:
    """Where in a text something stands. Lines count from 1."""

    file: str
    first_line: int = field(metadata={"schema": {"minimum": 1}})
    last_line: int = field(metadata={"schema": {"minimum": 1}})
    heading: str = field(default="", metadata=NULL)
    """The nearest one above."""

    @property
    def lines(self) -> str:
        """`7–9`, as tables name its lines."""
        return f"{self.first_line}–{self.last_line}"

    def __str__(self) -> str:
        """`FILE:FIRST-LAST`, as messages name a place."""
        lines = f"{self.first_line}"
        if self.last_line > self.first_line:
            lines += f"-{self.last_line}"
        return f"{self.file}:{lines}"


@dataclass(frozen=True, slots=True)
class PrintedTrial:
    """One measurement: the loops of one load at one target, as a tool printed them.

    Args:
        tool: what printed it ("fio", "hdparm", "iozone" …).
        loops: one result per loop, in their order.
        version: of the tool, empty where it does not say.
        command: as it stood before the output, empty where it did not.
        host: as a prompt or the output names it, empty where neither does.
        target: device or file that was measured, empty where unknown.
        label: what the output itself calls it (fio's job name); a heading goes before it.
        started: seconds since the epoch; None where it does not say.
        elapsed: seconds of each loop; None where it does not say.
        options: of the load in fio's words as far as they are known: rw, bs, size, iodepth, numjobs
            (numbers are numbers, sizes bytes, times seconds, flags bool), direct, ioengine,
            runtime, end_fsync.
        steps: metric → half of the last digit printed, in the metric's unit; a metric that is not
            named was printed exactly.
        averages: metric → the average that the tool itself printed for its loops.
        details: everything else it printed, by names of the tool's own.
    """

    tool: str
    loops: tuple[LoadResult, ...]
    version: str = ""
    command: str = ""
    host: str = ""
    target: str = ""
    label: str = ""
    started: float | None = None
    elapsed: tuple[float, ...] | None = None
    options: Mapping[str, Scalar] = field(default_factory=dict)
    steps: Mapping[str, float] = field(default_factory=dict)
    averages: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PrintedSubject:
    """One thing whose state is known: a layer, a mount, a controller, a NIC, or the host itself.

    Args:
        kind: a layer kind ("disk", "md", "nfs" …) or "controller", "export", "host".
        name: the device, mount point, interface …; "" for the host itself.
        values: facts and settings, by the names that discovery gives them (docs/layers/).
    """

    kind: str
    name: str = field(metadata=NULL)
    values: Mapping[str, Scalar]
    host: str = field(default="", metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class PrintedState:
    """Settings and facts at one moment, as a tool printed them or a file holds them.

    `messages` are the lines of a tool that answers in sentences.
    """

    tool: str
    subjects: tuple[PrintedSubject, ...]
    host: str = ""
    command: str = ""
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PrintedCounters:
    """Monotonic figures (or rates over an interval) that a host keeps, as printed.

    `values` maps the tool's own names to figures; a list is a histogram or the figures of one line.
    `kind` and `name` say of what, as in `PrintedSubject`.
    """

    tool: str
    kind: str
    name: str
    values: Mapping[str, Json]
    host: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class PrintedLoad:
    """A command line of a load engine, as it stands in a text: it can be run again."""

    tool: str
    command: str
    host: str = ""


@dataclass(frozen=True, slots=True)
class OutputReading:
    """What one output says. `first` and `last` are indices of its lines in the cursor.

    `unread` holds parts that were recognised but not understood: (index, index, reason).
    """

    first: int
    last: int
    trials: tuple[PrintedTrial, ...] = ()
    states: tuple[PrintedState, ...] = ()
    counters: tuple[PrintedCounters, ...] = ()
    loads: tuple[PrintedLoad, ...] = ()
    unread: tuple[tuple[int, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """What was recognised but could not be read."""

    place: TextLocation = field(metadata={"name": "source"})
    tool: str = field(metadata=ADDED)
    reason: str


@dataclass(frozen=True, slots=True)
class StoredExtra:
    """What was found in a text beside trials, or predicted of them: as a store keeps it."""

    place: TextLocation
    what: PrintedState | PrintedCounters | PrintedLoad | Unread | Forecast


_EXACT = frozenset({str, int, bool, type(None)})
"""Whatever a value of these types is, it is finite."""


def is_finite(reading: OutputReading) -> bool:
    """Whether all figures are: a number of 400 digits, or `1e999` in JSON, is read as infinite."""
    for trial in reading.trials:
        each = (trial.options, trial.steps, trial.averages, trial.details, trial.elapsed or ())
        if not all(map(_finite, each)) or not _finite(trial.started):
            return False
        if not all(_finite(loop.metrics) and _finite(loop.device_io) for loop in trial.loops):
            return False
    subjects = (subject for state in reading.states for subject in state.subjects)
    return all(_finite(subject.values) for subject in subjects) and all(
        _finite(counters.values) for counters in reading.counters
    )


def _finite(value: object) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    items: Iterable[object]
    if isinstance(value, dict):  # is quicker to see than any other mapping
        items = value.values()
    elif isinstance(value, tuple | list):
        items = value
    elif isinstance(value, Mapping):
        items = value.values()
    else:
        return True
    for item in items:
        kind = type(item)
        if kind is float:
            if not isfinite(cast("float", item)):
                return False
        elif kind not in _EXACT and not _finite(item):
            return False
    return True


def without_none(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The values that are known."""
    return {name: value for name, value in values.items() if value is not None}
