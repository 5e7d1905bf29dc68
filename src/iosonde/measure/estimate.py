"""When a run will be over, from what its loops took so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Protocol

from iosonde.measure.plan import Plan
from iosonde.measure.progress import TimeLeft
from iosonde.measure.turns import blocks

_BETWEEN = 2.0  # seconds from one loop's end to the next one's start, before we know better
_LONG = 10 * _BETWEEN  # seconds of a loop beside which that may be wrong
_TICK = 0.01  # seconds by which two clocks may differ


class LoopsSoFar(Protocol):
    """The loops of a trial so far: their number, and the seconds that they took together."""

    spent: float

    def __len__(self) -> int:
        """How many loops there are."""
        ...


class Estimate:
    """The expected end of a plan. Sums of each trial are enough for it; no loop is looked at twice.

    Where the number of loops depends on what they find, it is the latest end: every trial that goes
    on may use its whole time. Nothing is said as long as it would be a guess: before a second loop
    begins, which shows what passes between two, unless loops are so long that it hardly counts.

    Args:
        plan: what is measured.
        done: trials of the run so far; a resumed run's old loops say how long one takes.
        goes_on: whether the trial of an id will have further loops.
        now: seconds of a clock that nobody sets.
    """

    def __init__(
        self, plan: Plan, done: Mapping[str, LoopsSoFar], goes_on: Callable[[str], bool],
        now: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._plan = plan
        self._goes_on, self._now = goes_on, now
        self._ended: set[str] = set()
        study = plan.study
        self._most = study.until.max_seconds if study.until else study.max_seconds
        self._passes = study.until.passes if study.until else None
        self._blocks = [
            [trial.id for part in block for trial in part] for block in blocks(plan.rounds)
        ]
        self._seen, self._trials, self._since = _sums(done), -1, now()
        self._prepared: list[float] = []
        self._around: list[float] = []
        self._between: list[float] = []

    def time_left(self, done: Mapping[str, LoopsSoFar]) -> TimeLeft:
        """How long the rest of the plan takes from now on, with pauses and preparations.

        It is asked before and after every loop. Its seconds are None as long as that is a guess.
        """
        self._look(done)
        study, (count, spent) = self._plan.study, self._seen
        at_most = study.fixed_loops is None
        usual = study.seconds
        if usual is None and count:
            usual = spent / count
        pause = _mean(self._around) + _mean(self._between) if self._between else _BETWEEN
        is_guess = not self._between and (usual or 0.0) < _LONG
        left = 0.0
        for part in self._plan.rounds:
            needs = [self._need(trial.id, done.get(trial.id), usual, pause) for trial in part]
            if None in needs or (is_guess and any(needs)):
                return TimeLeft(spent, None, at_most)
            left += max(need for need in needs if need is not None)
        return TimeLeft(spent, left + self._preparations(done), at_most)

    def _look(self, done: Mapping[str, LoopsSoFar]) -> None:
        """What passed since the last look was a loop, a pause, or a preparation of new trials."""
        now, (count, spent) = self._now(), _sums(done)
        loops, rest = count - self._seen[0], now - self._since - (spent - self._seen[1])
        if loops and rest > -_TICK:  # below: of a loop that ran beside another
            self._around.append(rest / loops)
        elif not loops and len(done) > self._trials:
            self._prepared.append(rest)
        elif not loops:
            self._between.append(rest)
        self._seen, self._trials, self._since = (count, spent), len(done), now

    def _preparations(self, done: Mapping[str, LoopsSoFar]) -> float:
        """Seconds until the loops of the blocks begin that are to come, all together."""
        ahead = sum(1 for block in self._blocks if not any(trial in done for trial in block))
        return ahead * _mean(self._prepared)

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
        if self._passes is not None:
            ahead = max(self._passes - (len(done) if done else 0), 0)
            return None if length is None else ahead * (length + pause)
        budget = max(self._most - (done.spent if done else 0.0), 0.0)
        if length is None:
            return budget + pause
        if study.until is None:  # a requirement is looked at when the study's loops are there
            budget = max(budget, loops * length)
        return budget + ceil(budget / max(length, 0.1)) * pause


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _sums(done: Mapping[str, LoopsSoFar]) -> tuple[int, float]:
    """How many loops there are, and the seconds that they took together."""
    return sum(map(len, done.values())), sum(trial.spent for trial in done.values())
