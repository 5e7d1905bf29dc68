"""`iosonde compare`: other runs held against a baseline, metric by metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import units
from iosonde.cli.options import StorePlace
from iosonde.cli.output import err, out, print_json
from iosonde.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from iosonde.measure.comparison import Answer, Comparison, Pair
    from iosonde.measure.gate import GateResult
    from iosonde.records import Json
    from iosonde.sheets import RunSheet

_COLOURS = {"better": "green", "worse": "red", "equivalent": "cyan", "undecided": "yellow"}


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="A B…", help="Runs; A is the baseline. RUN/TRIAL: one trial of it."),
    ],
    *,
    trial: Annotated[
        list[str] | None,
        typer.Option(help="Only trials of this load, probe, host or id; may be repeated."),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric; may be repeated.")
    ] = None,
    margin: Annotated[str, typer.Option(help="A change within it does not matter.")] = "2%",
    gate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC:PERCENT",
            help="Exit 1 where the verdict is worse, by more than this; undecided only warns.",
        ),
    ] = None,
    simultaneous: Annotated[
        bool, typer.Option(help="The runs' loops were measured two by two at the same time.")
    ] = False,
    store: StorePlace = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
) -> int:
    """Compare runs with a baseline: better, worse, no difference within the margin, or undecided.

    At most 5 % of comparisons of equal runs claim a difference, over all metrics together.
    """
    from iosonde.measure import comparison
    from iosonde.measure.contrast import Bar
    from iosonde.measure.gate import parse_gate, pass_gates

    gates = [parse_gate(text) for text in gate or []]
    found = comparison.compare(
        _sheets(runs, store),
        wanted=comparison.Wanted(
            trials=tuple(trial or ()),
            metrics=tuple(metric or ()),
            also=tuple(one.metric for one in gates),
        ),
        bar=Bar(margin=_margin(margin)),
        simultaneous=simultaneous,
    )
    results = pass_gates(gates, found.answers)
    if as_json:
        print_json(document(found, results))
    else:
        _print(found, results)
    _warn(results)
    return int(any(result.state == "failed" for result in results))


def document(found: Comparison, results: Sequence[GateResult]) -> dict[str, Json]:
    """`iosonde.compare/1`."""
    return {
        "schema": "iosonde.compare/1",
        "verdicts": [_verdict(answer) for answer in found.answers],
        "settings_differ": {name: list(values) for name, values in found.settings.items()},
        "margin": found.bar.margin,
        "level": found.bar.level,
        "comparisons": found.counted,
        "gates": [
            {
                "metric": result.gate.metric,
                "limit": result.gate.limit,
                "candidate": result.answer.pair.candidate,
                "trial": result.answer.pair.label,
                "state": result.state,
            }
            for result in results
        ],
        "findings": [
            {"rule": finding.rule, "subject": finding.subject, "message": finding.message}
            for finding in found.findings
        ],
    }


def _verdict(answer: Answer) -> dict[str, Json]:
    verdict = answer.judgement.verdict
    trial = answer.pair.b.trial
    return {
        "metric": verdict.metric,
        "baseline": verdict.baseline,
        "candidate": verdict.candidate,
        "verdict": verdict.outcome.value,
        "change": verdict.change,
        "interval": list(verdict.interval) if verdict.interval else None,
        "more_loops": verdict.more_loops,
        "reason": answer.judgement.reason or None,
        "level": answer.judgement.level,
        "headline": answer.headline,
        "unit": answer.a.unit,
        "means": [answer.a.mean, answer.b.mean],
        "loops": [len(answer.a.loops), len(answer.b.loops)],
        "trial": {"load": trial.load.name, "probe": trial.probe, "host": trial.host},
        "trials": [answer.pair.a.trial.id, trial.id],
    }


def _sheets(names: Sequence[str], store: str | None) -> list[RunSheet]:
    """The runs; of RUN/TRIAL that trial alone, under this whole name."""
    from iosonde.cli.stored import load_sheets

    if len(names) < 2:
        raise UsageError(
            "a comparison takes a baseline and at least one other run",
            hint="iosonde compare A B; `iosonde list` shows the runs",
        )
    sheets = load_sheets([name.partition("/")[0] for name in names], store)
    return [
        _one_trial(sheet, name.partition("/")[2]) if "/" in name else sheet
        for name, sheet in zip(names, sheets, strict=True)
    ]


def _one_trial(sheet: RunSheet, wanted: str) -> RunSheet:
    found = [
        one
        for one in sheet.trials
        if wanted in {one.trial.id, one.trial.load.name, one.trial.probe, one.trial.host}
    ]
    if len(found) != 1:
        known = ", ".join(one.trial.id for one in sheet.trials) or "none"
        raise UsageError(
            f"{wanted!r} names {len(found)} trials of run {sheet.run.id}, not one",
            where=f"{sheet.run.id}/{wanted}",
            hint=f"its trials: {known}",
        )
    run = replace(sheet.run, id=f"{sheet.run.id}/{found[0].trial.id}")
    return replace(sheet, run=run, trials=(found[0],))


def _margin(text: str) -> float:
    margin = units.parse_fraction(text, where="--margin")
    if not 0 < margin < 1:
        raise UsageError(
            f"a margin lies between 0 and 100 %, not at {text}", where="--margin", hint="2%"
        )
    return margin


def _print(found: Comparison, results: Sequence[GateResult]) -> None:
    from rich.markup import escape

    console = out()
    shown: Pair | None = None
    for answer in found.answers:
        if answer.pair is not shown:
            shown = answer.pair
            console.print(_table([one for one in found.answers if one.pair is shown]))
    sure, margin = units.show_fraction(1 - found.bar.level), units.show_fraction(found.bar.margin)
    together = f"all {found.counted} comparisons together" if found.counted > 1 else "this one"
    console.print(f"\nintervals hold for {together} with {sure}; margin {margin}")
    for finding in found.findings:
        console.print(f"[yellow]{finding.rule}[/yellow]: {escape(finding.message)}")
    if found.settings:
        console.print(_settings(found))
    for result in results:
        colour = {"passed": "green", "failed": "red"}.get(result.state, "yellow")
        console.print(
            f"gate {result.gate.metric} {units.show_fraction(result.gate.limit)}, "
            f"{escape(result.answer.pair.label)}: [{colour}]{result.state}[/]"
        )


def _table(answers: Sequence[Answer]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    pair = answers[0].pair
    title = f"{escape(pair.label)}: {escape(pair.candidate)} against {escape(pair.baseline)}"
    table = Table(title=title, title_justify="left", title_style="bold", box=None)
    table.add_column("metric")
    for heading in ("baseline", "candidate", "change", "interval"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    table.add_column("loops", justify="right")
    for answer in answers:
        table.add_row(*_row(answer))
    return table


def _row(answer: Answer) -> list[str]:
    verdict = answer.judgement.verdict
    word = verdict.outcome.value
    text = f"[{_COLOURS[word]}]{word}[/]"
    if verdict.more_loops is not None:
        loops = "loop" if verdict.more_loops == 1 else "loops"
        text += f": {verdict.more_loops} more {loops} of each"
    elif answer.judgement.reason:
        text += f": {answer.judgement.reason}"
    interval = "–"
    if verdict.interval is not None:
        interval = f"{_signed(verdict.interval[0])} … {_signed(verdict.interval[1])}"
    return [
        f"[bold]{verdict.metric}[/bold]" if answer.headline else verdict.metric,
        units.show(answer.a.mean, answer.a.unit),
        units.show(answer.b.mean, answer.b.unit),
        "–" if verdict.change is None else _signed(verdict.change),
        interval,
        text,
        f"{len(answer.a.loops)}, {len(answer.b.loops)}",
    ]


def _signed(share: float) -> str:
    return f"{share * 100:+.1f} %"


def _settings(found: Comparison) -> Table:
    from rich.markup import escape
    from rich.table import Table

    runs = dict.fromkeys(
        [found.answers[0].pair.baseline, *(answer.pair.candidate for answer in found.answers)]
    )
    table = Table(title="settings that differ", title_justify="left", box=None)
    table.add_column("setting")
    for run in runs:
        table.add_column(escape(run))
    for name, values in found.settings.items():
        cells = ["–" if value is None else escape(str(value)) for value in values]
        table.add_row(escape(name), *cells[: len(runs)])
    return table


def _warn(results: Sequence[GateResult]) -> None:
    for result in results:
        if result.state == "undecided":
            more = result.answer.judgement.verdict.more_loops
            advice = f"; more loops of each that would do: {more}" if more else ""
            err().print(
                f"[yellow]gate {result.gate.metric} is not failed, but undecided: "
                f"{result.answer.judgement.reason}{advice}[/yellow]"
            )
