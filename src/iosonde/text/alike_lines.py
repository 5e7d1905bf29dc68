"""Lists of lines that differ in their figures alone, as programs print them one below the other.

`irq 31, cpu list 2,4`, `last_physical: 80805888`, `ID 256 gen 53 top level 5 path sub1`: three
lines or more with the same words between the figures; the last word of each may be its own. The
words before a figure name its column. Nothing is concluded from them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.records.stack import Json
from iosonde.text.figures import FigureGroup, is_other

_FIGURE = re.compile(
    r"(?<![\w.])-?(?:0x[0-9a-fA-F]{1,16}|\d{1,20}(?:[.,:-]\d{1,20}){0,8})"
    r"(?:\s?(?:[KMGTP]i?B|[kKMGT]?B/s|[nmuµ]?s|%)|[kKMGTPs])?(?![\w])"
)
_NO_OUTPUT = re.compile(r";|{|}|`|\"|://|==|->|\\$")  # each begins with a character: quick
_NO_BEGIN = re.compile(
    r"[-+*/#•]|\(?\d{1,3}[.)]"
    r"|(?:create|delete|rename|new|old|deleted|copy) (?:file )?mode|v\d{1,3}\b|\[\d{1,3}\]"
    r"|\^?(?=[0-9]*[a-f])[0-9a-f]{10,40}\b|0x[0-9a-f]{6,16} <"
    r"|(?:echo|commit|index|Fixes:|Author|Date|diff|case|return|if|else|for|int|static|define|GIT|From|On)\b"
)
"""Code, as source or by objdump, patches, numbered points, links, what mailers and git print."""
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[A-Za-z]{3}")
_EDGES = " \t,:=()[]<>|/"
_FEW = 3  # rows
_LINE = 160
_ROWS = 400
_MOST = 12  # words of a row without its figures


@dataclass(frozen=True, slots=True)
class _Row:
    """The figures of a line, the texts before each of them, and what stands behind the last."""

    texts: tuple[str, ...]
    figures: tuple[str, ...]
    end: str


def alike_at(lines: Sequence[str], at: int) -> FigureGroup | None:
    """The list that begins in a line, with indices among all; None where none does.

    Args:
        lines: clean ones.
        at: index of the line.
    """
    if not _may_be_alike(lines, at):
        return None
    first = _row(lines[at])
    if first is None:
        return None
    rows = [first]
    for place in range(at + 1, min(at + _ROWS, len(lines))):
        row = _row(lines[place])
        if row is None or row.texts != first.texts or bool(row.end) != bool(first.end):
            break
        rows.append(row)
    if len(rows) < _FEW or is_other(lines[at : at + len(rows)]):
        return None
    if len({row.figures for row in rows}) == 1:
        return None  # said over and over: nothing is listed
    columns = [text.strip(_EDGES) for text in first.texts]
    cells: list[Json] = [[*row.figures, *filter(None, [row.end])] for row in rows]
    columns += [""] if first.end else []
    values: dict[str, Json] = {"columns": list(columns), "rows": cells}
    return FigureGroup("", values, at, at + len(rows) - 1)


def _may_be_alike(lines: Sequence[str], at: int) -> bool:
    """Whether a few lines begin alike, with a figure or one sign, and have figures: few do."""
    if at + _FEW > len(lines) or not _DIGIT.search(lines[at]):
        return False
    begin = _begin(lines[at])
    return all(_begin(line) == begin and _DIGIT.search(line) for line in lines[at + 1 : at + _FEW])


def _begin(line: str) -> str:
    """The first sign of a line, one for all figures."""
    sign = line.lstrip()[:1]
    return "0" if sign.isdecimal() else sign


def _row(line: str) -> _Row | None:
    """The parts of a line that may be one of a list."""
    text = line.strip()
    if not 5 <= len(text) <= _LINE or not _DIGIT.search(text):
        return None
    if _NO_BEGIN.match(text) or _NO_OUTPUT.search(text):
        return None
    texts, figures, end = list[str](), list[str](), 0
    for match in _FIGURE.finditer(text):
        texts.append(" ".join(text[end : match.start()].split()))
        figures.append(match[0])
        end = match.end()
    named = " ".join(texts)
    if not figures or not _WORD.search(named) or len(named.split()) > _MOST:
        return None
    rest = text[end:].strip(_EDGES).split()
    if len(rest) > 3:
        return None
    if len(rest) > 1 and _WORD.match(rest[0]):  # "path sub1": its name, and the last word
        texts.append(" ".join(rest[:-1]))
        return _Row(tuple(texts), (*figures, rest[-1]), "")
    return _Row(tuple(texts), tuple(figures), " ".join(rest))
