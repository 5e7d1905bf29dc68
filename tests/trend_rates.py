"""How often changes of level are seen in simulated series of runs: docs/validation/trend.md.

`python -m tests.trend_rates [SERIES]` prints its table from the shipped code. Seeds and generator
are not those by which its constants were chosen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from iosonde.statistics.trend import level_changes

CV = 0.012
NIGHTS = 30
STEP = 1.05
_SEED = 7919
_BEFORE = 60  # nights before the first: the noise is then as at any time


def noise(rng: np.random.Generator, count: int, memory: float, shape: str) -> NDArray[np.float64]:
    """Noise of deviation 1 whose neighbours correlate by `memory` (AR(1)).

    Args:
        rng: where chance comes from.
        count: nights.
        memory: correlation of neighbours.
        shape: of what each night adds: normal, t3, lognormal; or drift: white noise on a level that
            wanders by a tenth of its deviation a night, or by three tenths (drift3).
    """
    size = count + _BEFORE
    if shape == "t3":
        draw = rng.standard_t(3, size) / 3**0.5
    elif shape == "lognormal":
        draw = rng.lognormal(0, 0.5, size) - np.exp(0.125)
        draw /= np.sqrt(np.expm1(0.25) * np.exp(0.25))
    else:
        draw = rng.standard_normal(size)
    for at in range(1, size):
        draw[at] = memory * draw[at - 1] + (1 - memory**2) ** 0.5 * draw[at]
    values: NDArray[np.float64] = draw[_BEFORE:]
    if shape.startswith("drift"):
        values = values + 0.1 * int(shape[5:] or 1) * np.cumsum(rng.standard_normal(count))
    return values


def nights(
    number: int, count: int = NIGHTS, memory: float = 0.0, shape: str = "normal"
) -> NDArray[np.float64]:
    """The runs of series `number`, of one level."""
    rng = np.random.default_rng([_SEED, number])
    values: NDArray[np.float64] = 9800.0 * np.exp(CV * noise(rng, count, memory, shape))
    return values


def false_alarms(series: int, memory: float = 0.0, shape: str = "normal") -> int:
    """Series of one level in which any change is seen."""
    return sum(
        bool(level_changes(nights(number, memory=memory, shape=shape).tolist()))
        for number in range(series)
    )


def steps_seen(series: int, before: int, behind: int, memory: float = 0.0) -> int:
    """Series with a step of 5 % after `before` nights, which is seen within `behind` nights."""
    seen = 0
    for number in range(series):
        values = nights(10**6 + number, before + behind, memory)
        values[before:] *= STEP if number % 2 else 1 / STEP
        seen += any(change.at >= before - 2 for change in level_changes(values.tolist()))
    return seen


def rows(series: int) -> Iterator[str]:
    """The rows of the table."""
    for shape in ("normal", "t3", "lognormal"):
        for memory in (0.0, 0.2, 0.4, 0.6, 0.8):
            share = 100 * false_alarms(series, memory, shape) / series
            yield f"| {shape} | {memory:g} | {share:.1f} |"
    for shape in ("drift", "drift3"):
        yield f"| {shape} | – | {100 * false_alarms(series, 0.0, shape) / series:.1f} |"
    for memory in (0.0, 0.4, 0.8):
        for before in (12, 20, 26, 40):
            shares = (
                100 * steps_seen(series, before, behind, memory) / series for behind in (3, 6, 10)
            )
            cells = " | ".join(f"{share:.0f}" for share in shares)
            yield f"| {memory:g} | {before} | {cells} |"


if __name__ == "__main__":
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else 1000):
        sys.stdout.write(f"{row}\n")
        sys.stdout.flush()
