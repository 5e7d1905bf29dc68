"""The first lines of `iosonde import`: what the results say, and the worst finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from iosonde import units
from iosonde.cli.explained import severity_counts
from iosonde.records.printed import PrintedTrial, TextLocation
from iosonde.records.stack import Json
from iosonde.statistics.direction import headline_among, higher_is_better
from iosonde.visible import with_name

if TYPE_CHECKING:
    from iosonde.records.finding import Finding
    from iosonde.verbs.imported_records import ImportCounts

_GROUPS = 2  # of results, each with its range
_SEVERITIES = ("error", "warning", "note")
_FEW_LOADS = 3
_EACH = 4  # results of a range that are said each
_LONGEST = 200  # characters of a message
_CUTS = (". ", "; ", ", ", " ")
_DIRECTIONS = ("rw", "readwrite", "rwmixread")
_SIZES = ("bs", "iodepth", "numjobs")


class TrialFigure(NamedTuple):
    """The figure that stands for an imported trial: the mean of its headline metric.

    `load` is what else of its load may differ from that of a trial of the same directions; `beside`
    is the same figure of the other direction, of a load that reads and writes at once; `latency` is
    the mean one of its direction, in seconds.
    """

    tool: str
    metric: str
    unit: str
    mean: float
    label: str
    host: str
    lines: str
    directions: tuple[str, ...]
    load: tuple[str, ...]
    beside: float | None = None
    latency: float | None = None


def figure_of(place: TextLocation, trial: PrintedTrial) -> TrialFigure | None:
    """The figure of a trial; None where it has none, or moved nothing: that is no result."""
    from iosonde.text.imported import label_of

    first = trial.loops[0]
    metric = headline_among(first.metrics)
    mean = mean_of(trial, metric)
    if not mean:
        return None
    directions, load = (
        tuple(f"{name}={trial.options[name]}" for name in names if name in trial.options)
        for names in (_DIRECTIONS, _SIZES)
    )
    return TrialFigure(
        trial.tool, metric, first.units.get(metric, ""), mean,
        label_of(place, trial), trial.host, place.lines, directions, load,
        mean_of(trial, other_direction(metric)),
        mean_of(trial, f"{metric.rpartition('.')[0]}.latency.mean"),
    )  # fmt: skip


def mean_of(trial: PrintedTrial, metric: str) -> float | None:
    """The mean of a metric over the loops that have it; None: none has."""
    values = [loop.metrics[metric] for loop in trial.loops if metric in loop.metrics]
    return sum(values) / len(values) if values else None


def other_direction(metric: str) -> str:
    """`write.iops` for read.iops, and the reverse; empty for what has no direction."""
    way, _, figure = metric.rpartition(".")
    other = {"read": "write", "write": "read"}.get(way, "")
    return f"{other}.{figure}" if other and figure in {"iops", "bandwidth"} else ""


def short_metric(metric: str) -> str:
    """`write` for write.iops and write.bandwidth, whose units tell them apart."""
    way, _, figure = metric.rpartition(".")
    return way.replace("_", " ") if figure in {"iops", "bandwidth"} else metric


@dataclass(slots=True)
class _Range:
    """The lowest and the highest of the figures of one metric, and how many they are of."""

    low: TrialFigure
    high: TrialFigure
    loads: set[tuple[str, ...]] = field(default_factory=set)
    beside: list[float] = field(default_factory=list)
    first: list[TrialFigure] = field(default_factory=list)
    latencies: list[tuple[float, str, str]] = field(default_factory=list)
    count: int = 0

    def add(self, figure: TrialFigure) -> None:
        self.low = min(self.low, figure, key=lambda each: each.mean)
        self.high = max(self.high, figure, key=lambda each: each.mean)
        self.loads.add(figure.load)
        self.count += 1
        if len(self.first) < _EACH:
            self.first.append(figure)
        if figure.beside:
            self.beside.append(figure.beside)
        if figure.latency:
            self.latencies.append((figure.latency, figure.label, figure.lines))

    def join(self, other: _Range) -> None:
        """Takes the figures of another range of the same metric, too."""
        self.low = min(self.low, other.low, key=lambda each: each.mean)
        self.high = max(self.high, other.high, key=lambda each: each.mean)
        self.loads |= other.loads
        self.count += other.count
        self.first = [*self.first, *other.first][:_EACH]
        self.beside += other.beside
        self.latencies += other.latencies

    def sentence(self, load: str = "") -> str:
        """`write 1.02 … 1.28 GiB/s in 18 trials, highest in “Strips” on node1 (lines 7–9)`.

        Args:
            load: in words, where there are others of the same directions.
        """
        best = self.high if higher_is_better(self.high.metric) else self.low
        name = f"{best.tool}: {short_metric(best.metric)}{load}"
        where = f"“{best.label}”" + (f" on {best.host}" if best.host else "")
        where += f" (lines {best.lines})"
        if self.count == 1:
            return f"{name} {units.show(best.mean, best.unit)}{self._beside()} in {where}"
        low, high = (units.show(each.mean, best.unit) for each in (self.low, self.high))
        if low != high and self.count == len({(each.label, each.host) for each in self.first}):
            return f"{name} {', '.join(map(_each, self.first))}"
        if low == high:
            each = f"{name} {low}{self._beside()} in each of {self.count} trials"
            return each + self._latency()
        over = f" of {len(self.loads)} loads" if len(self.loads) > 1 else ""
        way = "highest" if best is self.high else "lowest"
        return (
            f"{name} {units.show_range(self.low.mean, self.high.mean, best.unit)}{self._beside()}"
            f" in {self.count} trials{over}, {way} in {where}"
        )

    def _latency(self) -> str:
        """`, mean latency 3.1 … 7.8 µs, lowest in lines 7–9`: what trials of one rate differ in."""
        if len(self.latencies) != self.count:
            return ""
        (low, label, place), high = min(self.latencies), max(self.latencies)[0]
        if units.show(low, "s") == units.show(high, "s"):
            return f", mean latency {units.show(low, 's')}"
        where = f"“{label}” (lines {place})" if label else f"lines {place}"
        return f", mean latency {units.show_range(low, high, 's')}, lowest in {where}"

    def _beside(self) -> str:
        """`, write 0.7 … 0.9 GiB/s`: the other direction, where every trial has both."""
        if len(self.beside) != self.count:
            return ""
        low, high, unit = min(self.beside), max(self.beside), self.low.unit
        low_said, high_said = units.show(low, unit), units.show(high, unit)
        said = low_said if low_said == high_said else units.show_range(low, high, unit)
        return f", {short_metric(other_direction(self.low.metric))} {said}"


def _each(figure: TrialFigure) -> str:
    """`184 MiB/s in “/dev/sda” (lines 145–150)`: one of few results, each of which has a name."""
    other = short_metric(other_direction(figure.metric))
    beside = f", {other} {units.show(figure.beside, figure.unit)}," if figure.beside else ""
    where = f"“{figure.label}”" + (f" on {figure.host}" if figure.host else "")
    return f"{units.show(figure.mean, figure.unit)}{beside} in {where} (lines {figure.lines})"


class ResultRanges:
    """Gathers the figures of trials by tool, metric and direction, in the order of the text.

    Random and sequential reads have no range in common.
    """

    def __init__(self) -> None:
        self._ranges: dict[tuple[str, ...], dict[tuple[str, ...], _Range]] = {}

    def add(self, figures: Iterable[TrialFigure]) -> None:
        """Takes the figures of an output."""
        for figure in figures:
            key = figure.tool, figure.metric, figure.unit, *figure.directions
            loads = self._ranges.setdefault(key, {})
            loads.setdefault(figure.load, _Range(figure, figure)).add(figure)

    def sentence(self) -> str:
        """The groups with most trials, and how many more there are; empty without trials."""
        groups = [group for loads in self._ranges.values() for group in _by_load(loads)]
        order = sorted(groups, key=lambda group: -group[1].count)
        more = len(order) - _GROUPS
        said = "; ".join(each.sentence(load) for load, each in order[:_GROUPS])
        return said + (f"; {more} more of other loads or tools" if more > 0 else "")


def _by_load(loads: Mapping[tuple[str, ...], _Range]) -> Iterable[tuple[str, _Range]]:
    """Ranges of a few loads that are measured several times each; else the range of all of them.

    What a change brought shows at each load by itself; of a row of depths only the ends are said.
    """
    ranges = list(loads.values())
    if 1 < len(ranges) <= _FEW_LOADS and all(each.count > 1 for each in ranges):
        return [(f" ({', '.join(load)})" if load else "", each) for load, each in loads.items()]
    whole = _Range(ranges[0].low, ranges[0].high)
    for each in ranges:
        whole.join(each)
    return [("", whole)]


_COUNTER_UNITS = (
    (re.compile(r"(?:lat|clat|slat|sync|latency)\.\w+|p\d{2}(?:_\d+)?|real|user|sys"), "s"),
    (re.compile(r"iops"), "1/s"), (re.compile(r"bandwidth"), "B/s"),
)  # fmt: skip
_RATE = re.compile(r"(?i)iops|bw|per_sec|/sec|/s$|throughput|jobs-per-min|score|works")
_FIRST = (
    "tps", "p99", "latency.mean", "lat.mean", "clat.mean", "mean", "iops", "bandwidth", "real",
)  # fmt: skip
_FIGURES = 2
_COUNTED = {
    "tps": "transactions/s", "events_per_second": "events/s",
    "operations_per_second": "operations/s", "qps": "queries/s",
}  # fmt: skip
"""Rates of what is no I/O."""


def counters_said(values: Mapping[str, Json]) -> str:
    """The figures that stand for counters of a benchmark; empty where they are of another kind."""
    if compared := _compared(values.get("metrics")):
        return compared
    said = _rates_said(values)
    for name in sorted(values, key=lambda name: _FIRST.index(name) if name in _FIRST else 99):
        unit = next((unit for form, unit in _COUNTER_UNITS if form.fullmatch(name)), "")
        value = values[name]
        told_already = name.endswith(".sum") or (said and name == "bandwidth")
        if unit and not told_already and isinstance(value, int | float):
            named = f"{name.replace('.', ' ')} " if unit == "s" else ""
            said.append(f"{named}{units.show(value, unit)}")
    return ", ".join(said[:_FIGURES]) if any(name in values for name in _FIRST) else ""


def _rates_said(values: Mapping[str, Json]) -> list[str]:
    """What a benchmark of a database, memory or processors did in a second: `280 events/s`."""
    name = next((name for name in _COUNTED if isinstance(values.get(name), int | float)), "")
    rate, bandwidth = float(str(values[name] if name else 0)), values.get("bandwidth")
    if not rate:
        return []
    if isinstance(bandwidth, int | float):
        return [units.show(bandwidth, "B/s")]
    return [f"{units.show_number(rate)} {_COUNTED[name]}"]


def _compared(metrics: Json) -> str:
    """The first rate of a comparison of several states, such as commits: `a.iops 100 → 88 (-12 %)`.

    Empty where these are no rows with a mean of each.
    """
    rows = [row for row in metrics if isinstance(row, dict)] if isinstance(metrics, list) else []
    rates = (row for row in rows if _RATE.search(str(row.get("metric"))))
    row = next(rates, rows[0] if rows else {})
    means = row.get("means")
    if not isinstance(means, list) or len(means) < 2:
        return ""
    first, last = (float(str(mean)) for mean in (means[0], means[-1]))
    change = f" ({100 * (last / first - 1):+.1f} %)" if first > 0 else ""
    return f"{row.get('metric')} {first:.6g} → {last:.6g}{change}"


def findings_sentence(findings: Sequence[Finding]) -> str:
    """`8 errors, 2 notes; the worst, page-cache: …`: the message's first clauses."""
    worst = min(findings, key=lambda finding: _SEVERITIES.index(finding.severity))
    subject = worst.subject if not worst.message.startswith(worst.subject) else ""
    message = with_name(subject, worst.message) if subject else worst.message
    rank = "the worst, " if len(findings) > 1 else ""
    return f"{severity_counts(findings)}; {rank}{worst.rule}: {_cut(message)}"


def counts_sentence(counts: ImportCounts, files: Sequence[str]) -> str:
    """What was recognised in how many texts, as far as there is any of it."""
    parts = [
        units.counted(number, what)
        for number, what in (
            (counts.trials, "trial"), (counts.states, "settings snapshot"),
            (counts.counters, "counter set"), (counts.loads, "command"),
        )
        if number
    ]  # fmt: skip
    where = files[0] if len(files) == 1 else f"{len(files)} texts" if files else ""
    unread = f"; {counts.unread} could not be read" if counts.unread else ""
    if not parts and counts.printed:
        parts = ["no output of a known tool"]
    return f"{', '.join(parts) or 'nothing'} found{where and f' in {where}'}{unread}"


def _cut(message: str) -> str:
    """A message up to the end of a clause, where it is long."""
    if len(message) <= _LONGEST:
        return message
    for cut in _CUTS:
        end = message.rfind(cut, _LONGEST // 2, _LONGEST)
        if end > 0:
            return f"{message[:end]} …"
    return f"{message[:_LONGEST]} …"
