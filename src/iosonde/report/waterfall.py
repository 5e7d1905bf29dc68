"""The waterfall as a table: what each layer costs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from iosonde import units
from iosonde.records.sheet import SYNC_LATENCY, Gain, Waterfall
from iosonde.sentences import metric_words

_MORE = 0.05  # a fraction; less may be chance where there is one loop
COLUMNS = (
    "probe point",
    "rate",
    "kept",
    "of the first",
    "latency",
    "added",
    "CPU per I/O",
    "CPU added",
    "loops",
)


def rows_of(waterfall: Waterfall) -> Iterator[tuple[str, ...]]:
    """The cells of each step, as COLUMNS names them."""
    for step in waterfall.steps:
        yield (
            step.label + (f" ({step.doubt})" if step.doubt else ""),
            units.show(step.rate, step.unit),
            _share(step.kept),
            _share(step.of_base),
            units.show(step.latency, "s") if step.latency is not None else "–",
            _added(step.latency_added),
            units.show(step.cpu, "s") if step.cpu is not None else "–",
            _added(step.cpu_added),
            str(step.loops),
        )


_LARGEST = 1e4  # times; beyond, an interval says nothing in as many digits


def _share(gain: Gain | None) -> str:
    """`86.2 % (84.0 … 88.5)`; without an interval where one side has one loop."""
    if gain is None:
        return "–"
    if gain.change > _LARGEST:
        return units.show_fraction(1 + gain.change)
    text = f"{(1 + gain.change) * 100:.1f} %"
    if gain.interval is None or max(map(abs, gain.interval)) > _LARGEST:
        return text
    low, high = ((1 + bound) * 100 for bound in gain.interval)
    return f"{text} ({low:.1f} … {high:.1f})"


def _added(gain: Gain | None) -> str:
    if gain is None:
        return "–"
    text = ("+" if gain.change > 0 else "") + units.show_seconds(gain.change)
    if gain.interval is None:
        return text
    low, high = (units.show_seconds(bound) for bound in gain.interval)
    return f"{text} ({low} … {high})"


def sentence_of(waterfall: Waterfall) -> str:
    """The answer of a waterfall: what is left at the last step, and where most is lost."""
    first, last = waterfall.steps[0], waterfall.steps[-1]
    parts = []
    if last.of_base is not None:
        parts.append(f"{last.label} keeps {_share(last.of_base)} of {first.label}")
    slower = [
        (step.kept.change, before, step)
        for before, step in pairwise(waterfall.steps)
        if step.kept is not None and step.kept.change < 0
    ]
    if slower:
        _, before, step = min(slower, key=lambda loss: loss[0])
        parts.append(f"most is lost at {step.label}: {_share(step.kept)} of {before.label}")
    else:
        parts.append("no step is slower than the one before")
    doubt = sorted({step.doubt for step in waterfall.steps if step.doubt})
    doubted = f" (in doubt: {', '.join(doubt)})" if doubt else ""
    return f"{waterfall.subject}, {metric_words(waterfall.headline)}: {'; '.join(parts)}{doubted}"


def notes_of(waterfall: Waterfall) -> Iterator[str]:
    """What must be known before the table is believed."""
    if waterfall.timed == SYNC_LATENCY:
        yield "The load syncs: the latency is that of its syncs, which it waits for."
    if any(step.loops < 2 for step in waterfall.steps):
        yield "Steps of one loop have no interval: how much they scatter is not known."
    if any(step.doubt for step in waterfall.steps):
        yield (
            "Steps marked page-cache were served by memory: what a layer below costs is not in "
            "their latency."
        )
    faster = [f"“{step.label}”" for step in waterfall.steps if _gains(step.kept)]
    if faster:
        yield (
            f"{', '.join(faster)}: faster than the step before. A cache in between answers, it "
            "spreads over several of those below, or it does not stand on that one."
        )


def _gains(kept: Gain | None) -> bool:
    """Whether a step is faster than what should lie below it, beyond what loops scatter."""
    if kept is None or kept.change < _MORE:
        return False
    return kept.interval is None or kept.interval[0] > 0
