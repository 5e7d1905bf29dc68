"""A Gaussian process with the structure of an analysis of variance, over settings and time.

The score of a loop is an overall mean, plus an effect of each setting's value, plus an effect of
each pair of values of two settings, plus what is the candidate's own, plus a piecewise linear drift
over device time, plus noise. The drift is a random walk: its steps from knot to knot are effects,
so what is learnt of one minute is known of the next. All effects have normal priors; the five
variances are learnt by expectation maximisation. With categorical values the process has finitely
many effects, so it is Bayesian linear regression, at a cost that does not grow with the number of
loops. The candidates' own effects make a diagonal block, which is taken out by its Schur
complement.

Source: C. G. Kaufman and S. R. Sain, "Bayesian functional ANOVA modeling using Gaussian process
prior distributions", Bayesian Analysis 5 (2010); C. M. Bishop, "Pattern Recognition and Machine
Learning" (2006), 9.3.4, for the learning of the variances.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]

MEAN, MAIN, PAIR, DRIFT = range(4)
_START = (1e4, 0.05**2, 0.02**2, 0.005**2)  # of scores, which are logarithms; drift: of a step
_OWN = 0.005**2
_NOISE = 0.03**2
QUIETEST = 1e-8  # variance of a loop's score, below which no device is taken to be
_DOUBT = 4.0  # how many effects (or loops) the starting variances count for
_OWN_DOUBT = 20.0  # the same for the candidates' own effects, of which the loops tell little


@dataclass(slots=True)
class Sums:
    """What is kept of the loops: sums over all of them, and over those of each candidate."""

    square: Floats
    along: Floats
    rows: Floats
    scores: Floats
    loops: Floats
    power: float = 0.0


class Anova:
    """The posterior of all effects, updated loop by loop.

    Args:
        sizes: number of values of each setting.
        candidates: n × settings, indices of values.
        span: device seconds that the search may take.
        knot: seconds between the knots of the drift.
        noise: variance of a loop's score as expected; counts for a few loops.
        start: variances of main effects, of interactions and of the candidates' own as expected.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        candidates: Sequence[Sequence[int]],
        span: float,
        knot: float,
        noise: float = _NOISE,
        start: tuple[float, float, float] = (_START[1], _START[2], _OWN),
    ) -> None:
        import numpy as np

        self.design, groups = _effects(sizes, candidates)
        self._knots, self._knot = np.arange(0.0, span + 2 * knot, knot), knot
        group = np.array([*groups, *[DRIFT] * len(self._knots)])
        self._members = [group == kind for kind in range(4)]
        self._start = (_START[MEAN], start[0], start[1], _START[DRIFT])
        self._prior = np.array(self._start)[group]
        self._own, self.noise, self._expected = start[2], noise, noise
        self._own_start = start[2]
        width, count = len(group), len(self.design)
        self._sums = Sums(
            np.zeros((width, width)), np.zeros(width), np.zeros((count, width)),
            np.zeros(count), np.zeros(count),
        )  # fmt: skip
        self._upper = np.diag(1 / np.sqrt(self._prior))
        self._mean = np.zeros(width)
        self._origin: float | None = None

    @property
    def loops(self) -> int:
        """How many it has seen."""
        return int(self._sums.loops.sum())

    def add(self, candidate: int, at: float, score: float) -> None:
        """One loop: the candidate's index, the middle of it in device seconds, its score."""
        import numpy as np

        if self._origin is None:
            self._origin = score
        steps = np.clip((at - self._knots) / self._knot, 0.0, 1.0)
        row, off = np.concatenate([self.design[candidate], steps]), score - self._origin
        sums = self._sums
        sums.square += np.outer(row, row)
        sums.along += off * row
        sums.rows[candidate] += row
        sums.scores[candidate] += off
        sums.loops[candidate] += 1
        sums.power += off * off

    def update(self, *, learn: bool) -> None:
        """The posterior of the effects; with `learn` one step towards better variances."""
        import numpy as np
        from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

        sums = self._sums
        seen = np.flatnonzero(sums.loops)
        rows = sums.rows[seen]
        shrunk = rows / (sums.loops[seen] + self.noise / self._own)[:, None]
        precision = (sums.square - rows.T @ shrunk) / self.noise
        precision[np.diag_indices_from(precision)] += 1 / self._prior
        self._upper, _ = dpotrf(precision, lower=0, clean=1)
        along = (sums.along - shrunk.T @ sums.scores[seen]) / self.noise
        self._mean, _ = dpotrs(self._upper, along, lower=0)
        if learn:
            inverse, _ = dpotri(self._upper, lower=0)
            self._learn(np.triu(inverse) + np.triu(inverse, 1).T, seen, shrunk)

    def means(self) -> Floats:
        """Posterior mean score of each candidate, without drift, relative to the first loop."""
        means: Floats = (
            self.design @ self._mean[: self.design.shape[1]]
            + self._own_means(self._mean[:, None])[:, 0]
        )
        return means

    def samples(self, rng: numpy.random.Generator, count: int = 1) -> Floats:
        """Scores of all candidates as they may be: count × n, drawn from the posterior."""
        import numpy as np
        from scipy.linalg.lapack import dtrtrs

        apart, _ = dtrtrs(self._upper, rng.normal(size=(len(self._mean), count)), lower=0)
        effects = self._mean[:, None] + apart
        spread = np.sqrt(self.noise / (self._sums.loops + self.noise / self._own))
        own = self._own_means(effects) + spread[:, None] * rng.normal(size=(len(spread), count))
        drawn: Floats = (self.design @ effects[: self.design.shape[1]] + own).T
        return drawn

    def variances(self) -> dict[str, float]:
        """As learnt: of main effects, interactions, drift, candidates' own, noise of a loop."""
        named = dict(zip(("main", "pair", "drift"), self._members[1:], strict=True))
        variances = {
            name: float(self._prior[members].max(initial=0.0)) for name, members in named.items()
        }
        return {**variances, "own": self._own, "noise": self.noise}

    def _own_means(self, effects: Floats) -> Floats:
        """What is a candidate's own, given all other effects: n × draws."""
        import numpy as np

        sums = self._sums
        own = np.zeros((len(sums.loops), effects.shape[1]))
        seen = np.flatnonzero(sums.loops)
        left = sums.scores[seen][:, None] - sums.rows[seen] @ effects
        own[seen] = left / (sums.loops[seen] + self.noise / self._own)[:, None]
        return own

    def _learn(self, covariance: Floats, seen: NDArray[numpy.intp], shrunk: Floats) -> None:
        """One step of expectation maximisation for all variances."""
        import numpy as np

        sums, mean = self._sums, self._mean
        spread = np.diag(covariance)
        loops = sums.loops[seen]
        own = self._own_means(mean[:, None])[seen, 0]
        own_spread = self.noise / (loops + self.noise / self._own)
        own_spread = own_spread + ((shrunk @ covariance) * shrunk).sum(axis=1)
        left = sums.power - 2 * float(mean @ sums.along) + float(mean @ sums.square @ mean)
        left -= 2 * float(own @ (sums.scores[seen] - sums.rows[seen] @ mean))
        left += float(loops @ own**2)
        explained = len(spread) - float((spread / self._prior).sum())
        explained += len(own) - float(own_spread.sum()) / self._own
        before, expected = self.noise, _DOUBT * self._expected
        self.noise = (left + before * explained + expected) / (self.loops + _DOUBT)
        self.noise = max(self.noise, before / 4, QUIETEST)
        power = float((own**2 + own_spread).sum())
        self._own = (power + _OWN_DOUBT * self._own_start) / (len(own) + _OWN_DOUBT)
        for members, start in zip(self._members[1:], self._start[1:], strict=True):
            if members.any():
                power = float((mean[members] ** 2 + spread[members]).sum())
                self._prior[members] = (power + _DOUBT * start) / (
                    np.count_nonzero(members) + _DOUBT
                )


def _effects(sizes: Sequence[int], candidates: Sequence[Sequence[int]]) -> tuple[Floats, list[int]]:
    """Which effects each candidate has (n × effects, 0 or 1), and the group of each effect."""
    import numpy as np

    values = np.array(candidates, dtype=np.intp).reshape(len(candidates), len(sizes))
    columns, groups = [np.ones((len(values), 1))], [MEAN]
    free = [at for at, size in enumerate(sizes) if size > 1]
    for at in free:
        columns.append(np.eye(sizes[at])[values[:, at]])
        groups += [MAIN] * sizes[at]
    for a, b in combinations(free, 2):
        both = values[:, a] * sizes[b] + values[:, b]
        columns.append(np.eye(sizes[a] * sizes[b])[both])
        groups += [PAIR] * (sizes[a] * sizes[b])
    return np.hstack(columns), groups
