"""What a load must reach, and whether it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class Requirement:
    """A bound on one metric: `sync.latency.p99 < 10 ms`.

    Args:
        metric: its name by the contract.
        above: whether it must be above the limit, and not below.
        limit: in the unit of the metric (seconds, bytes/s, 1/s).
        text: as it was declared.
    """

    metric: str
    above: bool
    limit: float
    text: str


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """Whether a trial meets a requirement, by the interval of its loops and not by their mean."""

    text: str
    metric: str
    verdict: Literal["pass", "fail", "undecided"]
    value: float | None
    """Mean over the loops, in the unit of the metric; null where no loop has the metric."""
    interval: tuple[float, float] | None
    """In which the mean lies; the verdict holds for all requirements of the run together with
    95 %. Null with a single loop."""
    loops: int = field(metadata={"schema": {"minimum": 0}})
    trial: str
    """Its id."""
