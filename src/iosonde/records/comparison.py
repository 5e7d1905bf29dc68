"""What a comparison says of two trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from iosonde.contract import ADDED, NULL
from iosonde.records.stack import Scalar


class Outcome(StrEnum):
    """The four answers of a comparison."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


PROVEN = frozenset({Outcome.BETTER, Outcome.WORSE})
"""Outcomes whose change is beyond doubt."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of comparing one metric."""

    metric: str = field(metadata={"schema": {"minLength": 1}})
    """Name by the contract, such as write.iops."""
    baseline: str
    """The run (or RUN/TRIAL) compared with."""
    candidate: str
    """The run (or RUN/TRIAL) compared."""
    outcome: Outcome = field(metadata={"name": "verdict"})
    change: float | None
    """From baseline to candidate, as a fraction of the baseline; null where no ratio exists."""
    interval: tuple[float, float] | None
    """Of the change; holds for all comparisons of the call together. Null with a single loop."""
    more_loops: int | None = field(default=None, metadata={"schema": {"minimum": 1}})
    """Further loops of each trial that decide with a chance of 80 %; null where none are needed or
    none would help."""


@dataclass(frozen=True, slots=True)
class ComparedTrial:
    """Which trial was compared."""

    load: str
    probe: str
    host: str

    def __str__(self) -> str:
        return f"{self.load} at {self.probe}" + (f" on {self.host}" if self.host else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMetric(Verdict):
    """The verdict on one metric of two trials, and what it rests on."""

    reason: str = field(metadata={**NULL, **ADDED})
    """Why the verdict is undecided."""
    level: float = field(
        metadata={"schema": {"exclusiveMinimum": 0, "exclusiveMaximum": 1}, **ADDED}
    )
    """Probability of a wrong verdict granted to this comparison."""
    headline: bool = field(metadata=ADDED)
    """This metric stands for its trial, or is the latency of the syncs that it waits for."""
    unit: str = field(metadata=ADDED)
    figures: tuple[float, float] = field(metadata=ADDED)
    """Baseline and candidate as the change compares them: geometric means of the loops, means where
    a loop is 0."""
    means: tuple[float, float] = field(metadata=ADDED)
    """Of the loops: baseline, candidate."""
    loops: tuple[int, int] = field(metadata={"schema": {"items": {"minimum": 1}}, **ADDED})
    """Number of loops: baseline, candidate."""
    trial: ComparedTrial = field(metadata=ADDED)
    """Of the candidate."""
    trials: tuple[str, str] = field(metadata=ADDED)
    """Ids of the two trials."""
    pairs: int | None = field(default=None, metadata={"schema": {"minimum": 1}, **ADDED})
    """Of loops that were measured in turns how many pairs the verdict rests on; null: not in
    turns."""


@dataclass(frozen=True, slots=True)
class ComparedSheets:
    """What a page of several runs shows of their comparison; empty of one run.

    `verdicts` are of the first run's trials against the others'; `settings` maps each setting that
    differs to its value in every run, in the order of the runs; changes within `margin` do not
    matter.
    """

    verdicts: tuple[ComparedMetric, ...] = ()
    settings: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    margin: float = 0.0


ALONE = ComparedSheets()
