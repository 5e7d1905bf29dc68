"""The first lines of `iosonde import`: what the results say, and the worst finding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from iosonde import units
from iosonde.cli.explained import severity_counts
from iosonde.records.printed import PrintedTrial, TextLocation
from iosonde.records.stack import Json
from iosonde.statistics.direction import headline_among, higher_is_better
from iosonde.text.changes import CHANGED
from iosonde.visible import with_name

if TYPE_CHECKING:
    from iosonde.records.finding import Finding
    from iosonde.verbs.imported_records import ImportCounts

_GROUPS = 2  # of results, each with its range
_SEVERITIES = ("error", "warning", "note")
_FEW_LOADS = 3
_EACH = 4  # results or set-ups of a range that are said each
_KEPT = 256  # results of a range
_NOTE = 60  # characters of what is written above a result
_ALIKE = 1.1  # times as much is worth a word
_TEN = 10
_LONGEST = 200  # characters of a message
_SHORT = 130  # of it, where two are said
_CLAUSE = 30  # a shorter one names something
_CUTS = (". ", "; ", ", ", " ")
_DIRECTIONS = ("rw", "readwrite", "rwmixread")
_SIZES = ("bs", "iodepth", "numjobs")


class TrialFigure(NamedTuple):
    """The figure that stands for an imported trial: the mean of its headline metric.

    `load` is what else of its load may differ from that of a trial of the same directions; `beside`
    is the same figure of the other direction, of a load that reads and writes at once; `latency` is
    the mean one of its direction, in seconds; `own_label` and `target` are its own names; `note` is
    what its author wrote above it.
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
    own_label: str = ""
    target: str = ""
    note: str = ""


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
        trial.label, trial.target, _note(trial),
    )  # fmt: skip


def _note(trial: PrintedTrial) -> str:
    """The last line that its author wrote above it, by which it may be of another set-up."""
    written = trial.details.get(CHANGED)
    return str(written[-1]).rstrip(":") if isinstance(written, list) and written else ""


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


class _Range:
    """The figures of one metric: the lowest and the highest, and those of each set-up."""

    def __init__(self, first: TrialFigure) -> None:
        self.low = self.high = first
        self.figures = [first]
        self.count = 1

    def add(self, figure: TrialFigure) -> None:
        """Takes the next figure; of very many only the lowest, the highest and the first stay."""
        self.low = min(self.low, figure, key=_mean)
        self.high = max(self.high, figure, key=_mean)
        self.count += 1
        if len(self.figures) < _KEPT:
            self.figures.append(figure)

    def joined(self, other: _Range) -> _Range:
        """The figures of both, which are of the same metric."""
        both = _Range(self.low)
        both.low = min(self.low, other.low, key=_mean)
        both.high = max(self.high, other.high, key=_mean)
        both.count = self.count + other.count
        both.figures = [*self.figures, *other.figures][:_KEPT]
        return both

    def sentence(self, load: str = "") -> str:
        """`write 1.02 … 1.28 GiB/s in 18 trials, highest in “Strips” on node1 (lines 7–9)`.

        Args:
            load: in words, where there are others of the same directions.
        """
        best = self.high if higher_is_better(self.high.metric) else self.low
        name = f"{best.tool}: {short_metric(best.metric)}{load}"
        if self.count == 1:
            return f"{name} {_values([best])} in {_where(best)}"
        low, high = (units.show(each.mean, best.unit) for each in (self.low, self.high))
        if low == high:
            return f"{name} {_values(self._kept())} in each of {self.count} trials{self._latency()}"
        if parts := self._parts():
            said = ", ".join(_part(where, figures) for where, figures in parts.items())
            return f"{name} {said}{self._ratio()}"
        loads = {each.load for each in self.figures}
        over = f" of {len(loads)} loads" if len(loads) > 1 else ""
        way = "highest" if best is self.high else "lowest"
        values = _values(self._kept()) or units.show_range(self.low.mean, self.high.mean, best.unit)
        return f"{name} {values} in {self.count} trials{over}, {way} in {_where(best)}"

    def _kept(self) -> Sequence[TrialFigure]:
        """All figures; none where some were not kept."""
        return self.figures if self.count == len(self.figures) else ()

    def _parts(self) -> Mapping[str, Sequence[TrialFigure]]:
        """The figures of each of a few set-ups, by what tells these apart; empty: nothing does.

        Each result has a name of its own, or results are measured again in each set-up: only then
        are these compared.
        """
        for name in _SET_UPS:
            parts: dict[str, list[TrialFigure]] = {}
            for figure in self._kept():
                parts.setdefault(name(figure), []).append(figure)
            if not 2 <= len(parts) <= _EACH:
                continue
            loads = [sorted(each.load for each in figures) for figures in parts.values()]
            if len(parts) == self.count or all(each == loads[0] for each in loads):
                return parts
        return {}

    def _ratio(self) -> str:
        """`: the highest 2.6 × the lowest`, where that is more than a little."""
        ratio = self.high.mean / self.low.mean if self.low.mean > 0 else 0.0
        loads = {each.load for each in self.figures}
        if ratio < _ALIKE or len(loads) > 1 or () in loads:  # of what is not known
            return ""
        times = units.show_number(round(ratio, 2 if ratio < _TEN else 0))
        return f": the highest {times} × the lowest"

    def _latency(self) -> str:
        """`, mean latency 3.1 … 7.8 µs, lowest in lines 7–9`: what trials of one rate differ in."""
        measured = [each for each in self._kept() if each.latency]
        if not measured or len(measured) != self.count:
            return ""
        low = min(measured, key=lambda each: (each.latency or 0.0, each.label, each.lines))
        least, most = low.latency or 0.0, max(each.latency or 0.0 for each in measured)
        if units.show(least, "s") == units.show(most, "s"):
            return f", mean latency {units.show(least, 's')}"
        where = f"“{low.label}” (lines {low.lines})" if low.label else f"lines {low.lines}"
        return f", mean latency {units.show_range(least, most, 's')}, lowest in {where}"


def _mean(figure: TrialFigure) -> float:
    return figure.mean


def _heading(figure: TrialFigure) -> str:
    """The heading above it, and its host; empty where it has none."""
    if figure.label in (figure.own_label, figure.target, figure.tool):
        return ""
    return " on ".join(filter(None, (f"“{figure.label}”", figure.host)))


_SET_UPS: Sequence[Callable[[TrialFigure], str]] = (
    _heading,
    lambda figure: f"after “{_cut_label(figure.note)}”" if figure.note else "first",
    lambda figure: f"“{figure.own_label}”",
    lambda figure: f"“{figure.target}”",
)
"""By what trials of a comparison are told apart: heading, a line above, their own names."""


def _cut_label(text: str) -> str:
    """What stands above a result, where it is long only its beginning."""
    return text if len(text) <= _NOTE else f"{text[: _NOTE - 1].rstrip()}…"


def _where(figure: TrialFigure) -> str:
    """`“/dev/sda” on node1 (lines 145–150)`."""
    host = f" on {figure.host}" if figure.host else ""
    return f"“{figure.label}”{host} (lines {figure.lines})"


def _part(where: str, figures: Sequence[TrialFigure]) -> str:
    """`184 MiB/s in “/dev/sda” (lines 145–150)`: the results of a set-up."""
    count = f" in {len(figures)} trials" if len(figures) > 1 else ""
    values = _values(figures)
    comma = "," if ", " in values else ""
    preposition = "in " if where.startswith("“") else ""
    first, last = figures[0].lines.partition("–")[0], figures[-1].lines.rpartition("–")[2]
    return f"{values}{count}{comma} {preposition}{where} (lines {first}–{last})"


def _values(figures: Sequence[TrialFigure]) -> str:
    """`2.8 … 3.0 GiB/s, write 1.9 … 2.0 GiB/s`: with the other direction, where each has both."""
    if not figures:
        return ""
    unit, metric = figures[0].unit, figures[0].metric
    said = _from_to([each.mean for each in figures], unit)
    beside = [each.beside for each in figures if each.beside]
    if len(beside) != len(figures):
        return said
    return f"{said}, {short_metric(other_direction(metric))} {_from_to(beside, unit)}"


def _from_to(means: Sequence[float], unit: str) -> str:
    """From the lowest to the highest; once where both are the same."""
    low, high = min(means), max(means)
    is_same = units.show(low, unit) == units.show(high, unit)
    return units.show(low, unit) if is_same else units.show_range(low, high, unit)


class ResultRanges:
    """Gathers the figures of trials by tool, metric and direction, in the order of the text.

    Random and sequential reads have no range in common.
    """

    def __init__(self) -> None:
        self._ranges: dict[tuple[str, ...], dict[tuple[str, ...], _Range]] = {}
        self._note = "", ""

    def add(self, figures: Iterable[TrialFigure]) -> None:
        """Takes the figures of an output; what its author wrote above it holds until the next."""
        for figure in figures:
            label, note = self._note
            if figure.note or figure.label != label:
                self._note = figure.label, figure.note
            else:
                figure = figure._replace(note=note)  # noqa: PLW2901
            key = figure.tool, figure.metric, figure.unit, *figure.directions
            loads = self._ranges.setdefault(key, {})
            if figure.load in loads:
                loads[figure.load].add(figure)
            else:
                loads[figure.load] = _Range(figure)

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
    return [("", reduce(_Range.joined, ranges))]


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
    """`8 errors, 2 notes; the worst, page-cache: …`: the message's first clauses.

    Where another rule has an error or a warning, too, it is said as well, and both are short.
    """
    worst = min(findings, key=lambda finding: _SEVERITIES.index(finding.severity))
    rank = "the worst, " if len(findings) > 1 else ""
    said = f"{severity_counts(findings)}; {rank}{worst.rule}: "
    others = (
        finding for severity in _SEVERITIES[:2] for finding in findings
        if finding.severity == severity and finding.rule != worst.rule
    )  # fmt: skip
    other = next(others, None)
    if other is None:
        return said + _cut(_message(worst))
    return f"{said}{_clause(worst)}; {other.rule}: {_clause(other)}"


def _message(finding: Finding) -> str:
    """A finding's message, with what it is of where it does not begin with that."""
    return _of(finding.subject, finding.message)


def _of(subject: str, message: str) -> str:
    return message if not subject or message.startswith(subject) else with_name(subject, message)


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


def _cut(message: str, longest: int = _LONGEST) -> str:
    """A message up to the end of a clause, where it is long."""
    if len(message) <= longest:
        return message
    for cut in _CUTS:
        end = message.rfind(cut, longest // 2, longest)
        if end > 0:
            return f"{message[:end]} …"
    return f"{message[:longest]} …"


def _clause(finding: Finding) -> str:
    """What a finding says before it explains that."""
    head, colon, rest = finding.message.partition(": ")
    while colon and (len(head) < _CLAUSE or rest[:1].isdecimal()):
        more, colon, rest = rest.partition(": ")
        head = f"{head}: {more}"
    return _of(finding.subject, _cut(head.rstrip("."), _SHORT))
