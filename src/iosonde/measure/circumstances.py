"""What the stored loops of two trials tell about how they were measured."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from iosonde.measure.seconds import devices_of, seconds_of
from iosonde.records.run import Loop
from iosonde.records.sheet import TrialSheet
from iosonde.statistics.memory import inflation, loop_correlation, memory
from iosonde.statistics.verdict import Circumstances


def circumstances(a: TrialSheet, b: TrialSheet) -> Circumstances:
    """Distance in time and memory of the seconds of two trials."""
    first, second = a.trial.counted, b.trial.counted
    spacing = _spacing(first, second)
    if spacing is None:
        return Circumstances()
    return Circumstances(
        distance=_distance(first, second, spacing), inflation=_inflation(a, b, spacing)
    )


def _spacing(first: Sequence[Loop], second: Sequence[Loop]) -> float | None:
    """Seconds from the beginning of a loop to that of the next; None where times are unknown."""
    steps = [
        after.started - before.started
        for loops in (first, second)
        for before, after in pairwise(loops)
    ]
    usual = median(steps) if steps else 0.0
    return usual if usual > 0 else None


def _distance(first: Sequence[Loop], second: Sequence[Loop], spacing: float) -> float:
    """Loops from the middle of A to the middle of B; 0 where the pause was longer than both.

    A pause adds nothing: a device that idles does not drift as it does under load, and the
    further the fitted slope is carried on, the less it says.
    """
    starts = [[loop.started for loop in loops] for loops in (first, second)]
    (begin_a, end_a), (begin_b, end_b) = ((min(s), max(s) + spacing) for s in starts)
    pause = max(begin_b - end_a, begin_a - end_b)
    if pause > (end_a - begin_a) + (end_b - begin_b):
        return 0.0
    middles = [sum(s) / len(s) for s in starts]
    adjacent = (len(first) + len(second)) / 2
    return max(-adjacent, min(adjacent, (middles[1] - middles[0]) / spacing))


def _inflation(a: TrialSheet, b: TrialSheet, spacing: float) -> float:
    seconds = [
        values
        for sheet in (a, b)
        for devices in [devices_of(sheet.trial)]
        for loop in sheet.trial.counted
        if (values := seconds_of(loop, sheet.headline, devices)) is not None
    ]
    if not seconds:
        return 1.0
    length = min(len(values) for values in seconds)
    gap = max(0.0, spacing - length)
    count = min(len(a.trial.counted), len(b.trial.counted))
    return inflation(count, loop_correlation(memory(seconds), length, gap))
