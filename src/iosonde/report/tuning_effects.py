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
    found = tuning.effects
    if not found.main:
        return
    yield Title("What each setting does, and what they do together")
    fits = "A fit for each place" if len(tuning.campaign.places) > 1 else "One fit"
    yield Text(
        f"{fits} of all {found.loops} loops of the search: each value's effect is averaged over "
        "the values of all other settings, and is what it takes the metric off the mean of all "
        f"candidates. A loop scatters by {units.show_fraction(found.noise)}.", "soft",
    )  # fmt: skip
    if found.apart:
        count = found.apart + found.together
        yield Text(
            f"Of {count} pairs of values of two settings {found.apart} were never measured "
            "together. For them the fit takes it that effects add up, and the intervals below do "
            "not count that this may be wrong."
        )
    ordered = sorted(found.main, key=lambda one: -one.span)
    rows = [
        (one.varied.name if at == 0 else "", show_value(one.varied, level.value),
         units.show_change(level.effect), interval(level.interval))
        for one in ordered for at, level in enumerate(one.levels)
    ]  # fmt: skip
    yield Cells(("setting", "value", "main effect", "interval (95 %)"), tuple(rows), words=2)
    yield Pictures(tuple(main_figures(ordered)))
    if not found.pairs:
        return
    seen = sorted((one for one in found.pairs if one.seen), key=lambda one: -one.largest)
    yield Text(_interaction_sentence(seen, len(found.pairs)))
    for one in seen[:_MOST_PAIRS]:
        yield _pair_cells(one)
    if seen:
        higher = tuning.campaign.intent.goal.higher
        yield Pictures(tuple(interaction_figure(one, higher=higher) for one in seen[:_MOST_PAIRS]))


def _interaction_sentence(seen: Sequence[Interaction], count: int) -> str:
    if not seen:
        return (
            "No two settings are seen to act together: what each does by itself adds up, as far as "
            "these loops can tell."
        )
    names = "; ".join(
        f"{one.first.name} with {one.second.name} (up to {units.show_fraction(one.largest)})"
        for one in seen
    )
    others = "" if len(seen) == count else f"; of the other {count - len(seen)} nothing is seen"
    return f"Settings that act together, beyond what each does by itself: {names}{others}."


def _pair_cells(one: Interaction) -> Cells:
    known = {(a, b): effect for a, b, effect in one.cells}
    head = (f"{one.first.name} \\ {one.second.name}", *(
        show_value(one.second, value) for value in one.second.values
    ))  # fmt: skip
    rows = tuple(
        (show_value(one.first, a), *(
            units.show_change(known[a, b]) if (a, b) in known else "–" for b in one.second.values
        ))
        for a in one.first.values
    )  # fmt: skip
    return Cells(head, rows)
