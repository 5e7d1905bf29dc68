"""One setting at a time: the classic table, with the baseline measured before and after.

Settings are gone through in the order of the space. Of each, the value in force is measured, then
every other value, then the value in force again; figures count relative to the line through the
two, so a steady drift cancels. A value that is better for certain is kept for the settings that
follow. Interactions are missed by construction: see `race` and `model`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1
from typing import TYPE_CHECKING

from iosonde.records.comparison import Outcome, Verdict
from iosonde.statistics.contrast import Bar, contrast, decide
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
    from iosonde.tune.search.space import Candidate, Space


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One line of the table: a setting's value against the one in force, all others as they are."""

    setting: str
    candidate: Candidate
    verdict: Verdict


class Sweep:
    """See the module. `rows` is the table so far."""

    def __init__(self, space: Space, goal: Goal, *, seed: int = 0) -> None:
        del seed  # nothing here is left to chance: the classic order is the point
        self.space, self.goal = space, goal
        self.book = Book(space, goal)
        self.rows: list[SweepRow] = []
        self._current = space.baseline
        self._free = [at for at, size in enumerate(space.sizes) if size > 1]
        self._position = 0
        self._plan: list[Candidate] = []
        self._measured: list[tuple[Candidate, float, float]] = []
        self._asked: Ask | None = None
        self._reason = ""
        self._lay_out()

    @classmethod
    def looks_first(cls, space: Space) -> bool:
        """See `Begin.looks_first`: settings have their turn one after the other."""
        del space
        return False

    def ask(self) -> Ask | None:
        """The next loop of the present setting; None when all settings are done."""
        if self._asked or self._reason:
            return self._asked
        if not self._plan:
            self._reason = "all settings are done"
            return None
        setting = self.space.vary[self._free[self._position]].name
        asked = self.book.request(self._plan[0], self.goal.seconds, f"{setting}, one at a time")
        if not self.book.affords(asked):
            self._reason = "the budget is used up"
            return None
        self._asked = asked
        return asked

    def tell(self, observation: Observation) -> None:
        """Takes the loop's figure; after the last of a setting, keeps its best value."""
        if self._asked is None:
            raise RuntimeError("no measurement was asked for")
        asked, self._asked = self._asked, None
        self.book.add(asked, observation)
        self._plan.pop(0)
        if observation.figure is not None and observation.figure > 0:
            middle = self.book.used - asked.seconds / 2
            self._measured.append((asked.candidate, middle, self.book.score(observation.figure)))
        if not self._plan:
            self._judge()
            self._position += 1
            self._lay_out()

    def standing(self) -> SearchStanding:
        """All candidates of the table."""
        verdicts = {row.candidate: row.verdict.outcome for row in self.rows}
        states = {
            Outcome.WORSE: CandidateState.ELIMINATED,
            Outcome.EQUIVALENT: CandidateState.EQUIVALENT,
        }
        stands = []
        for candidate in self.book.spent:
            reason = self.book.infeasible(candidate)
            state = states.get(verdicts.get(candidate, Outcome.UNDECIDED), CandidateState.ALIVE)
            stands.append(
                self.book.stand(candidate, CandidateState.INFEASIBLE if reason else state, reason)
            )
        following = "" if self._reason or not self._plan else "one at a time"
        used, left = self.book.used, self.book.left
        return SearchStanding(tuple(stands), self._current, used, left, following)

    def result(self) -> SearchResult:
        """The baseline with every value that was better for certain."""
        pick, reason = self._current, self._reason or "the sweep is not done"
        if pick != self.space.baseline:
            return SearchResult(Ending.WINNER, pick, (pick,), reason)
        enough = {Outcome.EQUIVALENT, Outcome.WORSE}
        decided = bool(self.rows) and all(row.verdict.outcome in enough for row in self.rows)
        complete = decided and self._position >= len(self._free)
        return SearchResult(
            Ending.EQUIVALENT if complete else Ending.UNDECIDED, pick, (pick,), reason
        )

    def _lay_out(self) -> None:
        """The plan of the setting that is next."""
        self._measured = []
        if self._position >= len(self._free):
            self._plan = []
            return
        at, base = self._free[self._position], self._current
        others = [
            candidate for value in range(self.space.sizes[at]) if value != base[at]
            if self.space.allows(candidate := (*base[:at], value, *base[at + 1 :]))
        ]  # fmt: skip
        self._plan = [
            candidate for candidate in (base, *others, base) for _ in range(self.goal.loops)
        ]

    def _judge(self) -> None:
        """A verdict on each value; the best of those that are better becomes the one in force."""
        base = self._current
        line = self._line(
            [(at, score) for candidate, at, score in self._measured if candidate == base]
        )
        relative: dict[Candidate, list[float]] = {}
        for candidate, at, score in self._measured:
            relative.setdefault(candidate, []).append(score - line(at))
        best, most = base, 0.0
        for candidate, scores in relative.items():
            if candidate == base or min(len(scores), len(relative.get(base, ()))) < 2:
                continue
            verdict = self._verdict(relative[base], scores)
            name = self.space.vary[self._free[self._position]].name
            self.rows.append(SweepRow(name, candidate, verdict))
            mean = sum(scores) / len(scores)
            better = verdict.outcome is Outcome.BETTER and not self.book.doubtful(candidate)
            if better and mean > most:
                best, most = candidate, mean
        self._current = best

    def _verdict(self, base: list[float], scores: list[float]) -> Verdict:
        tests = sum(self.space.sizes[at] - 1 for at in self._free)
        contrasted = contrast(base, scores, distance=0)
        decision = decide(contrasted, Bar(level=self.goal.level / tests, margin=self.goal.margin))
        change = float(contrasted.change)
        outcome = Outcome.UNDECIDED
        if decision.equivalent:
            outcome = Outcome.EQUIVALENT
        elif decision.differs:
            outcome = Outcome.BETTER if change > 0 else Outcome.WORSE
        low, high = float(decision.low), float(decision.high)
        interval = (expm1(low), expm1(high))
        if not self.goal.higher:
            change, interval = -change, (exp(-high) - 1, exp(-low) - 1)
        return Verdict(self.goal.metric, "in force", "tried", outcome, expm1(change), interval)

    @staticmethod
    def _line(points: list[tuple[float, float]]) -> Line:
        """Through the means of the first and of the second half of the baseline's loops."""
        half = len(points) // 2
        if not half:
            return Line(0.0, points[0][1] if points else 0.0, 0.0)
        (x, y), (u, v) = (
            (sum(at for at, _ in part) / len(part), sum(score for _, score in part) / len(part))
            for part in (points[:half], points[half:])
        )
        return Line(x, y, (v - y) / (u - x) if u > x else 0.0)


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line over device seconds."""

    at: float
    height: float
    slope: float

    def __call__(self, moment: float) -> float:
        """Its height."""
        return self.height + self.slope * (moment - self.at)
