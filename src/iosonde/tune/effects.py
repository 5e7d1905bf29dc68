"""What the loops of a search say of settings: differences, main effects, interactions.

One fit over all loops of the search, whatever its strategy: the analysis of variance of `anova`,
with the drift over device time taken out. Of values that were measured seldom it says little, and
its intervals say how little.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import expm1, log, log1p
from statistics import fmean, variance
from typing import TYPE_CHECKING, TypeAlias

from iosonde.records.campaign import Intent, Measurement, Varied
from iosonde.records.campaign_sheet import Effects, Interaction, Level, MainEffect, RelativeChange
from iosonde.records.comparison import Outcome
from iosonde.records.stack import Scalar
from iosonde.statistics.student import student_t
from iosonde.tune.search.anova import QUIETEST, Anova

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

_KNOT = 60.0  # seconds between the knots of the drift
_PAIRS, _OWN = 0.3, 0.1
"""Shares of the variance of candidates' means: interactions, and what is a candidate's own."""
_LEARN = 60  # steps of expectation maximisation
_DRAWS = 2000
_FEWEST = 6  # loops of a fit
_MOST = 1500  # combinations that averages go over
_LEVEL = 0.05


Meeting: TypeAlias = tuple[int, int, int, int]
"""A setting and its value, another setting and its value; indices all."""


@dataclass(frozen=True, slots=True)
class _Point:
    """One loop: index of its combination, middle in device seconds, score."""

    index: int
    at: float
    score: float


class Fit:
    """The fit of a campaign's search; `known` is False where there were too few loops for one.

    Args:
        intent: of the campaign.
        measurements: of the search, in order.
    """

    def __init__(self, intent: Intent, measurements: Sequence[Measurement]) -> None:
        self.intent = intent
        self._sign = 1.0 if intent.goal.higher else -1.0
        self._combinations = _combinations(intent, measurements)
        self._places = {combination: at for at, combination in enumerate(self._combinations)}
        points, span = self._points(measurements)
        self.loops = len(points)
        self._measured = {point.index for point in points}
        measured = len(self._measured)
        self.is_fitted = len(points) >= _FEWEST and measured >= 2 and len(points) > measured
        self._freedom = max(len(points) - measured - 1, 2)
        self._model = self._fitted(points, span) if self.is_fitted else None
        self._draws: Floats | None = None

    def change(
        self, settings: Mapping[str, Scalar], reference: Mapping[str, Scalar], tests: int
    ) -> RelativeChange | None:
        """A candidate against another; None where nothing was fitted.

        Args:
            settings: of the candidate.
            reference: of the other.
            tests: how many such changes are looked at together; the interval is corrected for it.
        """
        place, other = (self._places.get(self._key(of)) for of in (settings, reference))
        if self._model is None or place is None or other is None or place == other:
            return None
        drawn = self._scores()
        apart = drawn[:, place] - drawn[:, other]
        middle, reach = float(apart.mean()), self._reach(tests) * float(apart.std())
        return RelativeChange(
            self._fraction(middle),
            self._interval(middle - reach, middle + reach),
            self._outcome(middle - reach, middle + reach),
        )

    def effects(self) -> Effects:
        """Main effects and interactions; empty where nothing was fitted."""
        if self._model is None:
            return Effects()
        drawn = self._scores()
        free = [at for at, setting in enumerate(self.intent.vary) if len(setting.values) > 1]
        means = {at: self._by_value(drawn, (at,)) for at in free}
        main = tuple(self._main(at, means[at]) for at in free)
        pairs = tuple(self._pair(drawn, a, b) for a, b in combinations(free, 2))
        every, seen = self._meetings()
        return Effects(
            main, pairs, self._model.noise**0.5, len(every - seen), len(every & seen), self.loops
        )

    def _main(self, at: int, means: dict[tuple[int, ...], Floats]) -> MainEffect:
        """Of one setting."""
        varied, levels = self.intent.vary[at], []
        whole = sum(means.values()) / len(means)
        for (value,), drawn in means.items():
            apart = drawn - whole
            middle, reach = float(apart.mean()), self._reach(1) * float(apart.std())
            levels.append(
                Level(
                    varied.values[value],
                    self._fraction(middle),
                    self._interval(middle - reach, middle + reach),
                )
            )
        return MainEffect(varied, tuple(levels))

    def _pair(self, drawn: Floats, a: int, b: int) -> Interaction:
        """What two settings do together beyond what each does by itself."""
        import numpy as np

        first, second = self.intent.vary[a], self.intent.vary[b]
        shape = (len(first.values), len(second.values))
        table = np.full((len(drawn), *shape), np.nan)
        for (i, j), mean in self._by_value(drawn, (a, b)).items():
            table[:, i, j] = mean
        rows, columns = np.nanmean(table, axis=2), np.nanmean(table, axis=1)
        rest = table - rows[:, :, None] - columns[:, None, :] + np.nanmean(table, axis=(1, 2))[
            :, None, None
        ]  # fmt: skip
        middle, spread = rest.mean(axis=0), rest.std(axis=0)
        cells = tuple(
            (first.values[i], second.values[j], self._fraction(float(middle[i, j])))
            for i in range(shape[0]) for j in range(shape[1])
            if not np.isnan(middle[i, j])
        )  # fmt: skip
        filled = ~np.isnan(middle)
        away = float((abs(middle[filled]) / np.maximum(spread[filled], 1e-12)).max())
        largest = max((abs(effect) for _, _, effect in cells), default=0.0)
        return Interaction(first, second, cells, away > self._reach(int(filled.sum())), largest)

    def _by_value(self, drawn: Floats, at: tuple[int, ...]) -> dict[tuple[int, ...], Floats]:
        """Drawn scores averaged over all combinations that share the values of these settings."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for place, combination in enumerate(self._combinations):
            groups.setdefault(tuple(combination[position] for position in at), []).append(place)
        return {key: drawn[:, groups[key]].mean(axis=1) for key in sorted(groups)}

    def _meetings(self) -> tuple[set[Meeting], set[Meeting]]:
        """Pairs of values of two settings: those of all combinations, those of measured ones."""
        every: tuple[set[Meeting], set[Meeting]] = set(), set()
        for place, combination in enumerate(self._combinations):
            meetings = {
                (a, combination[a], b, combination[b])
                for a, b in combinations(range(len(combination)), 2)
            }
            every[0].update(meetings)
            if place in self._measured:
                every[1].update(meetings)
        return every

    def _fitted(self, points: Sequence[_Point], span: float) -> Anova:
        sizes = [len(setting.values) for setting in self.intent.vary]
        model = Anova(sizes, self._combinations, span, _KNOT, _repeats(points), _expected(points))
        for point in points:
            model.add(point.index, point.at, point.score)
        for _ in range(_LEARN):
            model.update(learn=True)
        return model

    def _scores(self) -> Floats:
        """Draws of all combinations' scores, the same for everybody who asks."""
        import numpy as np

        if self._model is None:
            raise RuntimeError("nothing was fitted")
        if self._draws is None:
            self._draws = self._model.samples(np.random.default_rng(1), _DRAWS)
        return self._draws

    def _points(self, measurements: Sequence[Measurement]) -> tuple[list[_Point], float]:
        points, clock = [], 0.0
        for measurement in measurements:
            clock += measurement.device_seconds
            place = self._places.get(self._key(measurement.settings))
            if measurement.figure is not None and measurement.figure > 0 and place is not None:
                points.append(
                    _Point(
                        place, clock - measurement.seconds / 2, self._sign * log(measurement.figure)
                    )
                )
        return points, clock

    def _key(self, settings: Mapping[str, Scalar]) -> tuple[int, ...]:
        return key_of(self.intent.vary, settings)

    def _reach(self, tests: int) -> float:
        """Standard errors of an interval that holds for so many together."""
        return student_t(1 - _LEVEL / 2 / max(tests, 1), self._freedom)

    def _fraction(self, score: float) -> float:
        """A difference of scores as a change of the metric."""
        return expm1(self._sign * score)

    def _interval(self, low: float, high: float) -> tuple[float, float]:
        ends = sorted((self._fraction(low), self._fraction(high)))
        return ends[0], ends[1]

    def _outcome(self, low: float, high: float) -> Outcome:
        """Better and worse are beyond doubt; equivalent is within the margin beyond doubt."""
        margin = log1p(self.intent.goal.margin)
        if -margin < low and high < margin:
            return Outcome.EQUIVALENT
        if low > 0:
            return Outcome.BETTER
        return Outcome.WORSE if high < 0 else Outcome.UNDECIDED


def _repeats(points: Sequence[_Point]) -> float:
    """Variance of loops of the same candidate, one from the next; a drift hardly counts in it."""
    last: dict[int, float] = {}
    squares = []
    for point in points:
        if point.index in last:
            squares.append((point.score - last[point.index]) ** 2 / 2)
        last[point.index] = point.score
    return max(fmean(squares), QUIETEST) if squares else QUIETEST


def _expected(points: Sequence[_Point]) -> tuple[float, float, float]:
    """Variances of main effects, interactions and candidates' own to begin with, by the device.

    As the means of the candidates scatter, so much may come from either; a prior of a few percent
    would take a threefold rate for noise.
    """
    scores: dict[int, list[float]] = {}
    for point in points:
        scores.setdefault(point.index, []).append(point.score)
    scatter = max(variance([fmean(some) for some in scores.values()]), QUIETEST)
    return scatter, _PAIRS * scatter, _OWN * scatter


def key_of(vary: Sequence[Varied], settings: Mapping[str, Scalar]) -> tuple[int, ...]:
    """The indices of a candidate's values; -1 for a value that is not among those to try."""
    return tuple(
        setting.values.index(settings[setting.name])
        if settings.get(setting.name) in setting.values
        else -1
        for setting in vary
    )


def _combinations(intent: Intent, measurements: Sequence[Measurement]) -> list[tuple[int, ...]]:
    """All that may be tried; only what was measured, where these are too many."""
    from iosonde.tune.search.space import Space, Vary

    vary = tuple(
        Vary(setting.name, setting.values, setting.default, setting.unsafe)
        for setting in intent.vary
    )
    space = Space(vary, intent.excluded, intent.allowed)
    count = 1
    for size in space.sizes:
        count *= size
    measured = {key_of(intent.vary, measurement.settings) for measurement in measurements}
    measured = {key for key in measured if -1 not in key}
    if count > _MOST:
        return sorted(measured | {space.baseline})
    return sorted({*space.candidates(), *measured})
