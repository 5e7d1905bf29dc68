"""Runs as one page: of a run, a comparison, an import or a campaign."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from typing_extensions import override

from iosonde.records.comparison import ALONE, ComparedMetric, ComparedSheets
from iosonde.records.curve import Curve
from iosonde.records.finding import Finding
from iosonde.records.prediction import Forecast
from iosonde.records.sheet import RunSheet
from iosonde.records.steady import SteadyWindow
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
from iosonde.report.imported import imported_answer, imported_blocks
from iosonde.report.page import Page, PageHead, moment, render
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

    name = "html"
    suffix = ".html"

    @override
    def serialize(self, runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> bytes:
        return render(page_of(runs, compared))


@dataclass(frozen=True, slots=True)
class _Subject:
    """What a page is of.

    `groups` are the trials of runs that are no campaigns, by load. `windows` and `curves` are drawn
    where no run is held against another, and then `drawn` are the trials that they show.
    """

    runs: Sequence[RunSheet]
    compared: ComparedSheets
    labelled: Sequence[tuple[str, RunSheet]]
    groups: Sequence[LoadGroup]
    windows: Sequence[SteadyWindow]
    curves: Sequence[Curve]
    said: Mapping[str, Forecast]
    drawn: Set[str]

    @property
    def alone(self) -> RunSheet | None:
        """The one run that is held against no other."""
        return None if self.compared.verdicts or len(self.runs) > 1 else self.runs[0]

    @property
    def replayed(self) -> bool:
        """Whether its rate is a trace's."""
        return self.alone is not None and is_replay(self.alone)

    @property
    def saturated(self) -> bool:
        """Whether it is a search for the highest rate."""
        return not self.windows and self.alone is not None and is_saturation(self.alone)


def _subject(runs: Sequence[RunSheet], compared: ComparedSheets) -> _Subject:
    labels = run_labels(runs, compared) if len(runs) > 1 else [""]
    labelled = list(zip(labels, runs, strict=True))
    plain = [(label, sheet) for label, sheet in labelled if tuning_of(sheet) is None]
    windows = () if compared.verdicts else [window for sheet in runs for window in sheet.windows]
    curves = () if compared.verdicts else [curve for sheet in runs for curve in sheet.curves]
    drawn = {point.trial for curve in curves for point in curve.points}
    if windows:
        stored = [trial.trial for sheet in runs for trial in sheet.trials]
        drawn |= {trial.id for trial in stored if trial.load.matrix}
    return _Subject(
        runs,
        compared,
        labelled,
        by_load(plain, [sheet.trials for _, sheet in plain]),
        windows,
        curves,
        {forecast.trial: forecast for sheet in runs for forecast in sheet.forecasts},
        drawn,
    )


def answer_of(runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> str:
    """The first sentence of the page of one or several runs; what is between backticks is code."""
    campaigns = [sheet for sheet in runs if tuning_of(sheet)]
    if len(runs) == 1 and campaigns and (head := campaign_head(campaigns[0])):
        return head.answer
    return _answer(_subject(runs, compared))


def _answer(subject: _Subject) -> str:
    if subject.windows:
        return steady_answer(subject.windows)
    if subject.saturated:
        return saturation_answer(subject.runs[0])
    if subject.replayed:
        return replay_answer(subject.runs[0])
    if subject.curves:
        return curve_answer(subject.curves, subject.said)
    if subject.alone and not subject.groups and (answer := imported_answer(subject.alone)):
        return answer
    return loads_answer(subject.groups, subject.labelled, subject.compared)


def page_of(runs: Sequence[RunSheet], compared: ComparedSheets = ALONE) -> Page:
    """The page of one or several runs, whatever it is written in."""
    subject = _subject(runs, compared)
    groups, labelled = subject.groups, subject.labelled
    problems = grouped(_findings(labelled))
    figures = _figures(subject)
    measured = groups or by_load(labelled, [shown(sheet) for sheet in runs])
    if subject.windows:
        measured = _without_trials(measured, subject.drawn)
    latencies = latency_figures(measured)
    spare = max(0, _FIRST_FIGURES - len(figures))
    campaigns = [sheet for _, sheet in labelled if tuning_of(sheet)]
    campaign = campaign_head(campaigns[0]) if len(runs) == 1 and campaigns else None
    head = campaign or _head(subject, (*figures[:_FIRST_FIGURES], *latencies[:spare]))
    sections = [
        *_more_figures(figures[_FIRST_FIGURES:]),
        *(block for sheet in runs if not compared.verdicts for block in steady_blocks(sheet)),
        *curve_blocks(subject.curves, subject.said),
        *results(groups, labelled, compared, folded=bool(subject.drawn)),
        *(block for sheet in campaigns for block in campaign_sections(sheet)),
        *problem_blocks(problems, labelled),
        *waterfall_blocks([waterfall for _, sheet in labelled for waterfall in sheet.waterfalls]),
        *forecast_blocks([forecast for _, sheet in labelled for forecast in sheet.forecasts]),
        *(block for _, sheet in labelled for joint in sheet.joint for block in joint_blocks(joint)),
        *(block for sheet in runs for block in imported_blocks(sheet)),
        *courses(measured, latencies if campaign else latencies[spare:]),
    ]
    return Page(
        title=", ".join(dict.fromkeys(sheet.run.study for sheet in runs)),
        about=tuple(_about(runs)),
        answer=head.answer,
        tone=head.tone,
        badges=(
            *(replay_badges(runs[0]) if subject.replayed else ()),
            *head.badges,
            *counts(problems),
        ),
        numbers=head.numbers,
        chips=head.chips,
        stack=strip([member for group in groups for member in group.members]) if groups else (),
        figures=head.figures,
        blocks=tuple(_without(sections, campaign.figures) if campaign else sections),
        appendix=tuple(appendix(labelled)),
    )


def _figures(subject: _Subject) -> list[Figure]:
    """The charts of what was measured, the changes first."""
    runs, compared = subject.runs, subject.compared
    overlaid = (
        [(label, sheet.curves) for label, sheet in subject.labelled] if compared.verdicts else []
    )
    figures = [figure for sheet in runs if subject.windows for figure in steady_figures(sheet)]
    if subject.saturated:
        figures += saturation_figures(runs[0])
    figures += [*curve_figures(subject.curves, subject.said), *overlaid_figures(overlaid)]
    figures += (  # the rate of a replay is the trace's
        list(replay_figures(runs[0]))
        if subject.replayed
        else _bars(_without_trials(subject.groups, subject.drawn), compared)
    )
    forest = forest_figure(_changes(subject.groups, compared))
    return [forest, *figures] if forest else figures


def _head(subject: _Subject, figures: Sequence[Figure]) -> PageHead:
    """What the first screen shows of runs that are no campaign."""
    runs, compared, groups = subject.runs, subject.compared, subject.groups
    if subject.windows:
        tone, numbers = steady_tone(subject.windows), steady_numbers(subject.windows)
    elif subject.replayed:
        tone, numbers = replay_tone(runs[0]), replay_numbers(runs[0])
    else:
        tone, numbers = tone_of(runs, compared), numbers_of(groups, compared)
    return PageHead(
        answer=_answer(subject),
        tone=tone,
        badges=tuple(badges_of(runs, compared)),
        numbers=tuple(numbers)[:_NUMBERS],
        chips=tuple(chips_of(groups, compared)),
        figures=tuple(figures),
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
    imported = sheet.beside or any(trial.trial.origin for trial in sheet.trials)
    return "import" if imported else "run"


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
