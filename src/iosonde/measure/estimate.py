"""When a run will be over, from what its loops took so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from math import ceil
from typing import Protocol

from iosonde.measure.plan import Plan
from iosonde.measure.progress import TimeLeft

_MINUTE = 60.0
_BETWEEN = 2.0  # seconds from one loop's end to the next one's start, before we know better


class LoopsSoFar(Protocol):
    """The loops of a trial so far: their number, and the seconds that they took together."""

    spent: float

    def __len__(self) -> int:
        """How many loops there are."""
        ...


class Estimate:
    """The expected end of a plan. Sums of each trial are enough for it; no loop is looked at twice.

    Where the number of loops depends on what they find, it is the latest end: every trial that goes
    on may use its whole time.

    Args:
        plan: what is measured.
        done: trials of the run so far; a resumed run's old loops say how long one takes.
        goes_on: whether the trial of an id will have further loops.
    """

    def __init__(
        self, plan: Plan, done: Mapping[str, LoopsSoFar], goes_on: Callable[[str], bool]
    ) -> None:
        self._plan = plan
        self._begun = time.time()
        self._before = _sums(done)
        self._goes_on = goes_on
        self._ended: set[str] = set()
        study = plan.study
        self._most = study.until.max_seconds if study.until else study.max_seconds
        if study.until and study.until.passes:
            self._most = study.until.passes * (study.seconds or _MINUTE)

    def time_left(self, done: Mapping[str, LoopsSoFar]) -> TimeLeft:
        """How long the rest of the plan takes from now on, with pauses and preparations.

        Its seconds are None where loops have no stated length, none is finished yet, and nothing
        bounds them.
        """
        study = self._plan.study
        count, spent = _sums(done)
        usual = study.seconds
        if usual is None and count:
            usual = spent / count
        pause = self._pause(count, spent)
        at_most = study.fixed_loops is None
        left = 0.0
        for part in self._plan.rounds:
            needs = [self._need(trial.id, done.get(trial.id), usual, pause) for trial in part]
            if None in needs:
                return TimeLeft(spent, None, at_most)
            left += max(need for need in needs if need is not None)
        return TimeLeft(spent, left, at_most)

    def _need(
        self, trial: str, done: LoopsSoFar | None, usual: float | None, pause: float
    ) -> float | None:
        """Seconds that a trial still takes; the most that it may take where a rule ends it."""
        if trial in self._ended or not self._goes_on(trial):
            self._ended.add(trial)
            return 0.0
        study = self._plan.study
        length = done.spent / len(done) if done else usual
        loops = max(study.loops - (len(done) if done else 0), 0)
        if study.fixed_loops is not None:
            return None if length is None else loops * (length + pause)
        budget = max(self._most - (done.spent if done else 0.0), 0.0)
        if length is None:
            return budget + pause
        if study.until is None:  # a requirement is looked at when the study's loops are there
            budget = max(budget, loops * length)
        return budget + ceil(budget / max(length, 0.1)) * pause

    def _pause(self, count: int, spent: float) -> float:
        """Mean seconds between loops of this execution, layout and capture included."""
        fresh = count - self._before[0]
        if not fresh:
            return _BETWEEN
        passed = max(time.time() - self._begun, 0.0)
        return max(passed - (spent - self._before[1]), 0.0) / fresh


def _sums(done: Mapping[str, LoopsSoFar]) -> tuple[int, float]:
    """How many loops there are, and the seconds that they took together."""
    return sum(map(len, done.values())), sum(trial.spent for trial in done.values())
