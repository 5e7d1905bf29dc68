"""What a search costs in device seconds, and how often it is wrong, by simulation.

Means and spreads are those of the loop tester's page (bench/tune_device.py), problems in
bench/tune_problems.py, methods in bench/tune_peers.py. Each method searches on the same devices.
Seeds are of this file alone: nothing in iosonde was chosen by looking at them.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import TYPE_CHECKING

from bench.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.tune_problems import Campaign

KINDS = ("white", "ar1", "drift", "first-loop")
SEED = 2015_12_08
MARGIN = 0.01
# Problem → method → campaigns per kind of noise.
PLAN: dict[str, dict[str, int]] = {
    "strips": {
        "race": 10_000, "race and proof": 10_000, "5 × 60 s each": 10_000,
        "successive halving": 10_000,
    },
    "ties": {"race": 10_000, "5 × 60 s each": 10_000},
    "equal": {"race and proof": 2_000},
    "large": {
        "model": 500, "one at a time": 500, "5 × 60 s each": 500, "successive halving": 500,
        "Optuna TPE": 100, "Optuna TPE, median pruner": 100,
    },
}  # fmt: skip
_QUICK = 4  # campaigns: the figures are then no more than a sign of life


def run(*, quick: bool) -> list[Figure]:
    """All problems under all kinds of noise."""
    # Small matrices: threads of BLAS only get in each other's way. Read when NumPy is loaded.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    figures: list[Figure] = []
    there = find_spec("optuna") is not None
    if not there:
        sys.stderr.write("bench tune-cost: optuna is not installed, so it is not compared\n")
    for problem, methods in PLAN.items():
        for kind in KINDS:
            done = {
                method: campaigns(problem, method, kind, _count(count, problem, quick=quick))
                for method, count in methods.items()
                if there or not method.startswith("Optuna")
            }
            figures += FIGURES[problem](f"tune-cost.{problem}.{kind}", done)
    return figures


def _count(full: int, problem: str, *, quick: bool) -> int:
    if not quick:
        return full
    return 1 if problem == "large" else _QUICK


def campaigns(problem: str, method: str, kind: str, count: int) -> list[Campaign]:
    """That many campaigns of one method, on all processors."""
    one = partial(campaign, problem, method, kind)
    workers = os.cpu_count() or 1
    if count <= _QUICK or workers == 1:
        return [one(number) for number in range(count)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return pool.map(one, range(count), chunksize=max(count // (8 * workers), 1))


def campaign(problem: str, method: str, kind: str, number: int) -> Campaign:
    """One campaign, the same whenever it is run."""
    from bench.tune_peers import METHODS
    from bench.tune_problems import problems

    return METHODS[method](problems()[problem], kind, SEED, number)


def share(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Clopper and Pearson."""
    from scipy.special import betaincinv

    low = float(betaincinv(hits, count - hits + 1, 0.025)) if hits else 0.0
    high = float(betaincinv(hits + 1, count - hits, 0.975)) if hits < count else 1.0
    return low, high


def _share(
    name: str, hits: Sequence[bool], against: str = "", other: float | None = None
) -> Figure:
    """A share as a figure; the ratio is other / ours, so for shares of errors above 1 is ahead."""
    value = sum(hits) / len(hits)
    ratio = None if other is None or not value else other / value
    return Figure(name, value, "fraction", against, ratio, share(sum(hits), len(hits)))


def _median_seconds(done: Sequence[Campaign]) -> float:
    return median(one.seconds for one in done)


def _is_off(one: Campaign) -> bool:
    return one.off > MARGIN


def _strips(name: str, done: dict[str, list[Campaign]]) -> list[Figure]:
    figures = []
    for ours in ("race", "race and proof"):
        mine = _median_seconds(done[ours])
        for peer in ("5 × 60 s each", "successive halving"):
            theirs = _median_seconds(done[peer])
            figures.append(Figure(f"{name}.{ours}", mine, "s", peer, theirs / mine))
    figures += [_share(f"{name}.off, {one}", [*map(_is_off, done[one])]) for one in done]
    gains = [one.gain for one in done["race and proof"]]
    figures.append(_share(f"{name}.gain proven", gains))
    return figures


def _ties(name: str, done: dict[str, list[Campaign]]) -> list[Figure]:
    ours, peer = done["race"], "5 × 60 s each"
    theirs = [_is_off(one) for one in done[peer]]
    wrong = [one.claimed and _is_off(one) for one in ours]
    mine = _median_seconds(ours)
    return [
        _share(f"{name}.wrong claims", wrong, peer, sum(theirs) / len(theirs)),
        _share(f"{name}.wrong, {peer}", theirs),
        _share(f"{name}.undecided", [not one.claimed for one in ours]),
        Figure(f"{name}.race", mine, "s", peer, _median_seconds(done[peer]) / mine),
    ]


def _equal(name: str, done: dict[str, list[Campaign]]) -> list[Figure]:
    ours = done["race and proof"]
    return [
        _share(f"{name}.false gains", [one.gain for one in ours]),
        _share(f"{name}.undecided", [not one.claimed for one in ours]),
        Figure(f"{name}.race and proof", _median_seconds(ours), "s"),
    ]


def _large(name: str, done: dict[str, list[Campaign]]) -> list[Figure]:
    ours = done["model"]
    near = [not _is_off(one) for one in ours]
    mine = _median_seconds(ours)
    grid = _median_seconds(done["5 × 60 s each"])
    figures = [
        Figure(f"{name}.model", mine, "s", "5 × 60 s each", grid / mine),
        _share(f"{name}.wrong claims", [one.claimed and _is_off(one) for one in ours]),
        _share(f"{name}.claims", [one.claimed for one in ours]),
    ]
    for peer, theirs in done.items():
        if peer == "model":
            figures.append(_share(f"{name}.within 1 %, model", near))
            continue
        hits = sum(not _is_off(one) for one in theirs)
        ratio = sum(near) / len(near) / (hits / len(theirs)) if hits else None
        bounds = share(hits, len(theirs))
        title = f"{name}.within 1 %, {peer}"
        figures.append(Figure(title, hits / len(theirs), "fraction", "model", ratio, bounds))
    return figures


FIGURES = {"strips": _strips, "ties": _ties, "equal": _equal, "large": _large}
