"""`iosonde trend`: where a series of runs changed its level."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import units
from iosonde.cli.options import Filters, StorePlace
from iosonde.cli.output import out, print_json, styled
from iosonde.outputs import write_output
from iosonde.sentences import change_words, series_name, trend_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from iosonde.records.trend import StudyTrend, TrendSeries

_WIDE = 60  # runs that a line of bars shows


def trend(
    study: Annotated[str, typer.Argument(metavar="[STUDY]", help="Name of a study.")] = "",
    filters: Filters = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Only this metric instead of the headlines; may be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="The newest N runs; 0: all.")] = 200,
    margin: Annotated[str, typer.Option(help="A worsening within it does not count.")] = "2%",
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page with charts here.")
    ] = None,
    store: StorePlace = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the series as JSON.")] = False,
) -> int:
    """Show where the runs of a study changed their level; exit 1 where one is worse since.

    Of 100 series of 30 equal runs fewer than 5 show any change. A change needs two runs behind it.
    """
    from iosonde.verbs import trend as verb

    share = units.parse_fraction(margin, where="--margin")
    made = verb.trend(
        study, filters=filters or (), metrics=metric or (), limit=limit or None, margin=share,
        store=store,
    )  # fmt: skip
    if report is not None:
        from iosonde.report.trend import page

        write_output(report, page(made), "the report")
    if as_json:
        print_json(made.to_json())
    else:
        _print(made)
    return int(not made.passed)


def _print(made: StudyTrend) -> None:
    from iosonde.cli.timetext import sparkline

    console = out()
    console.print(_answer(made))
    for series in made.series:
        console.print()
        runs = len(series.points)
        console.print(
            styled("[bold]{}[/bold], {} run{}", series_name(series), runs, "s" * (runs != 1))
        )
        means = [point.mean for point in series.points[-_WIDE:]]
        console.print(f"  {sparkline(means)}  {_ends(means, series.unit)}".rstrip())
        if marks := _marks(series):
            console.print(f"  {marks}")
        dates = {point.run: point.created for point in series.points}
        for change in series.changes:
            console.print(
                styled("  {}  {}", _day(dates[change.at]), change_words(change, series.unit))
            )


def _answer(made: StudyTrend) -> Text:
    answer = trend_answer(made)
    if answer.startswith("worse"):
        return styled("[bold red]worse[/bold red]{}", answer.removeprefix("worse"))
    first = "changed" if answer.startswith("changed") else "no change of level"
    return styled("[bold]{}[/bold]{}", first, answer.removeprefix(first))


def _ends(means: Sequence[float], unit: str) -> str:
    """The first and the last figure of a line that shows none."""
    last = units.show(means[-1], unit)
    return last if len(means) == 1 else f"{units.show(means[0], unit)} … {last}"


def _marks(series: TrendSeries) -> str:
    """A caret below each first run of a new level."""
    at = {change.at for change in series.changes}
    return "".join("^" if point.run in at else " " for point in series.points[-_WIDE:]).rstrip()


def _day(created: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(created))
