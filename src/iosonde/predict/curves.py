"""Response curves as the model predicts them: the points of a load matrix under equal settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from iosonde.measure.curves import AXES
from iosonde.predict.time import Time
from iosonde.predict.what_if import PredictedCombination
from iosonde.records.curve import Curve, CurvePoint, Knee
from iosonde.records.stack import Scalar
from iosonde.statistics.knee import find_knee


def predicted_curves(
    combinations: Sequence[PredictedCombination], load: str, layer: str
) -> tuple[Curve, ...]:
    """A curve for each combination of settings and of what else than the depth is varied.

    Args:
        combinations: of settings and points of combination matrix.
        load: name of the matrix.
        layer: that it is applied to.

    Returns:
        Curves of at least two points; none where neither iodepth nor numjobs is varied, or where a
        device has no model.
    """
    values = {axis: {combination.matrix.get(axis) for combination in combinations} for axis in AXES}
    axis = next((name for name in AXES if len(values[name]) > 1), "")
    groups: dict[tuple[tuple[str, Scalar], ...], list[PredictedCombination]] = {}
    for combination in combinations if axis else ():
        if combination.time:
            rest = {name: value for name, value in combination.matrix.items() if name != axis}
            groups.setdefault(tuple({**combination.settings, **rest}.items()), []).append(
                combination
            )
    alone = {
        _alike(combination): combination.time.iops
        for combination in combinations
        if combination.time and combination.time.depth == 1
    }
    return tuple(
        _curve(group, axis, dict(fixed), (load, layer), alone.get(_alike(group[0])))
        for fixed, group in groups.items() if len(group) > 1
    )  # fmt: skip


def _alike(combination: PredictedCombination) -> tuple[object, ...]:
    """What is equal of points that differ in nothing but what is in flight."""
    rest = {name: value for name, value in combination.matrix.items() if name not in AXES}
    return tuple({**combination.settings, **rest}.items())


def _curve(
    group: Sequence[PredictedCombination], axis: str, fixed: Mapping[str, Scalar],
    place: tuple[str, str], alone: float | None,
) -> Curve:  # fmt: skip
    ordered = sorted(group, key=lambda combination: float(combination.matrix[axis] or 0))
    points = tuple(
        _point(combination, combination.time) for combination in ordered if combination.time
    )
    knee, reason = _knee(points, axis, alone)
    return Curve(place[0], "", place[1], fixed, axis, points, knee, reason)


def _point(combination: PredictedCombination, time: Time) -> CurvePoint:
    return CurvePoint(
        combination.name, combination.matrix, time.depth, time.iops, None, time.bandwidth,
        time.latency, None,
    )  # fmt: skip


def _knee(points: Sequence[CurvePoint], axis: str, alone: float | None) -> tuple[Knee | None, str]:
    """The knee by the predicted rates, or why there is none."""
    if alone is None:
        return None, f"it is computed from the rate of {axis} 1 with one job, which is not listed"
    rates = dict(sorted({**{point.in_flight: point.iops for point in points}, 1: alone}.items()))
    if len(rates) < 2:
        return None, "all points have as many I/Os in flight"
    position = find_knee(list(rates), [list(rates.values())])
    if position.bounds[1] > max(rates):
        end = "more" if position.bounds[1] == inf else f"up to {position.bounds[1]:.3g}"
        return None, (
            f"it lies at {position.at:.3g} I/Os in flight or {end}, at most {max(rates)} are listed"
        )
    last = points[-1]
    there = next(point for point in points if point.in_flight >= position.at or point is last)
    return Knee(position.at, None, there.iops, there.latency, there.trial), ""
