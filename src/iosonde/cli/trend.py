"""`iosonde trend`: where a series of runs changed its level."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde import units
from iosonde.cli.options import Filters, StorePlace
from iosonde.cli.output import out, print_json, styled
from iosonde.sentences import metric_words

if TYPE_CHECKING:
    from rich.text import Text

    from iosonde.verbs.trend import StudyTrend, TrendChange, TrendSeries

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
        console.print(styled("[bold]{}[/bold], {} run{}", _label(series), runs, "s" * (runs != 1)))
        console.print(f"  {sparkline([point.mean for point in series.points[-_WIDE:]])}")
        console.print(f"  {_marks(series)}")
        dates = {point.run: point.created for point in series.points}
        for change in series.changes:
            console.print(styled("  {}  {}", _day(dates[change.at]), _words(change, series.unit)))


def _answer(made: StudyTrend) -> Text:
    worse = [series for series in made.series if series.is_worse]
    changed = [series for series in made.series if series.changes]
    if worse:
        first = worse[0]
        last = first.changes[-1]
        more = f" (and {len(worse) - 1} more)" if len(worse) > 1 else ""
        return styled(
            "[bold red]worse[/bold red]: {} since run {}, {} ({}){}", _label(first), last.at,
            units.show_change(last.change), units.show_changes(*last.interval), more,
        )  # fmt: skip
    runs = max(len(series.points) for series in made.series)
    if not changed:
        few = "; at least 6 are needed to see one" if runs < 6 else ""
        return styled("[bold]no change of level[/bold] in {} runs{}", runs, few)
    latest = "none of the latest is for the worse"
    return styled("[bold]changed[/bold] in {} of {} series; {}", len(changed), len(made.series),
                  latest)  # fmt: skip


def _label(series: TrendSeries) -> str:
    what = f"{metric_words(series.metric)} of {series.load} at {series.probe} on {series.host}"
    return f"{series.study}: {what}"


def _marks(series: TrendSeries) -> str:
    """A caret below each first run of a new level."""
    at = {change.at for change in series.changes}
    return "".join("^" if point.run in at else " " for point in series.points[-_WIDE:]).rstrip()


def _words(change: TrendChange, unit: str) -> str:
    return (
        f"run {change.at}: {units.show(change.before, unit)} → {units.show(change.after, unit)}, "
        f"{units.show_change(change.change)} ({units.show_changes(*change.interval)})"
        f"{', worse' if change.worse else ''}"
    )


def _day(created: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(created))
