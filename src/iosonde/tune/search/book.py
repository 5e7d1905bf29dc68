"""The book of a search: every measurement, what it cost, and what costs and settling are like."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, log, sqrt

from iosonde.statistics.estimates import summarise
from iosonde.tune.search.grain import grain
from iosonde.tune.search.space import Candidate, Space
from iosonde.tune.search.strategy import Ask, CandidateState, Goal, Observation, Stand

_LONGEST_SETTLE = 8.0  # of which a start-up effect may make `settle`, as multiples of the goal's
_FEWEST = 8  # visits before a start-up effect is believed
_CLEAR = 4.0  # standard errors it must be away from nothing


@dataclass(frozen=True, slots=True)
class BookedMeasurement:
    """One measurement as it was asked and told."""

    ask: Ask
    observation: Observation
    changed: tuple[str, ...]

    @property
    def device_seconds(self) -> float:
        """Changing, settling and measuring."""
        asked = self.ask.settle + self.ask.seconds
        return self.observation.change_seconds + (
            asked if self.observation.spent is None else self.observation.spent
        )


@dataclass(slots=True)
class Book:
    """Keeps what was measured, learns what a change costs and how long the load settles."""

    space: Space
    goal: Goal
    entries: list[BookedMeasurement] = field(default_factory=list)
    used: float = 0.0
    in_force: Candidate | None = None
    settle: float = 0.0
    spent: dict[Candidate, float] = field(default_factory=dict)
    figures: dict[Candidate, list[float]] = field(default_factory=dict)
    _cost: dict[str, tuple[float, int]] = field(default_factory=dict)
    _steps: list[float] = field(default_factory=list)
    _breaches: dict[Candidate, int] = field(default_factory=dict)
    _failed: dict[Candidate, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.settle = self.goal.settle
        self._cost = {setting.name: (setting.change_seconds, 0) for setting in self.space.vary}
        self.in_force = self.in_force or self.space.baseline

    @property
    def left(self) -> float:
        """Device seconds of the budget that are left."""
        return max(self.goal.budget - self.used, 0.0)

    def request(self, candidate: Candidate, seconds: float, why: str) -> Ask:
        """The measurement of a candidate, with settling only where something is changed.

        The first measurement of a search settles too: the load has to start.
        """
        still = candidate == self.in_force and bool(self.entries)
        return Ask(candidate, seconds, 0.0 if still else self.settle, why)

    def add(self, ask: Ask, observation: Observation) -> BookedMeasurement:
        """Write one measurement down and learn from it."""
        entry = BookedMeasurement(
            ask, observation, self.space.changed(self.in_force, ask.candidate)
        )
        self.entries.append(entry)
        self.in_force = ask.candidate
        self.used += entry.device_seconds
        self.spent[ask.candidate] = self.spent.get(ask.candidate, 0.0) + entry.device_seconds
        self._learn_cost(entry)
        if observation.figure is None or observation.figure <= 0:
            self._failed[ask.candidate] = observation.reason or "it failed"
            return entry
        self.figures.setdefault(ask.candidate, []).append(observation.figure)
        step = 1 if observation.breaches else -1
        self._breaches[ask.candidate] = self._breaches.get(ask.candidate, 0) + step
        self._learn_settling(entry)
        return entry

    def score(self, figure: float) -> float:
        """The logarithm of a figure, signed so that more is better."""
        return log(figure) if self.goal.higher else -log(figure)

    def grain(self) -> float:
        """What the figures so far cannot resolve, as a difference of two scores."""
        return grain(self.goal.metric, self.figures.values())

    def cost(self, before: Candidate | None, after: Candidate) -> float:
        """Seconds that changing from one candidate to another is expected to take."""
        return sum(self._cost[name][0] for name in self.space.changed(before, after))

    def dearest(self) -> list[int]:
        """Positions of the settings, the most costly to change first."""
        costs = [self._cost[setting.name][0] for setting in self.space.vary]
        return sorted(range(len(costs)), key=lambda at: -costs[at])

    def affords(self, ask: Ask) -> bool:
        """Whether the measurement is likely to fit into the budget."""
        change = self.cost(self.in_force, ask.candidate)
        return change + ask.settle + ask.seconds <= self.left

    def setting_cost(self, position: int) -> float:
        """Seconds that a change of this setting is expected to take."""
        return self._cost[self.space.vary[position].name][0]

    def infeasible(self, candidate: Candidate) -> str:
        """Why it cannot be taken, or empty.

        A limit is broken for good when the loops that broke it outnumber those that kept it by two.
        """
        if candidate in self._failed:
            return self._failed[candidate]
        if self._breaches.get(candidate, 0) >= 2:
            broken = [
                name for entry in self.entries if entry.ask.candidate == candidate
                for name in entry.observation.breaches
            ]  # fmt: skip
            return f"it breaks {', '.join(dict.fromkeys(broken))}"
        return ""

    def doubtful(self, candidate: Candidate) -> bool:
        """More of its loops broke a limit than kept it; it may not be picked."""
        return bool(self.infeasible(candidate)) or self._breaches.get(candidate, -1) > 0

    def stand(self, candidate: Candidate, state: CandidateState, reason: str = "") -> Stand:
        """The candidate with the figures of its loops."""
        loops = self.figures.get(candidate, [])
        metric = summarise(self.goal.metric, self.goal.unit, loops) if loops else None
        return Stand(
            candidate, self.space.settings(candidate), len(loops),
            self.spent.get(candidate, 0.0), metric, state, reason,
        )  # fmt: skip

    def _learn_cost(self, entry: BookedMeasurement) -> None:
        """Each changed setting takes an equal part of what the estimate was off by."""
        if not entry.changed:
            return
        off = entry.observation.change_seconds - sum(self._cost[name][0] for name in entry.changed)
        for name in entry.changed:
            cost, seen = self._cost[name]
            weight = 1 / (seen + 1)
            self._cost[name] = (max(cost + weight * off / len(entry.changed), 0.0), seen + 1)

    def _learn_settling(self, entry: BookedMeasurement) -> None:
        """Discarded seconds that lie clearly off the kept ones: discard twice as many from now on.

        Never fewer than the goal asks for: what is not seen is not proven absent.
        """
        figure, first = entry.observation.figure, entry.observation.discarded
        if not entry.ask.settle or not first or not figure or first <= 0:
            return
        self._steps.append(log(first / figure))
        count = len(self._steps)
        if count < _FEWEST or self.settle >= _LONGEST_SETTLE * self.goal.settle:
            return
        mean = sum(self._steps) / count
        error = sqrt(sum((shift - mean) ** 2 for shift in self._steps) / (count - 1) / count)
        away = abs(mean) / error if error else inf
        if away > _CLEAR and abs(mean) > self.goal.margin:
            self.settle *= 2
            self._steps.clear()
