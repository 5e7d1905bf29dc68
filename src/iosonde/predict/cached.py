"""What caches as they are found have in common: in use, with contents that nobody can list.

The kernel says how full such a cache is, and counts what it found in it. From that follows between
which two accounts a load must lie: all that it asked for was there, or nothing was. Where the cache
was empty, or its counters leave only one of the two, there is nothing between.

What a cache does besides (metadata, blocks copied from one layer to the other) is bounded by what
it says of itself before and behind the load, never by a guess at its policy.
"""

from __future__ import annotations

from collections.abc import Sequence

from iosonde.measure.counting import STATUS
from iosonde.predict.layer import Layer
from iosonde.predict.look import Look, NotCovered, targets_of
from iosonde.records import StackLayer

UNKNOWN = "what it held when the load began is not known: `dmsetup status` was not to be had"


def routed(
    size: int, slow: int, fast: int, reads: int, writes: tuple[int, ...], **figures: int
) -> Layer:
    """A cache that sends all reads to one place, and all writes to the same or to both.

    Args:
        size: bytes.
        slow: its place among those below.
        fast: the other one's.
        reads: one of the two.
        writes: the same, or both.
        **figures: more for the core.
    """
    if writes == (reads,):
        segment = {"segments": 1, "start0": 0, "length0": size, "at0": 0}
        child = {"child0": int(reads == fast)}
        return Layer("linear", size, {**segment, **child, **figures}, order=(slow, fast))
    return Layer("mirror", size, figures, order=(reads, fast if reads == slow else slow))


def said(look: Look, layer: StackLayer) -> tuple[tuple[Sequence[str], Sequence[str]], ...]:
    """The words of a layer's status in each loop, before the load and behind it.

    Raises:
        NotCovered: there are none.
    """
    found = [tuple(targets_of(layer, text) for text in both) for both in look.states(layer, STATUS)]
    if not found or not all(len(one) == 1 for both in found for one in both):
        raise NotCovered(UNKNOWN)
    return tuple((before[0].words, after[0].words) for before, after in found)
