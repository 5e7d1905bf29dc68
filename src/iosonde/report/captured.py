"""The stack of a trial on a page: one strip of layers, and tables of facts and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from iosonde import units
from iosonde.records.sheet import TrialSheet
from iosonde.records.stack import Capture, Scalar, StackLayer
from iosonde.report.blocks import Block, Cells, StripLayer, Title
from iosonde.report.pivot import LabelledTrial, show_setting

_NOTES = 2
_FACTS = ("level", "fstype", "transport")
_COSTLY = frozenset({"mounted"})
"""Hazards of nearly every layer, which say nothing on the first screen."""


def strip(members: Sequence[LabelledTrial]) -> tuple[tuple[StripLayer, ...], ...]:
    """The layers of the first run's deepest trial from the top down; what was measured is marked.

    Args:
        members: of all loads.
    """
    first = [member for member in members if member.run is members[0].run]
    deepest = max(first, key=lambda member: len(_below(member.trial)), default=None)
    if deepest is None or not _below(deepest.trial):
        return ()
    notes: dict[str, list[str]] = {}
    for member in first:
        headline = member.metric(member.trial.headline)
        if member.trial.below and headline:
            figure = units.show(headline.mean, headline.unit)
            label = member.place or member.trial.trial.load.name
            notes.setdefault(member.trial.below[0], []).append(f"{label} {figure}")
    return tuple(tuple(_alike(level, notes)) for level in levels(_below(deepest.trial)))


def _alike(level: Sequence[StackLayer], notes: Mapping[str, Sequence[str]]) -> Iterator[StripLayer]:
    """The layers of one level; those of one kind that nothing was measured on are one."""
    kinds: dict[tuple[str, str], list[StackLayer]] = {}
    for layer in level:
        kinds.setdefault((layer.kind, layer.id if layer.id in notes else ""), []).append(layer)
    for (kind, measured), layers in kinds.items():
        facts = [str(layers[0].facts[name]) for name in _FACTS if layers[0].facts.get(name)]
        facts = [part for part in facts if part != kind]
        facts += [units.show_bytes(layers[0].size)] if layers[0].size else []
        hazards = [hazard for layer in layers for hazard in layer.hazards]
        facts += [hazard for hazard in dict.fromkeys(hazards) if hazard not in _COSTLY]
        measured_here = notes.get(measured, ())
        shown = (
            [", ".join(facts), *measured_here[:_NOTES]] if facts else list(measured_here[:_NOTES])
        )
        if len(measured_here) > _NOTES:
            shown.append(f"{len(measured_here) - _NOTES} more loads")
        yield StripLayer(
            kind, ", ".join(layer.mount or layer.device for layer in layers), tuple(shown),
            bool(measured), len(layers),
        )  # fmt: skip


def _below(sheet: TrialSheet) -> list[StackLayer]:
    """The layers below a trial's target, the topmost first."""
    capture = sheet.trial.capture
    by_id = {layer.id: layer for layer in capture.layers} if capture else {}
    return [by_id[name] for name in sheet.below if name in by_id]


def levels(layers: Sequence[StackLayer]) -> list[list[StackLayer]]:
    """Layers by how deep they lie, so that the members of an array stand side by side."""
    depth: dict[str, int] = {}
    for layer in layers:  # topmost first, so every layer is reached before what it stands on
        depth.setdefault(layer.id, 0)
        for below in layer.below:
            depth[below] = max(depth.get(below, 0), depth[layer.id] + 1)
    return [
        [layer for layer in layers if depth[layer.id] == level]
        for level in sorted({depth[layer.id] for layer in layers})
    ]


def captured(runs: Sequence[tuple[str, Sequence[TrialSheet]]]) -> Iterator[Block]:
    """Tables of hosts, facts and settings, a column for each labelled run."""
    columns = []
    for label, trials in runs:
        rows: dict[tuple[str, str], str] = {}
        for trial in trials:
            rows |= _rows(trial)
        columns.append((label, rows))
    columns = [(label, rows) for label, rows in columns if rows]
    if not columns:
        return
    names = dict.fromkeys(name for _, rows in columns for name in rows)
    yield Title("Stack and settings")
    head = ("layer", "setting", *(label or "value" for label, _ in columns))
    yield Cells(
        head,
        tuple((*name, *(rows.get(name, "–") for _, rows in columns)) for name in names),
        text_columns=len(head),
    )
    gaps = dict.fromkeys(
        (gap.what, gap.reason, gap.remedy)
        for _, trials in runs for trial in trials if trial.trial.capture
        for gap in trial.trial.capture.gaps
    )  # fmt: skip
    if gaps:
        yield Title("What could not be read")
        yield Cells(("what", "reason", "remedy"), tuple(gaps), text_columns=3)


def _rows(sheet: TrialSheet) -> dict[tuple[str, str], str]:
    capture = sheet.trial.capture
    if capture is None:
        return {}
    rows: dict[tuple[str, str], str] = dict(_host_rows(capture))
    for layer in _below(sheet):
        named: dict[str, Scalar] = {"device": layer.device, "size": layer.size}
        if layer.mount:
            named["mounted at"] = layer.mount
        if layer.hazards:
            named["hazards"] = ", ".join(layer.hazards)
        for values in (
            named,
            dict(sorted(layer.facts.items())),
            dict(sorted(layer.settings.items())),
        ):
            rows |= {(layer.id, name): show_setting(name, value) for name, value in values.items()}
    rows |= {("the host", name): str(value) for name, value in sorted(capture.host_wide.items())}
    return rows


def _host_rows(capture: Capture) -> Iterator[tuple[tuple[str, str], str]]:
    for host in capture.hosts:
        yield (host.name, "kernel"), f"Linux {host.kernel}"
        if host.cpus:
            yield (host.name, "CPUs"), str(host.cpus)
        if host.memory:
            yield (host.name, "memory"), units.show_bytes(host.memory)
