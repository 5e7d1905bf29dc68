"""The classic tables of a campaign: value, result, change, verdict; setting by setting, and all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from iosonde import units
from iosonde.records.campaign import Varied
from iosonde.records.campaign_sheet import RelativeChange, Tuning, ValueRow, ValueTable
from iosonde.report.blocks import (
    MOST_SHOWN,
    Block,
    Cells,
    Pictures,
    Text,
    Title,
    candidate_words,
    half,
    interval,
    show_value,
)
from iosonde.report.tuning_charts import table_figure
from iosonde.sentences import OUTCOME_WORDS

_NOTES = {"equivalent": "as good as the pick", "eliminated": "behind"}
_STEPWISE = {"sweep", "staged"}
"""Strategies that keep a setting's best value for the settings that follow."""


def tables(tuning: Tuning) -> Iterator[Block]:
    """The classic table of each setting."""
    if not tuning.tables:
        return
    intent = tuning.campaign.intent
    yield Title("Setting by setting")
    sure = "Results are means over the loops of the search."
    if tuning.effects.loops:
        sure += (
            " Changes are against the value that was in force, with the drift of the device taken "
            "out; all intervals of these tables hold together with 95 %."
        )
    yield Text(sure, "soft")
    for table in tuning.tables:
        place = f", measured at {table.at}" if table.at else ""
        stage = f" (stage {table.stage}{place})" if table.stage else ""
        yield Title(f"{table.varied.name}{stage}", 3)
        if held := candidate_words(intent, table.held):
            yield Text(f"With {held}.", "soft")
        rows = tuple(_value_cells(table, row, tuning) for row in table.rows)
        yield Cells(_VALUE_HEAD, rows, _best(table.rows, tuning))
        if table.untried:
            names = ", ".join(show_value(table.varied, value) for value in table.untried)
            yield Text(f"Not measured with the others so: {names}.", "soft")
        if figure := table_figure(table, intent.goal.metric):
            yield Pictures((figure,))


_VALUE_HEAD = ("value", "result", "± 95 %", "loops", "change", "interval", "verdict", "note")


def _value_cells(table: ValueTable, row: ValueRow, tuning: Tuning) -> tuple[str, ...]:
    notes = ["previous setting"] if row.value == table.reference else []
    result, kept = tuning.campaign.result, tuning.campaign.intent.strategy in _STEPWISE
    if kept and result and row.value == result.pick[table.varied.name]:
        row, notes = replace(row, note=""), [*notes, "kept"]
    return (show_value(table.varied, row.value), *_result_cells(row, notes, tuning))


def _result_cells(row: ValueRow, notes: Sequence[str], tuning: Tuning) -> tuple[str, ...]:
    """Result, spread, loops, change, interval, verdict, note."""
    unit, result = tuning.campaign.intent.goal.unit, tuning.campaign.result
    picked = result is not None and dict(row.settings) == dict(result.pick)
    stays = result is not None and dict(result.pick) == dict(result.baseline)
    note = ("stays" if stays else "winner") if picked else _NOTES.get(row.note, row.note)
    remarks = [*notes, *([note] if note else [])]
    return (
        units.show(row.metric.mean, unit) if row.metric else "–",
        half(row.metric), str(row.loops), *_change_cells(row.change), ", ".join(remarks),
    )  # fmt: skip


def _change_cells(change: RelativeChange | None) -> tuple[str, str, str]:
    if change is None:
        return "", "", ""
    return (
        units.show_change(change.change),
        interval(change.interval),
        OUTCOME_WORDS[change.outcome],
    )


def _best(rows: Sequence[ValueRow], tuning: Tuning) -> frozenset[int]:
    """The pick's row, where it is among them."""
    result = tuning.campaign.result
    if result is None:
        return frozenset()
    return frozenset(at for at, row in enumerate(rows) if dict(row.settings) == dict(result.pick))


def candidates(tuning: Tuning) -> Iterator[Block]:
    """All candidates, where settings were varied together."""
    intent = tuning.campaign.intent
    if sum(len(setting.values) > 1 for setting in intent.vary) < 2:
        return
    yield Title("All candidates")
    places = tuple(dict.fromkeys(row.at for row in tuning.candidates))
    yield Text(
        "Compared with the previous settings, the best first."
        if len(places) < 2 else
        "Of each place the best first, against what was in force before of the settings that are "
        "varied there. Figures of two places are not held against each other.", "soft",
    )  # fmt: skip
    for at in places:
        rows_there = [row for row in tuning.candidates if row.at == at]
        if len(places) < 2:
            yield from _ranked(rows_there, intent.vary, tuning)
            continue
        yield Title(f"Measured at {at}", 3)
        moved = [
            setting
            for setting in intent.vary
            if len({row.settings[setting.name] for row in rows_there}) > 1
        ]
        held = {name: value for name, value in rows_there[0].settings.items()
                if name not in {setting.name for setting in moved}}  # fmt: skip
        yield Text(f"With {candidate_words(intent, held)}.", "soft")
        yield from _ranked(rows_there, moved, tuning)


def _ranked(
    rows_there: Sequence[ValueRow], vary: Sequence[Varied], tuning: Tuning
) -> Iterator[Block]:
    """The candidates of one place, with the settings that are varied there."""
    baseline = {setting.name: setting.default for setting in tuning.campaign.intent.vary}
    rows = []
    for row in rows_there:
        notes = ["previous setting"] if dict(row.settings) == baseline else []
        values = (show_value(setting, row.settings[setting.name]) for setting in vary)
        rows.append((*values, *_result_cells(row, notes, tuning)))
    head = (*(setting.name for setting in vary), *_VALUE_HEAD[1:])
    bold, count = _best(rows_there, tuning), len(vary)
    yield Cells(
        head,
        tuple(rows[:MOST_SHOWN]),
        frozenset(number for number in bold if number < MOST_SHOWN),
        count,
    )
    if rest := rows[MOST_SHOWN:]:
        more = frozenset(number - MOST_SHOWN for number in bold if number >= MOST_SHOWN)
        yield Cells(head, tuple(rest), more, count, f"{len(rest)} more candidates")
