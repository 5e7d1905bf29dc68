"""What readers of printed outputs share: where an output ends, its entries, the command above it.

Tables of single words are read by `iosonde.text.table`, those with empty cells by
`iosonde.text.cells`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, TypeAlias, TypeVar

from typing_extensions import override

from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    Unreadable,
)
from iosonde.records.stack import Json
from iosonde.text.cursor import (
    Output,
    Prompt,
    TextCursor,
    command_before,
    command_of_parts,
    joined,
    lines,
    prompt_in,
)
from iosonde.text.said_lines import sentences_of

T = TypeVar("T")
UnreadPart: TypeAlias = tuple[int, int, str]
"""Lines of an output that were not understood, as `OutputReading.unread` has them."""
Items: TypeAlias = tuple[int, Iterable[PrintedSubject | PrintedCounters]]
"""Index of an output's last line, and the things that it is about."""
PartlyReadItems: TypeAlias = tuple[int, Iterable[PrintedSubject | PrintedCounters | UnreadPart]]
"""The same, with parts that were not understood."""


class StateOutput(Output):
    """An output that says what things are, and what they count."""

    commands: ClassVar[tuple[str, ...]]
    """Names of the commands that print it."""
    reach: ClassVar[int] = 12
    """Lines above the output in which its command is looked for."""
    about: ClassVar[str] = ""
    """What the command must name."""
    nothing: ClassVar[str] = ""
    """Why it is refused where it says nothing; empty: it may say nothing."""
    in_parts: ClassVar[bool] = False
    """Whether it may go on below sentences; `is_part` tells its lines from these."""
    answers: ClassVar[bool] = False
    """Whether its lines are sentences of a tool, which are kept beside what they say."""

    def first_line(self, cursor: TextCursor, first: int) -> re.Match[str]:
        """What the output begins with.

        Raises:
            Unreadable: it does not.
        """
        match = self.beginning.match(cursor.line(first))
        if match is None:
            raise Unreadable("its first line is broken", first)
        return match

    def is_part(self, line: str) -> object:
        """Whether a line is of this output and of nothing else."""
        return self.beginning.match(line)

    @abstractmethod
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        """Index of the last line, and the things that the output from line `first` on is about.

        Raises:
            Unreadable: as `Output.read`.
        """

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, prompt = command_before(
            cursor, first, self.commands, reach=self.reach, about=self.about
        )
        if self.in_parts and not prompt.command:
            prompt = command_of_parts(cursor, first, self.commands, self.is_part)
        last, items = self.items(cursor, first, prompt)
        subjects: list[PrintedSubject] = []
        counters: list[PrintedCounters] = []
        unread: list[UnreadPart] = []
        for item in items:
            if isinstance(item, PrintedSubject):
                subjects.append(item)
            elif isinstance(item, PrintedCounters):
                counters.append(item)
            else:
                unread.append(item)
        if self.nothing and not subjects and not counters:
            raise Unreadable(self.nothing)
        messages = self.sentences(cursor, first, last)
        state = PrintedState(self.tool, tuple(subjects), prompt.host, prompt.command, messages)
        states = (state,) if subjects else ()
        return OutputReading(
            begin, max(first, last), states=states, counters=tuple(counters), unread=tuple(unread)
        )

    def sentences(self, cursor: TextCursor, first: int, last: int) -> tuple[str, ...]:
        """The lines that are kept as they stand beside what they say: all of an answer."""
        return sentences_of(cursor, first, last) if self.answers else ()

    def counted(
        self, kind: str, name: str, values: Mapping[str, Json], prompt: Prompt
    ) -> PrintedCounters:
        """Counters that this tool prints."""
        return PrintedCounters(self.tool, kind, name, values, prompt.host, prompt.command)


def groups_of(match: re.Match[str]) -> dict[str, Json]:
    """The named groups that hold something: whole numbers as such, all others as they stand."""
    return {
        name: int(text) if text.isdecimal() else text
        for name, text in match.groupdict().items()
        if text
    }


def nearest(
    cursor: TextCursor,
    reach: int,
    is_first: Callable[[str], object],
    *,
    between: Callable[[str], object] | None = None,
) -> int | None:
    """Index of the last line up to the anchor's of which something holds; None where none is near.

    Args:
        cursor: to look at.
        reach: lines to look at, the anchor's among them.
        is_first: what must hold.
        between: what must hold of each line below it that is not blank; None: nothing.
    """
    for index in range(cursor.at, max(cursor.at - reach, -1), -1):
        line = cursor.line(index)
        if is_first(line):
            return index
        if between and line and not between(line):
            return None
    return None


def start_of(
    cursor: TextCursor, is_own: Callable[[str], object], *, most: int | None = None
) -> int:
    """Index of the first of the lines that stand together with the anchor's.

    Args:
        cursor: to look at; the anchor's line is not asked.
        is_own: what must hold of each line above it.
        most: lines above it that are looked at; None: as many as there are.
    """
    first = cursor.at
    lowest = 0 if most is None else max(cursor.at - most, 0)
    while first > lowest and is_own(cursor.line(first - 1)):
        first -= 1
    return first


def top_of(cursor: TextCursor, is_own: Callable[[str], object], *, most: int = 80) -> int:
    """As `start_of`, where single blank lines may stand between those that belong together."""
    first = cursor.at
    for index, line in close_lines_above(cursor, cursor.at - 1, most):
        if not is_own(line):
            break
        first = index
    return first


def start_of_own(
    cursor: TextCursor, is_own: Callable[[str], object], *, most: int | None = None
) -> int | None:
    """As `start_of`; None where the anchor's line is none of them."""
    return start_of(cursor, is_own, most=most) if is_own(cursor.line(cursor.at)) else None


def top_of_own(
    cursor: TextCursor, is_own: Callable[[str], object], *, most: int = 80
) -> int | None:
    """As `top_of`; None where the anchor's line is none of them."""
    return top_of(cursor, is_own, most=most) if is_own(cursor.line(cursor.at)) else None


def first_match(forms: Iterable[re.Pattern[str]], line: str) -> re.Match[str] | None:
    """Of the first form that a line begins with; None where it begins with none."""
    return next((match for form in forms if (match := form.match(line))), None)


def over_comments(
    cursor: TextCursor, first: int, commands: Sequence[str], *, most: int = 20
) -> int:
    """Index of the first of the comments above a line of a file; prompts of root look like these.

    Args:
        cursor: to look at.
        first: index of the line.
        commands: that show files.
        most: lines to look at.
    """
    for index in range(first - 1, max(first - most, 0) - 1, -1):
        text = cursor.line(index).strip()
        shows = any(text.lstrip("# ").startswith((f"{name} ", "sudo ")) for name in commands)
        if not text.startswith("#") or shows:
            break
        first = index
    return first


def before(cursor: TextCursor, index: int) -> int:
    """Index of the line before one, or of the one before that where it is blank."""
    return index - 1 if cursor.line(index - 1) else index - 2


def close_lines(
    cursor: TextCursor, first: int, most: int = 400, *, gap: int = 1
) -> Iterator[tuple[int, str]]:
    """Indices and lines from `first` on that are not blank, up to more blank ones than `gap`."""
    last = first - 1
    for index, line in lines(cursor, first, most):
        if line:
            last = index
            yield index, line
        elif index - last > gap:
            return


def close_lines_above(
    cursor: TextCursor, first: int, most: int | None = None, *, gap: int = 1
) -> Iterator[tuple[int, str]]:
    """The same from `first` upwards; with `most` None to the beginning of the text."""
    last = first + 1
    lowest = 0 if most is None else max(last - most, 0)
    for index in range(first, lowest - 1, -1):
        if line := cursor.line(index):
            last = index
            yield index, line
        elif last - index > gap:
            return


def close_rows(
    cursor: TextCursor,
    first: int,
    row: Callable[[str], T | None],
    most: int = 400,
    *,
    gap: int = 1,
    no_prompts: bool = False,
) -> tuple[list[T], int]:
    """What the rows from line `first` on say, up to a line that is none; the last one's index.

    Where already the first line is none, that is the index of the line before it.

    Args:
        cursor: to look at.
        first: index of a line.
        row: what a line says; None, or False, where it is no row.
        most: lines to look at.
        gap: blank lines that may stand between two.
        no_prompts: a line with a command after a prompt is none, and `row` is not asked for it.
    """
    rows: list[T] = []
    last = first - 1
    for index, line in close_lines(cursor, first, most, gap=gap):
        said = None if no_prompts and prompt_in(line) else row(line)
        if said is None or said is False:
            break
        rows.append(said)
        last = index
    return rows, last


def close_pairs(
    cursor: TextCursor,
    first: int,
    pair: Callable[[str], tuple[str, T] | None],
    most: int = 400,
    *,
    no_prompts: bool = False,
) -> tuple[dict[str, T], int]:
    """The same of rows of a name and a value, up to one whose name stands in a row above."""
    pairs: dict[str, T] = {}

    def takes(line: str) -> bool:
        said = pair(line)
        if said is None or said[0] in pairs:
            return False
        pairs[said[0]] = said[1]
        return True

    return pairs, close_rows(cursor, first, takes, most, no_prompts=no_prompts)[1]


def close_messages(
    cursor: TextCursor,
    first: int,
    message: Callable[[TextCursor, int], tuple[T, int] | None],
    most: int,
    *,
    apart: int = 3,
) -> tuple[list[T], int]:
    """What the messages of one program from line `first` on say; index of the last one's last line.

    Args:
        cursor: to look at.
        first: index of a line.
        message: what the message in a line says, and index of its last line; None where none is.
        most: lines to look at.
        apart: lines of others that may stand between two.
    """
    messages: list[T] = []
    last = first
    for index in range(first, first + most):
        if index > last + apart:
            break
        if (said := message(cursor, index)) is not None:
            messages.append(said[0])
            last = said[1]
    return messages, last


def end_of(
    cursor: TextCursor, first: int, is_own: Callable[[str], object], *, gap: int, most: int = 400
) -> int:
    """Index of an output's last line: before a strange one, or before so many blank ones.

    Args:
        cursor: to look at.
        first: index of the output's first line, which is its own.
        is_own: whether a line that is not blank may be part of it.
        gap: blank lines that end it.
        most: lines to look at.
    """
    last = first
    for index, line in lines(cursor, first + 1, most - 1):
        if index > last + gap or (line and not is_own(line)):
            break
        last = index if line else last
    return last


def entries(
    cursor: TextCursor,
    first: int,
    entry: Callable[[TextCursor, int], tuple[T, int] | None],
    *,
    gap: int = 3,
    comment: str = "",
    most: int = 400,
) -> tuple[list[T], int]:
    """The entries from line `first` on, and the index of the last line of the last one.

    Args:
        cursor: to look at.
        first: index of a line.
        entry: what begins in a line, and the index of its last one; None where nothing does.
        gap: blank lines that end them.
        comment: how lines begin that are passed over like blank ones.
        most: lines to look at.
    """
    read: list[T] = []
    last, following = first, first
    for index, line in lines(cursor, first, most):
        if index < following:
            continue
        text = line.strip()
        if not text or (comment and text.startswith(comment)):
            if index - last > gap:
                break
            continue
        parsed = entry(cursor, index)
        if parsed is None:
            break
        read.append(parsed[0])
        last, following = parsed[1], parsed[1] + 1
    return read, last


class HeadedOutput(StateOutput):
    """An output in which each thing has a head and some lines below it."""

    gap: ClassVar[int] = 2
    """Blank lines that may stand within it."""

    def is_head(self, line: str) -> bool:
        """Whether a thing begins in a line."""
        return self.beginning.match(line) is not None

    @abstractmethod
    def goes_on(self, line: str, above: list[str]) -> bool:
        """Whether a line belongs to the thing whose lines so far stand above it."""

    def is_command(self, line: str) -> bool:
        """Whether a line is a command after a prompt, which ends the output."""
        return prompt_in(line) is not None

    @abstractmethod
    def block(self, text: str, prompt: Prompt) -> Iterable[PrintedSubject | PrintedCounters]:
        """What the lines of one thing say."""

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, heads, above = first, [first], [cursor.line(first)]
        for index, line in lines(cursor, first + 1, 4000):
            if not line:
                continue
            if self.is_head(line):
                heads.append(index)
                above = []
            elif (
                self.is_command(line)
                or index > last + 1 + self.gap
                or not self.goes_on(line, above)
            ):
                break
            above.append(line)
            last = index
        texts = [joined(cursor, at, after - 1) for at, after in pairwise([*heads, last + 1])]
        return last, [item for text in texts for item in self.block(text, prompt)]
