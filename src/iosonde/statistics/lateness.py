"""Whether requests that have times of their own were issued at them to the end."""

from __future__ import annotations

LAG = 0.01
"""Seconds, or share of the trace's length, that the last requests may be late."""


def lags(lag: float, length: float) -> bool:
    """Whether requests were so late at the end that the trace's rate was not kept.

    Args:
        lag: `arrival.lag`, in seconds.
        length: of the replayed trace, in seconds.
    """
    return lag > max(LAG, LAG * length)
