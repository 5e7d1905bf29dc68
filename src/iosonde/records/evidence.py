"""What rules look at: trials, states and counters, whether measured here or read in a text.

A rule is a function from a `EvidenceSet` to findings. It belongs to the layer or load it is about
(layers/, loads/) or, where it spans several, to explain/rules/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from iosonde.contract import HIDDEN
from iosonde.records.finding import Evidence, Finding
from iosonde.records.prediction import Ledger
from iosonde.records.run import Metric, Series
from iosonde.records.stack import HostFacts, Json, Scalar

_PRINTED = re.compile(r":\d+(?:-\d+)?$")
"""How the place of what was read in a text ends: with its lines."""
_NO_UNITS: Mapping[str, str] = MappingProxyType({})


def place_of(where: str) -> tuple[str, int]:
    """File and first line of "FILE:12-60", also before " and 2 more places"; 0: it has none."""
    file, _, numbers = where.partition(" and ")[0].rpartition(":")
    first = numbers.partition("-")[0]
    return (file, int(first)) if first.isdecimal() else (where, 0)


@dataclass(frozen=True, slots=True)
class TrialEvidence:
    """One trial as rules see it.

    Args:
        label: what a person calls it: heading, or load and probe.
        where: where its figures can be looked up ("FILE:12-60", "RUN/TRIAL").
        source: the file or run it comes from: trials of one source were made for one purpose.
        tool, version, command, host, target: as `records.printed.PrintedTrial` has them.
        metrics: statistics over its loops, by the contract's names.
        headline: name of the metric that stands for it; empty where it has none.
        steps: metric → half of the last digit printed; not named: exact.
        averages: metric → the average the tool printed itself.
        options: of the load: rw, bs, size, iodepth, numjobs, direct, ioengine, runtime, end_fsync…
        device_io: device → what the tool says reached it (reads, writes, util …), first loop.
        issued: direction → I/Os the load issued, first loop.
        elapsed: seconds of each loop; None where unknown.
        details: what else the tool printed.
        series: of each loop, as the observer saw it; empty for imported trials.
        settings: "layer.setting" → value of what it stood on, as far as that is known.
        stands_on: (kind, device) of the layers under its target, the topmost first.
        path: ids of the same layers, which tell those of several hosts apart.
        heading: the heading it stands under, or the load's name: trials to be held against
            each other share it.
        faults: what went wrong while it was measured, in the tool's or iosonde's words.
        ledger: of a run with --ledger: I/Os predicted and counted.
        printed: whether it was read in a text, and not measured here.
        job: the tool's own name for it; empty where it has none.
        changes: what its text says was set before it, by commands or in words, and to what.
        quoted: how often a mail has quoted it on: what another quotes is of another host.
        row: what its author wrote beside it in a table, cell by cell; `columns` the names.
    """

    label: str
    where: str
    source: str
    tool: str
    metrics: Mapping[str, Metric]
    headline: str = ""
    version: str = ""
    command: str = ""
    host: str = ""
    target: str = ""
    started: float | None = None
    steps: Mapping[str, float] = field(default_factory=dict)
    averages: Mapping[str, float] = field(default_factory=dict)
    options: Mapping[str, Scalar] = field(default_factory=dict)
    device_io: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    issued: Mapping[str, int] = field(default_factory=dict)
    elapsed: tuple[float, ...] | None = None
    details: Mapping[str, Json] = field(default_factory=dict)
    series: tuple[tuple[Series, ...], ...] = ()
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    stands_on: tuple[tuple[str, str], ...] = ()
    path: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    heading: str = ""
    printed: bool = False
    job: str = ""
    row: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    left_out: int = 0
    changes: Mapping[str, str] = field(default_factory=dict)
    ledger: Ledger | None = None
    quoted: int = 0

    def mean(self, metric: str) -> float | None:
        """Mean of a metric over the loops; None where the trial has none of that name."""
        metric_values = self.metrics.get(metric)
        return None if metric_values is None else metric_values.mean


class _Named:
    """Values by their names, and where they were read: what rules ask states and counters."""

    __slots__ = ()
    values: Mapping[str, Json]
    where: str

    def number(self, name: str) -> int | float:
        """A value that is a number; 0 where it is none, or unknown."""
        value = self.values.get(name)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else 0

    def evidence(self, *names: str, units: Mapping[str, str] = _NO_UNITS) -> tuple[Evidence, ...]:
        """Those of some values that are known, as a finding shows them, with their units."""
        return tuple(
            Evidence(name.replace("_", " "), value, units.get(name, ""), self.where)
            for name in names
            if isinstance(value := self.values.get(name), str | int | float)
        )


@dataclass(frozen=True, slots=True)
class StateEvidence(_Named):
    """Settings and facts of one thing: `kind`, `name` and `values` as in `printed.Subject`.

    `below` are the names of what it stands on, where that is known.
    """

    kind: str
    name: str
    host: str
    values: Mapping[str, Scalar]
    where: str
    source: str
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CounterEvidence(_Named):
    """Counters of one thing, as in `printed.PrintedCounters`."""

    tool: str
    kind: str
    name: str
    host: str
    values: Mapping[str, Json]
    where: str
    source: str


def is_printed(thing: StateEvidence | CounterEvidence) -> bool:
    """Whether it was read in a text, and not of a host or a run of this tool."""
    return _PRINTED.search(thing.where) is not None


def subject_of(thing: StateEvidence | CounterEvidence) -> str:
    """What findings call a thing: its name, with its host where that is known."""
    name = called(thing)
    return f"{thing.host}: {name}" if thing.host else name


def called(thing: StateEvidence | CounterEvidence) -> str:
    """Its name, else its model and serial number, or that it has none where the text says none."""
    model, serial = thing.values.get("model"), thing.values.get("serial")
    serial = serial or thing.values.get("serial_number")
    if thing.name or not isinstance(model, str) or not model:
        return thing.name or f"unnamed {thing.kind}"
    return f"{model} {serial}" if isinstance(serial, str) and serial else model


@dataclass(frozen=True, slots=True)
class CommandEvidence:
    """A command line of a load engine that stands in a text."""

    tool: str
    command: str
    host: str
    where: str
    source: str


@dataclass(frozen=True, slots=True)
class EvidenceSet:
    """All that is to be explained together."""

    trials: tuple[TrialEvidence, ...] = ()
    states: tuple[StateEvidence, ...] = ()
    counters: tuple[CounterEvidence, ...] = ()
    hosts: tuple[HostFacts, ...] = ()
    commands: tuple[CommandEvidence, ...] = ()
    noted: tuple[Finding, ...] = ()
    """What was found when the trials were measured."""
    staged: tuple[CommandEvidence, ...] = ()
    """Commands and sentences of a text that bring a failure about on purpose, or mend one."""

    def on(self, host: str) -> EvidenceSet:
        """The same case, all of it of one host."""
        return EvidenceSet(
            tuple(replace(trial, host=host, source=host) for trial in self.trials),
            tuple(replace(state, host=host, source=host) for state in self.states),
            tuple(replace(counters, host=host, source=host) for counters in self.counters),
            self.hosts,
            tuple(replace(command, host=host, source=host) for command in self.commands),
        )

    def of_kind(self, *kinds: str) -> Iterator[StateEvidence]:
        """The states of some kinds."""
        return (state for state in self.states if state.kind in kinds)

    def latest(self, kind: str, *names: str) -> Iterator[StateEvidence]:
        """The states of a kind, of what a text shows several times those that it shows last.

        A state that was measured here is of its own moment, and none replaces it.

        Args:
            kind: of the states.
            names: of the values of which a later state has to say one.
        """
        last: dict[tuple[str, str, str], str] = {}
        for state in self.with_value(*names):
            if state.kind == kind:
                last[state.source, state.host, state.name] = state.where
        for state in self.of_kind(kind):
            where = last.get((state.source, state.host, state.name), state.where)
            if where == state.where or not is_printed(state):
                yield state

    def counted(self, *tools: str) -> Iterator[CounterEvidence]:
        """The counters that some tools printed."""
        return (counters for counters in self.counters if counters.tool in tools)

    def with_value(self, *names: str) -> Iterator[StateEvidence]:
        """The states that know a value, or one of several."""
        return (
            state
            for state in self.states
            if any(state.values.get(name) is not None for name in names)
        )

    def value(self, name: str, *, like: TrialEvidence | StateEvidence | CounterEvidence) -> Scalar:
        """A value of any state of the same host and source, as `vm.dirty_ratio`; None if unknown.

        Where the host is not known, a state of the same source will do.
        """
        for state in self.with_value(name):
            if state.source == like.source and like.host in {"", state.host}:
                return state.values[name]
        return None

    def memory(self, host: str) -> int | None:
        """Bytes of memory of a host, None where unknown."""
        return next(
            (host_facts.memory for host_facts in self.hosts if host_facts.name == host), None
        )


Stage = Literal["stopped", "drive", "redundancy", "device", "requests", "data", "waiting", ""]
"""What a rule is of in the course of a failure; of findings of a severity the first is said first.

A pool, a replica, a volume or a kernel that serves nothing; a drive that failed or will; members
that are missing (of which a warning says that something is at work, which is of no stage); errors
of devices and of paths to them; requests that failed; what was damaged by it; what waits for room
or for another. The empty one is of all other rules.
"""


@dataclass(frozen=True, slots=True)
class Rule:
    """One diagnosis that can be made.

    Args:
        name: by the contract.
        about: the layer kinds or loads it is about, for the list of rules.
        says: what it looks for, in one sentence.
        source: where the knowledge comes from (kernel file, manual page, specification, paper).
        find: its findings in a case; several rules may share a name.
        order: -1 where it speaks against what its author claims, which comes first; 1 where it says
            what nobody can claim, which comes last.
        stage: what it is of in the course of a failure.
    """

    name: str = field(metadata={"name": "rule"})
    about: str
    says: str
    source: str
    find: Callable[[EvidenceSet], Iterable[Finding]] = field(metadata=HIDDEN)
    order: int = field(default=0, metadata=HIDDEN)
    stage: Stage = field(default="", metadata=HIDDEN)
