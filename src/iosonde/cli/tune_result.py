"""A campaign as people and programs read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import out, print_json, print_next, styled
from iosonde.cli.table import TableColumn, fitted
from iosonde.sentences import metric_words, spread_words
from iosonde.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from iosonde.records.stack import Scalar
    from iosonde.verbs.tune import TunedCandidate, TunedSettings


def shown(value: Scalar) -> str:
    """A value of a setting; a key that the stack's file does not name has none."""
    return "as it comes" if value is None else str(value)


def settings_text(settings: Mapping[str, Scalar]) -> str:
    """A candidate: "disk.scheduler=none, disk.nr_requests=64"."""
    return ", ".join(f"{name}={shown(value)}" for name, value in settings.items())


def show_campaign(tuned: TunedSettings, *, as_json: bool) -> None:
    """Print a campaign."""
    if as_json:
        print_json(tuned.to_json())
        return
    console = out()
    console.print(styled("[bold]{}[/bold]", tuned_answer(tuned)))
    console.print()
    console.print(_table(tuned))
    for left in tuned.left_out:
        console.print(f"not tried: {left.setting}={left.value}: {left.reason}")
    if tuned.campaign.result is None:
        console.print(
            styled("\nrun [bold]{}[/bold]  {}  ({})", tuned.id, tuned.study, tuned.state.value)
        )
        return
    spent = f"{units.show_seconds(tuned.device_seconds)} of device time"
    if proof := tuned.campaign.result.proof:  # stages have proofs of their own
        spent += f", {units.show_seconds(proof)} of them for the proof"
    console.print(
        styled(
            "\nrun [bold]{}[/bold]  {}  ({})  {}", tuned.id, tuned.study, tuned.state.value, spent
        )
    )
    console.print(
        "the winner is in force until the next boot; `iosonde rollback` puts it back"
        if tuned.applied else "everything is put back as it was before",
    )  # fmt: skip
    if tuned.commands:
        console.print("make permanent:" if tuned.applied else "apply:")
        for line in tuned.commands:
            console.print(f"  {line}")
    print_next(f"iosonde report {tuned.id}")


def tuned_answer(tuned: TunedSettings) -> str:
    """What is best, by how much, against what, how sure; or why nothing is changed."""
    winner = tuned.winner
    if winner is None:
        return (
            f"the campaign is not over: {tuned.measurements} measurements are kept; "
            f"`iosonde tune --resume {tuned.id}` goes on"
        )
    if not winner.confirmed or winner.gain is None:
        return f"no proven gain; {tuned.sentence}"
    changed = {
        name: value for name, value in winner.settings.items() if value != tuned.baseline[name]
    }
    interval = f" ({units.show_changes(*winner.interval)})" if winner.interval else ""
    return (
        f"winner: {settings_text(changed)}: {metric_words(tuned.goal.metric)} "
        f"{units.show_change(winner.gain)}{interval} against the previous settings, "
        "proven by fresh loops"
    )


def _table(tuned: TunedSettings) -> Table:
    """All candidates, the best first; those that were not measured last."""
    default = {setting.name: setting.default for setting in tuned.campaign.intent.vary}
    places = [place for place in tuned.campaign.places if place]
    several = len(places) > 1
    columns = [
        *(TableColumn(name) for name in default),
        TableColumn("measured at", rank=3), TableColumn(tuned.goal.metric, right=True),
        TableColumn("± 95 %", right=True, rank=1), TableColumn("loops", right=True, rank=2),
        TableColumn("time", right=True, rank=4), TableColumn("state"),
    ]  # fmt: skip
    rows, reasons = [], list[str]()
    sign = -1 if tuned.goal.higher else 1
    for candidate in sorted(
        tuned.candidates,
        key=lambda candidate: (
            places.index(candidate.at) if several else 0,
            sign * candidate.metric.mean if candidate.metric else float("inf"),
        ),
    ):
        notes = [candidate.state]
        notes += ["previous setting"] if candidate.settings == default else []
        if tuned.winner and candidate.settings == tuned.winner.pick:
            notes.append("winner" if tuned.winner.confirmed else "best so far, not proven")
        cells = [shown(candidate.settings[name]) for name in default]
        rows.append(
            [*cells, candidate.at if several else "", *_figures(candidate), ", ".join(notes)]
        )
        if candidate.reason and candidate.metric is None:
            reasons.append(f"{settings_text(candidate.settings)}: {candidate.reason}")
    table = fitted(columns, rows)
    table.caption, table.caption_justify = "\n".join(map(visible, reasons)) or None, "left"
    return table


def _figures(candidate: TunedCandidate) -> list[str]:
    metric = candidate.metric
    if metric is None:
        return ["–", "", "0", units.show_seconds(candidate.device_seconds)]
    return [
        units.show(metric.mean, metric.unit),
        spread_words(metric).strip(),
        str(candidate.loops),
        units.show_seconds(candidate.device_seconds),
    ]
