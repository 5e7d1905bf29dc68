"""How the work for a text grows with its length, whatever else the machine does."""

from __future__ import annotations

import time
from collections.abc import Callable

_TIMES = 8
_BOUND = 24.0  # linear work is 8 times as much, quadratic work 64 times; caches and others between
_LEAST = 0.02
"""Seconds of the processor that the short text has to take."""
_MOST = 1024


def grows_faster(work: Callable[[str], object], unit: str, count: int) -> str:
    """Whether a text of eight times the length takes much more than eight times the work.

    The work is time of the processor, which waiting does not add to, the least of several tries.

    Args:
        work: what is done with a text, in this process.
        unit: what the text repeats.
        count: how often the short one does.

    Returns:
        Empty: the work grows with the text; else what was measured.
    """
    repeats = 1  # more until the clock, which in some virtual machines ticks in ms, says enough
    while (short := _seconds(work, unit * count, repeats)) < _LEAST and repeats < _MOST:
        repeats *= 2
    short, long = max(short, _LEAST), float("inf")
    for _ in range(3):  # one after the other, so that a slow minute of the machine meets both
        long = min(long, _seconds(work, unit * count * _TIMES, repeats))
        if long <= short * _BOUND:
            return ""
        short = min(short, _seconds(work, unit * count, repeats) or short)
    return f"{_TIMES} times the text took {long / short:.0f} times the work, {short:.4g} s at first"


def _seconds(work: Callable[[str], object], text: str, repeats: int) -> float:
    begun = time.process_time()
    for _ in range(repeats):
        work(text)
    return time.process_time() - begun
