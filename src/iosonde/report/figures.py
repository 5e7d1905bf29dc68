"""Figures of a column or an axis in one unit, with as many digits as their intervals carry."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

from iosonde import units

_LADDERS: dict[str, tuple[tuple[float, str], ...]] = {
    "B/s": ((units.GIB, "GiB/s"), (units.MIB, "MiB/s"), (units.KIB, "KiB/s"), (1, "B/s")),
    "B": ((units.GIB, "GiB"), (units.MIB, "MiB"), (units.KIB, "KiB"), (1, "B")),
    "s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")),
    "1/s": ((1e6, "M IOPS"), (1, "IOPS")),
    "fraction": ((0.01, "%"),),
}
_DIGITS = 3
_MOST_DIGITS = 5
_FIGURE_SPACE, _PUNCTUATION_SPACE = "\u2007", "\u2008"
"""As wide as a digit and as a point, where digits are tabular."""


def scale(unit: str, values: Sequence[float]) -> tuple[float, str]:
    """Divisor and label of a unit in which the largest value is 1 or more as it is printed."""
    top = max((abs(value) for value in values), default=0.0)
    steps = _LADDERS.get(unit, ((1.0, unit),))
    return next(
        ((size, label) for size, label in steps if float(f"{top / size:.{_DIGITS}g}") >= 1),
        steps[-1],
    )


def number(value: float, half: float = 0.0) -> str:
    """`9,780`, `1.25`; digits beyond the third only where half of the interval is finer.

    Args:
        value: in the unit in which it is printed.
        half: of its interval; 0: not known.
    """
    if not value:
        return "0"
    order = floor(log10(abs(value)))
    digits = _DIGITS
    if half > 0:
        digits = min(_MOST_DIGITS, max(_DIGITS, order - floor(log10(half)) + 1))
    decimals = digits - 1 - order
    return f"{round(value, decimals):,.{max(0, decimals)}f}".replace("-", units.MINUS)


def aligned(texts: Sequence[str]) -> tuple[str, ...]:
    """Numbers of one column, their decimal points below each other when flush right."""
    longest = max((len(text.partition(".")[2]) for text in texts), default=0)
    return tuple(
        text + (_PUNCTUATION_SPACE if longest and "." not in text and text[-1:].isdigit() else "")
        + _FIGURE_SPACE * (longest - len(text.partition(".")[2]))
        if text[-1:].isdigit() else text
        for text in texts
    )  # fmt: skip
