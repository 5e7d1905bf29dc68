"""When a run will be over, from what its loops took so far."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

from iosonde.measure.study import Plan

_BETWEEN = 2.0  # seconds from one loop's end to the next one's start, before we know better


class LoopsSoFar(Protocol):
    """The loops of a trial so far: their number, and the seconds that they took together."""

    spent: float

    def __len__(self) -> int:
        """How many loops there are."""
        ...


class Estimate:
    """The expected end of a plan. Sums of each trial are enough for it; no loop is looked at twice.

    Args:
        plan: what is measured.
        done: trials of the run so far; a resumed run's old loops say how long one takes.
    """

    def __init__(self, plan: Plan, done: Mapping[str, LoopsSoFar]) -> None:
        self._plan = plan
        self._begun = time.time()
        self._before = _sums(done)

    def end(self, done: Mapping[str, LoopsSoFar]) -> float | None:
        """Epoch seconds at which the run should be over.

        None where loops have no stated length and none is finished yet, or where the number of
        loops depends on what they find.
        """
        study = self._plan.study
        if study.fixed_loops is None:
            return None
        count, spent = _sums(done)
        usual = study.seconds
        if usual is None and count:
            usual = spent / count
        pause = self._pause(count, spent)
        waits = 0.0
        for part in self._plan.rounds:
            lengths = [_mean(done.get(trial.id), usual) for trial in part]
            left = [study.loops - _count(done.get(trial.id)) for trial in part]
            if any(length is None and more > 0 for length, more in zip(lengths, left, strict=True)):
                return None
            waits += max(
                more * (0.0 if length is None else length + pause)
                for length, more in zip(lengths, left, strict=True)
            )
        return time.time() + waits

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


def _mean(trial: LoopsSoFar | None, usual: float | None) -> float | None:
    """Seconds of one loop of a trial, `usual` where it has none."""
    return trial.spent / len(trial) if trial else usual


def _count(trial: LoopsSoFar | None) -> int:
    return 0 if trial is None else len(trial)
