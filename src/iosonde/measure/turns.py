"""Trials taken in turns: every point of a load matrix once, then each again in another order.

So are the two arms of an interleaved study: A B B A, or B A A B by lot, the two loops of a pair one
after the other.

What drifts while a matrix is measured (a filling cache, garbage collection, temperature) must not
look like an effect of an option. So a pass over all points is in an order drawn by lot, and the
next pass in the reverse of it: what drifts steadily over two passes then adds the same to the mean
of every point. What is left of a drift is scatter of loops, which widens their intervals.

Source:
    D. C. Montgomery, "Design and Analysis of Experiments", chapter 4 (randomised complete blocks).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby

from iosonde.measure.plan import PlannedTrial

Round = tuple[PlannedTrial, ...]
"""Trials that run at the same time."""


def blocks(rounds: Sequence[Round]) -> list[tuple[Round, ...]]:
    """The rounds by what is taken in turns: points of a matrix at a place, arms; others alone."""

    def key(item: tuple[int, Round]) -> tuple[object, ...]:
        number, part = item
        if part[0].arm:
            return (part[0].load.varied_from or part[0].pair[0], part[0].pair[1])
        if not part[0].load.matrix:
            return (number,)
        return (part[0].load.varied_from, *(trial.probe.name for trial in part))

    return [tuple(part for _, part in numbered) for _, numbered in groupby(enumerate(rounds), key)]


def order(block: Sequence[Round], seed: int, number: int) -> list[Round]:
    """A block's rounds in the order of pass `number` (from 0).

    It follows from the seed alone, on every machine, so that a resumed run goes on with it.
    """
    if len(block) == 1:
        return list(block)

    def lot(part: Round) -> tuple[bytes, bytes]:
        trial = part[0]
        return drawn(" ".join(trial.pair) if trial.arm else ""), drawn(trial.id)

    def drawn(text: str) -> bytes:
        return sha256(f"{seed} {number // 2} {text}".encode()).digest()

    return sorted(block, key=lot, reverse=bool(number % 2))
