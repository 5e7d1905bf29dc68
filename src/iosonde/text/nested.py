"""Files of configuration: sections in braces within each other, and sections below `[names]`.

Only the form is known here. What stands in a section, and whether it is one of a tool, its reader
says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from iosonde.text.cursor import TextCursor, lines, prompt_in

_OPENS = re.compile(
    r"(?P<head>[A-Za-z][\w .:/\"-]{0,120}?)\s*\{(?P<rest>[^{}]*)(?P<closed>\})?\s*$"
)
_NAMED = re.compile(r"\[(?P<name>[A-Za-z][\w .:/\"-]{0,80})\]\s*(?:[#;].{0,200})?$")
_PAIR = re.compile(r"(?P<key>[A-Za-z][\w.:/*-]{0,80})\s*=\s*(?P<value>.{0,400})$")
_COMMENT = re.compile(r"\s*(?:#|;|//)")
_ITEM = re.compile(r"\s{0,8}[*•-] +\S")
"""A point of a list of Markdown's, which no section holds: the text's author lost a brace."""
_DEPTH = 6


@dataclass(slots=True)
class ConfigSection:
    """A section: the heads of those around it and its own, and its lines, without comments.

    `torn` says that a wrap broke the last of several statements in a line.
    """

    heads: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    torn: bool = False

    def take(self, text: str) -> None:
        """Files the statements of a line: apart by semicolons that stand in no quotes."""
        parts = [text] if '"' in text else text.split(";")
        own = [part for part in map(str.strip, parts) if part.rstrip(";")]
        if self.torn and own:
            glue = "" if " " in self.lines[-1] else " "
            self.lines[-1] += glue + own.pop(0).rstrip(";")
        self.torn = len(parts) > 1 and bool(parts[-1].strip())
        self.lines += [part.rstrip("; ") for part in own]


def in_braces(
    cursor: TextCursor,
    first: int,
    is_top: Callable[[str], object],
    *,
    most: int = 4000,
    ended_by: str = "",
) -> tuple[int, list[ConfigSection]]:
    """Index of the last line, and the sections from line `first` on, the outer ones first.

    Args:
        cursor: to look at.
        first: index of the line that opens the first section.
        is_top: whether the head of a section is one that stands within no other.
        most: lines to look at.
        ended_by: what statements end with, where they do: of two lines that hold neither it nor a
            brace, none is of a section, whose end was lost.
    """
    sections: list[ConfigSection] = []
    open_: list[ConfigSection] = []
    last = first
    for index, line in lines(cursor, first, most):
        text = _without_comment(line)
        if (not open_ and index > last + 4) or _ITEM.match(line):
            break
        if not text:
            continue
        if not open_ and prompt_in(line) and index > first:
            break
        if ended_by and open_ and not _is_whole(text, ended_by):
            following = _without_comment(cursor.line(index + 1))
            if not _is_whole(following, ended_by):
                break
        opened = _OPENS.match(text)
        if opened and (open_ or is_top(opened["head"].strip())) and len(open_) < _DEPTH:
            heads = (*(section.heads[-1] for section in open_), opened["head"].strip())
            section = ConfigSection(heads)
            sections.append(section)
            section.take(opened["rest"])
            if not opened["closed"]:
                open_.append(section)
        elif open_:
            _line(text, open_)
        else:
            break
        last = index
    return last, sections


def _is_whole(text: str, ended_by: str) -> bool:
    """Whether a line holds an end of a statement, or a brace."""
    return any(mark in text for mark in (ended_by, "{", "}"))


def _line(text: str, open_: list[ConfigSection]) -> None:
    """Files a line within a section, and leaves the sections that it closes."""
    closing = len(text) - len(text.rstrip("} ;"))
    braces = text[len(text) - closing :].count("}") if closing else 0
    own = text[: len(text) - closing].strip() if braces else text
    if own:
        open_[-1].take(own)
    for _ in range(min(braces, len(open_))):
        open_.pop()


def _without_comment(line: str) -> str:
    text = line.strip()
    if _COMMENT.match(text):
        return ""
    for mark in (" #", "\t#"):
        before, marked, _ = text.partition(mark)
        if marked and before.count('"') % 2 == 0:
            text = before.rstrip()
    return text


def below_names(
    cursor: TextCursor,
    first: int,
    is_section: Callable[[str], object],
    *,
    pairs: re.Pattern[str] = _PAIR,
    most: int = 1000,
) -> tuple[int, dict[str, dict[str, str]]]:
    """Index of the last line, and section → its keys with their values.

    Args:
        cursor: to look at.
        first: index of the line with the first section's name.
        is_section: whether a file of this kind has a section of a name.
        pairs: `key` and `value` of a line, where names have another form than one word.
        most: lines to look at.
    """
    sections: dict[str, dict[str, str]] = {}
    section: dict[str, str] | None = None
    last = first
    for index, line in lines(cursor, first, most):
        text = line.strip()
        if index > last + 4:
            break
        if not text or _COMMENT.match(text):
            continue
        if named := _NAMED.match(text):
            if not is_section(named["name"]):
                break
            section = sections.setdefault(named["name"], {})
        elif section is not None and (pair := pairs.match(text)):
            section[pair["key"]] = pair["value"].partition(" #")[0].strip()
        else:
            break
        last = index
    return last, sections


def section_name(line: str) -> str:
    """The name that a line gives a section in brackets; empty where it gives none."""
    named = _NAMED.match(line.strip())
    return named["name"] if named else ""


def first_section(cursor: TextCursor, first: int) -> int:
    """Index of the line with the first section's name, from a line of the comments above it on.

    Not below the anchor's line.
    """
    while not section_name(cursor.line(first)) and first < cursor.at:
        first += 1
    return first


def opened_head(line: str) -> str:
    """The head of the section that a line opens with a brace; empty where it opens none."""
    opened = _OPENS.match(_without_comment(line))
    return opened["head"].strip() if opened else ""
