"""The path of a campaign: loop by loop, what was left out, what it cost."""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.records.campaign_sheet import Tuning
from iosonde.report.blocks import (
    MOST_SHOWN,
    Block,
    Cells,
    Pictures,
    Text,
    Title,
    candidate_words,
    clock,
    in_words,
)
from iosonde.report.tuning_charts import path_figures


def path(tuning: Tuning) -> Iterator[Block]:
    """Loops in order, candidates alive, the best so far."""
    if not tuning.path:
        return
    intent = tuning.campaign.intent
    yield Title("Search path")
    yield Pictures(tuple(path_figures(tuning)))
    if tuning.events:
        yield Cells(
            ("loop", "device time", "left", "what happened", "candidate"),
            tuple(
                (
                    str(event.number), clock(event.at), str(event.alive), event.what,
                    "; ".join(candidate_words(intent, settings) for settings in event.settings),
                )
                for event in tuning.events
            ),
            text_columns=0, folded="" if len(tuning.events) <= MOST_SHOWN else "What happened when",
        )  # fmt: skip
    unit = intent.goal.unit
    rows = tuple(
        (
            str(step.number), clock(step.at), step.part,
            candidate_words(intent, step.settings),
            units.show(step.figure, unit) if step.figure is not None else "failed",
            str(step.alive), candidate_words(intent, step.best) if step.best else "–", step.why,
        )
        for step in tuning.path
    )  # fmt: skip
    head = ("loop", "device time", "part", "candidate", "figure", "left", "best so far", "why")
    yield Cells(head, rows, text_columns=0, folded=f"All {len(rows)} loops in order")


def left_out(tuning: Tuning) -> Iterator[Block]:
    """What was not tried, or could not be."""
    intent = tuning.campaign.intent
    units_of = {setting.name: setting for setting in intent.vary}
    rows = [
        (
            f"{omitted.setting} = {in_words(units_of.get(omitted.setting), omitted.value)}",
            "not tried",
            omitted.reason,
        )
        for omitted in intent.left_out
    ]
    rows += [
        (candidate_words(intent, settings), "not tried", "excluded by the study")
        for settings in intent.excluded
    ]
    rows += [
        (candidate_words(intent, candidate.settings), "infeasible", candidate.reason)
        for candidate in tuning.campaign.candidates if candidate.state == "infeasible"
    ]  # fmt: skip
    if not rows:
        return
    yield Title("Not tried")
    yield Cells(("candidate or value", "", "reason"), tuple(rows), text_columns=3)


def costs(tuning: Tuning) -> Iterator[Block]:
    """Device time, and what the classic protocol would have taken."""
    spent, intent = tuning.costs, tuning.campaign.intent
    if not spent.spent:
        return
    yield Title("Cost")
    result = tuning.campaign.result
    parts = f"{clock(spent.loads)} of load, {clock(spent.changes)} of "
    parts += "changing settings, "
    if spent.moves:
        parts += f"{clock(spent.moves)} of building from place to place, "
    parts += f"over {spent.measurements} loops"
    if result is not None and result.proof:
        parts += f"; {clock(result.proof)} of it for the proof"
    several = sum(len(setting.values) > 1 for setting in intent.vary) > 1
    rows = [("this campaign", clock(spent.spent), "", parts)]
    if several:
        rows.append((
            "one setting at a time", clock(spent.one_at_a_time),
            f"{spent.one_at_a_time / spent.spent:.3g} ×",
            "five passes of a minute for each value; blind to what settings do together",
        ))  # fmt: skip
    rows.append((
        "every candidate", clock(spent.grid), f"{spent.grid / spent.spent:.3g} ×",
        f"five passes of a minute for each of {spent.candidates} candidates",
    ))  # fmt: skip
    yield Cells(
        ("protocol", "device time", "against this", "what for"), tuple(rows), frozenset({0})
    )
    yield Text("The other protocols are reckoned at what a change cost here, not measured.", "soft")
