"""The first screen of runs: the answer in a sentence, badges, the large figures, what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde import units
from iosonde.records.comparison import PROVEN, ComparedMetric, ComparedSheets, Outcome
from iosonde.records.run import RunState
from iosonde.records.sheet import RunSheet
from iosonde.report.blocks import TONES, Badge, Number, Tone, half
from iosonde.report.pivot import LabelledTrial, LoadGroup, changed_settings, proven_metrics
from iosonde.sentences import (
    OUTCOME_WORDS,
    arrival_words,
    metric_words,
    requirement_words,
    verdict_words,
)

_PHRASES, _EACH, _CHIPS, _PAIR = 4, 3, 8, 2


def loads_answer(
    groups: Sequence[LoadGroup], runs: Sequence[tuple[str, RunSheet]], compared: ComparedSheets
) -> str:
    """One sentence: verdicts of a comparison, else the headline of each load."""
    if compared.verdicts:
        return ". ".join(_against(groups, runs, compared)) + "."
    stopped = [sheet for _, sheet in runs if sheet.run.state is not RunState.FINISHED]
    lead = f"Not complete ({stopped[0].run.state.value}). " if stopped else ""
    phrases = [_phrase(group) for group in groups]
    if not phrases:
        return lead + "No loop was finished: there is no figure."
    more = f"; {len(phrases) - _PHRASES} more loads below" if len(phrases) > _PHRASES else ""
    return f"{lead}{'; '.join(phrases[:_PHRASES])}{more}."


def _phrase(group: LoadGroup) -> str:
    """Headlines of one load: each, or of many the least and the most."""
    if len(group.members) <= _EACH:
        figures = [_figure(member, len(group.members) > 1) for member in group.members]
        return f"{group.title}: {', '.join(figures)}"
    least, most = _ends(group)
    return (
        f"{group.title}: {len(group.members)} results from {_figure(least, True)} to "
        f"{_figure(most, True)}"
    )


def _ends(group: LoadGroup) -> tuple[LabelledTrial, LabelledTrial]:
    """The members with the least and the most of the first headline."""
    name = group.headlines[0]
    means = [(metric.mean, at) for at, member in enumerate(group.members)
             if (metric := member.metric(name))]  # fmt: skip
    return group.members[min(means)[1]], group.members[max(means)[1]]


def _figure(trial: LabelledTrial, several: bool) -> str:
    """The headline of a trial in words: "read 9,780 IOPS ± 1.2 %, p99 read latency 4 ms"."""
    metric = trial.metric(trial.trial.headline)
    if metric is None:
        return "no figure"
    text = units.show(metric.mean, metric.unit)
    text += f" ± {spread}" if (spread := half(metric)) != "–" else ""
    if several:
        return f"{trial.label} {text}"
    p99 = next((trial.metric(name) for name in (
        "sync.latency.p99", f"{trial.trial.headline.partition('.')[0]}.latency.p99",
    ) if trial.metric(name)), None)  # fmt: skip
    tail = f", {metric_words(p99.name)} {units.show(p99.mean, p99.unit)}" if p99 else ""
    way, _, figure = metric.name.rpartition(".")
    subject = way if figure in {"iops", "bandwidth"} else metric_words(metric.name)
    return f"{subject} {text}{tail}{arrival_words(trial.trial)}"


def _against(
    groups: Sequence[LoadGroup], runs: Sequence[tuple[str, RunSheet]], compared: ComparedSheets
) -> Iterator[str]:
    """Each run against the first, in its verdicts on the headlines of its loads."""
    baseline = runs[0][0]
    for label, sheet in runs[1:]:
        phrases = []
        for group in groups:
            judged = [
                (member, verdict) for member in group.members if member.run is sheet
                if (verdict := member.verdict(member.trial.headline, compared))
            ]  # fmt: skip
            if len(groups) == 1 and len(runs) == _PAIR and len(judged) == 1:
                member, _ = judged[0]
                judged += [
                    (member, verdict) for name in proven_metrics(group, compared)[:1]
                    if (verdict := member.verdict(name, compared))
                ]  # fmt: skip
            lead = f"{group.title}: " if len(groups) > 1 else ""
            phrases += [f"{lead}{phrase}" for phrase in _judged_words(judged, compared.margin)]
        more = f"; {len(phrases) - _PHRASES} more below" if len(phrases) > _PHRASES else ""
        listed = "; ".join(phrases[:_PHRASES]) or "nothing to compare"
        yield f"{label} against {baseline}{_pairs(sheet, compared)}: {listed}{more}"


def _pairs(sheet: RunSheet, compared: ComparedSheets) -> str:
    """How many pairs of loops in turns the verdicts on a run rest on; empty where none do."""
    pairs = {verdict.pairs for verdict in compared.verdicts if verdict.candidate == sheet.run.id}
    counts = sorted(count for count in pairs if count)
    return f" (in turns, {counts[0]} pairs)" if counts else ""


def _judged_words(
    judged: Sequence[tuple[LabelledTrial, ComparedMetric]], margin: float
) -> Iterator[str]:
    """Verdicts on one load; those of several places that agree are one phrase."""
    alike: dict[tuple[str, Outcome], list[tuple[LabelledTrial, ComparedMetric]]] = {}
    for member, verdict in judged:
        alike.setdefault((verdict.metric, verdict.outcome), []).append((member, verdict))
    for (metric, outcome), verdicts in alike.items():
        changes = [verdict.change for _, verdict in verdicts if verdict.change is not None]
        if len(verdicts) > 1 and changes:
            least, most = units.show_change(min(changes)), units.show_change(max(changes))
            span = least if least == most else units.show_changes(min(changes), max(changes))
            word = OUTCOME_WORDS[outcome]
            where = f"at {len(verdicts)} of {len(judged)} places"
            yield f"{metric_words(metric)} {word} {where} ({span})"
            continue
        for member, verdict in verdicts:
            where = f" at {member.place}" if member.place and member.place != member.label else ""
            yield verdict_words(verdict, margin, verdict.reason) + where


def tone_of(runs: Sequence[RunSheet], compared: ComparedSheets) -> Tone:
    """Of the answer: unsure where a run did not finish or verdicts contradict each other."""
    outcomes = {verdict.outcome for verdict in compared.verdicts}
    if any(sheet.run.state is not RunState.FINISHED for sheet in runs):
        return Tone.UNSURE
    if outcomes >= {Outcome.BETTER, Outcome.WORSE}:
        return Tone.UNSURE
    for outcome in (Outcome.BETTER, Outcome.WORSE, Outcome.UNDECIDED):
        if outcome in outcomes:
            return TONES[outcome]
    return Tone.PLAIN


def badges_of(runs: Sequence[RunSheet], compared: ComparedSheets) -> Iterator[Badge]:
    """What was required, and how sure it is: state, loops, flags, faults."""
    tones = {"pass": Tone.GOOD, "fail": Tone.BAD, "undecided": Tone.UNSURE}
    for result in (result for sheet in runs for result in sheet.requirements):
        where = f", {result.trial}" if len(runs[0].trials) > 1 and result.trial else ""
        yield Badge(f"{requirement_words(result)}{where}", tones[result.verdict])
    for state in dict.fromkeys(sheet.run.state for sheet in runs):
        if state is not RunState.FINISHED:
            yield Badge(state.value, Tone.BAD if state is RunState.FAILED else Tone.UNSURE)
    trials = [trial.trial for sheet in runs for trial in sheet.trials]
    loops = sorted({len(trial.counted) for trial in trials})
    if loops and loops[-1] < 2:
        yield Badge("one loop: no interval" if loops[-1] else "no loop", Tone.UNSURE)
    elif loops:
        span = f"{loops[0]} to {loops[-1]}" if len(loops) > 1 else f"{loops[0]}"
        yield Badge(f"{span} loops of each trial, 95 % intervals")
    if compared.verdicts:
        yield Badge("verdicts hold together with 95 %")
    for flag in dict.fromkeys(flag for trial in trials for flag in trial.flags):
        yield Badge(flag, Tone.UNSURE)
    if faults := sum(len(trial.faults) for trial in trials):
        yield Badge(f"{faults} fault{'s' * (faults != 1)}", Tone.BAD)


def numbers_of(groups: Sequence[LoadGroup], compared: ComparedSheets) -> Iterator[Number]:
    """Changes of a comparison, the proven ones first; else the headlines, then latencies."""
    if compared.verdicts:
        judged = [
            (group, member, verdict)
            for group in groups for member in group.members
            for name in (*member.trial.headlines, *proven_metrics(group, compared))
            if (verdict := member.verdict(name, compared)) and verdict.change is not None
            and (verdict.headline or verdict.outcome in PROVEN)
        ]  # fmt: skip
        for group, member, verdict in sorted(
            judged, key=lambda row: (row[2].outcome not in PROVEN, not row[2].headline)
        ):
            first, second = (units.show(figure, verdict.unit) for figure in verdict.figures)
            title = "" if group.title == metric_words(verdict.metric) else f"{group.title}, "
            yield Number(
                units.show_change(verdict.change or 0.0),
                f"{title}{metric_words(verdict.metric)}, {member.label}",
                f"{first} → {second}: {OUTCOME_WORDS[verdict.outcome]}",
                TONES[verdict.outcome],
            )
        return
    headlines = [
        (group, member, metric)
        for names in (_main_names, _latency_names) for group in groups
        for member in (group.members if len(group.members) <= _EACH else reversed(_ends(group)))
        for name in names(member) if (metric := member.metric(name))
    ]  # fmt: skip
    for group, member, metric in headlines:
        label = member.label if len(group.members) > 1 else group.title
        loops = f"{len(metric.loops)} loop{'s' * (len(metric.loops) != 1)}"
        spread = half(metric)
        yield Number(
            units.show(metric.mean, metric.unit), f"{metric_words(metric.name)}, {label}",
            f"± {spread}, {loops}" if spread != "–" else loops,
        )  # fmt: skip


def _main_names(member: LabelledTrial) -> tuple[str, ...]:
    return member.trial.headlines


def _latency_names(member: LabelledTrial) -> tuple[str, ...]:
    way = member.trial.headline.partition(".")[0]
    return f"{way}.latency.p99", f"{way}.latency.mean"


def chips_of(groups: Sequence[LoadGroup], compared: ComparedSheets) -> Iterator[tuple[str, str]]:
    """What changed between runs; of one run what was asked for."""
    changed = changed_settings(compared)
    for name, values in changed[:_CHIPS]:
        yield name, " → ".join(values)
    if len(changed) > _CHIPS:
        yield "more settings that differ", str(len(changed) - _CHIPS)
    if compared.settings or compared.verdicts:
        return
    trials = [member.trial.trial for group in groups for member in group.members]
    tools = [
        f"{trial.load.engine} {trial.loops[0].result.tool_version.removeprefix(trial.load.engine)}"
        for trial in trials if trial.loops
    ]  # fmt: skip
    for name, texts in (
        ("load", [trial.load.name for trial in trials]),
        ("measured at", [trial.probe for trial in trials]),
        ("tool", [tool.replace(" -", " ").strip() for tool in tools]),
    ):
        distinct = [text for text in dict.fromkeys(texts) if text]
        if distinct:
            more = f" and {len(distinct) - 3} more" if len(distinct) > 3 else ""
            yield name, ", ".join(distinct[:3]) + more
