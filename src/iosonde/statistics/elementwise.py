"""Arithmetic that is written once for a single comparison and for many at the same time.

A comparison's figures are floats. Simulations of error rates give arrays in their place, an element
for each simulated comparison; only they need NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import copysign, inf, nan
from typing import Any, TypeAlias

Figure: TypeAlias = Any
"""A float, or an array of floats: what comes out is what went in."""
Condition: TypeAlias = Any
"""A bool, or an array of them."""


def squares(steps: Iterable[Figure]) -> Figure:
    """The sum of the squares; that of a step too small for a float is 0, where `**` would raise."""
    return sum((step * step for step in steps), 0.0)


def where(condition: Condition, then: Figure, otherwise: Figure) -> Figure:
    """`then` where the condition holds, else `otherwise`."""
    if isinstance(condition, bool):
        return then if condition else otherwise
    import numpy as np

    return np.where(condition, then, otherwise)


def negated(condition: Condition) -> Condition:
    """Where the condition does not hold."""
    return not condition if isinstance(condition, bool) else ~condition


def ratio(above: Figure, below: Figure) -> Figure:
    """The quotient, by IEEE 754 also where it is infinite or no number."""
    if isinstance(above, float | int) and isinstance(below, float | int):
        if below:
            return above / below
        return copysign(inf, above) if above else nan
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(above, below)


def largest(figure: Figure, least: float) -> Figure:
    """The figure, or `least` where it is below that."""
    if isinstance(figure, float | int):
        return max(figure, least)
    import numpy as np

    return np.maximum(figure, least)


def with_sign_of(figure: Figure, size: float) -> Figure:
    """`size`, negative where the figure is."""
    if isinstance(figure, float | int):
        return copysign(size, figure)
    import numpy as np

    return np.copysign(size, figure)
