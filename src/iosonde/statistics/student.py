"""Student's t distribution, from the core: the only distribution that judging loops needs."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[numpy.float64]


def student_cdf(freedom: ArrayLike, t: ArrayLike) -> Floats:
    """Probability of a value up to `t`; NaN where there are no positive degrees of freedom.

    Args:
        freedom: degrees of freedom, of any shape.
        t: of a shape that broadcasts with it.

    Returns:
        An array of the common shape.
    """
    from iosonde import _core

    return _pairwise(_core.student_cdf, freedom, t)


def student_quantile(freedom: ArrayLike, probability: ArrayLike) -> Floats:
    """The value that is not exceeded with `probability`; shapes and NaN as of `student_cdf`."""
    from iosonde import _core

    return _pairwise(_core.student_quantile, freedom, probability)


def student_t(probability: float, freedom: float) -> float:
    """The same of a single test, without an array."""
    from iosonde import _core

    double = Struct("d")
    values = _core.student_quantile(double.pack(freedom), double.pack(probability))
    return cast("float", double.unpack(values)[0])


def _pairwise(figure: Callable[[bytes, bytes], bytes], a: ArrayLike, b: ArrayLike) -> Floats:
    import numpy as np

    left, right = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64))
    return np.frombuffer(figure(left.tobytes(), right.tobytes())).reshape(left.shape)
