"""A device by the figures that are told of an SSD, or that a virtual disk is held to.

    limits:[iops=90k][,bandwidth=550MB/s][,latency=90us][,write_iops=…][,write_bandwidth=…]
           [,write_latency=…][,tolerance=10%][,burst=100ms]

At depth 1 an I/O takes its `latency`; the device does no more than `iops` and `bandwidth`, of which
the nearer one holds. Figures for writes are those for all unless told. `tolerance` is what the data
sheet says it may miss them by; without it the figures are taken as they are.

A disk that only is held to its figures makes up for idle time afterwards: with `burst` I/Os pass at
once as long as no more than so many seconds of them are ahead.

Source: for held virtual disks qemu(1) 7.2, throttle-group, and util/throttle.c,
throttle_compute_wait(): x-iops-total and x-bps-total are buckets that leak side by side, so the
slower of the two holds, and each takes a tenth of a second's worth before an I/O has to wait.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from typing_extensions import override

from iosonde.errors import UsageError
from iosonde.predict.service.service import Access, Figures, Keys, ModelSource, ServiceModel


@dataclass(frozen=True, slots=True)
class Side:
    """Of one direction: seconds of an I/O at depth 1; I/Os and bytes per second, 0 unlimited."""

    latency: float
    iops: float
    bandwidth: float

    def busy(self, count: int, size: int) -> float:
        """Seconds that I/Os take of what the device can do."""
        by_count = count / self.iops if self.iops else 0.0
        return max(by_count, size / self.bandwidth if self.bandwidth else 0.0)

    def scaled(self, factor: float) -> Side:
        """So many times as fast."""
        return Side(self.latency / factor, self.iops * factor, self.bandwidth * factor)


@dataclass(frozen=True, slots=True)
class LimitsModel(ServiceModel):
    """See the module. `tolerance` is a fraction, `burst` seconds."""

    read: Side
    write: Side
    tolerance: float = 0.0
    burst: float = 0.0
    rotates: bool = False

    buffer = 0

    @property
    def covers(self) -> str:
        """What lies between the slow and the fast one."""
        return f"figures that may be {self.tolerance:.0%} off" if self.tolerance else ""

    @override
    def seconds(self, access: Access, queue: int, chance: Random) -> tuple[float, float]:
        """The rest of the latency passes while others are served."""
        side = self.write if access.write else self.read
        busy = side.busy(access.count, access.size)
        return busy, side.latency if self.burst else max(side.latency - busy, 0.0)

    def slow(self) -> LimitsModel:
        """As far below the figures as they may be missed."""
        return self._scaled(1 - self.tolerance)

    def fast(self) -> LimitsModel:
        """As far above."""
        return self._scaled(1 + self.tolerance)

    def _scaled(self, factor: float) -> LimitsModel:
        return replace(self, read=self.read.scaled(factor), write=self.write.scaled(factor))


def read(figures: Figures, source: ModelSource) -> LimitsModel:
    """The device as written.

    Raises:
        UsageError: a figure is missing or makes no sense.
    """
    keys = Keys(figures, source.where)
    both = Side(keys.seconds("latency", "0"), keys.number("iops", "0"), keys.rate("bandwidth", "0"))
    write = Side(
        keys.seconds("write_latency", f"{both.latency:.12f}"),
        keys.number("write_iops", f"{both.iops:f}"),
        keys.rate("write_bandwidth", f"{both.bandwidth:f}"),
    )
    tolerance, burst = keys.share("tolerance", "0"), keys.seconds("burst", "0")
    keys.end()
    for side in (both, write):
        if not (side.latency or side.iops or side.bandwidth):
            raise UsageError(
                "the model says neither latency nor iops nor bandwidth", where=source.where
            )
    return LimitsModel(both, write, tolerance, burst)
