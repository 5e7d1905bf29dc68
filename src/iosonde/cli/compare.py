"""`iosonde compare`: other runs held against a baseline, metric by metric."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import units
from iosonde.cli.options import StorePlace
from iosonde.cli.output import err, out, print_json, styled
from iosonde.errors import UsageError
from iosonde.visible import visible

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iosonde.sheets import ComparedMetric
    from iosonde.verbs.compare import ComparedRuns

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
    from iosonde.verbs import compare as verb

    compared = verb.compare(
        *runs, trials=trial or (), metrics=metric or (), margin=_margin(margin), gates=gate or (),
        simultaneous=simultaneous, store=store,
    )  # fmt: skip
    if as_json:
        print_json(compared.to_json())
    else:
        _print(compared)
    _warn(compared)
    return int(not compared.passed)


def _margin(text: str) -> float:
    margin = units.parse_fraction(text, where="--margin")
    if not 0 < margin < 1:
        raise UsageError(
            f"a margin lies between 0 and 100 %, not at {text}", where="--margin", hint="2%"
        )
    return margin


def _print(compared: ComparedRuns) -> None:
    console = out()
    for _, verdicts in groupby(
        compared.verdicts, lambda one: (one.baseline, one.candidate, one.trials)
    ):
        console.print(_table(list(verdicts)))
    counted = compared.comparisons
    together = f"all {counted} comparisons together" if counted > 1 else "this one"
    sure, margin = units.show_fraction(1 - compared.level), units.show_fraction(compared.margin)
    console.print(f"\nintervals hold for {together} with {sure}; margin {margin}")
    for finding in compared.findings:
        console.print(styled("[yellow]{}[/yellow]: {}", finding.rule, finding.message))
    if compared.settings_differ:
        console.print(_settings(compared))
    for gate in compared.gates:
        colour = {"passed": "green", "failed": "red", "missing": "red"}.get(gate.state, "yellow")
        line = styled("gate {} {}, {}: ", gate.metric, units.show_fraction(gate.limit), gate.label)
        console.print(line.append(gate.state, style=colour))


def _table(verdicts: Sequence[ComparedMetric]) -> Table:
    """The verdicts on two trials."""
    from rich.table import Table

    first = verdicts[0]
    title = visible(f"{first.trial}: {first.candidate} against {first.baseline}")
    table = Table(title=title, title_justify="left", title_style="bold", box=None)
    table.add_column("metric")
    for heading in ("baseline", "candidate", "change", "interval"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    table.add_column("loops", justify="right")
    for verdict in verdicts:
        table.add_row(*_row(verdict))
    return table


def _row(verdict: ComparedMetric) -> list[str | Text]:
    word = verdict.outcome.value
    text = styled("{}", word)
    text.stylize(_COLOURS[word])
    if verdict.more_loops is not None:
        loops = "loop" if verdict.more_loops == 1 else "loops"
        text.append(f": {verdict.more_loops} more {loops} of each")
    elif verdict.reason:
        text.append(f": {verdict.reason}")
    interval = units.show_changes(*verdict.interval) if verdict.interval else "–"
    return [
        styled("[bold]{}[/bold]", verdict.metric) if verdict.headline else verdict.metric,
        *(units.show(figure, verdict.unit) for figure in verdict.figures),
        "–" if verdict.change is None else units.show_change(verdict.change),
        interval,
        text,
        ", ".join(map(str, verdict.loops)),
    ]


def _settings(compared: ComparedRuns) -> Table:
    from rich.table import Table

    verdicts = compared.verdicts
    runs = dict.fromkeys([verdicts[0].baseline, *(one.candidate for one in verdicts)])
    table = Table(title="settings that differ", title_justify="left", box=None)
    table.add_column("setting")
    for run in runs:
        table.add_column(run)
    for name, values in compared.settings_differ.items():
        cells = ["–" if value is None else str(value) for value in values]
        table.add_row(name, *cells[: len(runs)])
    return table


def _warn(compared: ComparedRuns) -> None:
    for one in compared.alone:
        err().print(styled("{} of {} is compared with nothing: {}", one.label, one.of, one.why),
                    style="yellow")  # fmt: skip
    for gate in compared.gates:
        if gate.state == "undecided":
            more = gate.more_loops
            advice = f"; more loops of each that would do: {more}" if more else ""
            err().print(
                f"gate {gate.metric} is not failed, but undecided: {gate.reason}{advice}",
                style="yellow",
            )
        elif gate.state == "missing":
            err().print(
                styled("gate {} fails, {}: {}", gate.metric, gate.label, gate.reason), style="red"
            )
