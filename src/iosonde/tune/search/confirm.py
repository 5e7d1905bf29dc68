"""The proof of a search: its pick against what was in force, by fresh loops.

The figures of the search favour its pick, because it was picked by them; so none of them counts
here but the noise they showed. Pairs of loops in random order, looked at after each pair by the
same confidence sequence as a race.
"""

from __future__ import annotations

from math import exp, expm1, log1p
from typing import TYPE_CHECKING

from iosonde.records.comparison import Outcome, Verdict
from iosonde.tune.search.blocks import Blocks
from iosonde.tune.search.book import Book
from iosonde.tune.search.paired import Noise, differences
from iosonde.tune.search.strategy import (
    Ask,
    CandidateState,
    Ending,
    Observation,
    SearchResult,
    SearchStanding,
)

if TYPE_CHECKING:
    from iosonde.tune.search.space import Candidate, Space
    from iosonde.tune.search.strategy import Goal

_FEWEST = 3  # pairs


class Confirmation:
    """Baseline and pick in turns until the gain is certain, or certainly not worth having.

    Args:
        space: of the search.
        goal: the budget is the confirmation's own.
        search: what is to be confirmed.
        seed: of the random orders.
        in_force: what is set when the confirmation begins.
    """

    def __init__(
        self,
        space: Space,
        goal: Goal,
        search: SearchResult,
        *,
        seed: int = 0,
        in_force: Candidate | None = None,
    ) -> None:
        self.space, self.goal, self.search = space, goal, search
        self.book = Book(space, goal, in_force=in_force)
        self.blocks = Blocks((space.baseline, search.pick), self.book, seed)
        self._before = Noise(search.variance, search.freedom)
        self._pair = Noise(search.pair_variance, search.pair_freedom)
        self._outcome: Outcome | None = None
        self._seen: tuple[float, float, float] | None = None
        if search.pick == space.baseline:
            self._outcome = Outcome.EQUIVALENT

    def ask(self) -> Ask | None:
        """The next loop of the present pair; None when the matter is decided or paid out."""
        if self._outcome or len(self.blocks.alive) < 2:
            return None
        asked = self.blocks.ask(f"confirms the gain, pair {self.blocks.count + 1}")
        if asked is None:
            self._outcome = self._at_the_end()
        return asked

    def tell(self, observation: Observation) -> None:
        """Takes the loop's figure; after each pair, looks."""
        if self.blocks.tell(observation) and self.blocks.count >= _FEWEST:
            self._look()

    def standing(self) -> SearchStanding:
        """The two, and what comes next."""
        stands = tuple(
            self.book.stand(candidate, *self.blocks.out.get(candidate, (CandidateState.ALIVE, "")))
            for candidate in self.blocks.field
        )
        following = "" if self._outcome else "the next pair"
        return SearchStanding(stands, self.search.pick, self.book.used, self.book.left, following)

    def result(self) -> SearchResult:
        """The pick where its gain is confirmed, else what was in force."""
        verdict = self.verdict()
        if verdict.outcome is Outcome.BETTER:
            pick = (self.search.pick,)
            return SearchResult(Ending.WINNER, pick[0], pick, "better than what was in force")
        decided = verdict.outcome is not Outcome.UNDECIDED
        return SearchResult(
            Ending.EQUIVALENT if decided else Ending.UNDECIDED,
            self.space.baseline,
            self.blocks.field if decided else (),
            "no gain worth having" if decided else "not decided",
        )

    def verdict(self) -> Verdict:
        """Pick against baseline. The interval holds the change with 1 − level, however it ended."""
        outcome = self._outcome or Outcome.UNDECIDED
        change = interval = None
        if self._seen:
            change, low, high = self._seen
            interval = (low, high)
        return Verdict(self.goal.metric, "in force", "picked", outcome, change, interval)

    def _look(self) -> None:
        import numpy as np

        scores = np.array([self.blocks.scores[candidate] for candidate in self.blocks.field])
        fresh = self.blocks.noise()
        freedom = fresh.freedom + self._before.freedom
        together = (
            fresh.variance * fresh.freedom + self._before.variance * self._before.freedom
        ) / freedom
        pairs = differences(
            scores, Noise(together, freedom), before=self._pair, grain=self.book.grain()
        )
        change = float(pairs.change[1, 0])
        reach = float(pairs.reach(self.goal.level / 2)[1, 0])
        self._seen = self._as_fractions(change, reach)
        margin = log1p(self.goal.margin)
        if change - reach > 0 and change >= margin:
            self._outcome = Outcome.BETTER
        elif change + reach < 0:
            self._outcome = Outcome.WORSE
        elif change + reach < margin:
            self._outcome = Outcome.EQUIVALENT

    def _at_the_end(self) -> Outcome:
        """With the budget gone a small gain that is certain is a gain all the same."""
        if self._seen is None:
            return Outcome.UNDECIDED
        _, low, high = self._seen
        certain = low > 0 if self.goal.higher else high < 0
        return Outcome.BETTER if certain else Outcome.UNDECIDED

    def _as_fractions(self, change: float, reach: float) -> tuple[float, float, float]:
        """Change of the metric and its interval as fractions of the baseline."""
        if self.goal.higher:
            return expm1(change), expm1(change - reach), expm1(change + reach)
        return exp(-change) - 1, expm1(-change - reach), expm1(-change + reach)
