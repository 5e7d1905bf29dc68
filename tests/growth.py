"""How the work for a text grows with its length, whatever else the machine does."""

from __future__ import annotations

import time
from collections.abc import Callable

_TIMES = 8
_BOUND = 24.0  # linear work is 8 times as much, quadratic work 64 times; caches and others between


def grows_faster(work: Callable[[str], object], unit: str, count: int) -> str:
    """Whether a text of eight times the length takes much more than eight times the work.

    The work is time of the processor, which waiting does not add to, the least of several tries.

    Args:
        work: what is done with a text, in this process.
        unit: what the text repeats.
        count: how often the short one does; its work is to take some milliseconds.

    Returns:
        Empty: the work grows with the text; else what was measured.
    """
    short = long = float("inf")
    for _ in range(3):  # one after the other, so that a slow minute of the machine meets both
        first = _seconds(work, unit * count)
        if first == 0:  # the clock did not advance: some virtual machines count in ticks
            continue
        short = min(short, first)
        long = min(long, _seconds(work, unit * count * _TIMES))
        if long <= short * _BOUND:
            return ""
    if short == float("inf"):
        return ""
    return f"{_TIMES} times the text took {long / short:.0f} times the work, {short:.4g} s at first"


def _seconds(work: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    work(text)
    return time.process_time() - begun
