"""What a search for outputs has to remember when it goes on in a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from iosonde.text.changes import Changes
from iosonde.text.cursor import REACH, Output
from iosonde.text.same_command import NO_COMMAND, LastCommand

BETWEEN = 4 * REACH
"""Lines between two trials of which it is said what was changed between them."""


class TakenLines(NamedTuple):
    """Lines of a document's data that an output has, from 1, and the tool that printed it."""

    first: int
    last: int
    tool: str


def places_in(numbers: range, taken: Sequence[TakenLines]) -> set[int]:
    """Indices, among some lines, of those that an output has.

    Args:
        numbers: of the lines.
        taken: what outputs have, in their order.
    """
    places = set[int]()
    for part in taken[-len(numbers) :] if numbers else ():
        low, high = part.first - numbers.start, part.last - numbers.start
        places.update(range(max(low, 0), min(high + 1, len(numbers))))
    return places


class StateSeen(NamedTuple):
    """What of a search matters to outputs from a line on, as `FindState` has it."""

    free: int
    title: str
    failed: Mapping[str, int]
    trial: LastTrial
    command: LastCommand
    taken: tuple[TakenLines, ...]


@dataclass(frozen=True, slots=True)
class LastTrial:
    """Where the last trial of a text ended, the folder its prompt named, what stands above it."""

    line: int = 0
    folder: str = ""
    changes: Changes = field(default_factory=Changes)


@dataclass(frozen=True, slots=True)
class FindState:
    """What a search has to remember when it goes on.

    Args:
        free: number of the first line that belongs to no output yet.
        failed: by output, number of the last line of a broken one.
        heading: the last heading seen that is marked.
        title: the one that the last output stands under; empty where there is none.
        looked: number of the line up to which headings were looked for.
        offset: of the line with the anchor below it.
        trial: the last one.
        command: whose output was the last one.
        taken: lines that the last outputs have.
    """

    free: int = 1
    failed: Mapping[Output, int] = field(default_factory=dict)
    heading: str = ""
    title: str = ""
    looked: int = 0
    offset: int = 0
    trial: LastTrial = LastTrial()
    command: LastCommand = NO_COMMAND
    taken: tuple[TakenLines, ...] = ()

    def seen_from(self, line: int) -> StateSeen:
        """What of it matters to outputs whose anchors stand at or after a line."""
        reach = line - REACH
        failed = {type(output).__name__: at for output, at in self.failed.items() if at >= reach}
        trial = self.trial if self.trial.line >= line - BETWEEN else LastTrial()
        command = self.command if self.command.line >= reach else NO_COMMAND
        taken = tuple(part for part in self.taken if part.last >= reach)
        return StateSeen(max(self.free, reach), self.title, failed, trial, command, taken)
