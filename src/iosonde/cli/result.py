"""A measured run as people and programs read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.accounted import print_ledger
from iosonde.cli.compared import comparison_answer
from iosonde.cli.curves import curves_answer, print_curves
from iosonde.cli.explained import evidence_text
from iosonde.cli.output import err, is_verbose, out, print_json, print_next, styled
from iosonde.cli.steady import print_grids, steady_answer
from iosonde.cli.table import TableColumn, fitted
from iosonde.outputs import descriptor_of, write_output
from iosonde.sentences import figure_words, requirement_words, spread_words, trial_words

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iosonde.records.run import Metric
    from iosonde.records.sheet import JointSheet, RunSheet, TrialSheet
    from iosonde.verbs.run import MeasuredRun

_VERDICTS = {"pass": "bold green", "fail": "bold red", "undecided": "bold yellow"}
_LOADS = 4  # named in the first line
_FIGURES = ("iops", "bandwidth", "latency.mean", "latency.p99")
_COLUMNS = (
    TableColumn("trial", name=True), TableColumn("I/O"), TableColumn("rate", right=True),
    TableColumn("± 95 %", right=True, rank=1), TableColumn("bandwidth", right=True, rank=2),
    TableColumn("mean", right=True, rank=3), TableColumn("p99", right=True),
    TableColumn("loops", right=True, rank=5), TableColumn("flags", rank=4),
)  # fmt: skip
_SHOWN = ("iops", "bandwidth", "latency.mean", "latency.p50", "latency.p99", "latency.p99_9")


def show_result(
    measured: MeasuredRun, report: Path | None, *, everything: bool, as_json: bool,
    store: str | None = None,
) -> None:  # fmt: skip
    """Print a run, write its report where one is asked for; `store` as the user named it."""
    if as_json:
        if report is not None:
            write_report(measured.sheet, report)
        print_json(measured.to_json())
        return
    answer = comparison_answer(measured.compared) if measured.compared else None
    after = next_commands(measured, store)
    print_run(measured.sheet, everything=everything, answer=answer, after=after)
    for trial in measured.trials:
        if trial.ledger is not None:
            print_ledger(trial.ledger)
    if report is not None:
        write_report(measured.sheet, report)  # after the table, which a full disk must not take
    if report is not None and descriptor_of(report) is None:
        out().print(f"report: {report.resolve()}")


def write_report(whole: RunSheet, report: Path) -> None:
    """One run as an HTML file.

    Raises:
        UsageError, Refused, OutputFailed: see `iosonde.outputs.write_output`.
    """
    from iosonde.report import FORMATS
    from iosonde.verbs.report import as_shown

    write_output(report, FORMATS.load("html")().serialize(*as_shown([whole])), "the report")


def next_commands(measured: MeasuredRun, store: str | None) -> list[str]:
    """What one usually does next with a run, as it can be run; nothing where it has no figures.

    Args:
        measured: the run.
        store: where it is kept, as the user named it; None: the usual one.
    """
    from iosonde.hosts.command import quote
    from iosonde.verbs.listing import earlier_run

    if measured.rescued is not None or not any(trial.metrics for trial in measured.sheet.trials):
        return []
    compared = [measured.id]
    if not measured.sheet.arms:
        earlier = earlier_run(measured.id, store=store)
        compared = [earlier, measured.id] if earlier else []
    verbs = [["report", measured.id], ["explain", measured.id], ["compare", *compared]]
    place = ["--store", store] if store else []
    return [quote(["iosonde", *argv, *place]) for argv in verbs if len(argv) > 1]


def print_run(
    whole: RunSheet, *, everything: bool = False, answer: Text | None = None,
    after: Sequence[str] = (),
) -> None:  # fmt: skip
    """The answer in the first line, then a row for each trial and direction, then what was noted.

    Args:
        whole: a run with its statistics.
        everything: a table for each trial, with all its metrics.
        answer: of a run that was measured for it, in place of what its trials reached.
        after: commands that one usually runs next.
    """
    console = out()
    for result in whole.requirements:
        where = f" {result.trial}" if len(whole.trials) > 1 and result.trial else ""
        verdict, _, sentence = requirement_words(result).partition(":")
        line = styled("{}{}:{}", verdict.upper(), where, sentence)
        line.stylize(_VERDICTS[result.verdict], 0, len(verdict))
        console.print(line)
    console.print(answer or _answer(whole))
    console.print()
    if everything:
        for trial in whole.trials:
            console.print(_table(trial))
        for joint in whole.joint:
            console.print(_joint_table(joint))
    else:
        drawn = {point.trial for curve in whole.curves for point in curve.points}
        windowed = {window.load for window in whole.windows}
        drawn |= {
            trial.trial.id for trial in whole.trials if trial.trial.load.varied_from in windowed
        }
        print_curves(whole)
        print_grids(whole)
        if rest := [sheet for sheet in whole.trials if sheet.trial.id not in drawn]:
            console.print(_headline_table(replace(whole, trials=tuple(rest))))
    for trial in whole.trials:
        _print_notes(trial)
    run = whole.run
    labels = "".join(f"  {label}" for label in (run.name, *run.tags) if label)
    console.print(styled(
        "\nrun [bold]{}[/bold]{}  {}  ({})", run.id, labels, run.study, run.state.value
    ))  # fmt: skip
    if after:
        print_next(*after)


def _print_notes(trial: TrialSheet) -> None:
    """What was noted of a trial."""
    console = out()
    for finding in trial.findings:
        console.print(
            styled("[yellow]{}[/yellow] ({}): {}", finding.rule, trial.trial.id, finding.message)
        )
        for evidence in finding.evidence if is_verbose() else ():
            console.print(styled("    [dim]{}[/dim]", evidence_text(evidence)))
    for fault in trial.trial.faults:
        console.print(styled("[red]fault[/red] ({}): {}", trial.trial.id, fault))


def _answer(whole: RunSheet) -> Text:
    """What is steady, or where knees are; else what the only trial reached.

    Of several loads the slowest place of each, or its figure; first what places did together.
    """
    if whole.windows or whole.curves:
        return steady_answer(whole) if whole.windows else curves_answer(whole)
    measured = [sheet for sheet in whole.trials if sheet.metrics]
    if not measured:
        return styled("[bold]no figures[/bold]: no loop of any trial has finished")
    by_load: dict[str, list[TrialSheet]] = {}
    for sheet in measured:
        by_load.setdefault(sheet.trial.load.name, []).append(sheet)
    joint = {sheet.load: sheet for sheet in whole.joint if sheet.metrics}
    parts = []
    for load, sheets in list(by_load.items())[:_LOADS]:
        if load in joint:
            parts.append(f"{_all_together(joint[load])}; slowest is {_slowest(sheets)}")
        elif len(sheets) > 1:
            parts.append(f"{load}: slowest of {len(sheets)} is {_slowest(sheets)}")
        elif len(by_load) > 1:
            parts.append(f"{load}: {trial_words(sheets[0]).split(', ')[0]}")
        else:
            parts.append(f"{load} at {sheets[0].trial.probe}: {trial_words(sheets[0])}")
    if len(by_load) > _LOADS:
        parts.append(f"and {len(by_load) - _LOADS} more loads")
    return styled("[bold]{}[/bold]", "; ".join(parts))


def _all_together(sheet: JointSheet) -> str:
    figure = next(metric for metric in sheet.metrics if metric.name == sheet.headline)
    return f"{sheet.load} at all {len(sheet.trials)} targets: {figure_words(figure)}"


def _slowest(sheets: Sequence[TrialSheet]) -> str:
    from iosonde.measure.sheet import slowest

    worst = slowest(sheets)
    figure = next(metric for metric in worst.metrics if metric.name == worst.headline)
    return f"{worst.trial.probe} with {figure_words(figure)}"


def _headline_table(whole: RunSheet) -> Table:
    """A row for each trial and direction: rate, bandwidth, latencies."""
    hosts = {sheet.trial.host for sheet in whole.trials}
    rows = []
    for sheet in whole.trials:
        named = sheet.trial.probe.startswith(f"{sheet.trial.host}:")
        host = f" on {sheet.trial.host}" if len(hosts) > 1 and not named else ""
        flags = ", ".join(sheet.trial.flags)
        rows += _directions(f"{sheet.trial.load.name} at {sheet.trial.probe}{host}", sheet, flags)
    for joint in whole.joint:
        rows += _directions(f"{joint.load} at all {len(joint.trials)} targets", joint, "")
    return fitted(_COLUMNS, rows)


def _directions(label: str, sheet: TrialSheet | JointSheet, flags: str) -> list[list[str]]:
    """The rows of a trial: one for each direction that moved anything."""
    by_name = {metric.name: metric for metric in sheet.metrics if metric.mean}
    shown_apart = (".iops", ".bandwidth", ".latency.mean")
    ways = dict.fromkeys(
        name.removesuffix(end) for name in by_name for end in shown_apart if name.endswith(end)
    )
    rows = []
    for way in ways:
        figures = [by_name.get(f"{way}.{name}") for name in _FIGURES]
        first = next(metric for metric in figures if metric is not None)
        shown = [units.show(metric.mean, metric.unit) if metric else "" for metric in figures]
        spread = spread_words(first).strip() or "–"
        rate, *others = shown
        rows.append([label, way.replace("_", " "), rate, spread, *others, str(len(first.loops)),
                     flags])  # fmt: skip
        label = flags = ""
    return rows or [[label, "no figures", *[""] * (len(_COLUMNS) - 3), flags]]


def _joint_table(sheet: JointSheet) -> Table:
    """Sums and merged histograms of what ran at the same time."""
    title = styled("{} at all {} targets together", sheet.load, len(sheet.trials))
    return _metrics_table(title, sheet)


def _table(sheet: TrialSheet) -> Table:
    trial = sheet.trial
    title = styled("{} at {}", trial.load.name, trial.probe)
    if trial.flags:
        title.append_text(styled("  [yellow]{}[/yellow]", ", ".join(trial.flags)))
    return _metrics_table(title, sheet)


def _metrics_table(title: Text, sheet: TrialSheet | JointSheet) -> Table:
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=True,
    )
    table.add_column("metric", no_wrap=True, min_width=20)
    for heading in ("mean", "± 95 %", "CV", "median", "all loops", "loops"):
        table.add_column(heading, justify="right", no_wrap=True)
    for metric in sheet.metrics:
        if _is_shown(metric.name) and metric.mean:
            table.add_row(*_row(metric, headline=metric.name in sheet.headlines))
    return table


def _is_shown(name: str) -> bool:
    """Whether a metric has a row; sizes may stand within its name: write.64k.bandwidth."""
    return any(name.endswith(f".{figure}") for figure in _SHOWN)


def _row(metric: Metric, *, headline: bool) -> list[str | Text]:
    spread = "–"
    if metric.ci95 is not None and metric.mean:
        half = (metric.ci95[1] - metric.ci95[0]) / 2
        spread = units.show_spread(half / abs(metric.mean))
    return [
        styled("[bold]{}[/bold]", metric.name) if headline else metric.name,
        units.show(metric.mean, metric.unit),
        spread,
        units.show(metric.cv, "fraction"),
        units.show(metric.median, metric.unit),
        units.show(metric.merged, metric.unit) if metric.merged is not None else "",
        str(len(metric.loops)),
    ]


def warn(sentence: str) -> None:
    """A note on standard error."""
    err().print(sentence, style="yellow")
