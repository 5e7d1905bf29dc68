"""Runs pivoted by load: what is measured with the same load stands side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iosonde import units
from iosonde.records.comparison import PROVEN, ComparedMetric, ComparedSheets
from iosonde.records.run import Metric
from iosonde.records.sheet import RunSheet, TrialSheet
from iosonde.records.stack import Scalar
from iosonde.report.rows import name_of, title_of
from iosonde.sentences import metric_words

SIZES = frozenset(
    {"size", "chunk_size", "strip_size", "stripe_width", "data_offset", "io_min", "io_opt"}
)
"""Settings and facts in bytes."""
_MOST_PROVEN = 8
"""Metrics beside the headlines of a load."""
_IN_LABEL = 2
"""Settings that differ, as many as still label a bar."""


@dataclass(frozen=True, slots=True)
class LabelledTrial:
    """One trial of a run under the label that tells it from others of its load.

    `place` is the part of it that is not the run's: probe and host.
    """

    label: str
    run: RunSheet
    trial: TrialSheet
    place: str = ""

    def metric(self, name: str) -> Metric | None:
        """By its name; None where the trial has no such metric."""
        return next((metric for metric in self.trial.metrics if metric.name == name), None)

    def verdict(self, name: str, compared: ComparedSheets) -> ComparedMetric | None:
        """On one of its metrics, against the first run."""
        return next(
            (
                verdict for verdict in compared.verdicts
                if verdict.metric == name and verdict.candidate == self.run.run.id
                and verdict.trials[1] == self.trial.trial.id
            ),
            None,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class LoadGroup:
    """All that was measured with one load, the first run first."""

    title: str
    members: tuple[LabelledTrial, ...]

    @property
    def headlines(self) -> tuple[str, ...]:
        """Of its members, each once."""
        return tuple(
            dict.fromkeys(name for member in self.members for name in member.trial.headlines)
        )


def show_setting(name: str, value: Scalar) -> str:
    """A value as pages show it; sizes with their unit."""
    if value is None:
        return "–"
    if name.rpartition(".")[2] in SIZES and isinstance(value, int):
        return units.show_bytes(value)
    return str(value)


def changed_settings(compared: ComparedSheets) -> list[tuple[str, tuple[str, ...]]]:
    """What differs between runs: name and its values; layers that changed alike are one.

    "local/disk:sda.scheduler" and that of sdb are "sda, sdb scheduler".
    """
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, values in compared.settings.items():
        layer, _, setting = name.rpartition(".")
        shown = tuple(show_setting(name, value) for value in values)
        place = layer.rpartition("/")[2] if ":" not in layer else layer.partition(":")[2]
        alike.setdefault((setting, shown), []).append(place)
    return [
        (f"{', '.join(dict.fromkeys(layers))} {setting}", shown)
        for (setting, shown), layers in alike.items()
    ]


def proven_metrics(group: LoadGroup, compared: ComparedSheets) -> list[str]:
    """Metrics beside the headlines whose change is proven for a member, the largest first.

    One that says the same in another unit (the bandwidth of one size) is left out.
    """
    largest: dict[str, float] = {}
    alike = {_changes(group, name, compared) for name in group.headlines}
    for verdict in compared.verdicts:
        if verdict.outcome in PROVEN and verdict.metric not in group.headlines:
            change = abs(verdict.change or 0.0)
            largest[verdict.metric] = max(change, largest.get(verdict.metric, 0.0))
    names = []
    for name in sorted(largest, key=lambda name: -largest[name]):
        changes = _changes(group, name, compared)
        if any(changes) and changes not in alike:
            alike.add(changes)
            names.append(name)
    return names[:_MOST_PROVEN]


def _changes(group: LoadGroup, name: str, compared: ComparedSheets) -> tuple[float | None, ...]:
    verdicts = [member.verdict(name, compared) for member in group.members]
    return tuple(
        None if verdict is None or verdict.change is None else round(verdict.change, 4)
        for verdict in verdicts
    )


def run_labels(runs: Sequence[RunSheet], compared: ComparedSheets) -> list[str]:
    """What tells each run from the others: its arm, the varied setting, its study, or its id."""
    parts = [sheet.run.id.partition("/") for sheet in runs]
    if len({run for run, _, _ in parts}) == 1 and all(part for _, _, part in parts):
        return [part for _, _, part in parts]
    changed = changed_settings(compared)
    if 0 < len(changed) <= _IN_LABEL:
        labels = [
            ", ".join(f"{name.rpartition(' ')[2]} {values[at]}" for name, values in changed)
            for at in range(len(runs))
        ]
        if len(set(labels)) == len(runs):
            return labels
    studies = [sheet.run.study for sheet in runs]
    if len(set(studies)) == len(runs):
        return studies
    return [sheet.run.id for sheet in runs]


def by_load(
    runs: Sequence[tuple[str, RunSheet]], trials: Sequence[Sequence[TrialSheet]]
) -> list[LoadGroup]:
    """The trials of labelled runs by load; loads of one trial each share a group of their metric.

    Args:
        runs: label and run; the label may be empty where there is one.
        trials: of each run, those that are shown.
    """
    loads: dict[str, list[tuple[str, RunSheet, TrialSheet]]] = {}
    for (label, run), shown in zip(runs, trials, strict=True):
        for trial in shown:
            if trial.metrics:
                loads.setdefault(_load(trial), []).append((label, run, trial))
    alone: dict[str, list[tuple[str, RunSheet, TrialSheet]]] = {}
    groups = []
    for name, trials_of_load in loads.items():
        if len(trials_of_load) == 1:
            alone.setdefault(trials_of_load[0][2].headline, []).extend(trials_of_load)
        else:
            groups.append(LoadGroup(name, tuple(_labelled(trials_of_load))))
    for metric, trials_of_metric in alone.items():
        if len(trials_of_metric) == 1:
            label, run, trial = trials_of_metric[0]
            groups.append(
                LoadGroup(_load(trial), (LabelledTrial(label or _load(trial), run, trial),))
            )
        else:
            members = tuple(
                LabelledTrial(_load(trial), run, trial) for _, run, trial in trials_of_metric
            )
            groups.append(LoadGroup(metric_words(metric), members))
    return groups


def _load(trial: TrialSheet) -> str:
    """What a trial is grouped by: its load, or what it is called where it was imported."""
    return trial.trial.load.name if trial.trial.origin is None else title_of(trial.trial)


def _labelled(entries: Sequence[tuple[str, RunSheet, TrialSheet]]) -> Iterator[LabelledTrial]:
    """Each under run, probe and host, as far as these are not the same for all."""
    at = [_probe(label, trial) for label, _, trial in entries]
    probes = len(set(at)) > 1
    hosts = len({trial.trial.host for _, _, trial in entries}) > 1
    places = [
        ", ".join(
            part for part in (
                probe if probes else "", trial.trial.host if hosts else "",
            ) if part
        )
        for probe, (_, _, trial) in zip(at, entries, strict=True)
    ]  # fmt: skip
    labels = [
        ", ".join(dict.fromkeys(part for part in (label, place) if part))
        for (label, _, _), place in zip(entries, places, strict=True)
    ]
    every = enumerate(zip(labels, places, entries, strict=True), 1)
    for number, (label, place, (_, run, trial)) in every:
        once = label and labels.count(label) == 1
        name = label if once else f"{label} {name_of(trial.trial)} {number}".strip()
        yield LabelledTrial(name, run, trial, place)


def _probe(label: str, trial: TrialSheet) -> str:
    """Where a trial was measured, without the arm of an interleaved run that its label names."""
    probe = trial.trial.probe
    return "" if label and probe == label else probe.removesuffix(f" {label}") if label else probe
