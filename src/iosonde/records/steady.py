"""Steady states: the passes of a load matrix from which its figures are taken."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SteadyWindow:
    """The last five passes of what a study tracks, held to the criterion of a steady state.

    Passes count from 1. `range` and `slope` are fractions of the window's mean: the largest figure
    less the smallest, and how far the fitted line rises over the window.
    """

    load: str
    """Name of the matrix, or of the load."""
    host: str
    probe: str
    trial: str
    """The trial that is tracked."""
    metric: str
    unit: str
    reached: bool
    """Whether the window is steady; else it is what there was at the end."""
    first: int
    last: int
    values: tuple[float, ...]
    """Of every pass, from the first."""
    mean: float
    lowest: float
    highest: float
    range: float
    slope: float
    line: tuple[float, float]
    """The fitted line at the first and at the last pass of the window."""
    alarms: tuple[str, ...] = ()
    """Rules about what the drives' logs said around the loops of the window."""
