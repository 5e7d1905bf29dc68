"""Ends the reading of an output that takes too long, whatever in it does.

A timer of the kernel counts the processor time of this process and signals it now and then. Python
looks for signals within a regular expression too (Modules/_sre/sre_lib.h), so that one that tries
ever more ways of matching also ends.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType

from iosonde import limits
from iosonde.errors import UsageError

_TICK = 0.25  # seconds of a processor


class StepTimeLimit:
    """While it is entered, a step that takes more than `limits.OUTPUT_SECONDS` is ended.

    Signals are for the main thread: in another one nothing is watched.
    """

    def __init__(self) -> None:
        self._steps = 0
        self._under_way = False
        self._seen = 0
        self._ticks = 0
        self.slow = 0.0
        """Seconds of a processor in steps that took longer than a tick, since it was entered."""
        self._before: object = None

    def begin(self) -> None:
        """A step begins."""
        self._steps += 1
        self._under_way = True

    def end(self) -> None:
        """It has ended."""
        self._under_way = False

    def __enter__(self) -> StepTimeLimit:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGPROF, self._tick)
            self.slow = 0.0
            signal.setitimer(signal.ITIMER_PROF, _TICK, _TICK)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, self._before)  # type: ignore[arg-type]
            self._before = None

    def _tick(self, _number: int, _frame: FrameType | None) -> None:
        """What was under way at the tick before and still is has taken all the time between."""
        if not self._under_way or self._steps != self._seen:
            self._seen, self._ticks = self._steps, 0
            return
        self._ticks += 1
        self.slow += _TICK
        if self._ticks * _TICK > limits.OUTPUT_SECONDS:
            raise UsageError(
                f"reading it takes more than {limits.OUTPUT_SECONDS:g} s of a processor, the "
                "limit for one output"
            )
