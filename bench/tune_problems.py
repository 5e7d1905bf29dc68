"""The problems that searches are measured on, and the campaigns that are run on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from bench.tune_device import Device, Page, read_page
from iosonde.tune.search.space import Candidate, Space, Vary

Truth = tuple[dict[Candidate, float], dict[Candidate, float]]
"""Candidate → mean and candidate → CV of a pass of 60 s."""

FIXED = 1525.0
"""Device seconds of five passes of a minute for each of five strip sizes, one second lost each."""
GRID = 58_560.0
"""The same for 4 × 4 × 4 × 3 candidates."""
SIZES = (4, 4, 4, 3)
EFFECTS = {1: 0.06, 2: 0.03, 3: 0.003}
"""Spread of main effects, interactions of two and of three, of the logarithm. The page's five strip
sizes spread by 0.09; with these, changing one setting at a time without any noise finds the best
within 1 % in 40 %, as in the field."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A space, the truth of one campaign, and the device seconds that a search may take."""

    name: str
    space: Space
    truth: Callable[[np.random.Generator], Truth]
    budget: float


@dataclass(frozen=True, slots=True)
class Campaign:
    """One search on one device: what came of it.

    `off` is how far the pick lies below the best, as a fraction; `claimed` whether the method
    says that it is the best or as good, within the margin; `gain` whether it claims a gain over
    what was in force, `true_gain` whether there is one.
    """

    seconds: float
    off: float
    claimed: bool = True
    ending: str = ""
    gain: bool = False
    true_gain: float = 0.0


def strips(page: Page) -> Problem:
    """The five strip sizes as published, each with its own spread."""
    sizes = sorted(page.strips)
    means: dict[Candidate, float] = {}
    cvs: dict[Candidate, float] = {}
    for at, size in enumerate(sizes):
        means[at,], cvs[at,] = page.strips[size]
    space = Space((Vary("controller.strip_size", tuple(sizes), sizes[0]),))
    return Problem("strips", space, lambda _: (means, cvs), FIXED)


def ties(page: Page, gap: tuple[float, float] = (0.01, 0.025)) -> Problem:
    """Five candidates of which one is ahead by the gap, at any place; equal spread."""
    space = Space((Vary("layer.setting", (0, 1, 2, 3, 4), 0),))

    def truth(rng: np.random.Generator) -> Truth:
        means: dict[Candidate, float] = {(at,): 1000.0 for at in range(5)}
        means[int(rng.integers(5)),] *= 1 + rng.uniform(*gap)
        return means, dict.fromkeys(means, float(rng.choice(page.spreads)))

    return Problem("ties" if gap[1] else "equal", space, truth, FIXED)


def large(page: Page, budget: float = GRID / 40) -> Problem:
    """Four settings with interactions."""
    space = Space(tuple(Vary(f"layer{at}.s", tuple(range(n)), 0) for at, n in enumerate(SIZES)))

    def truth(rng: np.random.Generator) -> Truth:
        score = np.zeros(SIZES)
        for order, spread in EFFECTS.items():
            for axes in combinations(range(len(SIZES)), order):
                shape = [size if at in axes else 1 for at, size in enumerate(SIZES)]
                score = score + rng.normal(0, spread, shape)
        means = {
            candidate: 1000 * float(np.exp(score[candidate])) for candidate in space.candidates()
        }
        return means, dict.fromkeys(means, float(rng.choice(page.spreads)))

    return Problem("large", space, truth, budget)


@cache
def problems() -> Mapping[str, Problem]:
    """All of them by name."""
    page = read_page()
    every = (strips(page), ties(page), ties(page, (0.0, 0.0)), large(page))
    return {problem.name: problem for problem in every}


def begin(problem: Problem, kind: str, seed: int, number: int, horizon: float) -> Device:
    """The device of a campaign; the same for every method with the same seed and number."""
    rng = np.random.default_rng([seed, number])
    means, cvs = problem.truth(rng)
    return Device(means, cvs, kind, rng, horizon)
