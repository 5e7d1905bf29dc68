"""When a trial has loops enough: a fixed count, a narrow interval, or a steady state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iosonde.statistics.estimates import halfwidth, summarise
from iosonde.statistics.steady import ROUNDS, steady_state

if TYPE_CHECKING:
    from iosonde.measure.study import Until

FEWEST = 5
"""Loops before an interval's width is looked at. A look at two or three loops often sees a spread
that is small by chance and stops at a wrong figure; coverage by simulation is in
docs/use/statistics.md."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """Loops of a trial end at `loops`, or as soon as what is asked for is reached.

    `halfwidth` is a fraction of the mean; `max_seconds` of measuring end the trial in any case
    (after at least one loop). `steady` asks for SNIA's steady state.
    """

    loops: int
    halfwidth: float | None = None
    steady: bool = False
    max_seconds: float | None = None

    @classmethod
    def of(cls, loops: int, until: Until | None) -> StopRule:
        """The rule of a study's `loops:` and `until:`."""
        if until is None:
            return cls(loops)
        return cls(loops, until.halfwidth, until.steady, until.max_seconds)

    def wants_more(self, values: Sequence[float], spent: float) -> bool:
        """Whether another loop is needed.

        Args:
            values: the headline metric of the loops so far.
            spent: seconds of measuring so far.
        """
        if self.halfwidth is None and not self.steady:
            return len(values) < self.loops
        if not values:
            return True
        per_loop = spent / len(values)
        if self.max_seconds is not None and spent + per_loop > self.max_seconds:
            return False
        return not self.reached(values)

    def reached(self, values: Sequence[float]) -> bool:
        """Whether the loops so far give what was asked for."""
        if self.halfwidth is not None:
            if len(values) < FEWEST:
                return False
            width = halfwidth(summarise("headline", "", values))
            if width is None or width > self.halfwidth:
                return False
        if self.steady:
            return len(values) >= ROUNDS and steady_state(values).reached
        return self.halfwidth is not None or len(values) >= self.loops
