"""Runs with their statistics, as they are shown: what tables, charts and exports are made of.

Computed from stored runs whenever they are looked at (`measure.sheet`, `explain.waterfall`), drawn
by `report`; nothing of it is stored. Units as in records/stack.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from iosonde.contract import ADDED, NULL
from iosonde.records.curve import Curve
from iosonde.records.finding import Finding
from iosonde.records.prediction import Forecast
from iosonde.records.printed import StoredExtra
from iosonde.records.requirement import RequirementResult
from iosonde.records.run import Metric, Run, Trial
from iosonde.records.stack import Scalar
from iosonde.records.steady import SteadyWindow

SYNC_LATENCY = "sync.latency.mean"
"""Mean seconds of an fsync, fdatasync or sync_file_range of the load."""
_OF_SYNCS = (SYNC_LATENCY, "sync.latency.p99")


def headlines_among(headline: str, names: Collection[str]) -> tuple[str, ...]:
    """The metrics to be shown and judged first: the headline and, of a load that syncs, its wait.

    What such a load waits for is the sync, while its writes return from the cache.

    Args:
        headline: the metric that stands for the load; none where it is empty.
        names: of the metrics there are.
    """
    first = [headline] if headline else []
    return tuple(dict.fromkeys([*first, *(name for name in _OF_SYNCS if name in names)]))


@dataclass(frozen=True, slots=True)
class TrialSheet:
    """A trial with its statistics: what tables, charts and exports are made of."""

    trial: Trial
    metrics: tuple[Metric, ...]
    headline: str
    """Name of the metric that stands for the trial; empty where it has none."""
    findings: tuple[Finding, ...] = ()
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    """Of its capture: "layer.setting" → value."""
    below: tuple[str, ...] = ()
    """Ids of the layers its target stands on, the topmost first."""

    @property
    def headlines(self) -> tuple[str, ...]:
        """See `headlines_among`."""
        return headlines_among(self.headline, [metric.name for metric in self.metrics])


@dataclass(frozen=True, slots=True)
class JointSheet:
    """One load at several targets at the same time, taken as one: what they did together.

    `trials` are the ids of its parts, `loops` how many all of them have finished together;
    `metrics` come of those loops alone.
    """

    load: str
    trials: tuple[str, ...]
    loops: int
    metrics: tuple[Metric, ...]
    headline: str

    @property
    def headlines(self) -> tuple[str, ...]:
        """See `headlines_among`."""
        return headlines_among(self.headline, [metric.name for metric in self.metrics])


@dataclass(frozen=True, slots=True)
class Gain:
    """A change with its 95 % interval, from one step of a waterfall to another.

    `change` is a fraction for rates, seconds for times; `interval` is null where a side has one
    loop.
    """

    change: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class WaterfallStep:
    """One probe point of a waterfall: its figures, and what changed since the step before.

    `rate` and `unit` are the headline's. A figure that the tool does not give is null, and so is a
    gain where nothing is compared.
    """

    label: str
    where: str
    loops: int
    rate: float
    unit: str
    latency: float | None = None
    """Mean of the waterfall's `timed`, in seconds."""
    cpu: float | None = field(default=None, metadata={"name": "cpu_per_io"})
    """Seconds of a core per I/O."""
    kept: Gain | None = None
    """Rate against the step before, as a fraction of it above or below 1."""
    of_base: Gain | None = None
    """Rate against the first step."""
    latency_added: Gain | None = None
    """Seconds since the step before."""
    cpu_added: Gain | None = None
    """Seconds of a core per I/O since the step before."""
    latency_over_base: Gain | None = None
    """Seconds since the first step."""
    cpu_over_base: Gain | None = None
    """Seconds of a core per I/O since the first step."""
    doubt: str = field(default="", metadata=NULL)
    """Name of the rule that casts doubt on the step."""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """What each layer costs: trials of the same load from the bottom of a stack upwards."""

    subject: str
    headline: str = field(metadata={"name": "metric"})
    timed: str = field(metadata={**NULL, **ADDED})
    """The metric whose mean is the latency of the steps: of the syncs where the load syncs."""
    steps: tuple[WaterfallStep, ...]


@dataclass(frozen=True, slots=True)
class TrialArm:
    """Which arm of an interleaved run a trial belongs to.

    `pair` is what it has in common with the trial of the other arm: load and place, empty where
    that is what differs.
    """

    name: str
    pair: tuple[str, str]


@dataclass(frozen=True, slots=True)
class RunSheet:
    """A run with the statistics of each of its trials.

    `findings` are what the rules say of the run as a whole, where they were asked; `joint` what the
    targets of a load did together, where they were measured at the same time; `forecasts` what a
    model had said of them, the newest of each trial.
    """

    run: Run
    trials: tuple[TrialSheet, ...]
    findings: tuple[Finding, ...] = ()
    waterfalls: tuple[Waterfall, ...] = ()
    joint: tuple[JointSheet, ...] = ()
    forecasts: tuple[Forecast, ...] = ()
    beside: tuple[StoredExtra, ...] = ()
    """What was imported beside its trials."""
    requirements: tuple[RequirementResult, ...] = ()
    """What its study requires, on each trial that has the metric."""
    curves: tuple[Curve, ...] = ()
    """Of load matrices."""
    arms: Mapping[str, TrialArm] = field(default_factory=dict)
    """Of an interleaved run, by the id of the trial."""
    windows: tuple[SteadyWindow, ...] = ()
    """Of a study that tracks a steady state; the trials' statistics are of these passes alone."""
