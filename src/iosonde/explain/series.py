"""Trials that their author held against each other, gathered into series of conditions.

A condition is one way of measuring (one set of settings, one place); on several hosts at the same
time it is measured several times, but hosts that move together are no independent witnesses: their
loops are averaged, loop by loop.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iosonde import units
from iosonde.records.evidence import EvidenceSet, TrialEvidence
from iosonde.records.run import Metric
from iosonde.records.stack import Scalar
from iosonde.statistics.estimates import summarise
from iosonde.statistics.verdict import Circumstances
from iosonde.text.changes import SAID

_TOGETHER = 0.5
"""Share of a condition's time that hosts must have in common to count as measured together."""
_BESIDE = re.compile(r"(?<![&>\\])&(?![&>\d])|\bxargs\s[^|;]{0,60}-P|\|\s{0,4}parallel\b")
"""In a command that runs several at the same time: the figures of each are a part of the whole."""
_ROUNDED = 0.05
"""How far bandwidth ÷ IOPS may be off a power of two, as both are printed with few digits."""
_SHOWN = 60  # characters of what was changed
_SENTENCES = re.compile(r"(?<=[.!?]) +(?=[A-Z])")
_SENTENCE = 3  # words that say something by themselves
_LOAD = ("rw", "bs", "iodepth", "numjobs", "direct", "sync", "ioengine", "rwmixread", "test")
"""Options that make loads different ones, where both trials know them."""


def words_of_load(trials: Sequence[TrialEvidence]) -> str:
    """What is known of the load that trials share: `randwrite, bs 4 KiB, iodepth 1`."""
    shared: dict[str, Scalar] = {}
    for trial in trials:
        shared |= {name: trial.options[name] for name in _LOAD if name in trial.options}
    shown = []
    for name, value in shared.items():
        if name == "bs" and isinstance(value, int):
            shown.append(f"bs {units.show_bytes(value)}")
        elif name in {"rw", "ioengine"}:
            shown.append(str(value))
        elif name == "direct":
            shown.append("direct" if value else "buffered")
        elif value is not None:
            shown.append(f"{name} {value}")
    return ", ".join(shown)


@dataclass(frozen=True, slots=True)
class Condition:
    """One way of measuring: its trials (one a host where they were measured together)."""

    label: str
    trials: tuple[TrialEvidence, ...]
    metric: Metric
    """The headline, averaged over the hosts loop by loop."""

    @property
    def where(self) -> str:
        """Where its figures stand."""
        return ", ".join(trial.where for trial in self.trials)


@dataclass(frozen=True, slots=True)
class ComparableTrials:
    """Conditions that may be compared: same source, tool, load and headline, under one heading.

    Of one device as well, unless their author put several under a heading of their own.
    """

    subject: str
    headline: str
    conditions: tuple[Condition, ...]


def series_of(case: EvidenceSet) -> tuple[ComparableTrials, ...]:
    """The series of a case, those of a single condition included."""
    groups: dict[tuple[object, ...], list[TrialEvidence]] = {}
    for trial in case.trials:
        if trial.headline and not _BESIDE.search(trial.command):
            key = trial.source, trial.headline, trial.tool, trial.quoted
            groups.setdefault(key, []).append(trial)
    series = []
    for trials in groups.values():
        source, headline = trials[0].source, trials[0].headline
        for heading, some in _by_heading(trials).items():
            alikes = [alike for part in _by_device(some, heading) for alike in by_load(part)]
            for alike in alikes:
                conditions = _conditions(alike, headline)
                series.append(ComparableTrials(heading or source, headline, tuple(conditions)))
    return tuple(series)


def _by_device(trials: Sequence[TrialEvidence], heading: str) -> list[list[TrialEvidence]]:
    """By target; what is measured at several hosts at the same path is one thing.

    An author who puts devices under one heading means to compare them; a run that measures its
    loads at several targets, or pages that name no heading for several, do not.
    """
    if heading and all(trial.printed for trial in trials):
        return [list(trials)]
    groups: dict[str, list[TrialEvidence]] = {}
    for trial in trials:
        groups.setdefault(trial.target, []).append(trial)
    if "" in groups and len(groups) == 2:  # it may well be the same
        return [list(trials)]
    return list(groups.values())


def _load_of(trial: TrialEvidence) -> dict[str, Scalar]:
    """What is known of a trial's load; the size of its blocks, if need be, by its figures."""
    options = {name: trial.options[name] for name in _LOAD if name in trial.options}
    direction = trial.headline.partition(".")[0]
    iops, rate = (trial.mean(f"{direction}.{name}") for name in ("iops", "bandwidth"))
    if "bs" not in options and iops and rate:
        size = rate / iops
        power = 1 << max(0, round(math.log2(size))) if size >= 1 else 1
        options["bs"] = power if abs(size / power - 1) <= _ROUNDED else round(size)
    return options


def by_load(trials: Sequence[TrialEvidence]) -> list[list[TrialEvidence]]:
    """Trials of the same load together; what an output does not say contradicts nothing."""
    groups: list[tuple[dict[str, Scalar], list[TrialEvidence]]] = []
    for trial in trials:
        options = _load_of(trial)
        for shared, some in groups:
            if all(shared.get(name, value) == value for name, value in options.items()):
                some.append(trial)
                shared.update(options)
                break
        else:
            groups.append((options, [trial]))
    return [some for _, some in groups]


def _by_heading(trials: Sequence[TrialEvidence]) -> dict[str, list[TrialEvidence]]:
    """By heading, where headings hold several trials; all together where each has its own."""
    by_heading: dict[str, list[TrialEvidence]] = {}
    for trial in trials:
        by_heading.setdefault(trial.heading, []).append(trial)
    several = any(len({trial.label for trial in some}) > 1 for some in by_heading.values())
    return by_heading if several or len(by_heading) == 1 else {"": list(trials)}


def _conditions(trials: Sequence[TrialEvidence], headline: str) -> list[Condition]:
    """Trials of one label on several hosts at the same time are one condition."""
    by_label: dict[str, list[TrialEvidence]] = {}
    for trial in trials:
        by_label.setdefault(trial.label, []).append(trial)
    conditions = []
    for label, some in by_label.items():
        repeated = _repeated(_simultaneous(some, headline))
        for repeats in repeated:
            group = [trial for repeat in repeats for trial in repeat]
            name = label
            if len(some) > len(group) or (len(repeats[0]) == 1 and _several_hosts(trials)):
                name = f"{label} on {group[0].host}" if group[0].host else label
            name += _changed(group[0], repeated)
            averages = [_averaged(repeat, headline) for repeat in repeats]
            loops = [loop for average in averages for loop in average.loops]
            metric = averages[0] if len(averages) == 1 else summarise(
                headline, averages[0].unit, loops)  # fmt: skip
            conditions.append(Condition(name, tuple(group), metric))
    return conditions


def _changed(trial: TrialEvidence, every: Sequence[list[list[TrialEvidence]]]) -> str:
    """` after “…”`: the last of what was set before a trial and not before all of the others."""
    others = [repeats[0][0].changes for repeats in every]
    own = [
        _last_said(text) if name == SAID else text if text.startswith(name) else f"{name} {text}"
        for name, text in trial.changes.items()
        if any(other.get(name) != text for other in others)
    ]
    return f" after “{own[-1][:_SHOWN]}”" if own else ""


def _last_said(text: str) -> str:
    """The last sentence of what was said, which is the one that leads to the measurement."""
    *before, last = _SENTENCES.split(text.strip())
    return last if before and len(last.split()) >= _SENTENCE else text


def _repeated(groups: Sequence[list[TrialEvidence]]) -> list[list[list[TrialEvidence]]]:
    """Measurements that somebody repeated as they were: each is a loop of the same condition.

    Where something was set between two of them they are two conditions, as are copies of dd whose
    commands are not known: one may read what another writes. The same holds for the last lines of
    fio's output alone: of which load they are is not known.
    """
    repeated: dict[object, list[list[TrialEvidence]]] = {}
    for place, group in enumerate(groups):
        unknown = any(not trial.command and _is_cut_out(trial) for trial in group)
        key = tuple(
            (trial.host, trial.target, trial.job, trial.command, _as_set(trial.options),
             _as_set(trial.settings), trial.row, frozenset(trial.changes.items()))
            for trial in group
        )  # fmt: skip
        repeated.setdefault((place, *key) if unknown else key, []).append(group)
    return list(repeated.values())


def _is_cut_out(trial: TrialEvidence) -> bool:
    """Whether neither what was read or written nor how is known of a trial without a command."""
    is_line = trial.printed and not trial.job and not trial.options
    return trial.headline.startswith("copy.") or "cut_off" in trial.details or is_line


def _as_set(values: Mapping[str, Scalar]) -> frozenset[tuple[str, Scalar]]:
    return frozenset(values.items())


def _several_hosts(trials: Sequence[TrialEvidence]) -> bool:
    return len({trial.host for trial in trials}) > 1


def _simultaneous(trials: Sequence[TrialEvidence], headline: str) -> list[list[TrialEvidence]]:
    """Trials of different hosts that ran at the same time, together; others alone."""
    groups: list[list[TrialEvidence]] = []
    for trial in trials:
        for group in groups:
            same = len(group[0].metrics[headline].loops) == len(trial.metrics[headline].loops)
            other_host = trial.host not in {member.host for member in group}
            if same and other_host and overlap(group[0], trial) >= _TOGETHER:
                group.append(trial)
                break
        else:
            groups.append([trial])
    return groups


def overlap(trial: TrialEvidence, other: TrialEvidence) -> float:
    """Share of the shorter trial's time in which both ran; 0 where times are unknown."""
    if trial.started is None or other.started is None or not trial.elapsed or not other.elapsed:
        return 0.0
    lengths = sum(trial.elapsed), sum(other.elapsed)
    begin = max(trial.started, other.started)
    end = min(trial.started + lengths[0], other.started + lengths[1])
    return max(0.0, end - begin) / min(lengths) if min(lengths) > 0 else 0.0


def _averaged(trials: Sequence[TrialEvidence], headline: str) -> Metric:
    first = trials[0].metrics[headline]
    if len(trials) == 1:
        return first
    rows = zip(*(trial.metrics[headline].loops for trial in trials), strict=True)
    return summarise(headline, first.unit, [sum(row) / len(row) for row in rows])


def _pieced(condition: Condition) -> bool:
    first = condition.trials[0]
    return len(condition.metric.loops) > len(first.metrics[condition.metric.name].loops)


def circumstances(condition: Condition, other: Condition) -> Circumstances:
    """How far apart two conditions were measured; a pause longer than both ends a drift."""
    if _pieced(condition) or _pieced(other):
        return Circumstances()  # its loops lie at several times
    a, b = condition.trials[0], other.trials[0]
    if a.started is None or b.started is None or not a.elapsed or not b.elapsed:
        return Circumstances()
    lengths = sum(a.elapsed), sum(b.elapsed)
    gap = max(b.started - a.started - lengths[0], a.started - b.started - lengths[1])
    if gap > sum(lengths):
        return Circumstances(distance=0.0)
    step = sum(lengths) / (len(a.elapsed) + len(b.elapsed))
    middles = b.started + lengths[1] / 2 - a.started - lengths[0] / 2
    adjacent = (len(a.elapsed) + len(b.elapsed)) / 2
    return Circumstances(distance=max(-adjacent, min(adjacent, middles / step if step else 0.0)))
