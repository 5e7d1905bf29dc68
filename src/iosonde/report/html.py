"""Runs as one page: of a run, a comparison, an import or a campaign."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from iosonde.records.comparison import ALONE, ComparedMetric, ComparedSheets
from iosonde.records.finding import Finding
from iosonde.records.sheet import RunSheet
from iosonde.report.blocks import (
    Block,
    Pictures,
    Title,
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
from iosonde.report.first_screen import (
    badges_of,
    chips_of,
    loads_answer,
    numbers_of,
    tone_of,
)
from iosonde.report.forecasts import forecast_blocks
from iosonde.report.format import Format
from iosonde.report.page import Page, moment, render
from iosonde.report.pivot import LoadGroup, by_load, proven_metrics, run_labels
from iosonde.report.replayed import (
    is_replay,
    replay_answer,
    replay_badges,
    replay_figures,
    replay_numbers,
    replay_tone,
)
from iosonde.report.saturation import is_saturation, saturation_answer, saturation_figures
from iosonde.report.sections import (
    appendix,
    joint_blocks,
    problem_blocks,
    results,
)
from iosonde.report.steady import (
    steady_answer,
    steady_blocks,
    steady_figures,
    steady_numbers,
    steady_tone,
)
from iosonde.report.tuning import campaign_head, campaign_sections, shown, tuning_of
from iosonde.report.waterfall_chart import waterfall_blocks
from iosonde.sentences import metric_words

_NUMBERS, _FIRST_FIGURES, _BARS, _PAIR = 4, 3, 16, 2


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
    if not compared.verdicts and len(runs) == 1 and is_replay(runs[0]):
        return replay_answer(runs[0])
    curves = () if compared.verdicts else [curve for sheet in runs for curve in sheet.curves]
    if curves:
        said = {forecast.trial: forecast for sheet in runs for forecast in sheet.forecasts}
        return curve_answer(curves, said)
    labels = run_labels(runs, compared) if len(runs) > 1 else [""]
    labelled = list(zip(labels, runs, strict=True))
    plain = [(label, sheet) for label, sheet in labelled if tuning_of(sheet) is None]
    return loads_answer(by_load(plain, [sheet.trials for _, sheet in plain]), labelled, compared)


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
    replayed = not compared.verdicts and len(runs) == 1 and is_replay(runs[0])
    # the rate of a replay is the trace's
    figures += (
        list(replay_figures(runs[0]))
        if replayed else _bars(_without_trials(groups, drawn), compared)
    )  # fmt: skip
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
        *results(groups, labelled, compared, folded=bool(drawn)),
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
        tone=head.tone
        if head
        else steady_tone(windows)
        if windows
        else replay_tone(runs[0])
        if replayed
        else tone_of(runs, compared),
        badges=(
            *(replay_badges(runs[0]) if replayed else ()),
            *(head.badges if head else badges_of(runs, compared)),
            *counts(problems),
        ),
        numbers=head.numbers
        if head
        else tuple(
            steady_numbers(windows)
            if windows
            else replay_numbers(runs[0])
            if replayed
            else numbers_of(groups, compared)
        )[:_NUMBERS],
        chips=head.chips if head else tuple(chips_of(groups, compared)),
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
    """Of each headline; where one trial is held against one other, also of what else is proven."""
    members = [member for group in groups for member in group.members]
    if len(groups) == 1 and len(members) == _PAIR:
        (group,) = groups
        return [
            (metric_words(name), verdict)
            for name in (*group.headlines, *proven_metrics(group, compared))
            if (verdict := members[1].verdict(name, compared))
        ]
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
