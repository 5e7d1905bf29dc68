"""Runs with their statistics, as they are shown: what tables, charts and exports are made of.

Computed from stored runs whenever they are looked at (`measure.sheet`, `explain.waterfall`), drawn
by `report`; nothing of it is stored. Units as in records.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iosonde.records import Finding, Forecast, Metric, Run, Scalar, Trial


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


@dataclass(frozen=True, slots=True)
class Gain:
    """How a figure changed from one step of a waterfall to another.

    `change` is a fraction for rates, seconds for times; `interval` holds it with 95 % confidence,
    None where a side has one loop.
    """

    change: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class WaterfallStep:
    """One probe point of a waterfall: its figures, and what changed since the step before.

    `rate` and `unit` are the headline's; `latency` the mean in seconds, `cpu` seconds of a core per
    I/O, None where the tool gives none. `kept` is the rate against the step before, `of_base`
    against the first; `latency_added` and `cpu_added` in seconds since the step before,
    `latency_over_base` and `cpu_over_base` since the first.
    """

    label: str
    where: str
    loops: int
    rate: float
    unit: str
    latency: float | None = None
    cpu: float | None = None
    kept: Gain | None = None
    of_base: Gain | None = None
    latency_added: Gain | None = None
    cpu_added: Gain | None = None
    latency_over_base: Gain | None = None
    cpu_over_base: Gain | None = None
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """What each layer costs: trials of the same load from the bottom of a stack upwards."""

    subject: str
    headline: str
    steps: tuple[WaterfallStep, ...]


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
