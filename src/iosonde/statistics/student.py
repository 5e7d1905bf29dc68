"""Student's t distribution, from the core: the only distribution that judging loops needs."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import cast

from iosonde.statistics.elementwise import Figure

_DOUBLE = Struct("d")


def student_cdf(freedom: Figure, t: Figure) -> Figure:
    """Probability of a value up to `t`; NaN where there are no positive degrees of freedom.

    Args:
        freedom: degrees of freedom, a number or an array of any shape.
        t: a number, or of a shape that broadcasts with it.

    Returns:
        A float, or an array of the common shape.
    """
    from iosonde import _core

    return _pairwise(_core.student_cdf, freedom, t)


def student_quantile(freedom: Figure, probability: Figure) -> Figure:
    """The value that is not exceeded with `probability`; shapes and NaN as of `student_cdf`."""
    from iosonde import _core

    return _pairwise(_core.student_quantile, freedom, probability)


def student_t(probability: float, freedom: float) -> float:
    """The same of a single test."""
    return cast("float", student_quantile(float(freedom), float(probability)))


def _pairwise(figure: Callable[[bytes, bytes], bytes], a: Figure, b: Figure) -> Figure:
    if isinstance(a, float | int) and isinstance(b, float | int):
        return _DOUBLE.unpack(figure(_DOUBLE.pack(a), _DOUBLE.pack(b)))[0]
    import numpy as np

    left, right = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    return np.frombuffer(figure(left.tobytes(), right.tobytes())).reshape(left.shape)
