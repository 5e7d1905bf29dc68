"""Limits of a study ("subject to"): figures that a candidate has to keep, whatever it gains."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from iosonde import units
from iosonde.errors import UsageError
from iosonde.records.load import unit_of

SAFE = "safe"
"""The limit that holds without being written: no value that trades safety of data for speed."""
_METRIC = re.compile(
    r"\w+\.(?:iops|bandwidth|latency\.(?:mean|min|max|stdev|p\d+(?:_\d+)?))|cpu\.(?:user|system)|elapsed"
)
_LIMIT = re.compile(r"\s*([\w.]+)\s*(<=|>=|<|>|≤|≥)\s*(.+?)\s*")
_SAME = {"≤": "<=", "≥": ">="}
_COUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([kM]?)\s*(?:/\s*s)?")
_FACTORS = {"": 1.0, "k": 1e3, "M": 1e6}


def check_metric(name: str) -> str:
    """The name, if it can be one of the contract's metrics.

    Raises:
        UsageError: it is none.
    """
    if not _METRIC.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a metric",
            hint="for example read.iops, write.bandwidth, read.latency.p99, cpu.system, elapsed",
        )
    return name


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: `metric` `sign` `bound`, the bound in the metric's unit; `text` as declared."""

    text: str
    metric: str
    sign: str
    bound: float

    def kept(self, figures: Mapping[str, float]) -> bool:
        """Whether a loop kept it. A figure that the load does not give breaks it."""
        value = figures.get(self.metric)
        if value is None:
            return False
        return {
            "<=": value <= self.bound, "<": value < self.bound,
            ">=": value >= self.bound, ">": value > self.bound,
        }[self.sign]  # fmt: skip


def parse_limit(text: str) -> Limit:
    """A limit such as "read.latency.p99 <= 2 ms" or "cpu.system <= 0.5".

    Raises:
        UsageError: it is none.
    """
    match = _LIMIT.fullmatch(text)
    if not match:
        raise UsageError(
            f"{text!r} is not a limit", hint="write METRIC <= VALUE: `read.latency.p99 <= 2 ms`"
        )
    metric = check_metric(match[1])
    return Limit(text.strip(), metric, _SAME.get(match[2], match[2]), _bound(metric, match[3]))


def _bound(metric: str, text: str) -> float:
    unit = unit_of(metric)
    if unit == "s":
        return units.parse_seconds(text)
    if unit == "B/s":
        return float(units.parse_bytes(re.sub(r"\s*/\s*s$", "", text)))
    if unit == "cores":
        return units.parse_fraction(text)
    match = _COUNT.fullmatch(text)
    if not match:
        raise UsageError(f"{text!r} is not a rate", hint="write it as 20000 or 20k")
    return float(match[1]) * _FACTORS[match[2]]
