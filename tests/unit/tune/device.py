"""A device for searches: true figures with noise, seconds that changes cost, faults at will."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp

import numpy as np

from iosonde.tune.search.space import Candidate, Space, Vary
from iosonde.tune.search.strategy import Ask, Goal, Observation, Strategy


@dataclass
class Device:
    """`cv` is that of one loop; `drift` the slope per device second; `start` of the discarded."""

    means: Mapping[Candidate, float]
    cv: float = 0.0
    seed: int = 0
    drift: float = 0.0
    start: float = 0.0
    change: float = 2.0
    failing: tuple[Candidate, ...] = ()
    breaking: Callable[[Candidate], tuple[str, ...]] = lambda _: ()
    now: float = 0.0
    asked: list[Ask] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)

    def measure(self, ask: Ask) -> Observation:
        """One measurement."""
        self.asked.append(ask)
        took = self.change if ask.settle else 0.0
        self.now += took + ask.settle + ask.seconds
        if ask.candidate in self.failing:
            return Observation(None, took)
        figure = self.means[ask.candidate] * exp(self.drift * self.now)
        figure *= exp(self.cv * self._rng.normal())
        first = figure * exp(self.start) if ask.settle else None
        return Observation(figure, took, first, self.breaking(ask.candidate))

    def run(self, search: Strategy, most: int = 5000) -> None:
        """Until the search ends.

        Raises:
            AssertionError: it does not end.
        """
        for _ in range(most):
            asked = search.ask()
            if asked is None:
                return
            assert search.ask() == asked, "one measurement is open at a time"
            search.tell(self.measure(asked))
        raise AssertionError("the search does not end")


def space(*sizes: int, unsafe: tuple[int, ...] = ()) -> Space:
    """Settings "layerN.s" with values 0, 1, 2 …; 0 is in force."""
    return Space(
        tuple(
            Vary(f"layer{at}.s", tuple(range(size)), 0, unsafe=unsafe)
            for at, size in enumerate(sizes)
        )
    )


def goal(**changed: object) -> Goal:
    """A rate, 1 % margin, no budget unless told."""
    return Goal("write.iops", unit="1/s", **changed)  # type: ignore[arg-type]
