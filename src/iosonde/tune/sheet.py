"""A stored campaign with what a report shows of it: classic tables, effects, path, proof, costs.

Everything is computed from the record whenever it is shown, so a campaign of today can be read
by tomorrow's code, and an interrupted one shows how far it came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from iosonde.records.campaign import Campaign, CandidateEnd, Intent, Measurement, Varied
from iosonde.records.campaign_sheet import (
    CampaignSheet,
    ConfirmationPair,
    Costs,
    Tuning,
    ValueRow,
    ValueTable,
)
from iosonde.records.run import Metric
from iosonde.records.sheet import RunSheet
from iosonde.records.stack import Scalar
from iosonde.statistics.estimates import summarise
from iosonde.tune.effects import key_of
from iosonde.tune.parts import Key, Part, effects_of, part_of, parts_of
from iosonde.tune.path import events_of, path_of

_PASSES, _PASS = 5, 60.0
"""The classic protocol: five passes of a minute (the loop tester's page, fio's own examples)."""
_MODEL = "model"


def tuned(sheet: RunSheet, campaign: Campaign) -> CampaignSheet:
    """The run with its campaign."""
    return CampaignSheet(
        sheet.run, sheet.trials, sheet.findings, sheet.waterfalls, sheet.joint, sheet.forecasts,
        tuning=tuning_of(campaign),
    )  # fmt: skip


def tuning_of(campaign: Campaign) -> Tuning:
    """All that is shown of a campaign, finished or not."""
    parts, path = parts_of(campaign), path_of(campaign)
    return Tuning(
        campaign, tuple(_tables(campaign, parts)), tuple(_candidates(campaign, parts)),
        effects_of(parts), path, events_of(path, campaign), _pairs(campaign), _costs(campaign),
    )  # fmt: skip


def _tables(campaign: Campaign, parts: Sequence[Part]) -> Iterator[ValueTable]:
    """One for each setting that has more than one value, in the order of the study."""
    for at, varied in enumerate(campaign.intent.vary):
        part = part_of(parts, varied)
        if len(varied.values) > 1 and (line := _line(campaign, part.search, at)):
            yield _table(campaign, part, at, line)


def _line(campaign: Campaign, search: Sequence[Measurement], at: int) -> Key | None:
    """The other settings' values that the table of a setting holds: its own place is -1.

    Where most of its values were measured; of several such, where the pick is, else where there
    are the most loops. A model tells the values that were not measured, so there it is the pick's.
    """
    vary = campaign.intent.vary
    values: dict[Key, set[int]] = {}
    loops: dict[Key, int] = {}
    for measurement in search:
        key = key_of(vary, measurement.settings)
        if measurement.figure is None or -1 in key:
            continue
        line = (*key[:at], -1, *key[at + 1 :])
        values.setdefault(line, set()).add(key[at])
        loops[line] = loops.get(line, 0) + 1
    pick = key_of(vary, _pick(campaign))
    of_pick = (*pick[:at], -1, *pick[at + 1 :])
    if campaign.intent.strategy == _MODEL and of_pick in values:
        return of_pick
    return max(
        values, key=lambda line: (len(values[line]), line == of_pick, loops[line]), default=None
    )


def _table(campaign: Campaign, part: Part, at: int, line: Key) -> ValueTable:
    intent, varied = campaign.intent, campaign.intent.vary[at]
    held = {
        setting.name: setting.values[index]
        for setting, index in zip(intent.vary, line, strict=True) if index >= 0
    }  # fmt: skip
    every = [{**held, varied.name: value} for value in varied.values]
    measured = [settings for settings in every if key_of(intent.vary, settings) in part.ends]
    reference = {**held, varied.name: varied.default}
    tests = sum(len(setting.values) - 1 for setting in intent.vary)
    rows = tuple(
        _row(
            part.ends[key_of(intent.vary, settings)],
            part,
            intent,
            reference,
            settings[varied.name],
            tests,
        )
        for settings in measured
    )
    untried = tuple(settings[varied.name] for settings in every if settings not in measured)
    stages = {
        measurement.stage
        for measurement in part.search
        if key_of(intent.vary, measurement.settings)[:at] == line[:at]
    }
    stage = next((stage for stage in stages if varied.name.startswith(f"{stage}.")), "")
    return ValueTable(varied, stage, held, varied.default, rows, untried, part.at)


def _candidates(campaign: Campaign, parts: Sequence[Part]) -> Iterator[ValueRow]:
    """Every candidate that was measured, place by place, the best first, against what was in force.

    What was in force of the settings that are varied there: those of the stages below are as the
    stages have left them.
    """
    sign = -1.0 if campaign.intent.goal.higher else 1.0
    for part in parts:
        ends = list(part.ends.values())
        rows = [
            _row(settings, part, campaign.intent, part.reference, None, len(ends) - 1)
            for settings in ends
        ]
        yield from sorted(
            rows, key=lambda row: sign * row.metric.mean if row.metric else float("inf")
        )


def _row(
    end: CandidateEnd,
    part: Part,
    intent: Intent,
    reference: Mapping[str, Scalar],
    value: Scalar,
    tests: int,
) -> ValueRow:
    metric = end.metric or _metric(end.settings, part.search, intent)
    change = part.fit.change(end.settings, reference, tests) if metric else None
    note = end.reason or ("" if end.state == "alive" else end.state)
    return ValueRow(
        end.settings, value, metric, change, end.loops, end.device_seconds, note, part.at
    )  # fmt: skip


def _metric(
    settings: Mapping[str, Scalar], search: Sequence[Measurement], intent: Intent
) -> Metric | None:
    """Over the loops of a candidate whose end is not known yet."""
    figures = [
        measurement.figure
        for measurement in search
        if measurement.figure is not None and dict(measurement.settings) == dict(settings)
    ]
    return summarise(intent.goal.metric, intent.goal.unit, figures) if figures else None


def _pick(campaign: Campaign) -> Mapping[str, Scalar]:
    """The search's favourite; what was in force where there is none yet."""
    if campaign.result:
        return campaign.result.pick
    return {setting.name: setting.default for setting in campaign.intent.vary}


def _pairs(campaign: Campaign) -> tuple[ConfirmationPair, ...]:
    """The fresh loops of the proof, first of the one with first of the other, and so on."""
    if campaign.result is None:
        return ()
    before, after = (
        [
            measurement.figure
            for measurement in campaign.measurements
            if measurement.part == "proof"
            and measurement.figure
            and dict(measurement.settings) == dict(settings)
        ]
        for settings in (campaign.result.baseline, campaign.result.pick)
    )
    return tuple(ConfirmationPair(a, b, b / a - 1) for a, b in zip(before, after, strict=False))


def _costs(campaign: Campaign) -> Costs:
    """What it took, and what the classic protocol would have taken, at the changes' own price."""
    made = campaign.measurements
    changed = [measurement.change_seconds for measurement in made if measurement.change_seconds > 0]
    change = fmean(changed) if changed else 0.0
    each = _PASSES * _PASS + change
    grid = 1
    for setting in campaign.intent.vary:
        grid *= len(setting.values)
    values = sum(_tried(varied) for varied in campaign.intent.vary)
    return Costs(
        changes=sum(measurement.change_seconds for measurement in made),
        moves=sum(measurement.move_seconds for measurement in made),
        loads=sum(measurement.spent or 0.0 for measurement in made),
        measurements=len(made),
        one_at_a_time=values * each,
        grid=grid * each,
        candidates=grid,
    )


def _tried(varied: Varied) -> int:
    """Values that a table of this setting has; none where there is nothing to choose."""
    return len(varied.values) if len(varied.values) > 1 else 0
