"""What a campaign would do, as people and programs read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde import units
from iosonde.cli.output import out, print_json

if TYPE_CHECKING:
    from iosonde.tune.campaign.outlook import Outlook


def show_plan(plan: Outlook, *, as_json: bool) -> None:
    """Print what a campaign would do."""
    if as_json:
        print_json(plan.to_json())
        return
    from rich.table import Table

    console, goal = out(), plan.goal
    word = "maximise" if goal.higher else "minimise"
    limits = f", subject to {'; '.join(plan.limits)}" if plan.limits else ""
    stages = ", ".join(
        f"{layer} {count}{f' at {at}' * bool(at)}" for layer, count, at in plan.stages
    )
    several = f" in {len(plan.stages)} stages: {stages}" if stages else ""
    count = sum(candidates for _, candidates, _ in plan.stages) or plan.candidates
    console.print(
        f"{count} candidates{several}; {plan.strategy}: {word} {goal.metric} within "
        f"{units.show_fraction(goal.margin)}{limits}",
    )  # fmt: skip
    console.print(
        f"each candidate once: about {units.show_seconds(plan.block_seconds)}\n"
        f"budget: {units.show_seconds(goal.budget)}, at most {plan.most_loops} loops of "
        f"{units.show_seconds(goal.seconds)}, 20 % of it reserved for confirmation",
    )
    console.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("setting", "in force", "tried", "a change costs"):
        table.add_column(title)
    for setting in plan.vary:
        seconds = setting.change_seconds
        table.add_row(
            "\n+ ".join((setting.name, *setting.also)),
            "?" if setting.in_force is None else str(setting.in_force),
            ", ".join(map(str, setting.values)),
            "read when it is built" if seconds is None else f"about {seconds:g} s",
        )
    console.print(table)
    for left in plan.left_out:
        console.print(f"not tried: {left.setting}={left.value}: {left.reason}")
    console.print(f"a loop:\n  {plan.command}", soft_wrap=True)
    for sentence in plan.notes:
        console.print(sentence)
