"""Lists of speeds as people write them in a text: a name, and one figure or several behind it.

`Original: 3033.7 MB/sec`, `movnti  496 MB/s  642 MB/s`, `4k:  IOPS=225k, BW=877MiB/s`: two rows or
more below each other, or one that names IOPS and BW both. Nothing but figures, their names and
remarks in brackets may follow the first speed, so that a sentence with a speed in it is none.
Nothing is concluded from them: whether they are of reads, and what MB means, is their author's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.records.stack import Json
from iosonde.text.figures import FigureGroup, has_digit
from iosonde.text.prose import is_sentence

_NUMBER = (
    r"(?:\d{1,9},\d{1,2}(?![\d,])"  # where a comma stands before decimals
    r"|(?:\d{1,3}(?:,\d{3}){1,4}(?![\d,])|\d{1,12})(?:\.\d{1,6})?)"
)
_RATE = (
    r"(?:[kKMGT]?i?[Bb](?:ytes?)?(?: ?/ ?(?:s(?:ec(?:ond)?)?|秒)|ps)|[KMG]?bits?/s(?:ec)?"
    r"|[KMGT]i?o/s|[кКМГТ]?[Бб](?:айт)?/с(?:ек)?"  # French octets, Russian
    r"|[kKM]? ?(?:IOPS|iops)|IOPs"
    r"|[kKM]?(?:ops|files|reqs?|requests|transactions)/s(?:ec(?:ond)?)?)(?![\w/])"
)
_TIME = r"(?:[nmuµμ]?s|[nmu]?sec)(?![\w/])"
_NAMED = r"(?P<name>[A-Za-z][\w.+-]{0,24}) {0,3}[=:] {0,3}"
_FIRST = re.compile(
    rf"(?:(?P<name>IOPS|iops|BW|bw) {{0,3}}[=:] {{0,3}}[~<>]? ?{_NUMBER}"
    rf"(?:\s{{0,2}}{_RATE}|[kKMG]?(?![\w.]|,\d))"
    rf"|(?P<other>[A-Za-z][\w.]{{0,24}})={_NUMBER}\s{{0,2}}{_RATE}"
    rf"|(?<![\w.,=])[~<>]? ?{_NUMBER}(?: ?[-–~…] ?{_NUMBER})?\s{{0,2}}{_RATE})"
)
_TIMED = re.compile(rf"(?P<name>(?!))?(?<![\w.,=])[~<>]? ?{_NUMBER}\s{{0,2}}{_TIME}")
_CELL = re.compile(
    rf"(?:{_NAMED})?(?P<figure>[~<>]? ?{_NUMBER}(?: ?[-–~…] ?{_NUMBER})?"
    rf"(?:\s{{0,2}}(?:{_RATE}|{_TIME}|%)|[kKMG]?(?![\w.]|,\d)))"
)
_BETWEEN = re.compile(
    r"[\s,;|/，–-]*(?:\([^()]{1,60}\)|\[[^\[\]]{1,60}\]|#.{0,120}$|\b(?:READ|WRITE|read|write)\b)?"
)
_IN_BRACKETS = re.compile(
    rf"\[(?P<a>{_NUMBER}\s{{0,2}}(?:{_RATE}|{_TIME}))\]|\((?P<b>{_NUMBER}\s{{0,2}}(?:{_RATE}|{_TIME}))\)"
)
"""A figure that stands behind another: `26.9 MB/s [6588.1 IOPS]`."""
_BULLET = re.compile(r"\s*(?:[-*+•·]\s+)?")
_LABEL = re.compile(r"[^\W_][^;{}\"?!@]{0,59}|[(/<_][^;{}\"?!@]{0,59}")
_RULE = re.compile(r"\s*[-=]{3,}\s*")
_GAP = re.compile(r" {2,}|\t+")
_GROUPED = re.compile(r"\d,\d{3}(?!\d)")
_PROSE = frozenset({
    "about", "are", "around", "at", "from", "get", "gets", "got", "is", "of", "only", "over",
    "than", "to", "up", "was", "with",
})  # fmt: skip
_SURE = frozenset({"bw", "iops"})
"""What a row says that is believed alone."""
_OPENING = frozenset({
    "and", "but", "he", "i", "it", "she", "so", "that", "then", "these", "they", "this", "those",
    "we", "you",
})  # fmt: skip
"""First words of a sentence, not of a name."""
_BRACKETED = re.compile(r"[(（][^()（）]{0,40}[)）]")
_CLAUSE = re.compile("[。、，！？」]|は|的是|約|约|大约")
"""What a sentence in Japanese or Chinese has and a name has not."""
_LONGEST = 10  # words of a label
_LINE = 200
_ROWS = 100


@dataclass(frozen=True, slots=True)
class _Row:
    """A label, and the names and figures behind it; a figure without a name has an empty one."""

    label: str
    names: tuple[str, ...]
    figures: tuple[str, ...]


def rates_at(lines: Sequence[str], at: int) -> FigureGroup | None:
    """The list of speeds that begins in a line, with indices among all; None where none does.

    Args:
        lines: clean ones.
        at: index of the line.
    """
    if not _may_say_speed(lines[at]):
        return None
    rows: list[_Row] = []
    last = at
    for place in range(at, min(at + _ROWS, len(lines))):
        row = _row(lines[place], first=not rows)
        if row is not None:
            rows.append(row)
            last = place
        elif not rows or not _RULE.fullmatch(lines[place]):
            break
    if not rows or (len(rows) == 1 and not {name.lower() for name in rows[0].names} >= _SURE):
        return None
    above = at - 1
    while above > 0 and _RULE.fullmatch(lines[above]):
        above -= 1
    head = _head(lines[above] if above >= 0 else "", rows)
    return FigureGroup("", _values(rows, head), above if head else at, last)


def _may_say_speed(line: str) -> bool:
    """Whether a line holds a figure and a part of what speeds are named by: few do."""
    signed = "/s" in line or "ps" in line or "PS" in line or "bw" in line or "BW" in line
    other = "/ s" in line or "秒" in line or "/с" in line
    return (signed or "OPs" in line or other) and has_digit(line)


def _row(line: str, *, first: bool) -> _Row | None:
    """Label and figures of a line, if it holds nothing else; the first of a list has a speed."""
    if not 6 <= len(line) <= _LINE:
        return None
    bullet = _BULLET.match(line)
    text = line[bullet.end() if bullet else 0 :].rstrip(" .,;")
    begin = _FIRST.search(text) or (None if first else _TIMED.search(text))
    if begin is None:
        return None
    behind = _IN_BRACKETS.sub(lambda match: f" {match['a'] or match['b']} ", text[begin.end() :])
    text = text[: begin.end()] + behind.rstrip()
    label = text[: begin.start()].rstrip(" \t:：=|-…,，").strip()
    if not _is_label(label, named=begin["name"] is not None):
        return None
    names, figures, at = list[str](), list[str](), begin.start()
    while at < len(text):
        cell = _CELL.match(text, at)
        if cell is None:
            return None
        names.append(cell["name"] or "")
        figures.append(cell["figure"].strip())
        between = _BETWEEN.match(text, cell.end())
        at = between.end() if between else cell.end()
        while between and between.end() > between.start() and at < len(text):
            between = _BETWEEN.match(text, at)
            at = between.end() if between else at
    if len(figures) > 1 and any(map(_GROUPED.search, figures)) and "," in _GROUPED.sub("", text):
        return None  # 476,805.55us are two figures, or one
    if not label:
        label, names[0] = names[0], ""
    return _Row(label, tuple(names), tuple(figures))


def _is_label(label: str, *, named: bool) -> bool:
    """Whether the words before the first speed of a line name it, and say nothing else."""
    if not label:
        return named
    parts = label.split()
    if len(parts) > _LONGEST or not _LABEL.fullmatch(label) or label.count("|") > 1:
        return False
    if "://" in label or ". " in label:
        return False
    if _is_prose(label) or parts[0].lower() in _OPENING or parts[-1].lower() in _PROSE:
        return False
    return any(map(str.isalpha, label))


def _is_prose(label: str) -> bool:
    """Whether words are a sentence; of scripts without blanks between words its signs say so."""
    if label.isascii() or max(label) <= "\u2e7f":
        return is_sentence(label)
    return _CLAUSE.search(_BRACKETED.sub("", label)) is not None


def _head(above: str, rows: Sequence[_Row]) -> list[str]:
    """Names of the columns that the line above gives, that of the labels first; none otherwise."""
    count = len(rows[0].figures)
    if any(sign in above for sign in "|:=") or len(above) > _LINE:
        return []
    names = [name for name in _GAP.split(above.strip()) if name]
    if count < 2 or any(len(row.figures) != count for row in rows) or is_sentence(above):
        return []
    if len(names) == count:
        return ["", *names]
    return names if len(names) == count + 1 else []


def _values(rows: Sequence[_Row], head: Sequence[str]) -> dict[str, Json]:
    """The rows as figures by their labels, or as a table where there are several of each."""
    labels = [row.label for row in rows]
    width = max(len(row.figures) for row in rows)
    if width == 1 and len(set(labels)) == len(labels) and not any(row.names[0] for row in rows):
        return {row.label: row.figures[0] for row in rows}
    named = rows[0].names if all(row.names == rows[0].names for row in rows) else ()
    columns = list(head) or ["", *(named or [""] * width)]
    cells: list[Json] = [[row.label, *_cells(row, named, width)] for row in rows]
    return {"columns": list(columns), "rows": cells}


def _cells(row: _Row, named: Sequence[str], width: int) -> list[str]:
    """As many cells as the table has, each with its name where the column does not have it."""
    figures = zip(row.names, row.figures, strict=True)
    cells = [f"{name}={figure}" if name and not named else figure for name, figure in figures]
    return [*cells, *[""] * (width - len(cells))]
