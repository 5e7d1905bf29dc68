"""What caches as they are found have in common: in use, with contents that nobody can list.

The kernel says how full such a cache is, and counts what it found in it. From that follows between
which two accounts a load must lie: all that it asked for was there, or nothing was. Where the cache
was empty, or its counters leave only one of the two, there is nothing between.

What a cache does besides (metadata, blocks copied from one layer to the other) is bounded by what
it says of itself before and behind the load, never by a guess at its policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from iosonde._core import Limits, Mirror, Segment, Segments
from iosonde.layers._ledger.look import Look, NotCovered, targets_of
from iosonde.layers._ledger.rule import LedgerContext, LedgerLayer
from iosonde.layers._mapper.facts import STATUS
from iosonde.layers.site import Site
from iosonde.records.stack import StackLayer

State = TypeVar("State")
_UNKNOWN = "what it held when the load began is not known: `dmsetup status` was not to be had"


def routed(
    size: int, slow: int, fast: int, reads: int, writes: tuple[int, ...], boundary: int = 0
) -> LedgerLayer:
    """A cache that sends all reads to one place, and all writes to the same or to both.

    Args:
        size: bytes.
        slow: its place among those below.
        fast: the other one's.
        reads: one of the two.
        writes: the same, or both.
        boundary: no I/O crosses a multiple of so many bytes; 0: any may.
    """
    limits = Limits(boundary=boundary)
    if writes == (reads,):
        only = Segment(start=0, length=size, child=int(reads == fast), at=0)
        return LedgerLayer(Segments(segments=[only]), size, limits, order=(slow, fast))
    return LedgerLayer(Mirror(), size, limits, order=(reads, fast if reads == slow else slow))


def states_of(
    look: Look, layer: StackLayer, read: Callable[[Sequence[str]], State | None]
) -> list[tuple[State, State]]:
    """What a layer's line of `dmsetup status` says in each loop, before the load and behind it.

    Args:
        look: what is known of the stack.
        layer: made of one target.
        read: reads the target's arguments.

    Raises:
        NotCovered: there are none, or they cannot be read, as of a cache that failed.
    """
    pairs = []
    for both in look.states(layer, STATUS):
        lines = [line for text in both for line in targets_of(layer, text)]
        states = [state for line in lines if (state := read(line.arguments))]
        if not len(lines) == len(states) == len(both):
            raise NotCovered(_UNKNOWN)
        pairs.append((states[0], states[1]))
    if not pairs:
        raise NotCovered(_UNKNOWN)
    return pairs


_RATE = 1000  # requests a second, where a cache goes by the clock and nobody says how many


def request_rate(site: Site, scene: LedgerContext) -> int:
    """How many requests are taken to come in a second."""
    rate = str(scene.extra.get("request_rate", _RATE))
    if not rate.isdecimal() or not int(rate):
        raise site.wrong(f"`request_rate` is a number of requests, not {rate!r}")
    return int(rate)
