"""A campaign as people and programs read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import out, print_json, styled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from iosonde.records.run import Metric
    from iosonde.records.stack import Scalar
    from iosonde.verbs.tune import TunedCandidate, TunedSettings


def shown(value: Scalar) -> str:
    """A value of a setting; a key that the stack's file does not name has none."""
    return "as it comes" if value is None else str(value)


def words(settings: Mapping[str, Scalar]) -> str:
    """A candidate: "disk.scheduler=none, disk.nr_requests=64"."""
    return ", ".join(f"{name}={shown(value)}" for name, value in settings.items())


def halfwidth(metric: Metric) -> str:
    """Half of the 95 % interval, as a percentage of the mean; empty where it is not known."""
    if metric.ci95 is None or not metric.mean:
        return ""
    return units.show_fraction((metric.ci95[1] - metric.ci95[0]) / 2 / metric.mean)


def show_campaign(tuned: TunedSettings, *, as_json: bool) -> None:
    """Print a campaign."""
    if as_json:
        print_json(tuned.to_json())
        return
    console = out()
    console.print(
        styled("\nrun [bold]{}[/bold]  {}  ({})", tuned.id, tuned.study, tuned.state.value)
    )
    console.print(_table(tuned))
    for left in tuned.left_out:
        console.print(f"not tried: {left.setting}={left.value}: {left.reason}")
    if tuned.campaign.result is None:
        return
    spent = f"{units.show_seconds(tuned.device_seconds)} of device time"
    if proof := tuned.campaign.result.proof:  # stages have proofs of their own
        spent += f", {units.show_seconds(proof)} of them for the proof"
    console.print(f"\n{tuned.sentence} ({spent})")
    if tuned.winner and tuned.winner.confirmed:
        console.print(f"best: {words(tuned.winner.settings)}", style="bold")
    console.print(
        "the winner is in force until the next boot; `iosonde rollback` puts it back"
        if tuned.applied else "everything is put back as it was before",
    )  # fmt: skip
    if tuned.commands:
        console.print("make permanent:" if tuned.applied else "apply:")
        for line in tuned.commands:
            console.print(f"  {line}")


def _table(tuned: TunedSettings) -> Table:
    """All candidates, the best first; those that were not measured last."""
    from rich.table import Table

    default = {setting.name: setting.default for setting in tuned.campaign.intent.vary}
    table = Table(box=None, pad_edge=False, header_style="bold")
    places = [place for place in tuned.campaign.places if place]
    several = len(places) > 1
    for name in [*default, *(["measured at"] if several else [])]:
        table.add_column(name)
    for title in (tuned.goal.metric, "± 95 %", "loops", "time"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("state")
    sign = -1 if tuned.goal.higher else 1
    for one in sorted(
        tuned.candidates,
        key=lambda one: (
            places.index(one.at) if several else 0,
            sign * one.metric.mean if one.metric else float("inf"),
        ),
    ):
        notes = [one.reason or one.state]
        notes += ["previous setting"] if one.settings == default else []
        notes += ["winner"] if tuned.winner and one.settings == tuned.winner.pick else []
        cells = [shown(one.settings[name]) for name in default]
        cells += [one.at] if several else []
        table.add_row(*cells, *_figures(one), ", ".join(notes))
    return table


def _figures(one: TunedCandidate) -> list[str]:
    metric = one.metric
    if metric is None:
        return ["–", "", "0", units.show_seconds(one.device_seconds)]
    return [units.show(metric.mean, metric.unit), halfwidth(metric), str(one.loops),
            units.show_seconds(one.device_seconds)]  # fmt: skip
