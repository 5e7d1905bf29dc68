"""A campaign as a page tells it: the answer, its proof, tables, effects, path, costs.

Written once as blocks; page.py and markdown.py each know how a block looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde import units
from iosonde.records.campaign import Intent, Native
from iosonde.records.campaign_sheet import CampaignSheet, Tuning
from iosonde.records.run import Run
from iosonde.records.sheet import RunSheet, TrialSheet
from iosonde.report.blocks import (
    TONES,
    Badge,
    Block,
    Cells,
    Lines,
    Number,
    Pictures,
    Text,
    Title,
    Tone,
    candidate_words,
    clock,
    interval,
    show_value,
)
from iosonde.report.page import PageHead
from iosonde.report.tuning_charts import proof_figure, table_figure
from iosonde.report.tuning_effects import effects
from iosonde.report.tuning_path import costs, left_out, path
from iosonde.report.tuning_tables import candidates, tables
from iosonde.sentences import OUTCOME_WORDS, metric_words


def tuning_of(sheet: RunSheet) -> Tuning | None:
    """What there is to tell of a campaign; None of a run that is none."""
    return sheet.tuning if isinstance(sheet, CampaignSheet) else None


def shown(sheet: RunSheet) -> tuple[TrialSheet, ...]:
    """The trials that are shown at length: of a campaign what was in force and the pick."""
    tuning = tuning_of(sheet)
    if tuning is None:
        return sheet.trials
    campaign = tuning.campaign
    wanted = [{setting.name: setting.default for setting in campaign.intent.vary}]
    wanted += [dict(campaign.result.pick)] if campaign.result else []
    trials = {
        measurement.trial
        for measurement in campaign.measurements
        if dict(measurement.settings) in wanted
    }
    return tuple(trial for trial in sheet.trials if trial.trial.id in trials)


def campaign_head(sheet: RunSheet) -> PageHead | None:
    """The answer of a campaign, its proof, and what it changes; None of a run that is none."""
    tuning = tuning_of(sheet)
    if tuning is None:
        return None
    intent, result = tuning.campaign.intent, tuning.campaign.result
    proof = proof_figure(tuning)
    tables = [table_figure(table, intent.goal.metric) for table in tuning.tables]
    return PageHead(
        answer=_sentence(tuning),
        tone=Tone.GOOD if result and result.confirmed else Tone.PLAIN if result else Tone.UNSURE,
        badges=(
            Badge("confirmed by fresh loops", Tone.GOOD) if result and result.confirmed
            else Badge("no proven gain" if result else "not over", Tone.UNSURE),
            Badge(_risks(intent)),
            *((Badge("in force now", Tone.GOOD),) if result and result.applied else ()),
        ),
        numbers=tuple(_numbers(tuning)),
        chips=tuple(_changes(tuning)) or (("changed", "nothing"),),
        figures=tuple(figure for figure in (proof, *tables) if figure)[:3],
    )  # fmt: skip


def _numbers(tuning: Tuning) -> Iterator[Number]:
    """The gain, before and after, loops, device time."""
    campaign, result = tuning.campaign, tuning.campaign.result
    goal = campaign.intent.goal
    if result and result.gain and result.gain.change is not None:
        gain = result.gain
        yield Number(
            units.show_change(result.gain.change), f"{metric_words(goal.metric)}, the pick",
            f"{interval(gain.interval)}: {OUTCOME_WORDS[gain.outcome]}", TONES[gain.outcome],
        )  # fmt: skip
        if tuning.pairs:
            before, after = (
                units.show(sum(side) / len(tuning.pairs), goal.unit)
                for side in zip(*((pair.before, pair.after) for pair in tuning.pairs), strict=True)
            )
            yield Number(after, f"{metric_words(goal.metric)} with the pick", f"before {before}")
    yield Number(
        f"{len(tuning.candidates)} of {tuning.costs.candidates}", "candidates tried",
        f"{tuning.costs.measurements} loops of {units.show_seconds(goal.seconds)}",
    )  # fmt: skip
    yield Number(clock(tuning.costs.spent), "device time", f"strategy {campaign.intent.strategy}")


def _changes(tuning: Tuning) -> Iterator[tuple[str, str]]:
    """Settings that the answer changes, before and after."""
    result = tuning.campaign.result
    for setting in tuning.campaign.intent.vary:
        if result and result.winner[setting.name] != setting.default:
            after = show_value(setting, result.winner[setting.name])
            yield setting.name, f"{show_value(setting, setting.default)} → {after}"


def campaign_sections(sheet: RunSheet) -> Iterator[Block]:
    """All of a campaign but its answer: what was asked, proof, commands, tables, path, costs."""
    tuning = tuning_of(sheet)
    if tuning is None:
        return
    yield Title("Goal and answer")
    yield from _asked(tuning)
    yield from _proof(tuning)
    yield from _permanent(sheet.run, tuning)
    yield from tables(tuning)
    yield from candidates(tuning)
    yield from effects(tuning)
    yield from path(tuning)
    yield from left_out(tuning)
    yield from costs(tuning)


def _asked(tuning: Tuning) -> Iterator[Block]:
    """What was wanted, and what is in force now."""
    campaign, result = tuning.campaign, tuning.campaign.result
    intent = campaign.intent
    yield Cells(("", ""), tuple(_facts(intent, tuning)), text_columns=2)
    if result is None:
        return
    rows = tuple(
        (
            setting.name,
            show_value(setting, setting.default),
            show_value(setting, result.winner[setting.name]),
        )
        for setting in intent.vary
    )
    changed = frozenset(at for at, (_, before, after) in enumerate(rows) if before != after)
    answer = "best" if result.confirmed else "stays"
    yield Cells(("setting", "previous setting", answer), rows, changed, text_columns=3)


def _sentence(tuning: Tuning) -> str:
    """The answer: what is best, by how much, and how that is known."""
    campaign, result = tuning.campaign, tuning.campaign.result
    if result is None:
        return (
            f"The campaign is not over: {len(campaign.measurements)} measurements are kept, and "
            f"`iosonde tune --resume {campaign.run}` goes on with them. What follows is what they "
            "show, and proves nothing yet."
        )
    gain, goal = result.gain, tuning.campaign.intent.goal
    if not result.confirmed or gain is None or gain.change is None:
        return f"{result.sentence[:1].upper()}{result.sentence[1:]}."
    chosen = {
        name: value for name, value in result.winner.items() if value != result.baseline[name]
    }
    pairs = len(tuning.pairs)
    return (
        f"Best: {candidate_words(tuning.campaign.intent, chosen)}: {metric_words(goal.metric)} "
        f"{units.show_change(gain.change)} ({interval(gain.interval)}), proven by {pairs} "
        f"pair{'s' * (pairs != 1)} of fresh loops."
    )


def _facts(intent: Intent, tuning: Tuning) -> Iterator[tuple[str, str]]:
    goal, result = intent.goal, tuning.campaign.result
    word = "maximise" if goal.higher else "minimise"
    limits = f", subject to {'; '.join(goal.limits)}" if goal.limits else ""
    yield "goal", f"{word} {metric_words(goal.metric)}{limits}"
    yield "margin", f"{units.show_fraction(goal.margin)} or more"
    yield "error rates", _risks(intent)
    yield "hosts", ", ".join(intent.hosts)
    if len(tuning.campaign.places) > 1:
        yield "measured at", ", ".join(tuning.campaign.places)
    tried = len(tuning.candidates)
    yield (
        "tried",
        (
            f"{tried} of {tuning.costs.candidates} candidates, strategy {intent.strategy}, "
            f"{tuning.costs.measurements} loops of {units.show_seconds(goal.seconds)}"
        ),
    )
    if intent.hopeful:
        hoped = "; ".join(candidate_words(intent, settings) for settings in intent.hopeful)
        yield "looked at first", f"{hoped}, as the prior {intent.prior} ranks them"
    budget = "" if goal.budget is None else f" of {units.show_seconds(goal.budget)} granted"
    yield "device time", f"{clock(tuning.costs.spent)}{budget}"
    if result is not None:
        yield "now in force", (
            "the winner, until the next boot; `iosonde rollback` puts it back"
            if result.applied else "the previous settings: everything is restored"
        )  # fmt: skip


def _risks(intent: Intent) -> str:
    """How often the answer may be wrong; what a race picks has a probability of its own."""
    goal = intent.goal
    proof = f"false-win risk ≤ {units.show_fraction(goal.level)}"
    if intent.strategy not in {"race", "staged"}:
        return proof
    pick = units.show_fraction(goal.level if goal.pick_level is None else goal.pick_level)
    return f"{proof}, missed-best risk ≤ {pick}"


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
    pick, pairs = candidate_words(tuning.campaign.intent, result.pick), len(tuning.pairs)
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
        (metric_words(goal.metric), f"interval ({sure})", "verdict"),
        ((units.show_change(gain.change) if gain.change is not None else change,
          interval(gain.interval), OUTCOME_WORDS[gain.outcome]),),
        frozenset({0}),
    )  # fmt: skip
    if figure := proof_figure(tuning):
        yield Pictures((figure,))


def _proof_rows(tuning: Tuning) -> Iterator[tuple[str, ...]]:
    unit = tuning.campaign.intent.goal.unit
    for name, figures in (
        ("before", [pair.before for pair in tuning.pairs]),
        ("after", [pair.after for pair in tuning.pairs]),
    ):
        mean = sum(figures) / len(figures)
        yield (name, *(units.show(figure, unit) for figure in figures), units.show(mean, unit))
    yield ("change", *(units.show_change(pair.change) for pair in tuning.pairs), "")


def _permanent(run: Run, tuning: Tuning) -> Iterator[Block]:
    """The commands that set the winner and keep it."""
    result = tuning.campaign.result
    if result is None or not result.commands:
        return
    yield Title("Make permanent" if result.applied else "Apply and make permanent")
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
    for native in kept:
        place = f"# {native.host}:{native.file}" if native.file else f"# {native.host}"
        lines.setdefault(place, [])
        if native.note:
            lines[place].append(f"# {native.setting}: {native.note}")
        if native.line:
            lines[place].append(native.line)
    yield Lines(tuple(line for place, some in lines.items() for line in (place, *some)))
