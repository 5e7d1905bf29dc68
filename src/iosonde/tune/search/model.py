"""For larger spaces: a model of the settings' effects chooses what is measured next.

Top-two Thompson sampling: draw from what the model holds possible, and measure the candidate that
is best in the draw, or, every other time, the best of the next draw in which it is another one. So
measurements gather where the best may be, the favourite takes about half of them at the most, and
what one candidate shows is learnt for all that share a value, or a pair of values, with it.

Source: D. Russo, "Simple Bayesian algorithms for best-arm identification", Operations Research 68
(2020).
"""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING

from iosonde.tune.search.anova import Anova
from iosonde.tune.search.book import Book
from iosonde.tune.search.strategy import (
    Ask,
    CandidateState,
    Ending,
    Goal,
    Observation,
    SearchResult,
    SearchStanding,
)

if TYPE_CHECKING:
    from iosonde.tune.search.space import Space

_SPAN = 1500.0
"""Device seconds where no budget is given."""
_KNOT = 60.0
_FIRST = 8  # loops spread evenly over all values before the model is asked
_REDRAWN = 40  # draws in which another best one is looked for
_DRAWS = 400
_EVERY = 8  # loops between the questions whether it is decided
_SURE = 0.003
"""Probability of being off by more than the margin at which it is, unless the goal asks for less.
The model's structure is a guess, and it is asked often: at 0.01 some 2 % of its claims were wrong
(docs/decisions/0122)."""


class ModelSearch:
    """See the module. The budget is spent unless the best is certain before."""

    def __init__(self, space: Space, goal: Goal, *, seed: int = 0) -> None:
        import numpy as np

        self.space, self.goal = space, goal
        self.book = Book(space, goal)
        self._field = space.candidates()
        self._rng = np.random.default_rng(seed)
        span = min(goal.budget, _SPAN)
        self._end_at = span
        self.model = Anova(space.sizes, self._field, span, _KNOT)
        self._first = self._spread_out()
        self._asked: tuple[int, Ask] | None = None
        self._result: SearchResult | None = None
        self._decided = False  # when last asked; it must be so twice running
        self._out = np.zeros(len(self._field), dtype=bool)

    @classmethod
    def looks_first(cls, space: Space) -> bool:
        """See `Begin.looks_first`."""
        return bool(space.hopeful)

    def ask(self) -> Ask | None:
        """A candidate that may be the best, by the posterior; None when it is decided."""
        if self._result:
            return None
        if self._asked:
            return self._asked[1]
        if self._out.all():
            self._result = SearchResult(
                Ending.UNDECIDED, self.space.baseline, (), "no candidate keeps the limits"
            )
            return None
        at = self._next()
        asked = self.book.request(self._field[at], self.goal.seconds, self._why())
        change = self.book.cost(self.book.in_force, asked.candidate)
        if self.book.used + change + asked.settle + asked.seconds > self._end_at:
            self._result = self._conclude("the budget is used up")
            return None
        self._asked = at, asked
        return asked

    def tell(self, observation: Observation) -> None:
        """Takes the figure into the model."""
        if self._asked is None:
            raise RuntimeError("no measurement was asked for")
        (at, asked), self._asked = self._asked, None
        self.book.add(asked, observation)
        if self.book.infeasible(asked.candidate):
            self._out[at] = True
        if observation.figure is None or observation.figure <= 0:
            return
        middle = self.book.used - asked.seconds / 2
        score = self.book.score(observation.figure)
        self.model.add(at, middle, score)
        self.model.update(learn=True)
        if self.model.loops % _EVERY == 0 and self.model.loops > 2 * _FIRST:
            conclusion = self._conclude("none can be better by more than the margin")
            decided = conclusion.ending is not Ending.UNDECIDED
            if decided and self._decided:
                self._result = conclusion
            self._decided = decided

    def standing(self) -> SearchStanding:
        """Candidates that were measured, the best, and what comes next."""
        result = self.result()
        decided = self._result and result.ending is not Ending.UNDECIDED
        stands = []
        for at, candidate in enumerate(self._field):
            if candidate not in self.book.spent:
                continue
            state = CandidateState.INFEASIBLE if self._out[at] else CandidateState.ALIVE
            if decided and state is CandidateState.ALIVE:
                near = candidate in result.equivalent
                state = CandidateState.EQUIVALENT if near else CandidateState.ELIMINATED
            stands.append(self.book.stand(candidate, state, self.book.infeasible(candidate)))
        left = max(self._end_at - self.book.used, 0.0)
        following = "" if self._result else self._why()
        return SearchStanding(tuple(stands), result.pick, self.book.used, left, following)

    def result(self) -> SearchResult:
        """What came out; while it runs, the highest posterior mean."""
        return self._result or self._conclude("the search is not over")

    def _why(self) -> str:
        return f"loop {len(self.book.entries) + 1}, where the best may be"

    def _spread_out(self) -> list[int]:
        """The baseline, what is hoped of, then each value of a setting equally often."""
        places = {candidate: at for at, candidate in enumerate(self._field)}
        orders = [self._rng.permutation(size) for size in self.space.sizes]
        shifts = [self._rng.permutation(_FIRST) for _ in self.space.sizes]
        wanted = [
            tuple(
                int(order[shift[at] % len(order)])
                for order, shift in zip(orders, shifts, strict=True)
            )
            for at in range(_FIRST)
        ]
        hoped = [candidate for candidate in self.space.hopeful if candidate in places]
        return [0, *(places[candidate] for candidate in (*hoped, *wanted) if candidate in places)][
            ::-1
        ]

    def _next(self) -> int:
        import numpy as np

        while self._first:
            at = self._first.pop()
            if not self._out[at]:
                return at
        drawn = np.where(self._out, -np.inf, self.model.samples(self._rng, _REDRAWN))
        bests = np.argmax(drawn, axis=1)
        others = bests[bests != bests[0]]
        second = len(others) > 0 and self._rng.random() < 0.5
        return int(others[0] if second else bests[0])

    def _conclude(self, reason: str) -> SearchResult:
        """The safest of those that are probably within the margin of the best, if one is."""
        import numpy as np

        doubt = np.array([self.book.doubtful(candidate) for candidate in self._field])
        if not self.model.loops or doubt.all():
            return SearchResult(Ending.UNDECIDED, self.space.baseline, (), reason)
        # What the figures cannot resolve, no number of draws can.
        margin, level = log1p(self.goal.margin) - self.book.grain(), min(self.goal.level, _SURE)
        drawn = np.where(doubt, -np.inf, self.model.samples(self._rng, _DRAWS))
        near = (drawn.max(axis=1)[:, None] - drawn <= margin).mean(axis=0) >= 1 - level
        best = int(np.argmax(np.where(doubt, -np.inf, self.model.means())))
        noise, freedom = self.model.noise, float(self.model.loops)
        pick = self._field[best]
        if not near.any():
            return SearchResult(Ending.UNDECIDED, pick, (pick,), reason, noise, freedom)
        same = tuple(self._field[int(at)] for at in np.flatnonzero(near))
        pick = min(same, key=self.space.caution)
        ending = Ending.EQUIVALENT if pick == self.space.baseline else Ending.WINNER
        return SearchResult(ending, pick, same, reason, noise, freedom)
