"""Where outputs and their entries end, and what becomes of an output that says nothing."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject, Unreadable
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import (
    StateOutput,
    close_rows,
    end_of,
    entries,
    nearest,
    start_of_own,
    top_of_own,
)


class Lines:
    """A text as a cursor shows it."""

    host = ""

    def __init__(self, text: str, at: int = 0) -> None:
        self._lines, self.at = text.split("\n"), at

    def has(self, index: int) -> bool:
        return 0 <= index < len(self._lines)

    def line(self, index: int) -> str:
        return self._lines[index] if self.has(index) else ""

    stamped = line

    def block(self, first: int, most: int) -> list[str]:
        return self._lines[first : first + most]


class Names(StateOutput):
    """The subjects that lines "is NAME" name, and counters "counts NAME"."""

    tool, anchors = "names", ("is",)
    commands = ("names",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject | PrintedCounters]]:
        fields, last = entries(cursor, first, pair)
        return last, [
            PrintedSubject("disk", name, {}, prompt.host)
            if what == "is"
            else self.counted("disk", name, {"reads": 1}, prompt)
            for what, name in fields
        ]


class Strict(Names):
    """The same, where an output without any of them is none."""

    nothing = "no name follows"


def pair(cursor: TextCursor, index: int) -> tuple[tuple[str, str], int] | None:
    """A line of two words, which may stand in two lines."""
    parts = cursor.line(index).split()
    if len(parts) == 1:
        parts, index = parts + cursor.line(index + 1).split(), index + 1
    return ((parts[0], parts[1]), index) if len(parts) == 2 else None


def test_what_an_output_says_is_one_state_under_its_command() -> None:
    reading = Names().read(
        Lines("alice@san1:~# names -v\nis sda\ncounts\nsda\n\nis sdb\nof course not"), 1
    )
    (state,), (counters,) = reading.states, reading.counters
    assert (reading.first, reading.last) == (0, 5)
    assert [(subject.name, subject.host) for subject in state.subjects] == [
        ("sda", "san1"),
        ("sdb", "san1"),
    ]
    assert (state.tool, state.command, state.host) == ("names", "names -v", "san1")
    assert (counters.kind, counters.name, counters.command) == ("disk", "sda", "names -v")


def test_an_output_that_says_nothing() -> None:
    assert Names().read(Lines("no name here"), 0).states == ()
    with pytest.raises(Unreadable, match="no name follows"):
        Strict().read(Lines("no name here"), 0)


@pytest.mark.parametrize(
    ("text", "names", "last"),
    [
        ("is a\nis b", ["a", "b"], 1),
        ("is a\n\n\n\nis b", ["a"], 0),
        ("is a\n\n\nis b", ["a", "b"], 3),
        ("is a\n# off\nis b", ["a", "b"], 2),
        ("is a\nthat is all\nis b", ["a"], 0),
        ("is\na\nis b\n", ["a", "b"], 2),
    ],
)
def test_entries_end_with_a_gap_or_a_strange_line(text: str, names: list[str], last: int) -> None:
    rows, end = entries(Lines(text), 0, pair, gap=2, comment="#")
    assert ([name for _, name in rows], end) == (names, last)


@pytest.mark.parametrize(
    ("text", "last"),
    [("a 1\na 2\nb", 1), ("a\n\n\na", 3), ("a\n\n\n\na", 0), ("a\n\n", 0), ("a\na\na\na\na\na", 4)],
)
def test_an_output_ends_before_a_strange_line_or_a_gap(text: str, last: int) -> None:
    assert end_of(Lines(text), 0, lambda line: line[0] == "a", gap=3, most=5) == last


def test_the_nearest_line_above_is_looked_for_within_reach() -> None:
    cursor = Lines("head\nhead\nx\nx", at=3)
    assert nearest(cursor, 3, lambda line: line == "head") == 1
    assert nearest(cursor, 2, lambda line: line == "head") is None
    assert nearest(Lines("head", at=0), 9, lambda line: line == "head") == 0


def test_between_it_and_the_anchor_stand_lines_of_one_form() -> None:
    assert nearest(Lines("head\na\n\na", at=3), 9, "head".__eq__, between="a".__eq__) == 0
    assert nearest(Lines("head\nb\n\na", at=3), 9, "head".__eq__, between="a".__eq__) is None


@pytest.mark.parametrize(
    ("text", "rows", "last"),
    [
        ("head\na\na\nb\na", ["a", "a"], 2),
        ("head\n\na\n\na\n\n\na", ["a", "a"], 4),
        ("head\nb\na", [], 0),
        ("head\na\na # names\na", ["a"], 1),
        ("head\na\na\na\na\na", ["a", "a", "a", "a"], 4),
    ],
)
def test_rows_end_before_a_line_that_is_none(text: str, rows: list[str], last: int) -> None:
    def row(line: str) -> str | None:
        return line if line.startswith("a") else None

    assert close_rows(Lines(text), 1, row, 4, no_prompts=True) == (rows, last)


def test_the_first_of_the_anchor_and_the_lines_like_it() -> None:
    cursor = Lines("b\na\n\na\na", at=4)
    assert start_of_own(cursor, "a".__eq__) == 3
    assert top_of_own(cursor, "a".__eq__) == 1
    assert start_of_own(cursor, "b".__eq__) is None
    assert top_of_own(cursor, "b".__eq__) is None
