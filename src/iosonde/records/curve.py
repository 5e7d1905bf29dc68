"""Response curves: what more I/Os in flight give, and cost, under otherwise the same load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iosonde.contract import NULL
from iosonde.records.stack import Scalar


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One trial of a curve: means over its loops, of all directions together."""

    trial: str
    matrix: Mapping[str, Scalar]
    """The options that are varied, sizes in bytes."""
    in_flight: int
    """I/Os that the load keeps in flight: iodepth times numjobs."""
    iops: float
    interval: tuple[float, float] | None
    """Of iops, at 95 %; null with one loop."""
    bandwidth: float | None
    latency: float | None
    """Mean seconds of an I/O."""
    p99: float | None
    """Seconds that 99 % of the I/Os of the slower direction took at most."""


@dataclass(frozen=True, slots=True)
class Knee:
    """Where latency begins to rise steeply; see `iosonde.statistics.knee`."""

    in_flight: float
    interval: tuple[float, float] | None
    """At 95 %, by bootstrap over loops; null with one loop."""
    iops: float
    """At the first measured point at or beyond the knee."""
    latency: float | None
    """There, in seconds."""
    trial: str
    """That point."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of a load matrix that differ in what is in flight, at one probe point."""

    load: str
    """Name of the matrix."""
    host: str
    """Empty of a curve that a model predicts."""
    probe: str
    fixed: Mapping[str, Scalar]
    """Varied options that all points of this curve share."""
    axis: str
    """The option along the curve: iodepth or numjobs."""
    points: tuple[CurvePoint, ...]
    """In ascending order of the axis."""
    knee: Knee | None
    no_knee: str = field(default="", metadata=NULL)
    """Why there is no knee."""


@dataclass(frozen=True, slots=True)
class ComparedCurves:
    """The same curve of the baseline and of another run."""

    baseline: str
    candidate: str
    curves: tuple[Curve, Curve]
    """Of the baseline, of the candidate."""
