"""A rotating disk by its data sheet: speed, seeks, transfer rate, cache.

    sheet:rpm=7200,seek=8.5ms,track=0.8ms,rate=249MB/s[,cache=256MiB][,unused=90%]

`rate` is the highest sustained one (of the outer tracks); `cache` only where the disk's write cache
is on, `unused` for the share of the inner tracks that holds nothing of this stack.

An access that does not follow the one before needs a seek and, on average, half a turn. With
several queued, the disk or the I/O scheduler picks among them. What they pick by is told by no data
sheet: between the slow and the fast disk lies everything from the nearest track of those queued
(and any angle) to the shortest seek and turn together. The inner tracks carry about half of what
the outer do.

Source: C. Ruemmler and J. Wilkes, "An introduction to disk drive modeling", IEEE Computer 27
(1994): a seek takes a constant and the square root of its distance; B. Worthington, G. Ganger and
Y. Patt, "Scheduling algorithms for modern disk drives", SIGMETRICS 1994: shortest positioning time
first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from math import sqrt
from random import Random

from typing_extensions import override

from iosonde.predict.service.service import (
    Access,
    Figures,
    Keys,
    ModelSource,
    ServiceModel,
    positive,
)

_MEAN_ROOT = 8 / 15  # of the distance between two places, each anywhere between 0 and 1
_INNER = 0.5  # rate of the innermost tracks against the outermost
_DRAWS = 256
_DEEPEST = 128


class QueueOrder(Enum):
    """By what the next of the queued accesses is chosen."""

    TRACK = "nearest track"
    BETWEEN = "the middle of both, by their ratio"
    POSITION = "shortest positioning time"


@dataclass(frozen=True, slots=True)
class RotatingDisk(ServiceModel):
    """A rotating disk.

    Args:
        turn: seconds of one.
        seek: average seconds between two places anywhere.
        track: seconds to the next track.
        rate: bytes/s of the outermost tracks.
        buffer: bytes of its write cache; 0 where that is off.
        span: fraction of its space that the load keeps to, from the outermost track inwards.
        order: of queued accesses.
        zone: rate against the outermost tracks; None for the middle of the span.
    """

    turn: float
    seek: float
    track: float
    rate: float
    buffer: int = 0
    span: float = 1.0
    order: QueueOrder = QueueOrder.BETWEEN
    zone: float | None = None

    burst = 0.0
    rotates = True
    covers = "the order in which the disk takes queued accesses, and its inner and outer tracks"

    @override
    def seconds(self, access: Access, queue: int, chance: Random) -> tuple[float, float]:
        """To overwrite what was read waits for a whole turn."""
        moving = access.size / self._pace()
        if not access.jump:
            missed = access.write and queue == 1 and not self.buffer
            return moving + (self._missed(moving) if missed else 0.0), 0.0
        if access.again and queue == 1:
            return moving + self._missed(moving), 0.0
        draws = _positions(
            self.turn, self.seek, self.track, self.span, min(queue, _DEEPEST), self.order
        )
        return moving + draws[chance.randrange(len(draws))], 0.0

    def _pace(self) -> float:
        zone = 1 - self.span * (1 - _INNER) / 2 if self.zone is None else self.zone
        return self.rate * zone

    def _missed(self, moving: float) -> float:
        """Until a place that has just gone by comes round again."""
        return self.turn - moving % self.turn

    def slow(self) -> RotatingDisk:
        """The nearest track first, all on the inner tracks of the span."""
        return replace(self, order=QueueOrder.TRACK, zone=1 - self.span * (1 - _INNER))

    def fast(self) -> RotatingDisk:
        """The shortest way first, all on the outermost tracks."""
        return replace(self, order=QueueOrder.POSITION, zone=1.0)

    def over(self, span: float) -> RotatingDisk:
        """Short strokes: seeks become shorter, tracks stay at the outside."""
        return replace(self, span=max(min(span, 1.0) * self.span, 1e-6))


@lru_cache(maxsize=512)
def _positions(
    turn: float, seek: float, track: float, span: float, queue: int, order: QueueOrder
) -> tuple[float, ...]:
    """Draws of the time until an access's place is under the head, seconds."""
    if order is QueueOrder.BETWEEN:
        pairs = zip(
            _positions(turn, seek, track, span, queue, QueueOrder.TRACK),
            _positions(turn, seek, track, span, queue, QueueOrder.POSITION),
            strict=True,
        )
        return tuple(sqrt(first * other) for first, other in pairs)
    chance = Random(f"{queue} {order.name}")  # noqa: S311
    stretch = max(seek - track, 0.0) / _MEAN_ROOT

    def seeking() -> float:
        return track + stretch * sqrt(span * abs(chance.random() - chance.random()))

    if order is QueueOrder.TRACK:
        draws = [
            min(seeking() for _ in range(queue)) + chance.random() * turn for _ in range(_DRAWS)
        ]
    else:
        draws = [
            min(seeking() + chance.random() * turn for _ in range(queue)) for _ in range(_DRAWS)
        ]
    return tuple(sorted(draws))


def read(figures: Figures, source: ModelSource) -> RotatingDisk:
    """The disk as written.

    Raises:
        UsageError: a figure is missing or makes no sense.
    """
    keys = Keys(figures, source.where)
    rpm, seek, rate = keys.number("rpm"), keys.seconds("seek"), keys.rate("rate")
    track, cache = keys.seconds("track", "0"), keys.size("cache", "0")
    span = 1 - keys.share("unused", "0")
    keys.end()
    positive(rpm=rpm, seek=seek, rate=rate)
    return RotatingDisk(60 / rpm, seek, track, rate, cache, span)
