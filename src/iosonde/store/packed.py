"""What a text held, ready to be written into a store, wherever in a run its place will be.

To make rows of records takes longer than to write them; it is done where an output was found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from iosonde.records.printed import StoredExtra
from iosonde.records.run import Trial
from iosonde.store import rows

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Packed:
    """Rows without run and position: of trials, each with those of its loops; of what is beside.

    An id of a trial lacks the number that makes it unique in its run.
    """

    trials: tuple[tuple[Row, tuple[Row, ...]], ...]
    kept: tuple[Row, ...]

    def __len__(self) -> int:
        """How many trials and things beside them."""
        return len(self.trials) + len(self.kept)


def pack(trials: Iterable[Trial], kept: Iterable[StoredExtra]) -> Packed:
    """Trials with their loops, and what was found beside them."""
    return Packed(
        tuple(
            (
                rows.trial_row("", 0, trial),
                tuple(rows.loop_row("", trial.id, loop, 1) for loop in trial.loops),
            )
            for trial in trials
        ),
        tuple(rows.kept_row("", 0, extra) for extra in kept),
    )


def placed(packed: Packed, run: str, trial: int, beside: int) -> tuple[list[Row], ...]:
    """Rows of trials, loops and evidence as they stand in a run.

    Args:
        packed: of one output.
        run: its id.
        trial: how many trials the run has already.
        beside: how many things beside them.
    """
    trials, loops = list[Row](), list[Row]()
    for position, (row, of_loops) in enumerate(packed.trials, trial):
        name = f"{position + 1:03}-{row['id']}"
        trials.append(row | {"run": run, "position": position, "id": name})
        loops += [loop | {"run": run, "trial": name} for loop in of_loops]
    kept = [row | {"run": run, "position": at} for at, row in enumerate(packed.kept, beside)]
    return trials, loops, kept
