"""A campaign as a page tells it: the answer, its proof, tables, effects, path, costs.

Written once as blocks; html.py and markdown.py each know how a block looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from iosonde import units
from iosonde.campaign import Intent, Native
from iosonde.records import Outcome, Run, RunSheet, TrialSheet
from iosonde.report.blocks import (
    Block,
    Cells,
    Lines,
    Pictures,
    Text,
    Title,
    clock,
    half,
    in_words,
    interval,
    show_value,
    signed,
    words,
)
from iosonde.report.charts import Figure
from iosonde.report.tuning_charts import (
    interaction_figure,
    main_figures,
    path_figures,
    proof_figure,
    table_figure,
)
from iosonde.tuning import CampaignSheet, Change, Interaction, Tuning, ValueRow, ValueTable

_SHOWN = 20
"""Candidates of the table that are seen at once; the others are folded in."""
_MOST_PAIRS = 6
_NOTES = {"equivalent": "as good as the pick", "eliminated": "behind"}
_STEPWISE = {"sweep", "staged"}
"""Strategies that keep a setting's best value for the settings that follow."""
_WORDS = {
    Outcome.BETTER: "better",
    Outcome.WORSE: "worse",
    Outcome.EQUIVALENT: "no difference worth having",
    Outcome.UNDECIDED: "undecided",
}


def tuning_of(sheet: RunSheet) -> Tuning | None:
    """What there is to tell of a campaign; None of a run that is none."""
    return sheet.tuning if isinstance(sheet, CampaignSheet) else None


def shown(sheet: RunSheet) -> tuple[TrialSheet, ...]:
    """The trials that are shown at length: of a campaign what was in force and the pick."""
    tuning = tuning_of(sheet)
    if tuning is None:
        return sheet.trials
    campaign = tuning.campaign
    wanted = [{one.name: one.default for one in campaign.intent.vary}]
    wanted += [dict(campaign.result.pick)] if campaign.result else []
    trials = {one.trial for one in campaign.measurements if dict(one.settings) in wanted}
    return tuple(one for one in sheet.trials if one.trial.id in trials)


def blocks(run: Run, tuning: Tuning) -> Iterator[Block]:
    """The whole account of a campaign, the answer first."""
    yield from _answer(tuning)
    yield from _proof(tuning)
    yield from _permanent(run, tuning)
    yield from _tables(tuning)
    yield from _candidates(tuning)
    yield from _effects(tuning)
    yield from _path(tuning)
    yield from _left_out(tuning)
    yield from _costs(tuning)


def figures_of_campaign(run: Run, tuning: Tuning) -> Iterator[Figure]:
    """All charts of a campaign, in the order of its account."""
    for block in blocks(run, tuning):
        if isinstance(block, Pictures):
            yield from block.figures


def _answer(tuning: Tuning) -> Iterator[Block]:
    """The answer in a sentence, what was wanted, and what is in force now."""
    campaign, result = tuning.campaign, tuning.campaign.result
    intent = campaign.intent
    if result is None:
        yield Text(
            f"The campaign is not over: {len(campaign.measurements)} measurements are kept, and "
            f"`iosonde tune --resume {campaign.run}` goes on with them. What follows is what they "
            "show, and proves nothing yet.", "note",
        )  # fmt: skip
    else:
        yield Text(f"{result.sentence[:1].upper()}{result.sentence[1:]}.", "note")
    yield Cells(("", ""), tuple(_facts(intent, tuning)), words=2)
    if result is None:
        return
    rows = tuple(
        (one.name, show_value(one, one.default), show_value(one, result.winner[one.name]))
        for one in intent.vary
    )  # fmt: skip
    changed = frozenset(at for at, (_, before, after) in enumerate(rows) if before != after)
    answer = "best" if result.confirmed else "stays"
    yield Cells(("setting", "in force before", answer), rows, changed, words=3)


def _facts(intent: Intent, tuning: Tuning) -> Iterator[tuple[str, str]]:
    goal, result = intent.goal, tuning.campaign.result
    word = "as much" if goal.higher else "as little"
    limits = f", subject to {'; '.join(goal.limits)}" if goal.limits else ""
    yield "wanted", f"{word} {goal.metric} as possible{limits}"
    margin, level = units.show_fraction(goal.margin), units.show_fraction(goal.level)
    yield "worth having", f"{margin} or more; wrong in {level} of campaigns at the most"
    yield "hosts", ", ".join(intent.hosts)
    tried = len(tuning.candidates)
    yield (
        "tried",
        (
            f"{tried} of {tuning.costs.candidates} candidates, strategy {intent.strategy}, "
            f"{tuning.costs.measurements} loops of {units.show_seconds(goal.seconds)}"
        ),
    )
    if intent.hopeful:
        hoped = "; ".join(words(intent, one) for one in intent.hopeful)
        yield "looked at first", f"{hoped}, as the prior {intent.prior} ranks them"
    budget = "" if goal.budget is None else f" of {units.show_seconds(goal.budget)} granted"
    yield "device time", f"{clock(tuning.costs.spent)}{budget}"
    if result is not None:
        yield "now in force", (
            "the winner, until the next boot; `iosonde rollback` puts it back"
            if result.applied else "what was in force before: everything is put back"
        )  # fmt: skip


def _proof(tuning: Tuning) -> Iterator[Block]:
    """Before and after, by fresh loops."""
    result, goal = tuning.campaign.result, tuning.campaign.intent.goal
    if result is None:
        return
    yield Title("Before and after")
    gain = result.gain
    if gain is None:
        yield Text(f"There is nothing to prove: {result.reason}.")
        return
    pick, pairs = words(tuning.campaign.intent, result.pick), len(tuning.pairs)
    yield Text(
        f"The search's pick, {pick}, was measured against what was in force in {pairs} "
        f"pair{'s' * (pairs != 1)} of fresh loops, each in random order. The figures by which it "
        "was picked do not count, because they favour it."
    )
    change = units.show(gain.change, "fraction")
    head = ("", *(f"pair {at}" for at in range(1, len(tuning.pairs) + 1)), "mean")
    if tuning.pairs and len(tuning.pairs) <= 8:
        yield Cells(head, tuple(_proof_rows(tuning)))
    sure = units.show_fraction(1 - goal.level)
    yield Cells(
        (goal.metric, f"interval ({sure})", "verdict"),
        ((signed(gain.change) if gain.change is not None else change,
          interval(gain.interval), _WORDS[gain.outcome]),),
        frozenset({0}),
    )  # fmt: skip
    if figure := proof_figure(tuning):
        yield Pictures((figure,))


def _proof_rows(tuning: Tuning) -> Iterator[tuple[str, ...]]:
    unit = tuning.campaign.intent.goal.unit
    for name, figures in (
        ("before", [one.before for one in tuning.pairs]),
        ("after", [one.after for one in tuning.pairs]),
    ):
        mean = sum(figures) / len(figures)
        yield (name, *(units.show(one, unit) for one in figures), units.show(mean, unit))
    yield ("change", *(signed(one.change) for one in tuning.pairs), "")


def _permanent(run: Run, tuning: Tuning) -> Iterator[Block]:
    """The commands that set the winner and keep it."""
    result = tuning.campaign.result
    if result is None or not result.commands:
        return
    yield Title("To keep it" if result.applied else "To have it, and to keep it")
    yield Lines(result.commands)
    yield from _native(result.native)
    yield Text(
        "`iosonde persist --diff` shows beforehand what is written into which file of the host's "
        f"configuration, each marked with the study {run.study}; `iosonde persist --undo` takes it "
        "away again. `iosonde rollback` puts back what is in force.", "soft",
    )  # fmt: skip


def _native(kept: Sequence[Native]) -> Iterator[Block]:
    """The host's own configuration, file by file."""
    if not kept:
        return
    yield Text("`persist` writes this into the hosts' own configuration:")
    lines: dict[str, list[str]] = {}
    for one in kept:
        place = f"# {one.host}:{one.file}" if one.file else f"# {one.host}"
        lines.setdefault(place, [])
        if one.note:
            lines[place].append(f"# {one.setting}: {one.note}")
        if one.line:
            lines[place].append(one.line)
    yield Lines(tuple(line for place, some in lines.items() for line in (place, *some)))


def _tables(tuning: Tuning) -> Iterator[Block]:
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
        stage = f" (stage {table.stage})" if table.stage else ""
        yield Title(f"{table.varied.name}{stage}", 3)
        if held := words(intent, table.held):
            yield Text(f"With {held}.", "soft")
        rows = tuple(_value_cells(table, row, tuning) for row in table.rows)
        yield Cells(_VALUE_HEAD, rows, _best(table.rows, tuning))
        if table.untried:
            names = ", ".join(show_value(table.varied, one) for one in table.untried)
            yield Text(f"Not measured with the others so: {names}.", "soft")
        if figure := table_figure(table, intent.goal.metric):
            yield Pictures((figure,))


_VALUE_HEAD = ("value", "result", "± 95 %", "loops", "change", "interval", "verdict", "note")


def _value_cells(table: ValueTable, row: ValueRow, tuning: Tuning) -> tuple[str, ...]:
    notes = ["in force before"] if row.value == table.reference else []
    result, kept = tuning.campaign.result, tuning.campaign.intent.strategy in _STEPWISE
    if kept and result and row.value == result.pick[table.varied.name]:
        row, notes = replace(row, note=""), [*notes, "kept"]
    return (show_value(table.varied, row.value), *_result_cells(row, notes, tuning))


def _result_cells(row: ValueRow, notes: Sequence[str], tuning: Tuning) -> tuple[str, ...]:
    """Result, spread, loops, change, interval, verdict, note."""
    unit, result = tuning.campaign.intent.goal.unit, tuning.campaign.result
    picked = result is not None and dict(row.settings) == dict(result.pick)
    stays = result is not None and dict(result.pick) == dict(result.baseline)
    note = ("stays" if stays else "picked") if picked else _NOTES.get(row.note, row.note)
    told = [*notes, *([note] if note else [])]
    return (
        units.show(row.metric.mean, unit) if row.metric else "–",
        half(row.metric), str(row.loops), *_change_cells(row.change), ", ".join(told),
    )  # fmt: skip


def _change_cells(change: Change | None) -> tuple[str, str, str]:
    if change is None:
        return "", "", ""
    return signed(change.change), interval(change.interval), _WORDS[change.outcome]


def _best(rows: Sequence[ValueRow], tuning: Tuning) -> frozenset[int]:
    """The pick's row, where it is among them."""
    result = tuning.campaign.result
    if result is None:
        return frozenset()
    return frozenset(at for at, row in enumerate(rows) if dict(row.settings) == dict(result.pick))


def _candidates(tuning: Tuning) -> Iterator[Block]:
    """All candidates, where settings were varied together."""
    intent = tuning.campaign.intent
    if sum(len(one.values) > 1 for one in intent.vary) < 2:
        return
    yield Title("All candidates")
    yield Text("Against what was in force before, the best first.", "soft")
    baseline = {one.name: one.default for one in intent.vary}
    rows = []
    for row in tuning.candidates:
        notes = ["in force before"] if dict(row.settings) == baseline else []
        values = (show_value(one, row.settings[one.name]) for one in intent.vary)
        rows.append((*values, *_result_cells(row, notes, tuning)))
    head = (*(one.name for one in intent.vary), *_VALUE_HEAD[1:])
    bold, count = _best(tuning.candidates, tuning), len(intent.vary)
    yield Cells(head, tuple(rows[:_SHOWN]), frozenset(one for one in bold if one < _SHOWN), count)
    if rest := rows[_SHOWN:]:
        more = frozenset(one - _SHOWN for one in bold if one >= _SHOWN)
        yield Cells(head, tuple(rest), more, count, f"{len(rest)} more candidates")


def _effects(tuning: Tuning) -> Iterator[Block]:
    """What each setting does by itself, and what two do together."""
    effects = tuning.effects
    if not effects.main:
        return
    yield Title("What each setting does, and what they do together")
    yield Text(
        f"One fit of all {effects.loops} loops of the search: each value's effect is averaged over "
        "the values of all other settings, and is what it takes the metric off the mean of all "
        f"candidates. A loop scatters by {units.show_fraction(effects.noise)}.", "soft",
    )  # fmt: skip
    if effects.apart:
        count = effects.apart + effects.together
        yield Text(
            f"Of {count} pairs of values of two settings {effects.apart} were never measured "
            "together. For them the fit takes it that effects add up, and the intervals below do "
            "not count that this may be wrong."
        )
    ordered = sorted(effects.main, key=lambda one: -one.span)
    rows = [
        (one.varied.name if at == 0 else "", show_value(one.varied, level.value),
         signed(level.effect), interval(level.interval))
        for one in ordered for at, level in enumerate(one.levels)
    ]  # fmt: skip
    yield Cells(("setting", "value", "main effect", "interval (95 %)"), tuple(rows), words=2)
    yield Pictures(tuple(main_figures(ordered)))
    if not effects.pairs:
        return
    seen = sorted((one for one in effects.pairs if one.seen), key=lambda one: -one.largest)
    yield Text(_interaction_sentence(seen, len(effects.pairs)))
    for one in seen[:_MOST_PAIRS]:
        yield _pair_cells(one)
    if seen:
        higher = tuning.campaign.intent.goal.higher
        yield Pictures(tuple(interaction_figure(one, higher=higher) for one in seen[:_MOST_PAIRS]))


def _interaction_sentence(seen: Sequence[Interaction], count: int) -> str:
    if not seen:
        return (
            "No two settings are seen to act together: what each does by itself adds up, as far as "
            "these loops can tell."
        )
    names = "; ".join(
        f"{one.first.name} with {one.second.name} (up to {units.show_fraction(one.largest)})"
        for one in seen
    )
    others = "" if len(seen) == count else f"; of the other {count - len(seen)} nothing is seen"
    return f"Settings that act together, beyond what each does by itself: {names}{others}."


def _pair_cells(one: Interaction) -> Cells:
    known = {(a, b): effect for a, b, effect in one.cells}
    head = (f"{one.first.name} \\ {one.second.name}", *(
        show_value(one.second, value) for value in one.second.values
    ))  # fmt: skip
    rows = tuple(
        (show_value(one.first, a), *(
            signed(known[a, b]) if (a, b) in known else "–" for b in one.second.values
        ))
        for a in one.first.values
    )  # fmt: skip
    return Cells(head, rows)


def _path(tuning: Tuning) -> Iterator[Block]:
    """Loops in order, candidates alive, the best so far."""
    if not tuning.path:
        return
    intent = tuning.campaign.intent
    yield Title("The path of the search")
    yield Pictures(tuple(path_figures(tuning)))
    if tuning.events:
        yield Cells(
            ("loop", "device time", "left", "what happened", "candidate"),
            tuple(
                (
                    str(one.number), clock(one.at), str(one.alive), one.what,
                    "; ".join(words(intent, settings) for settings in one.settings),
                )
                for one in tuning.events
            ),
            words=0, folded="" if len(tuning.events) <= _SHOWN else "What happened when",
        )  # fmt: skip
    unit = intent.goal.unit
    rows = tuple(
        (
            str(step.number), clock(step.at), step.part,
            words(intent, step.settings),
            units.show(step.figure, unit) if step.figure is not None else "failed",
            str(step.alive), words(intent, step.best) if step.best else "–", step.why,
        )
        for step in tuning.path
    )  # fmt: skip
    head = ("loop", "device time", "part", "candidate", "figure", "left", "best so far", "why")
    yield Cells(head, rows, words=0, folded=f"All {len(rows)} loops in order")


def _left_out(tuning: Tuning) -> Iterator[Block]:
    """What was not tried, or could not be."""
    intent = tuning.campaign.intent
    units_of = {one.name: one for one in intent.vary}
    rows = [
        (f"{one.setting} = {in_words(units_of.get(one.setting), one.value)}", "not tried",
         one.reason)
        for one in intent.left_out
    ]  # fmt: skip
    rows += [(words(intent, one), "not tried", "excluded by the study") for one in intent.excluded]
    rows += [
        (words(intent, one.settings), "infeasible", one.reason)
        for one in tuning.campaign.candidates if one.state == "infeasible"
    ]  # fmt: skip
    if not rows:
        return
    yield Title("What was left out, and why")
    yield Cells(("candidate or value", "", "reason"), tuple(rows), words=3)


def _costs(tuning: Tuning) -> Iterator[Block]:
    """Device time, and what the classic protocol would have taken."""
    costs, intent = tuning.costs, tuning.campaign.intent
    if not costs.spent:
        return
    yield Title("What it cost")
    result = tuning.campaign.result
    parts = f"{clock(costs.loads)} of load, {clock(costs.changes)} of "
    parts += f"changing settings, over {costs.measurements} loops"
    if result is not None and result.proof:
        parts += f"; {clock(result.proof)} of it for the proof"
    several = sum(len(one.values) > 1 for one in intent.vary) > 1
    rows = [("this campaign", clock(costs.spent), "", parts)]
    if several:
        rows.append((
            "one setting at a time", clock(costs.one_at_a_time),
            f"{costs.one_at_a_time / costs.spent:.3g} ×",
            "five passes of a minute for each value; blind to what settings do together",
        ))  # fmt: skip
    rows.append((
        "every candidate", clock(costs.grid), f"{costs.grid / costs.spent:.3g} ×",
        f"five passes of a minute for each of {costs.candidates} candidates",
    ))  # fmt: skip
    yield Cells(
        ("protocol", "device time", "against this", "what for"), tuple(rows), frozenset({0})
    )
    yield Text("The other protocols are reckoned at what a change cost here, not measured.", "soft")
