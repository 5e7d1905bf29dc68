"""Outputs that are one JSON document, on one line or on many, whole, wrapped or cut off.

Source: RFC 8259: brackets in strings are no brackets; a string holds no line break, so that one
where a string goes over a line's end was made by a mail program (at a blank) or by a terminal (at
its last column).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from typing_extensions import override

from iosonde.exact import from_json
from iosonde.records.printed import PrintedCounters, PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import REACH, Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import PartlyReadItems, StateOutput, UnreadPart, before

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?P<end>"?)|[{}\[\]]', re.DOTALL)
_MARK = re.compile(rf"{_TOKEN.pattern}|,", re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}
_LIKE_JSON = re.compile(r'"|^\s*[{}\[\]:,\d.eE+\s-]*+$|^\s*(?:true|false|null)\s*,?\s*$')
_AHEAD = 20
"""Lines in which a document's first keys stand."""
_SHOWN = 2000
"""Characters of them that are looked at."""
_STRAY = 3
_DEEPEST = 60
_LONGEST = 16 << 20
"""Characters of a document."""
CUT = "it is cut off, or its brackets do not close"
_LONGEST_TEXT = 200  # characters of a value


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """What a document says; `is_cut`: its end is missing, and all that is whole is there."""

    value: Any
    last: int
    is_cut: bool = False


class JsonOutput(StateOutput):
    """An output that is one object or list in JSON."""

    head: ClassVar[re.Pattern[str]]
    """How it begins: from its first bracket to what tells it from others."""
    counts: ClassVar[frozenset[str]] = frozenset()
    """Values that count what the document holds: of its last thing they are wrong if it is cut."""
    opens_within: ClassVar[int] = REACH
    """Lines above an anchor in which it begins."""

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, max(cursor.at - self.opens_within, -1), -1):
            line = cursor.line(index)
            if index < cursor.at and "{" not in line and prompt_in(line):
                return None
            if ("{" in line or "[" in line) and begin_of(cursor, index, self.head) is not None:
                above = before(cursor, index)
                is_listed = cursor.line(above).strip() == "["
                listed = is_listed and begin_of(cursor, above, self.head) is not None
                return above if listed else index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        document = document_at(cursor, first, self.head)
        things: list[PrintedSubject | PrintedCounters | UnreadPart] = []
        things += self.things(document.value, prompt)
        if document.is_cut:
            if not things:
                raise Unreadable(CUT, document.last)
            things = _uncounted(things, self.counts)
            things.append((document.last, document.last, "it is cut off here"))
        return document.last, things

    @abstractmethod
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject | PrintedCounters]:
        """What the document says.

        Raises:
            Unreadable: as `Output.read`.
        """


_Thing = PrintedSubject | PrintedCounters | UnreadPart


def _uncounted(things: Sequence[_Thing], counts: frozenset[str]) -> list[_Thing]:
    """The things, the last one that has such counts without them."""
    rest = list(things)
    for place in range(len(rest) - 1, -1, -1):
        thing = rest[place]
        if isinstance(thing, PrintedSubject) and counts & thing.values.keys():
            left = {name: thing.values[name] for name in thing.values if name not in counts}
            rest[place] = replace(thing, values=left)
            break
    return rest


def begin_of(cursor: TextCursor, index: int, head: re.Pattern[str]) -> int | None:
    """The column in which a document begins in a line; None where none does."""
    rows = cursor.block(index, _AHEAD)
    match = head.search("\n".join(rows)[:_SHOWN]) if rows else None
    return match.start() if match and match.start() < len(rows[0]) else None


def object_with(key: str) -> re.Pattern[str]:
    """How an object begins that has a key before any inner object; `key`: a regular expression."""
    return re.compile(rf'\{{(?=[^{{]{{0,900}}?"(?:{key})"\s*:)')


def opening(cursor: TextCursor, first: int) -> int:
    """Index of the line that opens the object whose first key stands in line `first`."""
    for index in range(first, max(first - 3, 0) - 1, -1):
        if cursor.line(index).lstrip().startswith("{"):
            return index
    return first


def document_at(cursor: TextCursor, first: int, head: re.Pattern[str]) -> JsonDocument:
    """The document that begins in a line.

    Args:
        cursor: to look at.
        first: index of the line with its first bracket.
        head: how it begins.

    Raises:
        Unreadable: it is no valid JSON, or nothing of it is whole.
    """
    column = begin_of(cursor, first, head) or 0
    return _document(lines(cursor, first, _LONGEST), first, column)


def object_at(cursor: TextCursor, first: int, head: re.Pattern[str]) -> tuple[dict[str, Any], int]:
    """The object that begins in a line, and the index of its last line.

    Raises:
        Unreadable: it is no valid JSON, no object, or cut off.
    """
    document = document_at(cursor, first, head)
    if document.is_cut or not isinstance(document.value, dict):
        raise Unreadable(CUT, document.last)
    return document.value, document.last


def document_in(text: str, head: re.Pattern[str]) -> Any:
    """The document in a text; `Unreadable` is raised as by `object_at`."""
    match = head.search(text)
    rows = enumerate(text[match.start() if match else 0 :].split("\n"))
    document = _document(rows, 0, 0)
    if document.is_cut:
        raise Unreadable(CUT)
    return document.value


def _document(numbered: Iterable[tuple[int, str]], first: int, column: int) -> JsonDocument:
    rows, widths, last, closed = _extent(numbered, first, column)
    for text in _unbroken(rows, widths):
        try:
            return JsonDocument(from_json(text if closed else whole_part(text)), last, not closed)
        except ValueError:
            continue
    raise Unreadable("it is not valid JSON" if closed else CUT, last)


def _extent(
    numbered: Iterable[tuple[int, str]], first: int, column: int
) -> tuple[list[str], list[int], int, bool]:
    """A document's lines, the index of the last one, and whether all brackets are closed there.

    Second is how long those are in which a string is broken.
    """
    opened: list[str] = []
    rows: list[str] = []
    widths: list[int] = []
    torn, size, stray, last = False, 0, 0, first
    for index, line in numbered:
        row = line[column:] if index == first else line
        if index > first and _is_strange(row):
            stray += 1
            if stray > _STRAY or _is_command(row):
                break
        else:
            stray, last = 0, index
        end, torn = _closed(row, opened, torn=torn)
        if end is not None:
            return [*rows, row[:end]], widths, index, True
        rows.append(row)
        widths += [len(row)] if torn else []
        size += len(row)
        if len(opened) > _DEEPEST or size > _LONGEST:
            raise Unreadable(CUT, index)
    return rows[: last - first + 1], widths, last, False


def _closed(row: str, opened: list[str], *, torn: bool) -> tuple[int | None, bool]:
    """The column behind which a document's last bracket is closed, and whether a string is torn.

    Args:
        row: a line of it.
        opened: the brackets that close what is open; changed.
        torn: whether the line begins within a string.

    Raises:
        Unreadable: another bracket is closed than the one that is open.
    """
    for token in _TOKEN.finditer(f'"{row}' if torn else row):
        mark = token[0]
        if mark in _CLOSES:
            opened.append(_CLOSES[mark])
        elif mark in {"}", "]"}:
            if opened.pop() != mark:
                raise Unreadable("its brackets do not match")
            if not opened:
                return token.end() - torn, False
        elif not token["end"]:
            return None, True
    return None, False


def _is_strange(row: str) -> bool:
    """Whether a line holds what no JSON does; it may be a part of a string that was broken."""
    return not _LIKE_JSON.search(row) or _is_command(row)


def _is_command(row: str) -> bool:
    return '"' not in row and prompt_in(row) is not None


def _unbroken(rows: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """The text of a document, as it was before something broke its lines, the likelier first.

    Args:
        rows: its lines.
        widths: of those in which a string is broken.
    """
    yield "\n".join(rows)
    width = max(map(len, rows), default=0)
    at_column = "".join(row.ljust(width) for row in rows)  # a blank at the column was lost
    at_blank = " ".join(row.strip() for row in rows)
    alike = len(widths) > 1 and min(widths) >= width - 1
    is_cut = alike or sum(len(row) == width for row in rows) > 1
    yield from (at_column, at_blank) if is_cut else (at_blank, at_column)
    yield "\n".join(row for row in rows if not _is_strange(row))  # warnings of the tool's between


def whole_part(text: str, *, values: bool = False) -> str:
    """A document without the end that is missing: up to the last object or list that is closed.

    Args:
        text: the document.
        values: up to the last value that a comma follows, if that comes later.

    Raises:
        ValueError: none is.
    """
    opened: list[str] = []
    end, closing = 0, ""
    for token in (_MARK if values else _TOKEN).finditer(text):
        mark = token[0]
        if mark in _CLOSES:
            opened.append(_CLOSES[mark])
        elif mark in {"}", "]"}:
            if not opened or opened.pop() != mark:
                break
            end, closing = token.end(), "".join(reversed(opened))
        elif mark == ",":
            end, closing = token.start(), "".join(reversed(opened))
    if not end:
        raise ValueError(CUT)
    return text[:end] + closing


# ── values ──────────────────────────────────────────────────────────────────────────────────────


def objects(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list; none where it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def part(value: object, *names: str) -> Mapping[str, Any]:
    """The object within objects that names lead to; an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def number(value: object) -> int | float | None:
    """A number; None where it is none: in JSON true is none."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def leaves(value: Mapping[str, Json], prefix: str = "") -> Iterator[tuple[str, Scalar]]:
    """The values within each other, by the keys that lead to them; lists are none."""
    for key, inner in value.items():
        name = f"{prefix}{key}"
        if isinstance(inner, dict):
            yield from leaves(inner, f"{name}.")
        elif isinstance(inner, str):
            if inner:
                yield name, inner[:_LONGEST_TEXT]
        elif isinstance(inner, bool | int | float):
            yield name, inner
