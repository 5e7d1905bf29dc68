"""A measured run as people and programs read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.accounted import print_ledger
from iosonde.cli.output import err, out, print_json, styled
from iosonde.outputs import descriptor_of, write_output

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iosonde.records import Metric
    from iosonde.sheets import JointSheet, RunSheet, TrialSheet
    from iosonde.verbs.run import MeasuredRun

_SHOWN = ("iops", "bandwidth", "latency.mean", "latency.p50", "latency.p99", "latency.p99_9")


def show_result(measured: MeasuredRun, report: Path | None, *, as_json: bool) -> None:
    """Print a run, write its report where one is asked for."""
    if as_json:
        if report is not None:
            write_report(measured.sheet, report)
        print_json(measured.to_json())
        return
    print_run(measured.sheet)
    for account in measured.ledgers.values():
        print_ledger(*account)
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

    write_output(report, FORMATS.load("html")().serialize([whole]), "the report")


def print_run(whole: RunSheet) -> None:
    """A table per run: every figure with its loops and spread."""
    console = out()
    run = whole.run
    console.print(styled("\nrun [bold]{}[/bold]  {}  ({})", run.id, run.study, run.state.value))
    for trial in whole.trials:
        console.print(_table(trial))
        for finding in trial.findings:
            console.print(styled("  [yellow]{}[/yellow]: {}", finding.rule, finding.message))
        for fault in trial.trial.faults:
            console.print(styled("  [red]fault[/red]: {}", fault))
    for joint in whole.joint:
        console.print(_joint_table(joint))
    _print_slowest(whole)


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


def _print_slowest(whole: RunSheet) -> None:
    """Where one load ran at several places, the slowest stands for them all."""
    from iosonde.measure.sheet import slowest

    loads: dict[str, list[TrialSheet]] = {}
    for trial in whole.trials:
        loads.setdefault(trial.trial.load.name, []).append(trial)
    for load, trials in loads.items():
        if len(trials) < 2 or not any(trial.metrics for trial in trials):
            continue
        worst = slowest(trials)
        figure = next(metric for metric in worst.metrics if metric.name == worst.headline)
        out().print(
            styled(
                "{}: slowest of {} is [bold]{}[/bold] with {} {}",
                load,
                len(trials),
                worst.trial.probe,
                figure.name,
                units.show(figure.mean, figure.unit),
            )
        )


def warn(sentence: str) -> None:
    """A note on standard error."""
    err().print(sentence, style="yellow")
