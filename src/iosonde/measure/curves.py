"""The response curves in a run: points of a load matrix, and where their knee is."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from iosonde.loads import LOADS
from iosonde.loads.matrix import VariedEngine
from iosonde.records.curve import Curve, CurvePoint, Knee
from iosonde.records.sheet import TrialSheet
from iosonde.records.stack import Scalar
from iosonde.statistics.estimates import summarise
from iosonde.statistics.knee import find_knee

AXES = ("iodepth", "numjobs")
_KEPT = 0.5
"""Share of the I/Os in flight that rate times latency must account for."""
_DIRECTIONS = ("read", "write", "trim")


def curves_of(sheets: Sequence[TrialSheet]) -> tuple[Curve, ...]:
    """The curves of all matrices of a run, in the order of its trials."""
    points = [sheet for sheet in sheets if sheet.trial.load.matrix]
    axes = _axes(points)
    groups: dict[tuple[object, ...], list[TrialSheet]] = {}
    for sheet in points:
        trial = sheet.trial
        axis = axes[trial.load.varied_from]
        if axis and sheet.metrics and _rates(sheet):
            fixed = tuple(item for item in trial.load.matrix.items() if item[0] != axis)
            key = (trial.load.varied_from, trial.host, trial.probe, axis, fixed)
            groups.setdefault(key, []).append(sheet)
    return tuple(
        _curve(group, axes[group[0].trial.load.varied_from], points)
        for group in groups.values()
        if len(group) > 1
    )


def _axes(points: Sequence[TrialSheet]) -> dict[str, str]:
    """Of each matrix the option that its curves go along: iodepth where it is varied, else numjobs.

    Empty where neither is.
    """
    values: dict[str, dict[str, set[Scalar]]] = {}
    for sheet in points:
        load = sheet.trial.load
        seen = values.setdefault(load.varied_from, {axis: set() for axis in AXES})
        for axis in AXES:
            seen[axis].add(load.matrix.get(axis))
    return {
        name: next((axis for axis in AXES if len(seen[axis]) > 1), "")
        for name, seen in values.items()
    }


def _curve(measured: Sequence[TrialSheet], axis: str, sheets: Sequence[TrialSheet]) -> Curve:
    load = measured[0].trial.load
    ordered = sorted(measured, key=lambda sheet: float(sheet.trial.load.matrix[axis] or 0))
    points = tuple(_point(sheet) for sheet in ordered)
    knee, reason = _knee(ordered, points, axis, _alone(measured[0], sheets))
    fixed = {name: value for name, value in load.matrix.items() if name != axis}
    trial = measured[0].trial
    return Curve(load.varied_from, trial.host, trial.probe, fixed, axis, points, knee, reason)


def _in_flight(sheet: TrialSheet) -> int:
    load = sheet.trial.load
    engine = LOADS.load(load.engine)()
    return (engine.in_flight(load) or 0) if isinstance(engine, VariedEngine) else 0


def _others(sheet: TrialSheet) -> dict[str, Scalar]:
    return {name: value for name, value in sheet.trial.load.matrix.items() if name not in AXES}


def _alone(sheet: TrialSheet, sheets: Sequence[TrialSheet]) -> TrialSheet | None:
    """The point with one I/O in flight under otherwise the same load."""
    trial = sheet.trial
    return next(
        (
            other for other in sheets
            if (other.trial.load.varied_from, other.trial.host, other.trial.probe)
            == (trial.load.varied_from, trial.host, trial.probe)
            and _others(other) == _others(sheet) and _in_flight(other) == 1 and _rates(other)
        ),
        None,
    )  # fmt: skip


def _rates(sheet: TrialSheet) -> dict[int, float]:
    """I/Os a second of all directions, by the number of the loop."""
    rates = {
        loop.index: sum(loop.result.metrics.get(f"{way}.iops", 0.0) for way in _DIRECTIONS)
        for loop in sheet.trial.counted
    }
    return {index: rate for index, rate in rates.items() if rate > 0}


def _point(sheet: TrialSheet) -> CurvePoint:
    means = {metric.name: metric.mean for metric in sheet.metrics}
    rate = summarise("iops", "1/s", list(_rates(sheet).values()))
    parts = [
        (means[f"{way}.iops"], means[f"{way}.latency.mean"])
        for way in _DIRECTIONS
        if means.get(f"{way}.iops") and f"{way}.latency.mean" in means
    ]
    moved = sum(iops for iops, _ in parts)
    bandwidths = [means[f"{way}.bandwidth"] for way in _DIRECTIONS if f"{way}.bandwidth" in means]
    return CurvePoint(
        sheet.trial.id, sheet.trial.load.matrix, _in_flight(sheet), rate.mean, rate.ci95,
        sum(bandwidths) if bandwidths else None,
        sum(iops * latency for iops, latency in parts) / moved if moved else None,
        max((means[name] for way in _DIRECTIONS if (name := f"{way}.latency.p99") in means),
            default=None),
    )  # fmt: skip


def _knee(
    sheets: Sequence[TrialSheet], points: Sequence[CurvePoint], axis: str,
    alone: TrialSheet | None,
) -> tuple[Knee | None, str]:  # fmt: skip
    """The knee of a curve, or why it has none."""
    if alone is None:
        return (
            None,
            f"it is computed from the rate of {axis} 1 with one job, which was not measured",
        )
    last = points[-1]
    if last.latency is not None and last.iops * last.latency < _KEPT * last.in_flight:
        return None, (
            f"at {axis} {last.matrix[axis]} the load kept only {last.iops * last.latency:.1f} of "
            f"{last.in_flight} I/Os in flight"
        )
    curve = {point.in_flight: _rates(sheet) for point, sheet in zip(points, sheets, strict=True)}
    curve = dict(sorted({**curve, 1: _rates(alone)}.items()))
    passes = sorted(set.intersection(*(set(rates) for rates in curve.values())))
    if len(curve) < 2 or not passes:
        return None, "no loop was finished at all of its points"
    position = find_knee(list(curve), [[rates[at] for rates in curve.values()] for at in passes])
    beyond = position.interval[1] if position.interval else position.bounds[1]
    if beyond > max(curve):
        least = position.interval[0] if position.interval else position.bounds[0]
        end = "more" if beyond == inf else f"up to {beyond:.3g}"
        return None, (
            f"it lies at {least:.3g} I/Os in flight or {end}, at most {max(curve)} were measured"
        )
    there = next(point for point in points if point.in_flight >= position.at or point is last)
    return Knee(position.at, position.interval, there.iops, there.latency, there.trial), ""
