"""What a search costs in device seconds, and how often it is wrong, by simulation.

Means and spreads are those of the loop tester's page (bench/tune_device.py), problems in
bench/tune_problems.py, methods in bench/tune_peers.py. Each method searches on the same devices.
Seeds are of this file alone: nothing in iosonde was chosen by looking at them.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import TYPE_CHECKING

from iosonde.errors import UsageError
from iosonde.records.bench import BenchFigure, Reached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.tune_problems import Campaign

KINDS = ("white", "ar1", "drift", "first-loop")
SEED = 2015_12_08
MARGIN = 0.01
PROTOCOL = "5 × 60 s each"
# What is to be reached: a tenth of the protocol's device time for five candidates, a fortieth for
# 192; at most 1 % of picks more than the margin off, or claims that are wrong; 95 % within it.
TENTH, FORTIETH, WRONG, NEAR = 10, 40, 0.01, 0.95
FULL = 10_000
# Problem → method → campaigns per kind of noise. Reckoned from single campaigns, an idle core
# takes 3, 5, 1 and 15 minutes.
PLAN: dict[str, dict[str, int]] = {
    "strips": {
        "race": FULL, "race and proof": FULL, PROTOCOL: FULL, "successive halving": FULL,
    },
    "ties": {"race": FULL, PROTOCOL: FULL},
    "equal": {"race and proof": 2_000},
    "large": {
        "model": 500, "one at a time": 500, PROTOCOL: 500, "successive halving": 500,
        "Optuna TPE": 500, "Optuna TPE, median pruner": 500,
    },
}  # fmt: skip
_QUICK = 4  # campaigns: the figures are then no more than a sign of life


def run(
    *, quick: bool, campaigns: int = FULL, only: Sequence[str] = tuple(PLAN)
) -> list[BenchFigure]:
    """The problems under all kinds of noise.

    Args:
        quick: a few campaigns of each, for a sign of life.
        campaigns: of the methods whose plan is FULL; the others' numbers go down with it.
        only: names of the problems.

    Raises:
        UsageError: no such problem, or no campaign at all.
    """
    # Small matrices: threads of BLAS only get in each other's way. Read when NumPy is loaded.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if unknown := set(only) - set(PLAN):
        raise UsageError(
            f"there is no problem {', '.join(sorted(unknown))}", hint=f"there are {', '.join(PLAN)}"
        )
    if campaigns < 1:
        raise UsageError(f"expected 1 campaign or more, got {campaigns}", where="--campaigns")
    figures: list[BenchFigure] = []
    there = find_spec("optuna") is not None
    if not there and "large" in only:
        sys.stderr.write("bench tune-cost: optuna is not installed, so it is not compared\n")
    for problem, methods in PLAN.items():
        for kind in KINDS if problem in only else ():
            done = {
                method: many(problem, method, kind, _count(count, campaigns, problem, quick=quick))
                for method, count in methods.items()
                if there or not method.startswith("Optuna")
            }
            figures += FIGURES[problem](f"tune-cost.{problem}.{kind}", done)
    return figures


def _count(planned: int, campaigns: int, problem: str, *, quick: bool) -> int:
    if quick:
        return 1 if problem == "large" else _QUICK
    return max(planned * campaigns // FULL, 1)


def many(problem: str, method: str, kind: str, count: int) -> list[Campaign]:
    """That many campaigns of one method, on all processors that this process may use."""
    play = partial(campaign, problem, method, kind)
    workers = len(os.sched_getaffinity(0))
    if count <= _QUICK or workers == 1:
        return [play(number) for number in range(count)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return pool.map(play, range(count), chunksize=max(count // (8 * workers), 1))


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
    name: str,
    hits: Sequence[bool],
    *,
    against: str = "",
    other: float | None = None,
    most: float | None = None,
    least: float | None = None,
) -> BenchFigure:
    """A share as a figure; the ratio is other / ours, so for shares of errors above 1 is ahead.

    Args:
        name: of the figure.
        hits: one for each campaign.
        against: a peer; `other` its share.
        other: see there.
        most: the target, where it is an upper one; `least` where it is a lower one.
        least: see there.
    """
    value = sum(hits) / len(hits)
    ratio = None if other is None or not value else other / value
    bounds = share(sum(hits), len(hits))
    figure = BenchFigure(name, value, "fraction", against, ratio, bounds, len(hits))
    if most is not None:
        return _at_most(figure, most, f"≤ {100 * most:.3g} %")
    if least is not None:
        return _at_least(figure, least, f"≥ {100 * least:.3g} %")
    return figure


def _at_most(figure: BenchFigure, limit: float, target: str) -> BenchFigure:
    """With the target, and what the interval says of it."""
    low, high = figure.interval or (figure.value, figure.value)
    reached: Reached = "yes" if high <= limit else "no" if low > limit else "undecided"
    return replace(figure, target=target, reached=reached)


def _at_least(figure: BenchFigure, limit: float, target: str) -> BenchFigure:
    low, high = figure.interval or (figure.value, figure.value)
    reached: Reached = "yes" if low >= limit else "no" if high < limit else "undecided"
    return replace(figure, target=target, reached=reached)


def _median_seconds(done: Sequence[Campaign]) -> float:
    return median(each.seconds for each in done)


def _median(
    name: str, done: Sequence[Campaign], against: str = "", other: float = 0
) -> BenchFigure:
    """The median of device seconds with its 95 % interval, from order statistics (binomial)."""
    ordered, count = sorted(each.seconds for each in done), len(done)
    reach = 1.96 * count**0.5 / 2
    low = ordered[max(int(count / 2 - reach), 0)]
    high = ordered[min(int(count / 2 + reach), count - 1)]
    value = _median_seconds(done)
    ratio = other / value if other else None
    return BenchFigure(name, value, "s", against, ratio, (low, high), count)


def _is_off(each: Campaign) -> bool:
    return each.off > MARGIN


def _strips(name: str, done: dict[str, list[Campaign]]) -> list[BenchFigure]:
    fixed = _median_seconds(done[PROTOCOL])
    figures = []
    for ours in ("race", "race and proof"):
        tenth = fixed / TENTH
        figure = _median(f"{name}.{ours}", done[ours], PROTOCOL, fixed)
        figures.append(_at_most(figure, tenth, f"≤ {tenth:.0f} s"))
    halving = done["successive halving"]
    figures.append(
        _median(
            f"{name}.race, against halving",
            done["race"],
            "successive halving",
            _median_seconds(halving),
        )
    )
    for text, campaigns in done.items():
        most = WRONG if text.startswith("race") else None
        figures.append(_share(f"{name}.off, {text}", [*map(_is_off, campaigns)], most=most))
    gains = [each.gain for each in done["race and proof"]]
    figures.append(_share(f"{name}.gain proven", gains))
    return figures


def _ties(name: str, done: dict[str, list[Campaign]]) -> list[BenchFigure]:
    ours, theirs = done["race"], [_is_off(each) for each in done[PROTOCOL]]
    wrong = [our.claimed and _is_off(our) for our in ours]
    rate = sum(theirs) / len(theirs)
    return [
        _share(f"{name}.wrong claims", wrong, against=PROTOCOL, other=rate, most=WRONG),
        _share(f"{name}.wrong, {PROTOCOL}", theirs),
        _share(f"{name}.undecided", [not our.claimed for our in ours]),
        _median(f"{name}.race", ours, PROTOCOL, _median_seconds(done[PROTOCOL])),
    ]


def _equal(name: str, done: dict[str, list[Campaign]]) -> list[BenchFigure]:
    ours = done["race and proof"]
    return [
        _share(f"{name}.false gains", [our.gain for our in ours], most=WRONG),
        _share(f"{name}.undecided", [not our.claimed for our in ours]),
        _median(f"{name}.race and proof", ours),
    ]


def _large(name: str, done: dict[str, list[Campaign]]) -> list[BenchFigure]:
    ours = done["model"]
    near = [not _is_off(our) for our in ours]
    mine = _share(f"{name}.within 1 %, model", near, least=NEAR)
    fortieth = _median_seconds(done[PROTOCOL]) / FORTIETH
    seconds = _median(f"{name}.model", ours, PROTOCOL, FORTIETH * fortieth)
    figures = [
        _at_most(seconds, fortieth, f"≤ {fortieth:.0f} s"),
        mine,
        _share(f"{name}.wrong claims", [our.claimed and _is_off(our) for our in ours]),
        _share(f"{name}.claims", [our.claimed for our in ours]),
    ]
    for peer, campaigns in done.items():
        if peer == "model":
            continue
        figure = _share(f"{name}.within 1 %, {peer}", [not _is_off(each) for each in campaigns])
        ratio = mine.value / figure.value if figure.value else None
        figure = replace(figure, against="model", ratio=ratio)
        if peer != PROTOCOL:  # which takes 40 times as long
            figure = _behind(figure, mine)
        figures.append(figure)
    return figures


def _behind(peer: BenchFigure, ours: BenchFigure) -> BenchFigure:
    """Whether the peer's share is behind ours, by the interval of their difference."""
    counts = (peer.count or 1, ours.count or 1)
    spread = sum(
        figure.value * (1 - figure.value) / n
        for figure, n in zip((peer, ours), counts, strict=True)
    )
    ahead, error = ours.value - peer.value, max(spread, 1 / counts[0] ** 2) ** 0.5
    reached: Reached = (
        "yes" if ahead > 1.96 * error else "no" if ahead < -1.96 * error else "undecided"
    )
    return replace(peer, target="behind the model at equal device time", reached=reached)


FIGURES = {"strips": _strips, "ties": _ties, "equal": _equal, "large": _large}
