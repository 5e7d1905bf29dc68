"""A hardware RAID controller: its processor, its way to the drives, and its write-back cache.

    controller:overhead=12us,rate=950MB/s[,cache=880MiB][,latency=50us][,tolerance=10%]

Each I/O to a drive takes `overhead` of the processor, its data `rate` on the way; `cache` is what
of its memory holds writes. How writes leave the cache is in writeback.py. Overhead and rate are
told by no data sheet: fit.py finds them from two measurements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class Controller(ServiceModel):
    """See the module: seconds of an I/O, bytes/s, bytes, seconds; `tolerance` a fraction."""

    overhead: float
    rate: float
    cache: int = 0
    latency: float = 0.0
    tolerance: float = 0.0

    buffer = 0
    burst = 0.0
    rotates = False

    @property
    def covers(self) -> str:
        """What lies between the slow and the fast one."""
        return f"a controller that may be {self.tolerance:.0%} off" if self.tolerance else ""

    @override
    def seconds(self, access: Access, queue: int, chance: Random) -> tuple[float, float]:
        return access.count * self.overhead + access.size / self.rate, self.latency

    def slow(self) -> Controller:
        """As far below the figures as they may be missed."""
        return self._scaled(1 - self.tolerance)

    def fast(self) -> Controller:
        """As far above."""
        return self._scaled(1 + self.tolerance)

    def _scaled(self, factor: float) -> Controller:
        return replace(self, overhead=self.overhead / factor, rate=self.rate * factor)


def read(figures: Figures, source: ModelSource) -> Controller:
    """The controller as written.

    Raises:
        UsageError: a figure is missing or makes no sense.
    """
    keys = Keys(figures, source.where)
    overhead, rate = keys.seconds("overhead", "0"), keys.rate("rate")
    cache, latency = keys.size("cache", "0"), keys.seconds("latency", "0")
    tolerance = keys.share("tolerance", "0")
    keys.end()
    positive(rate=rate)
    return Controller(overhead, rate, cache, latency, tolerance)
