"""Short texts of time and of series of figures, for progress."""

from __future__ import annotations

import time
from collections.abc import Sequence

_STEPS = "▁▂▃▄▅▆▇█"
_CALM = 0.05  # a series that stays within this share of its mean looks flat


def clock(moment: float) -> str:
    """Time of day of epoch seconds; with the date where it is not today's."""
    then, now = time.localtime(moment), time.localtime()
    same_day = (then.tm_year, then.tm_yday) == (now.tm_year, now.tm_yday)
    return time.strftime("%H:%M:%S" if same_day else "%a %d %b %H:%M", then)


def span(seconds: float) -> str:
    """`0:09`, `1:04`, `2:03:10`."""
    minutes, rest = divmod(round(max(seconds, 0.0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def sparkline(figures: Sequence[float]) -> str:
    """A sign for each figure, as high as it lies between mean − reach and mean + reach.

    The reach is that of the farthest figure, and at least 5 % of the mean: what hardly varies looks
    flat, whatever its digits do.
    """
    if len(figures) < 2:
        return ""
    mean = sum(figures) / len(figures)
    reach = max(*(abs(figure - mean) for figure in figures), _CALM * abs(mean))
    if not reach:
        return _STEPS[3] * len(figures)
    last = len(_STEPS) - 1
    return "".join(
        _STEPS[round((figure - mean + reach) / (2 * reach) * last)] for figure in figures
    )
