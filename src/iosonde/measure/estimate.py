"""When a run will be over, from what its loops took so far."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from iosonde.measure.study import Plan
from iosonde.records import Trial

_BETWEEN = 2.0  # seconds from one loop's end to the next one's start, before we know better


class Estimate:
    """The expected end of a plan.

    Args:
        plan: what is measured.
        known: trials of the run so far; a resumed run's old loops say how long one takes.
    """

    def __init__(self, plan: Plan, known: Sequence[Trial]) -> None:
        self._plan = plan
        self._begun = time.time()
        self._before = {trial.id: len(trial.loops) for trial in known}

    def end(self, done: Mapping[str, Trial]) -> float | None:
        """Epoch seconds at which the run should be over.

        None where loops have no stated length and none is finished yet, or where the number of
        loops depends on what they find.
        """
        study = self._plan.study
        if study.until is not None:
            return None
        waits = 0.0
        for part in self._plan.rounds:
            lengths = [self._loop_seconds(done.get(trial.id), done) for trial in part]
            left = [study.loops - _count(done.get(trial.id)) for trial in part]
            if any(length is None and more > 0 for length, more in zip(lengths, left, strict=True)):
                return None
            waits += max(more * (length or 0.0) for length, more in zip(lengths, left, strict=True))
        return time.time() + waits

    def _loop_seconds(self, trial: Trial | None, done: Mapping[str, Trial]) -> float | None:
        """Wall seconds of one loop of a trial, with what comes between loops."""
        own = [loop.elapsed for loop in trial.loops] if trial else []
        if own:
            return sum(own) / len(own) + self._pause(done)
        if self._plan.study.seconds is not None:
            return self._plan.study.seconds + self._pause(done)
        every = [loop.elapsed for one in done.values() for loop in one.loops]
        return sum(every) / len(every) + self._pause(done) if every else None

    def _pause(self, done: Mapping[str, Trial]) -> float:
        """Mean seconds between loops of this execution, layout and capture included."""
        fresh = [
            loop for trial in done.values() for loop in trial.loops[self._before.get(trial.id, 0) :]
        ]
        if not fresh:
            return _BETWEEN
        spent = max(time.time() - self._begun, 0.0)
        measured = sum(loop.elapsed for loop in fresh)
        return max(spent - measured, 0.0) / len(fresh)


def _count(trial: Trial | None) -> int:
    return len(trial.loops) if trial else 0
