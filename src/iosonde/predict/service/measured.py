"""A device as it was calibrated: the load-dependent server that does what was measured of it.

    calibration:NAME      by the name that `iosonde calibrate` gave it, or the run's id

Between the sizes and depths that were measured, the time of an I/O is interpolated on logarithmic
scales; deeper than measured the rate stays, larger than measured the bandwidth does. How far off
that is, is measured too: each point between two others is predicted from these, which is twice as
wide a gap as the model ever has to bridge; to that comes the spread of the loops.

Source: K. Chandy, U. Herzog and L. Woo, "Parametric analysis of queuing networks", IBM Journal of
Research and Development 19 (1975): a part of a network may be replaced by a server that has, for
each number of customers, the throughput that was measured with as many.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log, sqrt
from random import Random
from typing import TypeAlias

from typing_extensions import override

from iosonde.errors import UsageError
from iosonde.predict.calibrate import CalibrationPoint, points_of
from iosonde.predict.service.service import Access, Figures, ModelSource, ServiceModel

Way: TypeAlias = tuple[bool, bool]
"""Whether it writes, whether at random."""

_Z95 = 1.96


@dataclass(frozen=True, slots=True)
class TimeGrid:
    """Measured times. `times` are logarithms of seconds of the device for an I/O, size × depth."""

    sizes: tuple[int, ...]
    depths: tuple[int, ...]
    times: tuple[tuple[float, ...], ...]

    def seconds(self, size: int, depth: int) -> float:
        """Of the device, for one I/O with so many under way."""
        column = [_between(self.depths, row, depth) for row in self.times]
        time = exp(_between(self.sizes, column, size))
        return time * max(size / self.sizes[-1], 1.0)

    def gaps(self) -> list[float]:
        """How far each inner point is from what its neighbours tell, as a logarithm."""
        rows = [(self.depths, row) for row in self.times]
        rows += [(self.sizes, tuple(column)) for column in zip(*self.times, strict=True)]
        distances = []
        for places, values in rows:
            for at in range(1, len(places) - 1):
                outer = ((places[at - 1], places[at + 1]), (values[at - 1], values[at + 1]))
                distances.append(values[at] - _between(*outer, places[at]))
        return distances


def _between(places: Sequence[int], values: Sequence[float], at: float) -> float:
    """A value on the line between two places, by their logarithm; held at the ends."""
    if at <= places[0] or len(places) == 1:
        return values[0]
    if at >= places[-1]:
        return values[-1]
    right = bisect_right(places, at)
    low, high = places[right - 1], places[right]
    share = log(at / low) / log(high / low)
    return values[right - 1] * (1 - share) + values[right] * share


@dataclass(frozen=True, slots=True)
class CalibratedDevice(ServiceModel):
    """A calibrated device.

    Args:
        name: of the calibration.
        grids: what was measured, by way.
        off: standard deviation of the logarithm of a time, of interpolation and loops together.
        factor: on every time.
    """

    name: str
    grids: Mapping[Way, TimeGrid]
    off: float
    factor: float = 1.0
    _cached: dict[tuple[bool, bool, int, int], float] = field(default_factory=dict)

    buffer = 0
    burst = 0.0
    rotates = False

    @property
    def covers(self) -> str:
        """What lies between the slow and the fast one."""
        return f"95 % of the calibration's own errors (standard deviation {self.off:.1%})"

    @override
    def seconds(self, access: Access, queue: int, chance: Random) -> tuple[float, float]:
        """See `ServiceModel.seconds`.

        Raises:
            UsageError: nothing of the kind was measured.
        """
        key = access.write, access.jump, access.size, queue
        if key not in self._cached:
            self._cached[key] = self._grid(access).seconds(access.size, queue)
        return self._cached[key] * self.factor, 0.0

    def _grid(self, access: Access) -> TimeGrid:
        grid = self.grids.get((access.write, access.jump))
        if grid is None:
            what = "writes" if access.write else "reads"
            raise UsageError(
                f"the calibration {self.name!r} has no {what}",
                hint="iosonde calibrate --writes measures them, and destroys what is there",
            )
        return grid

    def slow(self) -> CalibratedDevice:
        """As much slower as 97.5 % of the errors."""
        return replace(self, factor=self.factor * exp(_Z95 * self.off))

    def fast(self) -> CalibratedDevice:
        """As much faster as 97.5 % of the errors."""
        return replace(self, factor=self.factor / exp(_Z95 * self.off))


def of_points(name: str, points: Sequence[CalibrationPoint]) -> CalibratedDevice:
    """The device of which points were measured.

    Raises:
        UsageError: they are no whole grid.
    """
    grids = {}
    for way in sorted({(point.write, point.random) for point in points}):
        own = {
            (point.size, point.depth): point
            for point in points
            if (point.write, point.random) == way
        }
        sizes = tuple(sorted({size for size, _ in own}))
        depths = tuple(sorted({depth for _, depth in own}))
        if len(own) < len(sizes) * len(depths):
            raise UsageError(f"the calibration {name!r} is incomplete", hint="run it again")
        grids[way] = TimeGrid(
            sizes,
            depths,
            tuple(tuple(-log(own[size, depth].iops) for depth in depths) for size in sizes),
        )
    if not grids:
        raise UsageError(f"the calibration {name!r} has no figures", hint="run it again")
    gaps = [gap for grid in grids.values() for gap in grid.gaps()]
    bent = sum(gap * gap for gap in gaps) / len(gaps) if gaps else 0.0
    spread = sum(point.spread**2 for point in points) / len(points)
    return CalibratedDevice(name, grids, sqrt(bent + spread))


def read(figures: Figures, source: ModelSource) -> CalibratedDevice:
    """The calibration of a name, from the store.

    Raises:
        UsageError: there is none.
    """
    return of_points(figures["name"], points_of(figures["name"], source.store))
