"""A measured run as people and programs read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from iosonde import units
from iosonde.cli.accounted import ledger_document, ledgers, print_ledger
from iosonde.cli.output import err, out, print_json
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from iosonde.records import Json, Metric, Run
    from iosonde.sheets import JointSheet, RunSheet, TrialSheet

_SHOWN = ("iops", "bandwidth", "latency.mean", "latency.p50", "latency.p99", "latency.p99_9")


def show_result(run: Run, report: Path | None, *, as_json: bool) -> int:
    """Print a run, write its report where one is asked for; 0."""
    from iosonde.measure.sheet import sheet
    from iosonde.report.json import run_document

    whole = sheet(run)
    accounts = ledgers(whole)
    if report is not None:
        write_report(whole, report)
    if as_json:
        document = run_document(whole)
        for trial in cast("list[dict[str, Json]]", document["trials"]):
            if (account := accounts.get(str(trial["id"]))) is not None:
                trial["ledger"] = ledger_document(*account)
        print_json(document)
        return 0
    print_run(whole)
    for account in accounts.values():
        print_ledger(*account)
    if report is not None:
        out().print(f"report: {report.resolve()}", markup=False)
    return 0


def write_report(whole: RunSheet, report: Path) -> None:
    """One run as an HTML file.

    Raises:
        UsageError: it cannot be written there.
    """
    from iosonde.report import FORMATS

    page = FORMATS.load("html")().serialize([whole])
    try:
        report.write_bytes(page)
    except OSError as problem:
        raise UsageError(
            f"the report cannot be written: {problem.strerror}", where=str(report)
        ) from None


def print_run(whole: RunSheet) -> None:
    """A table per run: every figure with its loops and spread."""
    console = out()
    run = whole.run
    console.print(f"\nrun [bold]{run.id}[/bold]  {run.study}  ({run.state.value})")
    for trial in whole.trials:
        console.print(_table(trial))
        for finding in trial.findings:
            console.print(f"  [yellow]{finding.rule}[/yellow]: {finding.message}")
        for fault in trial.trial.faults:
            console.print(f"  [red]fault[/red]: {fault}")
    for joint in whole.joint:
        console.print(_joint_table(joint))
    _print_slowest(whole)


def _joint_table(sheet: JointSheet) -> Table:
    """Sums and merged histograms of what ran at the same time."""
    return _metrics_table(f"{sheet.load} at all {len(sheet.trials)} targets together", sheet)


def _table(sheet: TrialSheet) -> Table:
    trial = sheet.trial
    flags = f"  [yellow]{', '.join(trial.flags)}[/yellow]" if trial.flags else ""
    return _metrics_table(f"{trial.load.name} at {trial.probe}{flags}", sheet)


def _metrics_table(title: str, sheet: TrialSheet | JointSheet) -> Table:
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
        if metric.name.split(".", 1)[-1] in _SHOWN and metric.mean:
            table.add_row(*_row(metric, headline=metric.name == sheet.headline))
    return table


def _row(metric: Metric, *, headline: bool) -> list[str]:
    spread = "–"
    if metric.ci95 is not None and metric.mean:
        half = (metric.ci95[1] - metric.ci95[0]) / 2
        spread = f"± {units.show_fraction(half / abs(metric.mean))}"
    name = f"[bold]{metric.name}[/bold]" if headline else metric.name
    return [
        name,
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
            f"{load}: slowest of {len(trials)} is [bold]{worst.trial.probe}[/bold] with "
            f"{figure.name} {units.show(figure.mean, figure.unit)}"
        )


def warn(sentence: str) -> None:
    """A note on standard error."""
    err().print(f"[yellow]{sentence}[/yellow]")
