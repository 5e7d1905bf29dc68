"""One report of dd: what it says, and whether that is consistent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from iosonde import units

_DIGITS = 6
_FAR = 9.0  # a decimal sign that is lost makes a power of ten
_COARSE = 0.01  # of a rate, by which it may be off
_UNITS = tuple((1024 / 1000) ** power for power in range(-3, 4))


@dataclass(frozen=True, slots=True)
class DdResult:
    """What one report of dd says, and whether its lines on records stand above it."""

    bytes: int
    time: str
    rate: float
    step: float
    first: int
    last: int
    records: Mapping[str, str]
    derived: bool = False
    """Whether dd printed no sum: its rate is of the records and of what `time` says."""
    echoed: str = ""
    """What a turn of a loop printed above it."""

    @property
    def counted(self) -> bool:
        return bool(self.records)

    @property
    def seconds(self) -> float:
        return float(self.time)

    @property
    def is_consistent(self) -> bool:
        """Whether bytes over seconds are near the rate: a page may have lost the decimal sign."""
        if not self.seconds or not self.bytes or not self.rate:
            return True
        return 1 / _FAR < self.bytes / self.seconds / self.rate < _FAR

    @property
    def is_other_than_printed(self) -> bool:
        """Whether bytes over seconds are not the rate that stands beside them, nor in its units.

        Some print a rate in units of 1024 as if they were of 1000.
        """
        value, half = self.exact()
        if not self.is_consistent or not self.rate or value == self.rate:
            return False
        reach = half + 2 * self.step + _COARSE * self.rate
        return all(abs(value - self.rate * unit) > reach * unit for unit in _UNITS)

    def exact(self) -> tuple[float, float]:
        """The rate, in bytes/s, and half of its last digit: bytes over seconds where these stand.

        Seconds of fewer than six digits may have been shortened by hand.
        """
        if not self.seconds or not self.bytes or not self.is_consistent:
            return self.rate, self.step
        value = self.bytes / self.seconds
        half = value * units.printed(self.time)[1] / self.seconds
        digits = len(self.time.partition("e")[0].replace(".", "").lstrip("0"))
        return value, half if digits >= _DIGITS else min(half, self.step)
