"""Series of runs and where their level changed."""

from __future__ import annotations

from dataclasses import dataclass, field

from iosonde.contract import VerbResult


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A run in a series."""

    run: str
    name: str
    created: float
    mean: float
    interval: tuple[float, float] | None
    """Of the mean, 95 %, in the metric's unit; null with one loop."""
    loops: int


@dataclass(frozen=True, slots=True)
class TrendChange:
    """A change of level between two runs."""

    at: str
    """The first run behind it."""
    before: float = field(metadata={"name": "from"})
    """Level since the change before, in the metric's unit."""
    after: float = field(metadata={"name": "to"})
    change: float
    """As a fraction of `from`."""
    interval: tuple[float, float]
    """Of `change`, 95 %."""
    worse: bool
    """For the worse, and by more than the margin."""


@dataclass(frozen=True, slots=True)
class TrendSeries:
    """One headline metric of one load at one place, run after run."""

    study: str
    metric: str
    unit: str
    load: str
    probe: str
    host: str
    points: tuple[TrendPoint, ...]
    """The oldest first."""
    changes: tuple[TrendChange, ...]

    @property
    def is_worse(self) -> bool:
        """Whether its latest change is one for the worse."""
        return bool(self.changes) and self.changes[-1].worse


@dataclass(frozen=True, slots=True)
class StudyTrend(VerbResult):
    """Runs of a study, one after the other: where their level changed."""

    SCHEMA = "iosonde.trend/1"
    series: tuple[TrendSeries, ...]
    margin: float
    """A change for the worse within it is none."""

    @property
    def passed(self) -> bool:
        """Whether no series has become worse and stayed so."""
        return not any(series.is_worse for series in self.series)
