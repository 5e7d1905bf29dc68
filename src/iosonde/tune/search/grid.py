"""All candidates, the goal's number of loops each, in randomised blocks: nothing is left out.

What a race improves on. It is here for small spaces, for tables that must be complete, and to show
all interactions.
"""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING

from iosonde.statistics.student import student_quantile
from iosonde.tune.search.blocks import Blocks
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
    from iosonde.tune.search.paired import Floats
    from iosonde.tune.search.space import Space


class GridSearch:
    """See the module. The differences are looked at once, when all is measured."""

    def __init__(self, space: Space, goal: Goal, *, seed: int = 0) -> None:
        self.space, self.goal = space, goal
        self.book = Book(space, goal)
        self.blocks = Blocks(space.candidates(), self.book, seed)
        self._reason = ""

    @classmethod
    def looks_first(cls, space: Space) -> bool:
        """See `Begin.looks_first`: every candidate is measured."""
        del space
        return False

    def ask(self) -> Ask | None:
        """The next loop of the plan; None when it is done or the budget is."""
        if self._reason or self.blocks.count >= self.goal.loops or not self.blocks.alive:
            self._reason = self._reason or "all loops of the plan are measured"
            return None
        asked = self.blocks.ask(self._why())
        if asked is None:
            self._reason = "the budget is used up"
        return asked

    def tell(self, observation: Observation) -> None:
        """Takes the loop's figure."""
        self.blocks.tell(observation)

    def standing(self) -> SearchStanding:
        """All candidates; after the end those within the margin of the pick are equivalent."""
        result = self.result()
        stands = []
        for candidate in self.blocks.field:
            state, reason = self.blocks.out.get(candidate, (CandidateState.ALIVE, ""))
            if self._reason and state is CandidateState.ALIVE and candidate in result.equivalent:
                state = CandidateState.EQUIVALENT
            stands.append(self.book.stand(candidate, state, reason))
        following = "" if self._reason else self._why()
        return SearchStanding(tuple(stands), result.pick, self.book.used, self.book.left, following)

    def result(self) -> SearchResult:
        """The best mean, and whether it is shown to be; the safest of those that cannot be beaten.

        Student's t on the differences within blocks, corrected for the number of candidates.
        """
        best = self.blocks.best()
        undecided = SearchResult(
            Ending.UNDECIDED, best, (best,), self._reason or "the grid is not done"
        )
        if self.blocks.count < 2 or len(self.blocks.alive) < 2:
            return undecided
        change, reach = self._bounds()
        margin, alive = log1p(self.goal.margin), self.blocks.alive
        unbeaten = [
            candidate for at, candidate in enumerate(alive)
            if self.blocks.fit()[at]
            and all((change + reach)[j, at] < margin for j in range(len(alive)) if j != at)
        ]  # fmt: skip
        noise = self.blocks.noise()
        if not unbeaten:
            return SearchResult(
                Ending.UNDECIDED, best, (best,), undecided.reason, noise.variance, noise.freedom
            )
        pick = min(unbeaten, key=self.space.caution)
        at = alive.index(pick)
        near = abs(change[at]) + reach[at] < margin
        same = tuple(candidate for j, candidate in enumerate(alive) if near[j] or j == at)
        ending = Ending.EQUIVALENT if pick == self.space.baseline else Ending.WINNER
        reason = "no other is better by more than the margin"
        return SearchResult(ending, pick, same, reason, noise.variance, noise.freedom)

    def _bounds(self) -> tuple[Floats, Floats]:
        import numpy as np

        pairs = self.blocks.differences()
        level = self.goal.level / (len(self.blocks.field) - 1)
        reach = student_quantile(pairs.freedom, 1 - level) * pairs.error
        return pairs.change, np.maximum(reach, pairs.grain)

    def _why(self) -> str:
        return f"block {self.blocks.count + 1} of {self.goal.loops}"
