"""Verdicts in words: one sentence for the terminal and for pages alike."""

from __future__ import annotations

import re

from iosonde import units
from iosonde.records import Outcome, Verdict

MOST_LOOPS = 30
"""A forecast of more loops than these is no advice: the noise is too large for the difference."""

_WORDS = {
    "iops": "{} IOPS", "bandwidth": "{} bandwidth", "latency.mean": "mean {} latency",
    "latency.min": "lowest {} latency", "latency.max": "highest {} latency",
    "latency.stdev": "deviation of the {} latency",
}  # fmt: skip
_METRIC = re.compile(
    r"(?P<way>\w+)(?:\.(?P<size>\d+[kmg]?))?\."
    r"(?P<figure>iops|bandwidth|latency\.(?:mean|min|max|stdev|p(?P<percent>[\d_]+)))"
)


def metric_words(metric: str) -> str:
    """A metric's name as a person says it: `sync.latency.p99_9` is "p99.9 sync latency"."""
    match = _METRIC.fullmatch(metric)
    if not match:
        return metric
    way, percent = match["way"].replace("_", " "), match["percent"]
    template = f"p{percent.replace('_', '.')} {{}} latency" if percent else _WORDS[match["figure"]]
    return template.format(way) + (f" at {match['size']}" if match["size"] else "")


def verdict_words(verdict: Verdict, margin: float, reason: str = "") -> str:
    """What a verdict says: "read IOPS better, +8.6 % (+4.9 … +12.5 %)".

    Args:
        verdict: on one metric.
        margin: the fraction within which a change does not matter.
        reason: why it is undecided, for one without an interval.
    """
    metric = metric_words(verdict.metric)
    interval = f" ({units.show_changes(*verdict.interval)})" if verdict.interval else ""
    match verdict.outcome:
        case Outcome.EQUIVALENT:
            return f"no difference in {metric} beyond {units.show_fraction(margin)}{interval}"
        case Outcome.UNDECIDED:
            why = interval or (f": {reason}" if reason else "")
            return f"no proven change in {metric}{why}"
        case outcome:
            change = "" if verdict.change is None else f", {units.show_change(verdict.change)}"
            return f"{metric} {outcome.value}{change}{interval}"


def loops_words(more_loops: int | None) -> str:
    """How many more loops of each trial would decide, where that is advice at all."""
    if more_loops is None:
        return ""
    if more_loops > MOST_LOOPS:
        return "noise too large"
    return f"{more_loops} more loop{'s' * (more_loops != 1)} of each"
