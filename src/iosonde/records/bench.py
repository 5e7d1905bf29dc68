"""What a benchmark of the project measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from iosonde.contract import ADDED, VerbResult

Reached: TypeAlias = Literal["", "yes", "no", "undecided"]


@dataclass(frozen=True, slots=True)
class BenchFigure:
    """One row: a value, and what it stands against."""

    name: str
    value: float
    unit: str
    against: str = ""
    ratio: float | None = None
    interval: tuple[float, float] | None = field(default=None, metadata=ADDED)
    """The value with 95 % confidence."""
    count: int | None = field(default=None, metadata=ADDED)
    """Of how many rounds or campaigns the value is."""
    target: str = field(default="", metadata=ADDED)
    """What was set out to reach; may be empty."""
    reached: Reached = field(default="", metadata=ADDED)
    """Whether the interval says that the target is reached."""


@dataclass(frozen=True, slots=True)
class BenchFigures(VerbResult):
    """The figures of one benchmark.

    A ratio above 1 means that iosonde is ahead of what it stands against; null where there is
    nothing to divide.
    """

    SCHEMA = "iosonde.bench/1"
    bench: str
    figures: tuple[BenchFigure, ...] = field(metadata={"schema": {"minItems": 1}})
    machine: Mapping[str, Any]
