"""What a strategy asks and is told, and what it answers: the Protocol of this room.

The life of a search: `ask` gives the next short measurement, its figure is told by `tell`, and so
on until `ask` gives None; then `found` says what came out. `standing` may be asked at any time.
One measurement is open at a time; asking again before telling gives the same one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from iosonde.records.run import Metric
from iosonde.records.stack import Scalar
from iosonde.tune.search.space import Candidate, Space


@dataclass(frozen=True, slots=True)
class Goal:
    """What is wanted, and how sure the answer must be.

    Args:
        metric: by the contract's names.
        higher: more of it is better.
        margin: fraction within which a difference is not worth having.
        level: probability granted to a claim of a gain that is none.
        pick_level: probability granted to a race's pick that is behind the best by more than the
            margin. It may cost a part of the gain, never cause a loss: that is proven at `level`.
        budget: device seconds for the search; changes and settling count.
        seconds: length of a short loop.
        settle: seconds after a change whose figure is discarded, at the least.
        loops: of each candidate, for strategies with a fixed plan (sweep, grid).
        unit: of the metric.
    """

    metric: str
    higher: bool = True
    margin: float = 0.01
    level: float = 0.05
    pick_level: float = 0.1
    budget: float = float("inf")
    seconds: float = 5.0
    settle: float = 1.0
    loops: int = 5
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """The next measurement: set the candidate, discard `settle` seconds, measure `seconds`.

    `settle` is 0 where nothing has to be changed. `why` is told to the user; `stage` is the layer,
    where the search goes layer by layer.
    """

    candidate: Candidate
    seconds: float
    settle: float
    why: str
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of it.

    Args:
        figure: the metric; None where the load or the change failed.
        change_seconds: what changing took.
        discarded: the metric of the discarded seconds, where known.
        breaches: limits of the study ("subject to") that this loop did not keep.
        spent: device seconds that settling and measuring took; None: as long as was asked.
        reason: why there is no figure.
    """

    figure: float | None
    change_seconds: float = 0.0
    discarded: float | None = None
    breaches: tuple[str, ...] = ()
    spent: float | None = None
    reason: str = ""


class CandidateState(StrEnum):
    """How a candidate stands."""

    ALIVE = "alive"
    ELIMINATED = "eliminated"
    EQUIVALENT = "equivalent"
    INFEASIBLE = "infeasible"


@dataclass(frozen=True, slots=True)
class Stand:
    """One candidate: its settings, loops, device seconds spent on it, figures and state.

    `stage` is the layer, where the search goes layer by layer.
    """

    candidate: Candidate
    settings: Mapping[str, Scalar]
    loops: int
    device_seconds: float
    metric: Metric | None
    state: CandidateState
    reason: str = ""
    stage: str = ""


class Ending(StrEnum):
    """How a search ended."""

    WINNER = "winner"
    """One is better than all others, or none can be better by more than the margin."""
    EQUIVALENT = "equivalent"
    """No candidate is better than what is in force (or the safest) by more than the margin."""
    UNDECIDED = "undecided"
    """The budget ended first; `pick` is the best guess, and no more than that."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, before it is confirmed.

    `equivalent` are the candidates shown to be within the margin of the pick (itself included);
    `variance` and `freedom` are what the search learnt of the noise: the variance of one loop's
    logarithm within a block, and its degrees of freedom; `pair_variance` and `pair_freedom` the
    same of the differences between the pick and what was in force, where the two met in blocks.
    """

    ending: Ending
    pick: Candidate
    equivalent: tuple[Candidate, ...]
    reason: str
    variance: float = 0.0
    freedom: float = 0.0
    pair_variance: float = 0.0
    pair_freedom: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchStanding:
    """How a search stands: candidates, the best so far, device seconds used and left."""

    candidates: tuple[Stand, ...]
    best: Candidate
    used: float
    left: float
    next: str = ""
    notes: tuple[str, ...] = field(default=())


class Strategy(Protocol):
    """A way to search. Deterministic for a seed and the figures told."""

    def ask(self) -> Ask | None:
        """The next measurement; None when the search has ended."""

    def tell(self, observation: Observation) -> None:
        """The outcome of the measurement asked last.

        Raises:
            RuntimeError: none was asked.
        """

    def standing(self) -> SearchStanding:
        """How the search stands now."""

    def result(self) -> SearchResult:
        """What came out; while it runs, the best guess."""


class Begin(Protocol):
    """How every strategy is made: a row of STRATEGIES."""

    def __call__(self, space: Space, goal: Goal, *, seed: int = 0) -> Strategy:
        """A search over the space; `seed` fixes its random order."""

    def looks_first(self, space: Space) -> bool:
        """Whether its order follows what a prior holds for the best (`Space.hopeful`)."""
