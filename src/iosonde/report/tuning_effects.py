"""What each setting of a campaign does by itself, and what two do together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde import units
from iosonde.records.campaign_sheet import Interaction, Tuning
from iosonde.report.blocks import (
    Block,
    Cells,
    Pictures,
    Text,
    Title,
    interval,
    show_value,
)
from iosonde.report.tuning_charts import interaction_figure, main_figures

_MOST_PAIRS = 6


def effects(tuning: Tuning) -> Iterator[Block]:
    """What each setting does by itself, and what two do together."""
    effects_of = tuning.effects
    if not effects_of.main:
        return
    yield Title("Effects and interactions")
    fits = "A fit for each place" if len(tuning.campaign.places) > 1 else "One fit"
    yield Text(
        f"{fits} of all {effects_of.loops} loops of the search: each value's effect is averaged "
        "over the values of all other settings, and is what it takes the metric off the mean of "
        f"all candidates. A loop scatters by {units.show_fraction(effects_of.noise)}.",
        "soft",
    )
    if effects_of.apart:
        count = effects_of.apart + effects_of.together
        yield Text(
            f"Of {count} pairs of values of two settings {effects_of.apart} were never measured "
            "together. For them the fit takes it that effects add up, and the intervals below do "
            "not count that this may be wrong."
        )
    ordered = sorted(effects_of.main, key=lambda effect: -effect.span)
    rows = [
        (effect.varied.name if at == 0 else "", show_value(effect.varied, level.value),
         units.show_change(level.effect), interval(level.interval))
        for effect in ordered for at, level in enumerate(effect.levels)
    ]  # fmt: skip
    yield Cells(("setting", "value", "main effect", "interval (95 %)"), tuple(rows), text_columns=2)
    yield Pictures(tuple(main_figures(ordered)))
    if not effects_of.pairs:
        return
    seen = sorted(
        (interaction for interaction in effects_of.pairs if interaction.seen),
        key=lambda interaction: -interaction.largest,
    )
    yield Text(_interaction_sentence(seen, len(effects_of.pairs)))
    for interaction in seen[:_MOST_PAIRS]:
        yield _pair_cells(interaction)
    if seen:
        higher = tuning.campaign.intent.goal.higher
        yield Pictures(
            tuple(
                interaction_figure(interaction, higher=higher) for interaction in seen[:_MOST_PAIRS]
            )
        )


def _interaction_sentence(seen: Sequence[Interaction], count: int) -> str:
    if not seen:
        return (
            "No two settings are seen to act together: what each does by itself adds up, as far as "
            "these loops can tell."
        )
    names = "; ".join(
        f"{interaction.first.name} with {interaction.second.name} "
        f"(up to {units.show_fraction(interaction.largest)})"
        for interaction in seen
    )
    others = "" if len(seen) == count else f"; of the other {count - len(seen)} nothing is seen"
    return f"Settings that act together, beyond what each does by itself: {names}{others}."


def _pair_cells(interaction: Interaction) -> Cells:
    cells = {(a, b): effect for a, b, effect in interaction.cells}
    head = (f"{interaction.first.name} \\ {interaction.second.name}", *(
        show_value(interaction.second, value) for value in interaction.second.values
    ))  # fmt: skip
    rows = tuple(
        (
            show_value(interaction.first, a),
            *(
                units.show_change(cells[a, b]) if (a, b) in cells else "–"
                for b in interaction.second.values
            ),
        )
        for a in interaction.first.values
    )
    return Cells(head, rows)
