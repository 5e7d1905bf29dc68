"""Runs as one page: of a run, a comparison, an import or a campaign."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.comparison import ALONE, ComparedMetric, ComparedSheets, Outcome
from iosonde.records.finding import Finding
from iosonde.records.run import RunState
from iosonde.records.sheet import RunSheet
from iosonde.report.blocks import (
    TONES,
    Badge,
    Block,
    Number,
    Pictures,
    Title,
    Tone,
    half,
)
from iosonde.report.captured import strip
from iosonde.report.charts import (
    Figure,
    PlottedBar,
    bars_figure,
    forest_figure,
)
from iosonde.report.courses import courses, latency_figures
from iosonde.report.curves import curve_answer, curve_blocks, curve_figures, overlaid_figures
from iosonde.report.findings import counts, grouped
from iosonde.report.forecasts import forecast_blocks
from iosonde.report.format import Format
from iosonde.report.page import Page, moment, render
from iosonde.report.pivot import LabelledTrial, LoadGroup, by_load, changed_settings, run_labels
from iosonde.report.sections import (
    OUTCOME_WORDS,
    appendix,
    joint_blocks,
    problem_blocks,
    results,
)
from iosonde.report.steady import (
    is_saturation,
    saturation_answer,
    saturation_figures,
    steady_answer,
    steady_blocks,
    steady_figures,
    steady_numbers,
    steady_tone,
)
from iosonde.report.tuning import campaign_head, campaign_sections, shown, tuning_of
from iosonde.report.waterfall_chart import waterfall_blocks
from iosonde.sentences import arrival_words, metric_words, requirement_words, verdict_words

_NUMBERS, _PHRASES, _EACH, _CHIPS, _FIRST_FIGURES, _BARS = 4, 4, 3, 8, 3, 16


class HtmlFormat(Format):
    """The page of one or several runs."""

    name: ClassVar[str] = "html"
    suffix: ClassVar[str] = ".html"

    @override
    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        return render(page_of(runs, compared))


def answer_of(runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> str:
    """The first sentence of the page of one or several runs; what is between backticks is code."""
    campaigns = [sheet for sheet in runs if tuning_of(sheet)]
    if len(runs) == 1 and campaigns and (head := campaign_head(campaigns[0])):
        return head.answer
    windows = () if compared.verdicts else [window for sheet in runs for window in sheet.windows]
    if windows:
        return steady_answer(windows)
    if not compared.verdicts and len(runs) == 1 and is_saturation(runs[0]):
        return saturation_answer(runs[0])
    curves = () if compared.verdicts else [curve for sheet in runs for curve in sheet.curves]
    if curves:
        said = {forecast.trial: forecast for sheet in runs for forecast in sheet.forecasts}
        return curve_answer(curves, said)
    labels = run_labels(runs, compared) if len(runs) > 1 else [""]
    labelled = list(zip(labels, runs, strict=True))
    plain = [(label, sheet) for label, sheet in labelled if tuning_of(sheet) is None]
    return _answer(by_load(plain, [sheet.trials for _, sheet in plain]), labelled, compared)


def page_of(runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> Page:
    """The page of one or several runs, whatever it is written in."""
    labels = run_labels(runs, compared) if len(runs) > 1 else [""]
    labelled = list(zip(labels, runs, strict=True))
    plain = [(label, sheet) for label, sheet in labelled if tuning_of(sheet) is None]
    groups = by_load(plain, [sheet.trials for _, sheet in plain])
    problems = grouped(_findings(labelled))
    curves = () if compared.verdicts else [curve for sheet in runs for curve in sheet.curves]
    windows = () if compared.verdicts else [window for sheet in runs for window in sheet.windows]
    drawn = {point.trial for curve in curves for point in curve.points}
    if windows:
        stored = [trial.trial for sheet in runs for trial in sheet.trials]
        drawn |= {trial.id for trial in stored if trial.load.matrix}
    said = {forecast.trial: forecast for _, sheet in labelled for forecast in sheet.forecasts}
    overlaid = [(label, sheet.curves) for label, sheet in labelled] if compared.verdicts else []
    figures = [figure for sheet in runs if windows for figure in steady_figures(sheet)]
    saturated = not windows and not compared.verdicts and len(runs) == 1 and is_saturation(runs[0])
    if saturated:
        figures += saturation_figures(runs[0])
    figures += [*curve_figures(curves, said), *overlaid_figures(overlaid)]
    figures += _bars(_without_trials(groups, drawn), compared)
    if forest := forest_figure(_changes(groups, compared)):
        figures = [forest, *figures]
    measured = groups or by_load(labelled, [shown(sheet) for sheet in runs])
    if windows:
        measured = _without_trials(measured, drawn)
    latencies = latency_figures(measured)
    spare = max(0, _FIRST_FIGURES - len(figures))
    campaigns = [sheet for _, sheet in labelled if tuning_of(sheet)]
    head = campaign_head(campaigns[0]) if len(runs) == 1 and campaigns else None
    sections = [
        *_more_figures(figures[_FIRST_FIGURES:]),
        *(block for sheet in runs if not compared.verdicts for block in steady_blocks(sheet)),
        *curve_blocks(curves, said),
        *results(groups, labelled, compared),
        *(block for sheet in campaigns for block in campaign_sections(sheet)),
        *problem_blocks(problems, labelled),
        *waterfall_blocks([waterfall for _, sheet in labelled for waterfall in sheet.waterfalls]),
        *forecast_blocks([forecast for _, sheet in labelled for forecast in sheet.forecasts]),
        *(block for _, sheet in labelled for joint in sheet.joint for block in joint_blocks(joint)),
        *courses(measured, latencies if head else latencies[spare:]),
    ]
    return Page(
        title=", ".join(dict.fromkeys(sheet.run.study for sheet in runs)),
        about=tuple(_about(runs)),
        answer=head.answer if head else answer_of(runs, compared),
        tone=head.tone if head else steady_tone(windows) if windows else _tone(runs, compared),
        badges=(*(head.badges if head else _badges(runs, compared)), *counts(problems)),
        numbers=head.numbers
        if head
        else tuple(steady_numbers(windows) if windows else _numbers(groups, compared))[:_NUMBERS],
        chips=head.chips if head else tuple(_chips(groups, compared)),
        stack=strip([member for group in groups for member in group.members]) if groups else (),
        figures=head.figures if head else (*figures[:_FIRST_FIGURES], *latencies[:spare]),
        blocks=tuple(_without(sections, head.figures) if head else sections),
        appendix=tuple(appendix(labelled)),
    )


def _without_trials(groups: Sequence[LoadGroup], ids: Collection[str]) -> list[LoadGroup]:
    """Groups without the trials that curves show."""
    return [
        replace(group, members=kept)
        for group in groups
        if (kept := tuple(member for member in group.members if member.trial.trial.id not in ids))
    ]


def _without(blocks: Sequence[Block], figures: Sequence[Figure]) -> Iterator[Block]:
    """Blocks without the charts that the first screen has."""
    titles = {figure.title for figure in figures}
    for block in blocks:
        if not isinstance(block, Pictures):
            yield block
        elif rest := tuple(figure for figure in block.figures if figure.title not in titles):
            yield Pictures(rest)


def _about(runs: Sequence[RunSheet]) -> Iterator[str]:
    """What the page is of: kind, runs, when, hosts."""
    if len(runs) > 1:
        arms = {sheet.run.id.partition("/")[0] for sheet in runs} if runs[0].arms else set()
        names = ", ".join(sheet.run.id for sheet in runs)
        yield (
            f"run {min(arms)}, its arms in turns"
            if len(arms) == 1
            else f"{len(runs)} runs: {names}"
        )
        yield f"{moment(min(sheet.run.created for sheet in runs))} and later"
    else:
        run = runs[0].run
        yield f"{_kind(runs[0])} {run.id}"
        yield moment(run.created)
    trials = [trial.trial for sheet in runs for trial in sheet.trials]
    if hosts := list(dict.fromkeys(trial.host for trial in trials if trial.host)):
        yield f"host{'s' * (len(hosts) > 1)} {', '.join(hosts)}"
    if kernels := list(dict.fromkeys(
        host.kernel for trial in trials if trial.capture for host in trial.capture.hosts
    )):  # fmt: skip
        yield f"Linux {', '.join(kernels)}"


def _kind(sheet: RunSheet) -> str:
    if tuning_of(sheet):
        return "campaign"
    return "import" if any(trial.trial.origin for trial in sheet.trials) else "run"


# ── the answer ────────────────────────────────────────────────────────────────────────────────


def _answer(
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
            word = OUTCOME_WORDS.get(outcome, outcome.value)
            where = f"at {len(verdicts)} of {len(judged)} places"
            yield f"{metric_words(metric)} {word} {where} ({span})"
            continue
        for member, verdict in verdicts:
            where = f" at {member.place}" if member.place and member.place != member.label else ""
            yield verdict_words(verdict, margin, verdict.reason) + where


def _tone(runs: Sequence[RunSheet], compared: ComparedSheets) -> Tone:
    outcomes = {verdict.outcome for verdict in compared.verdicts}
    if any(sheet.run.state is not RunState.FINISHED for sheet in runs):
        return Tone.UNSURE
    if outcomes >= {Outcome.BETTER, Outcome.WORSE}:
        return Tone.UNSURE
    for outcome in (Outcome.BETTER, Outcome.WORSE, Outcome.UNDECIDED):
        if outcome in outcomes:
            return TONES[outcome]
    return Tone.PLAIN


def _badges(runs: Sequence[RunSheet], compared: ComparedSheets) -> Iterator[Badge]:
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


def _numbers(groups: Sequence[LoadGroup], compared: ComparedSheets) -> Iterator[Number]:
    """Changes of a comparison, the proven ones first; else the headlines, then latencies."""
    if compared.verdicts:
        judged = [
            (group, member, verdict)
            for group in groups for member in group.members for name in member.trial.headlines
            if (verdict := member.verdict(name, compared)) and verdict.change is not None
        ]  # fmt: skip
        proven = {Outcome.BETTER, Outcome.WORSE}
        for group, member, verdict in sorted(judged, key=lambda row: row[2].outcome not in proven):
            first, second = (units.show(figure, verdict.unit) for figure in verdict.figures)
            title = "" if group.title == metric_words(verdict.metric) else f"{group.title}, "
            yield Number(
                units.show_change(verdict.change or 0.0),
                f"{title}{metric_words(verdict.metric)}, {member.label}",
                f"{first} → {second}: {OUTCOME_WORDS.get(verdict.outcome, verdict.outcome.value)}",
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


def _chips(groups: Sequence[LoadGroup], compared: ComparedSheets) -> Iterator[tuple[str, str]]:
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


def _bars(groups: Sequence[LoadGroup], compared: ComparedSheets) -> list[Figure]:
    """One chart for each load and headline metric."""
    figures = []
    for group in groups:
        for name in group.headlines:
            bars = [
                PlottedBar(member.label, metric, member.verdict(name, compared))
                for member in group.members if (metric := member.metric(name))
            ]  # fmt: skip
            units_of = {bar.metric.unit for bar in bars}
            if len(units_of) == 1:
                figures.append(bars_figure(group.title, name, bars[:_BARS]))
    return figures


def _changes(
    groups: Sequence[LoadGroup], compared: ComparedSheets
) -> list[tuple[str, ComparedMetric]]:
    return [
        (f"{group.title} {member.label}" if len(groups) > 1 else member.label, verdict)
        for group in groups for member in group.members
        if (verdict := member.verdict(member.trial.headline, compared))
    ]  # fmt: skip


def _more_figures(figures: Sequence[Figure]) -> Iterator[Block]:
    if figures:
        yield Title("More loads")
        yield Pictures(tuple(figures))


def _findings(runs: Sequence[tuple[str, RunSheet]]) -> Iterator[tuple[str, Finding]]:
    """What the rules say of runs and trials; the trials' own are told by the run's, if at all."""
    for label, sheet in runs:
        in_run = {(finding.rule, finding.message) for finding in sheet.findings}
        yield from ((label, finding) for finding in sheet.findings)
        for trial in shown(sheet):
            for finding in trial.findings:
                if (finding.rule, finding.message) not in in_run:
                    yield label, finding
