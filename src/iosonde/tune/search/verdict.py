"""A whole search with its proof, and what is said of it when it is over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from iosonde.records.comparison import Outcome, Verdict
from iosonde.tune.search import STRATEGIES
from iosonde.tune.search.confirm import Confirmation
from iosonde.tune.search.strategy import Ask, Ending, Observation, SearchResult, SearchStanding
from iosonde.units import show_fraction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from iosonde.records.stack import Scalar
    from iosonde.tune.search.space import Candidate, Space
    from iosonde.tune.search.strategy import Goal, Strategy

PROOF = 0.2
"""Share of the budget kept back for the confirmation."""


@dataclass(frozen=True, slots=True)
class CampaignAnswer:
    """What a finished search says.

    `winner` is what is to be in force: the pick where its gain was confirmed, else the baseline.
    `gain` is the pick's verdict against the baseline from fresh loops alone; None where the pick
    is the baseline. `equivalent` are the candidates within the margin of the pick. `search` and
    `proof` are device seconds.
    """

    winner: Candidate
    settings: Mapping[str, Scalar]
    confirmed: bool
    gain: Verdict | None
    equivalent: tuple[Candidate, ...]
    result: SearchResult
    search: float
    proof: float
    sentence: str


class Proven:
    """A strategy followed by the confirmation of its pick; itself a strategy.

    Args:
        name: of the strategy.
        space: what is tried.
        goal: one fifth of its budget is kept back for the confirmation.
        seed: of all random orders.
    """

    def __init__(self, name: str, space: Space, goal: Goal, *, seed: int = 0) -> None:
        self.space, self.goal, self._seed = space, goal, seed
        within = replace(goal, budget=goal.budget * (1 - PROOF))
        self.search: Strategy = STRATEGIES.load(name)(space, within, seed=seed)
        self.proof: Confirmation | None = None
        self._last: Candidate | None = None

    def ask(self) -> Ask | None:
        """The search's next measurement, then the confirmation's."""
        if self.proof is None:
            if asked := self.search.ask():
                self._last = asked.candidate
                return asked
            used = self.search.standing().used
            rest = replace(self.goal, budget=max(self.goal.budget - used, 0.0))
            self.proof = Confirmation(
                self.space, rest, self.search.result(), seed=self._seed + 1, in_force=self._last
            )
        return self.proof.ask()

    def tell(self, observation: Observation) -> None:
        """To whoever asked."""
        (self.proof or self.search).tell(observation)

    def standing(self) -> SearchStanding:
        """Of the search; used and left count the confirmation too."""
        stand = self.search.standing()
        if self.proof is None:
            return stand
        proof = self.proof.standing()
        return replace(stand, used=stand.used + proof.used, left=proof.left, next=proof.next)

    def result(self) -> SearchResult:
        """What is to be in force.

        Where the pick is the baseline there is no proof, and no more is known than by the search.
        """
        result = self.search.result()
        return self.proof.result() if self.proof and result.pick != self.space.baseline else result

    def answer(self) -> CampaignAnswer:
        """What came out.

        Raises:
            RuntimeError: the search has not ended.
        """
        if self.proof is None:
            raise RuntimeError("the search has not ended")
        result = self.search.result()
        moved = result.pick != self.space.baseline
        gain = self.proof.verdict() if moved else None
        confirmed = gain is not None and gain.outcome is Outcome.BETTER
        winner = result.pick if confirmed else self.space.baseline
        return CampaignAnswer(
            winner, self.space.settings(winner), confirmed, gain, result.equivalent, result,
            self.search.standing().used, self.proof.book.used,
            _sentence(result, gain, self.goal),
        )  # fmt: skip


def _sentence(result: SearchResult, gain: Verdict | None, goal: Goal) -> str:
    """The answer in a sentence or two."""
    margin = show_fraction(goal.margin)
    if gain is None:
        if result.ending is Ending.EQUIVALENT:
            return f"no difference worth having: {result.reason} ({margin})"
        return f"undecided: {result.reason}; what was in force stays"
    if gain.change is None or gain.interval is None:
        return "not confirmed: the budget ended before three pairs of loops; nothing is changed"
    low, high = (show_fraction(bound) for bound in gain.interval)
    seen = f"{show_fraction(gain.change)} ({low} to {high})"
    if gain.outcome is Outcome.BETTER:
        doubt = (
            f"; whether another is better still by more than {margin} is undecided"
            if result.ending is Ending.UNDECIDED else ""
        )  # fmt: skip
        return f"the pick changes {goal.metric} by {seen}, by fresh loops{doubt}"
    if gain.outcome is Outcome.UNDECIDED:
        return f"not confirmed: {seen}, by fresh loops; what was in force stays"
    return f"no difference worth having: {seen}, by fresh loops; what was in force stays"
