"""The figures of a load matrix with a steady window, as a table of two of its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from iosonde import units
from iosonde.records.sheet import RunSheet, TrialSheet
from iosonde.records.stack import Scalar
from iosonde.records.steady import SteadyWindow

_WAYS = ("read", "write", "trim")


@dataclass(frozen=True, slots=True)
class Grid:
    """Means over the window's passes, by two options of a matrix.

    Args:
        title: of which load, and what its figures are.
        rows, columns: options; `heads` and `names` their values as they are shown.
        cells: a row of figures for each of `names`; None where there is none.
        less: smaller figures are better.
    """

    load: str
    title: str
    unit: str
    rows: str
    columns: str
    names: tuple[str, ...]
    heads: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]
    less: bool = False


def grids_of(sheet: RunSheet) -> Iterator[Grid]:
    """One or two tables for each matrix with a window: rates, or mean and longest latencies."""
    seen: set[tuple[str, str, str]] = set()
    for window in sheet.windows:
        key = (window.load, window.host, window.probe)
        points = [
            trial for trial in sheet.trials
            if (trial.trial.load.varied_from, trial.trial.host, trial.trial.probe) == key
        ]  # fmt: skip
        if key not in seen and points:
            seen.add(key)
            yield from _grids(window, points)


def _grids(window: SteadyWindow, points: Sequence[TrialSheet]) -> Iterator[Grid]:
    if ".latency." in window.metric:
        yield _grid(window, points, "mean latency", "s")
        yield _grid(window, points, "longest latency", "s")
    elif window.metric.endswith("bandwidth"):
        yield _grid(window, points, "bandwidth", "B/s")
    else:
        yield _grid(window, points, "IOPS", "1/s")


def _grid(window: SteadyWindow, points: Sequence[TrialSheet], what: str, unit: str) -> Grid:
    varied = [name for name in points[0].trial.load.matrix if name != "bs"]
    columns = varied[0] if varied else "bs"
    rows = "bs" if columns != "bs" and "bs" in points[0].trial.load.matrix else ""
    figures: dict[tuple[Scalar, Scalar], float | None] = {}
    for point in points:
        matrix = point.trial.load.matrix
        figures[matrix.get(rows), matrix.get(columns)] = _figure(point, what)
    sizes = list(dict.fromkeys(row for row, _ in figures))
    values = list(dict.fromkeys(column for _, column in figures))
    return Grid(
        window.load,
        f"{window.load}: {what}",
        unit,
        rows,
        columns,
        tuple(shown(rows, size) for size in sizes),
        tuple(shown(columns, value) for value in values),
        tuple(tuple(figures.get((size, value)) for value in values) for size in sizes),
        less=unit == "s",
    )


def _figure(point: TrialSheet, what: str) -> float | None:
    means = {metric.name: metric.mean for metric in point.metrics}
    if what == "longest latency":
        return max((value for metric in point.metrics if metric.name.endswith(".latency.max")
                    for value in metric.loops), default=None)  # fmt: skip
    if what == "mean latency":
        return _weighted(means)
    name = "iops" if what == "IOPS" else "bandwidth"
    figures = [means[f"{way}.{name}"] for way in _WAYS if f"{way}.{name}" in means]
    return sum(figures) if figures else None


def _weighted(means: Mapping[str, float]) -> float | None:
    """Mean seconds of an I/O, whichever its direction."""
    parts = [
        (means[f"{way}.iops"], means[f"{way}.latency.mean"]) for way in _WAYS
        if means.get(f"{way}.iops") and f"{way}.latency.mean" in means
    ]  # fmt: skip
    moved = sum(rate for rate, _ in parts)
    return sum(rate * latency for rate, latency in parts) / moved if moved else None


def shown(option: str, value: Scalar) -> str:
    """A value of an option as a table has it: sizes with their unit, mixes as reads/writes."""
    if option == "bs" and isinstance(value, int):
        return units.show_bytes(value)
    if option == "rwmixread" and isinstance(value, int):
        return f"{value}/{100 - value}"
    return "" if value is None else str(value)
