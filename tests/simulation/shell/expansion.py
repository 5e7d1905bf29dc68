"""Words of the shell: quotes, parameters, substitutions, and how they become fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from tests.simulation.shell.errors import Unplayed

if TYPE_CHECKING:
    from tests.simulation.shell.process import Process

# A part of a word: letters, or what gives its text and whether blanks part it; None is "$@".
Part: TypeAlias = "str | tuple[Callable[[Process], str], bool] | None"
Text: TypeAlias = "Callable[[Process], str]"
Arguments: TypeAlias = "Callable[[Process], list[str]]"


def fields_of(rows: Sequence[Sequence[Part]]) -> Arguments:
    """Words as the fields that they become, one after the other."""
    if not rows:
        return lambda _: []
    if not any(part is None or _splits(part) for parts in rows for part in parts):
        gets = [text_of(parts) for parts in rows]
        if len(gets) == 1:
            only = gets[0]
            return lambda process: [only(process)]
        if len(gets) == 2:
            first, second = gets
            return lambda process: [first(process), second(process)]
        if len(gets) == 3:
            left, middle, right = gets
            return lambda process: [left(process), middle(process), right(process)]
        return lambda process: [get(process) for get in gets]
    several = [_fields(parts) for parts in rows]
    if len(several) == 1:
        return several[0]
    return lambda process: [field for word in several for field in word(process)]


def _splits(part: Part) -> bool:
    """Whether blanks in it part fields."""
    return isinstance(part, tuple) and part[1]


def _fields(parts: Sequence[Part]) -> Arguments:
    """One word as fields."""
    if list(parts) == [None]:
        return lambda process: process.positional
    if None in parts:
        raise Unplayed('"$@" within a word')
    if not any(_splits(part) for part in parts):
        join = text_of(parts)
        return lambda process: [join(process)]
    if len(parts) == 1 and isinstance(parts[0], tuple):
        only = parts[0][0]
        return lambda process: split(only(process), process)

    return lambda process: _joined(parts, process)


def _joined(parts: Sequence[Part], process: Process) -> list[str]:
    """A word of several parts, of which some may be parted by their blanks."""
    fields: list[str] = []
    begun = False  # whether the last field goes on
    for part in parts:
        piece = part if isinstance(part, str) else part[0](process) if part else ""
        if not _splits(part):
            fields[len(fields) - begun :] = [(fields[-1] if begun else "") + piece]
            begun = True
            continue
        blanks = blanks_of(process)
        pieces = split(piece, process)
        if begun and pieces and piece[0] not in blanks:
            fields[-1] += pieces.pop(0)
        fields += pieces
        if piece:
            begun = piece[-1] not in blanks
    return fields


def text_of(parts: Sequence[Part]) -> Text:
    """A word as one text, as in assignments."""
    letters = ""
    gets: list[Text] = []
    for part in parts:
        if part is None:
            raise Unplayed('"$@" as one text')
        if isinstance(part, str):
            letters += part
            continue
        if letters:
            gets.append(Letters(letters))
            letters = ""
        gets.append(part[0])
    if letters or not gets:
        gets.append(Letters(letters))
    if len(gets) == 1:
        return gets[0]
    if len(gets) == 2:
        first, second = gets
        return lambda process: first(process) + second(process)
    return lambda process: "".join([get(process) for get in gets])


class Letters:
    """What gives the same text each time."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, _: Process) -> str:
        return self.text


_BLANKS = " \t\n"


def blanks_of(process: Process) -> str:
    """The characters that part fields; all are blanks."""
    blanks = process.variables.get("IFS", _BLANKS)
    if blanks.strip(_BLANKS):
        raise Unplayed(f"IFS={blanks!r}")
    return blanks


def split(text: str, process: Process) -> list[str]:
    """The fields of a text that was not quoted."""
    blanks = blanks_of(process)
    if blanks == "\t":
        fields = [field for field in text.split("\t") if field]
    elif blanks == _BLANKS:
        fields = [field for field in re.split("[ \t\n]+", text) if field]
    else:
        fields = [text] if text else []
    if not process.noglob and any(sign in text for sign in "*?["):
        raise Unplayed(f"names by the pattern {text!r}")
    return fields


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A pattern of the shell, in which a backslash quotes."""
    out, at = [], 0
    while at < len(text):
        sign = text[at]
        if sign == "\\" and at + 1 < len(text):
            at += 1
            out.append(re.escape(text[at]))
        elif sign == "*":
            out.append(".*")
        elif sign == "?":
            out.append(".")
        elif sign == "[":
            raise Unplayed(f"the pattern {text!r}")
        else:
            out.append(re.escape(sign))
        at += 1
    return re.compile("".join(out), re.DOTALL)


@cache
def plain(text: str) -> str | None:
    """The text that a pattern alone matches, if there is only one."""
    if any(sign in text.replace("\\\\", "") for sign in "*?[") and re.search(
        r"(?<!\\)(\\\\)*[*?\[]", text
    ):
        return None
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def quoted(text: str) -> str:
    """A text as a pattern that matches it alone."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", text)


def without(text: str, sign: str, taken: str) -> str:
    """A text without what a pattern matches at its beginning (#, ##) or end (%, %%)."""
    alone = plain(taken)
    if alone is not None:
        if sign[0] == "#":
            return text.removeprefix(alone)
        return text.removesuffix(alone)
    match = pattern(taken).fullmatch
    length = len(text)
    if sign[0] == "#":
        ends = range(length + 1) if sign == "#" else range(length, -1, -1)
        return next((text[end:] for end in ends if match(text, 0, end)), text)
    starts = range(length, -1, -1) if sign == "%" else range(length + 1)
    return next((text[:start] for start in starts if match(text, start)), text)
