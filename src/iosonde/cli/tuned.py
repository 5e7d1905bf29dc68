"""A campaign and its plan as people and programs read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import out, print_json, styled
from iosonde.cli.tuning import shown, words

if TYPE_CHECKING:
    from rich.table import Table

    from iosonde.records.campaign import Campaign, CandidateEnd
    from iosonde.records.run import Run
    from iosonde.records.stack import Json
    from iosonde.tune.campaign.outlook import Outlook


def show_campaign(run: Run, campaign: Campaign, *, as_json: bool) -> int:
    """Print a campaign; 0, for "no gain" is a result too."""
    if as_json:
        from iosonde.report.tune_json import tune_document

        print_json(tune_document(run, campaign))
        return 0
    console, result = out(), campaign.result
    console.print(styled("\nrun [bold]{}[/bold]  {}  ({})", run.id, run.study, run.state.value))
    console.print(_table(campaign))
    for one in campaign.intent.left_out:
        console.print(f"not tried: {one.setting}={one.value}: {one.reason}")
    if result is None:
        return 0
    spent = f"{units.show_seconds(campaign.device_seconds)} of device time"
    if result.proof:  # stages have proofs of their own
        spent += f", {units.show_seconds(result.proof)} of them for the proof"
    console.print(f"\n{result.sentence} ({spent})")
    if result.confirmed:
        console.print(f"best: {words(result.winner)}", style="bold")
    console.print(
        "the winner is in force until the next boot; `iosonde rollback` puts it back"
        if result.applied else "everything is put back as it was before",
    )  # fmt: skip
    if result.commands:
        console.print("make permanent:" if result.applied else "apply:")
        for line in result.commands:
            console.print(f"  {line}")
    return 0


def _table(campaign: Campaign) -> Table:
    """All candidates, the best first; those that were not measured last."""
    from rich.table import Table

    goal = campaign.intent.goal
    varied = [one.name for one in campaign.intent.vary]
    table = Table(box=None, pad_edge=False, header_style="bold")
    places = [place for place in campaign.places if place]
    several = len(places) > 1
    for name in [*varied, *(["measured at"] if several else [])]:
        table.add_column(name)
    for title in (goal.metric, "± 95 %", "loops", "time"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("state")
    default = {one.name: one.default for one in campaign.intent.vary}
    sign = -1 if goal.higher else 1
    for one in sorted(
        campaign.candidates,
        key=lambda one: (
            places.index(campaign.at(one)) if several else 0,
            sign * one.metric.mean if one.metric else float("inf"),
        ),
    ):
        note = _note(one, campaign, default=dict(one.settings) == default)
        cells = [shown(one.settings[name]) for name in varied]
        cells += [campaign.at(one)] if several else []
        table.add_row(*cells, *_figures(one), note)
    return table


def _figures(one: CandidateEnd) -> list[str]:
    metric = one.metric
    if metric is None:
        return ["–", "", "0", units.show_seconds(one.device_seconds)]
    spread = ""
    if metric.ci95 is not None and metric.mean:
        spread = units.show_fraction((metric.ci95[1] - metric.ci95[0]) / 2 / metric.mean)
    return [units.show(metric.mean, metric.unit), spread, str(one.loops),
            units.show_seconds(one.device_seconds)]  # fmt: skip


def _note(one: CandidateEnd, campaign: Campaign, *, default: bool) -> str:
    parts = [one.reason or one.state]
    if default:
        parts.append("previous setting")
    if campaign.result and dict(one.settings) == dict(campaign.result.pick):
        parts.append("winner")
    return ", ".join(parts)


def show_plan(found: Outlook, *, as_json: bool) -> int:
    """Print what a campaign would do; 0."""
    if as_json:
        print_json(plan_document(found))
        return 0
    from rich.table import Table

    console, goal = out(), found.goal
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("setting", "in force", "tried", "a change costs"):
        table.add_column(title)
    for one in found.prices:
        cost = "read when it is built" if one.seconds is None else f"about {one.seconds:g} s"
        default = "?" if one.varied.default is None else str(one.varied.default)
        tried = ", ".join(map(str, one.varied.values))
        name = "\n+ ".join((one.varied.name, *one.varied.also))
        table.add_row(name, default, tried, cost)
    console.print(table)
    for left in found.left_out:
        console.print(f"not tried: {left.setting}={left.value}: {left.reason}")
    word = "maximise" if goal.higher else "minimise"
    limits = f", subject to {'; '.join(found.limits)}" if found.limits else ""
    stages = ", ".join(
        f"{layer} {count}{f' at {at}' * bool(at)}" for layer, count, at in found.stages
    )
    several = f" in {len(found.stages)} stages: {stages}" if stages else ""
    count = sum(one for _, one, _ in found.stages) or found.candidates
    console.print(
        f"{count} candidates{several}; {found.strategy}: {word} {goal.metric} within "
        f"{units.show_fraction(goal.margin)}{limits}",
    )  # fmt: skip
    console.print(
        f"each candidate once: about {units.show_seconds(found.block)}; the budget is "
        f"{units.show_seconds(goal.budget)}, {found.loops} loops of "
        f"{units.show_seconds(goal.seconds)} at most, 20 % of it reserved for confirmation",
    )
    console.print(f"a loop: {found.command}")
    for sentence in found.notes:
        console.print(sentence)
    return 0


def plan_document(found: Outlook) -> dict[str, Json]:
    """The plan as JSON: of `iosonde.plan/1`, as `run --dry-run` prints it."""
    vary: list[Json] = [
        {
            "name": one.varied.name, "also": list(one.varied.also),
            "values": list(one.varied.values),
            "in_force": one.varied.default, "change_seconds": one.seconds,
        }
        for one in found.prices
    ]  # fmt: skip
    out_of_it: list[Json] = [
        {"setting": one.setting, "value": one.value, "reason": one.reason} for one in found.left_out
    ]
    return {
        "schema": "iosonde.plan/1", "study": found.study, "strategy": found.strategy,
        "candidates": found.candidates, "vary": vary, "left_out": out_of_it,
        "metric": found.goal.metric, "limits": list(found.limits), "command": found.command,
        "block_seconds": found.block, "budget": found.goal.budget, "most_loops": found.loops,
        "notes": list(found.notes), "prior": found.first.prior or None,
        "first": [dict(one) for one in found.first.hopeful],
    }  # fmt: skip
