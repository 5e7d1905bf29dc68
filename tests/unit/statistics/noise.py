"""Figures with the noise of real storage, many trials at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def loops(
    rng: np.random.Generator, trials: int, count: int, cv: float, mean: float = 1000
) -> Floats:
    """Independent loops: trials × count."""
    figures: Floats = mean * (1 + cv * rng.normal(size=(trials, count)))
    return figures


def ar1(rng: np.random.Generator, rows: int, length: int, rho: float) -> Floats:
    """Stationary AR(1) series of variance 1: rows × length."""
    noise = rng.normal(size=(rows, length)) * np.sqrt(1 - rho**2)
    noise[:, 0] /= np.sqrt(1 - rho**2)
    by_time = np.ascontiguousarray(noise.T)
    for at in range(1, length):
        by_time[at] += rho * by_time[at - 1]
    series: Floats = np.ascontiguousarray(by_time.T)
    return series


def seconds(
    rng: np.random.Generator, trials: int, rho: float, cv: float, count: int = 5, length: int = 60
) -> Floats:
    """One-second figures around 1000 of loops with a pause of one second: trials × count × length.

    `cv` is that of the loops' means, as `compare` sees it.
    """
    whole = ar1(rng, trials, (length + 1) * count, rho).reshape(trials, count, length + 1)
    whole = whole[:, :, 1:]
    spread = whole.mean(axis=2).std()
    figures: Floats = 1000 * (1 + cv / spread * whole)
    return figures
