"""A trial while its loops come in: what is asked after every loop costs the same after each.

How many loops there are, how long they took and the headline metric of each are kept, not computed
again. Flags need the statistics of all loops, so they are computed again when the trial has grown
by a fifth, and when it ends: over n loops that looks at fewer than 6 n loops, not at n² / 2.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from math import sqrt

from iosonde.measure.flags import flags_of
from iosonde.measure.progress import HeadlineSoFar
from iosonde.records.load import Demand
from iosonde.records.run import Loop, Trial
from iosonde.statistics.direction import headline_among
from iosonde.statistics.student import student_t

GROWTH = 1.2
"""How many times as many loops as at the last look make it worth another."""
_RECENT = 30  # loops whose figures are shown while the run goes on
_FAULTS = 100  # different ones of a trial; beyond, they are handed on together with its flags


class GrowingTrial:
    """A trial and its loops so far.

    Args:
        trial: as stored; loops that it has already belong to it.
    """

    def __init__(self, trial: Trial) -> None:
        self._trial = trial
        self._loops = list(trial.loops)
        self._unread = list(trial.unread)
        self._faults = dict.fromkeys(trial.faults)
        self._headline = ""
        self.headlines: list[float] = []
        """The headline metric of each loop."""
        self._mean = self._squares = 0.0
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._unit = ""
        self.spent = 0.0
        """Seconds that the loops took together."""
        self._touched: tuple[Demand, int | None] | None = None
        self._looked = 0
        self.flags = trial.flags
        """Rule names, as they were at the last look."""
        self.lost = False
        """A loop of it failed, so that it has no further one."""
        for loop in self._loops:
            self._count(loop)

    def __len__(self) -> int:
        """How many loops there are."""
        return len(self._loops)

    @property
    def id(self) -> str:
        """Of the trial."""
        return self._trial.id

    @property
    def first(self) -> Trial:
        """The trial as it was at first: all but its loops."""
        return self._trial

    @property
    def headline(self) -> str:
        """Name of the metric that stands for it."""
        return self._headline

    @property
    def metrics(self) -> list[Mapping[str, float]]:
        """Of each loop that counts."""
        return [loop.result.metrics for loop in self._loops if not loop.result.left_out]

    def written(self, seconds: float | None) -> float:
        """Bytes that its loops wrote.

        Args:
            seconds: of each loop; None: as long as it took with its start and end.
        """
        return sum(
            loop.result.metrics.get("write.bandwidth", 0.0) * (seconds or loop.elapsed)
            for loop in self._loops
        )

    @property
    def faults(self) -> tuple[str, ...]:
        """What went wrong, each sentence once."""
        return tuple(self._faults)

    @property
    def trial(self) -> Trial:
        """The trial with all its loops."""
        return replace(
            self._trial,
            loops=tuple(self._loops),
            unread=tuple(self._unread),
            flags=self.flags,
            faults=self.faults,
        )

    @property
    def so_far(self) -> HeadlineSoFar:
        """The headline metric over the loops so far, from sums: no loop is looked at again.

        Source:
            B. P. Welford, "Note on a method for calculating corrected sums of squares and
            products", Technometrics 4 (1962).
        """
        count, halfwidth = len(self.headlines), None
        if count > 1 and self._mean:
            error = sqrt(self._squares / (count - 1) / count)
            halfwidth = student_t(0.975, count - 1) * error / abs(self._mean)
        return HeadlineSoFar(
            self._headline, self._unit, count, self._mean, halfwidth, tuple(self._recent)
        )

    @property
    def next_index(self) -> int:
        """Number of the next loop, from 0."""
        return max((loop.index for loop in (*self._loops[-1:], *self._unread)), default=-1) + 1

    @property
    def has_run(self) -> bool:
        """Whether any loop ran, read or not."""
        return bool(self._loops or self._unread)

    def add(self, loop: Loop, demand: Demand, size: int | None) -> bool:
        """One loop more.

        Args:
            loop: finished.
            demand: of the load.
            size: bytes that the load touches; None where that is not known.

        Returns:
            Whether flags or faults are others than before, and are to be stored.
        """
        self._loops.append(loop)
        self._touched = demand, size
        self._count(loop)
        before = len(self._faults)
        self._faults.update(dict.fromkeys(loop.result.faults))
        more = len(self._faults) > before
        if len(self._loops) < self._looked * GROWTH:
            return more and len(self._faults) <= _FAULTS
        return self.look() or more

    def look(self) -> bool:
        """Compute the flags, where loops came since the last look; whether that is to be stored."""
        if self._touched is None or self._looked == len(self._loops):
            return False
        self._looked = len(self._loops)
        before, self.flags = self.flags, flags_of(self.trial, *self._touched)
        return self.flags != before or len(self._faults) > _FAULTS

    def add_unread(self, loop: Loop) -> None:
        """A loop that ran and could not be read: it takes a number, and counts for nothing."""
        self._unread.append(loop)
        self.lost = True

    def fail(self, sentence: str) -> None:
        """Why it has no further loop."""
        self._faults[sentence] = None
        self.lost = True

    def _count(self, loop: Loop) -> None:
        """The first loop says which metric is the headline of all; one left out says nothing."""
        if loop.result.left_out:
            return
        metrics = loop.result.metrics
        if not self.headlines:
            self._headline = headline_among(metrics)
            self._unit = loop.result.units.get(self._headline, "")
        figure = metrics.get(self._headline, 0.0)
        self.headlines.append(figure)
        self._recent.append(figure)
        before, count = self._mean, len(self.headlines)
        self._mean += (figure - before) / count
        self._squares += (figure - before) * (figure - self._mean)
        self.spent += loop.elapsed
