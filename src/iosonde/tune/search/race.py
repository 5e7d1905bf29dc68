"""A race: short loops in randomised blocks; who is shown to be behind leaves.

The default for up to a few dozen candidates. Every block measures each candidate alive once, in a
random order, so that drift hits all alike. After each block the differences are looked at: a
candidate is eliminated when another is better for certain; the race ends when no other can be
better than the pick by more than the margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p
from typing import TYPE_CHECKING

from iosonde.tune.search.blocks import Blocks
from iosonde.tune.search.book import Book
from iosonde.tune.search.space import Candidate, Space
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


class Race:
    """See the module.

    Args:
        space: of the candidates.
        goal: what is wanted.
        seed: of the random orders.
        among: the candidates that run; all of the space where left out.
        book: to go on in, where the race finishes another search.
    """

    def __init__(
        self,
        space: Space,
        goal: Goal,
        *,
        seed: int = 0,
        among: Sequence[Candidate] | None = None,
        book: Book | None = None,
    ) -> None:
        self.space, self.goal = space, goal
        self.book = book or Book(space, goal)
        self.blocks = Blocks(space.candidates() if among is None else among, self.book, seed)
        self._result: SearchResult | None = None

    @classmethod
    def looks_first(cls, space: Space) -> bool:
        """See `Begin.looks_first`: every block measures all candidates."""
        del space
        return False

    def ask(self) -> Ask | None:
        """The next loop of the present block; None when the race is over."""
        if not self._result and len(self.blocks.alive) <= 1:
            self._last_one()
        if self._result:
            return None
        asked = self.blocks.ask(self._why())
        if asked is None:
            self._end(Ending.UNDECIDED, self.blocks.best(), (), "the budget is used up")
        return asked

    def tell(self, observation: Observation) -> None:
        """Takes the loop's figure; after the last of a block, looks at the differences."""
        if self.blocks.tell(observation) and self.blocks.count >= 2 and len(self.blocks.alive) > 1:
            self._look()

    def standing(self) -> SearchStanding:
        """Candidates alive and out, the best, and what comes next."""
        result = self.result()
        shown = self._result and result.ending is not Ending.UNDECIDED
        stands = []
        for candidate in self.blocks.field:
            state, reason = self.blocks.out.get(candidate, (CandidateState.ALIVE, ""))
            if state is CandidateState.ALIVE and shown and candidate in result.equivalent:
                state = CandidateState.EQUIVALENT
            stands.append(self.book.stand(candidate, state, reason))
        following = "" if self._result else self._why()
        used, left = self.book.used, self.book.left
        return SearchStanding(tuple(stands), result.pick, used, left, following)

    def result(self) -> SearchResult:
        """What came out; while it runs, the best mean so far."""
        if self._result:
            return self._result
        best = self.blocks.best()
        return SearchResult(Ending.UNDECIDED, best, (best,), "the race is not over")

    def _why(self) -> str:
        alive, field = len(self.blocks.alive), len(self.blocks.field)
        return f"block {self.blocks.count + 1}, {alive} of {field} candidates left"

    def _look(self) -> None:
        """Ends the race if it can end, else eliminates."""
        pairs = self.blocks.differences()
        field = len(self.blocks.field)
        reach = pairs.reach(self.goal.pick_level / (field - 1), field)
        bound = pairs.change + reach  # [j, p]: j is better than p by no more than this
        worst = [
            max(float(bound[j, at]) for j in range(len(bound)) if j != at)
            for at in range(len(bound))
        ]
        fit = self.blocks.fit()
        may_end = [
            at
            for at, eligible in enumerate(fit)
            if eligible and worst[at] < log1p(self.goal.margin)
        ]
        if may_end:
            self._stop(may_end, pairs.change, reach)
            return
        ahead = pairs.change > reach
        winners = [at for at, eligible in enumerate(fit) if eligible]
        self._eliminate([any(ahead[i, j] for i in winners) for j in range(len(fit))])

    def _eliminate(self, beaten: Sequence[bool]) -> None:
        after = f"eliminated in round {self.blocks.count}"
        for candidate, out in zip(self.blocks.alive.copy(), beaten, strict=True):
            if out:
                self.blocks.drop(candidate, CandidateState.ELIMINATED, after)

    def _stop(self, may_end: Sequence[int], change: Floats, reach: Floats) -> None:
        """None can be better by more than the margin than any of these: take the safest."""
        alive = self.blocks.alive
        at = min(may_end, key=lambda position: self.space.caution(alive[position]))
        pick, margin = alive[at], log1p(self.goal.margin)
        near = abs(change[at]) + reach[at] < margin
        same = tuple(candidate for i, candidate in enumerate(alive) if near[i] or i == at)
        self._eliminate([bool(change[at, i] > reach[at, i] and i != at) for i in range(len(alive))])
        same = tuple(candidate for candidate in same if candidate in self.blocks.alive)
        if pick == self.space.baseline:
            reason = "no candidate is better than what is in force by more than the margin"
            self._end(Ending.EQUIVALENT, pick, same, reason)
        else:
            self._end(Ending.WINNER, pick, same, "none can be better by more than the margin")

    def _last_one(self) -> None:
        alive = self.blocks.alive
        if not alive or not self.blocks.fit()[0]:
            pick = self.space.baseline
            self._end(Ending.UNDECIDED, pick, (), "no candidate keeps the limits")
        elif alive[0] == self.space.baseline:
            reason = "what is in force is better than all others"
            self._end(Ending.EQUIVALENT, alive[0], (), reason)
        else:
            self._end(Ending.WINNER, alive[0], (), "all others are out")

    def _end(
        self, ending: Ending, pick: Candidate, same: tuple[Candidate, ...], reason: str
    ) -> None:
        noise, pair = self.blocks.noise(), self.blocks.pair(self.space.baseline, pick)
        self._result = SearchResult(
            ending, pick, same or (pick,), reason, noise.variance, noise.freedom,
            pair.variance, pair.freedom,
        )  # fmt: skip
