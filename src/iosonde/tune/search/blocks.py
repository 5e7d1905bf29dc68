"""Randomised blocks: each candidate in the field is measured once per block, in random order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from statistics import variance

from iosonde.tune.search.book import Book
from iosonde.tune.search.paired import Differences, Noise, differences, pooled
from iosonde.tune.search.space import Candidate
from iosonde.tune.search.strategy import Ask, CandidateState, Observation

_COSTLY = 20.0
"""Seconds from which on a block changes a setting as seldom as it can."""
_LONGEST = 60.0  # seconds of a loop, however dear a change is


class Blocks:
    """The field of candidates, the order of the present block and the scores of finished ones."""

    def __init__(self, field: Sequence[Candidate], book: Book, seed: int) -> None:
        self.field, self.book = tuple(field), book
        self.alive = list(field)
        self.out: dict[Candidate, tuple[CandidateState, str]] = {}
        self.scores: dict[Candidate, list[float]] = {candidate: [] for candidate in field}
        self.count = 0
        self._random = random.Random(seed)  # noqa: S311 - orders, no secrets
        self._order: list[Candidate] = []
        self._length = book.goal.seconds
        self._block: dict[Candidate, float] = {}
        self._asked: Ask | None = None

    def ask(self, why: str) -> Ask | None:
        """The next loop of the present block; None where the budget does not reach."""
        if self._asked:
            return self._asked
        if not self._order:
            self._order = self._shuffled()
            self._length = self._seconds()
        asked = self.book.request(self._order[0], self._length, why)
        if not self.book.affords(asked):
            return None
        self._order.pop(0)
        self._asked = asked
        return asked

    def tell(self, observation: Observation) -> bool:
        """Takes the figure; True when a block is complete.

        Raises:
            RuntimeError: nothing was asked.
        """
        if self._asked is None:
            raise RuntimeError("no measurement was asked for")
        asked, self._asked = self._asked, None
        self.book.add(asked, observation)
        if observation.figure is not None and observation.figure > 0:
            self._block[asked.candidate] = self.book.score(observation.figure)
        if reason := self.book.infeasible(asked.candidate):
            self.drop(asked.candidate, CandidateState.INFEASIBLE, reason)
        if self._order or not self.alive:
            return False
        for candidate in self.alive:
            self.scores[candidate].append(self._block[candidate])
        self._block = {}
        self.count += 1
        return True

    def drop(self, candidate: Candidate, state: CandidateState, reason: str) -> None:
        """Takes a candidate out of the field."""
        self.out[candidate] = (state, reason)
        self.alive = [kept for kept in self.alive if kept != candidate]
        self._order = [kept for kept in self._order if kept != candidate]
        self._block.pop(candidate, None)

    def noise(self) -> Noise:
        """What the blocks have shown of the noise."""
        return pooled(list(self.scores.values()))

    def differences(self) -> Differences:
        """Every pair of those alive, after two blocks or more."""
        import numpy as np

        scores = np.array([self.scores[candidate] for candidate in self.alive])
        return differences(scores, self.noise(), grain=self.book.grain())

    def pair(self, candidate: Candidate, other: Candidate) -> Noise:
        """The noise of two candidates' difference within the blocks that both were in."""
        both = zip(self.scores.get(candidate, ()), self.scores.get(other, ()), strict=False)
        apart = [a - b for a, b in both]
        freedom = len(apart) - 1
        return Noise(variance(apart), float(freedom)) if freedom > 0 else Noise(0.0, 0.0)

    def fit(self) -> list[bool]:
        """Of those alive: whether each may be picked."""
        return [not self.book.doubtful(candidate) for candidate in self.alive]

    def best(self) -> Candidate:
        """The highest mean among those that may be picked; what is in force where none may be."""
        fit = [
            candidate
            for candidate, fit in zip(self.alive, self.fit(), strict=True)
            if fit and self.scores[candidate]
        ]
        if not fit:
            return self.book.space.baseline
        return max(fit, key=lambda candidate: sum(self.scores[candidate]))

    def _shuffled(self) -> list[Candidate]:
        """A random order; what is dear to change is kept together, in a random order of its own.

        What is in force comes first, which saves a change: two candidates run as A B B A A B.
        """
        order = self.alive.copy()
        self._random.shuffle(order)
        order.sort(key=lambda candidate: candidate != self.book.in_force)
        for position in reversed(self.book.dearest()):
            if self.book.setting_cost(position) < _COSTLY:
                continue
            values = list(dict.fromkeys(candidate[position] for candidate in order))
            order = [
                candidate for value in values for candidate in order if candidate[position] == value
            ]
        return order

    def _seconds(self) -> float:
        """Length of a loop: the goal's, or as long as a costly change takes, up to a minute."""
        steps = [self.book.cost(a, b) for a, b in pairwise(self._order)]
        change = sum(steps) / len(steps) if steps else 0.0
        shortest = self.book.goal.seconds
        return shortest if change < _COSTLY else max(shortest, min(change, _LONGEST))
