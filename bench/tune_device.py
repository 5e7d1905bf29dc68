"""A simulated device with recorded noise, for the benchmark of the search.

Means and spreads are those of the loop tester's page (tests/outputs/hap-fio-tester). A spread is
that of a pass of 60 s; a shorter loop spreads more, by as much as its kind of noise says. All
kinds are made second by second for the whole campaign, so changes, settling and pauses count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from iosonde.tune.search.strategy import Ask, Observation

if TYPE_CHECKING:
    from iosonde.tune.search.space import Candidate
    from iosonde.tune.search.strategy import Strategy

Floats: TypeAlias = NDArray[np.float64]
PAGE = Path(__file__).parents[1] / "tests" / "outputs" / "hap-fio-tester"
KINDS = ("white", "ar1", "drift", "first-loop")
PASS = 60  # seconds
RHO = 0.98  # from second to second, of "ar1"
CHANGE = (1.0, 3.0)  # seconds
_PASS_LINE = re.compile(r"Pass: \[\d\], speed: \[([\d.]+) MiB/sec\]")
_STRIP = re.compile(r"Strip Size: \.+ \[(\d+) KiB\]")


@dataclass(frozen=True, slots=True)
class Page:
    """What was recorded: strip size in KiB → mean (MiB/s) and CV of its passes; all logs' CVs."""

    strips: dict[int, tuple[float, float]]
    spreads: tuple[float, ...]


def read_page() -> Page:
    """The 90 passes: means over both nodes, spreads within the logs of each."""
    groups: dict[int, list[Floats]] = {}
    spreads = []
    for name in ("strip-sizes.txt", "options.txt"):
        for log in (PAGE / name).read_text().split("--runtime 60")[1:]:
            passes = np.array([float(record) for record in _PASS_LINE.findall(log)])
            spreads.append(float(passes.std(ddof=1) / passes.mean()))
            size = _STRIP.search(log)
            if name == "strip-sizes.txt" and size:
                groups.setdefault(int(size[1]), []).append(passes)
    strips = {
        size: (
            float(np.mean([log.mean() for log in logs])),
            float(np.sqrt(np.mean([log.var(ddof=1) / log.mean() ** 2 for log in logs]))),
        )
        for size, logs in groups.items()
    }
    return Page(strips, tuple(spreads))


def _pass_factor(kind: str) -> float:
    """Spread of the mean of 60 seconds where a second has spread 1."""
    if kind != "ar1":
        return float(1 / np.sqrt(PASS))
    lags = np.arange(1, PASS)
    return float(np.sqrt((1 + 2 * ((1 - lags / PASS) * RHO**lags).sum()) / PASS))


class Device:
    """One campaign's device.

    Args:
        means: candidate → true figure.
        cvs: candidate → spread of a pass of 60 s, as a fraction.
        kind: of KINDS.
        horizon: seconds that the campaign may last at the most.
    """

    def __init__(
        self,
        means: dict[Candidate, float],
        cvs: dict[Candidate, float],
        kind: str,
        rng: np.random.Generator,
        horizon: float,
    ) -> None:
        self.means, self.cvs, self.rng = means, cvs, rng
        self.now, self.in_force = 0.0, next(iter(means))
        self._changed_at: float | None = None
        length = int(horizon) + 400
        path = rng.normal(size=length)
        if kind == "ar1":
            path[1:] *= np.sqrt(1 - RHO**2)
            path = lfilter([1.0], [1.0, -RHO], path)
        self._noise = np.concatenate([[0.0], np.cumsum(path / _pass_factor(kind))])
        self._drift = np.concatenate([[0.0], np.cumsum(self._shared(kind, length))])
        # First loops: after every change, by as much for all, give or take a half for each.
        top = rng.uniform(0, 0.06) if kind == "first-loop" else 0.0
        self._burst = {candidate: top * rng.uniform(0.5, 1.5) for candidate in means} if top else {}

    def _shared(self, kind: str, length: int) -> Floats:
        """What moves all candidates alike, as a fraction, second by second."""
        seconds = np.arange(length)
        if kind == "first-loop":  # the page's first passes lie up to 6 % above the others
            start: Floats = self.rng.uniform(0, 0.06) * np.exp(-seconds / PASS)
            return start
        if kind != "drift":
            return np.zeros(length)
        line = self.rng.normal(0, 0.05) * seconds / 1525
        wave = np.sin(2 * np.pi * (seconds / self.rng.uniform(600, 3600) + self.rng.random()))
        path: Floats = line + self.rng.uniform(0, 0.02) * wave
        return path

    def change(self, candidate: Candidate) -> float:
        """Seconds that it took; 0 where nothing is to be changed."""
        if candidate == self.in_force:
            return 0.0
        self.in_force = candidate
        took = float(self.rng.uniform(*CHANGE))
        self.now += took
        self._changed_at = self.now
        return took

    def measure(self, seconds: float) -> float:
        """The mean figure of the next seconds."""
        begin, end = self.now, self.now + seconds
        candidate = self.in_force
        wander = self.cvs[candidate] * _mean(self._noise, begin, end) + _mean(
            self._drift, begin, end
        )
        if self._burst and self._changed_at is not None:
            ago = np.array([begin, end]) - self._changed_at
            wander += self._burst[candidate] * float(np.exp(-ago[0]) - np.exp(-ago[1])) / seconds
        self.now = end
        return float(self.means[candidate] * np.exp(wander))


def _mean(sums: Floats, begin: float, end: float) -> float:
    last = len(sums) - 2

    def at(moment: float) -> float:
        whole = min(int(moment), last)
        return float(sums[whole] + (moment - whole) * (sums[whole + 1] - sums[whole]))

    return (at(end) - at(begin)) / (end - begin)


def measure(device: Device, ask: Ask) -> Observation:
    """One measurement of a strategy."""
    took = device.change(ask.candidate)
    discarded = device.measure(ask.settle) if ask.settle else None
    return Observation(device.measure(ask.seconds), took, discarded)


def drive(strategy: Strategy, device: Device) -> None:
    """The whole search."""
    while ask := strategy.ask():
        strategy.tell(measure(device, ask))
