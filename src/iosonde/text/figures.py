"""Lists and tables as they stand in a text, whatever printed them: names and values, no meaning.

Read are `key: value`, `key = value`, `a=1 b=2`, `Key ..... value`, values below each other at the
right of their names, and tables with a line of names above them. Nothing is converted: a value is
the text that stands there. What is not of such a form, or of two at once, is left.

What looks alike and is no output is refused as a whole: source code, JSON, YAML and INI files,
listings of directories, logs, dumps in hexadecimal digits, heads of mails.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from iosonde.records.stack import Json
from iosonde.text.prose import is_sentence

_LINE = 240  # characters; longer lines are no list's
_KEY, _VALUE = 64, 120
_KEY_PARTS, _VALUE_PARTS = 8, 8
_ROWS = 400
_RULE = re.compile(r"[-=+*|_~ \t]*[-=+*_~]{2}[-=+*|_~ \t]*")
_DASHES = re.compile(r"-{2,}")
_DOTTED = re.compile(r"(?<![ .])(?: ?\.){3,}(?!\.)")
_GAP = re.compile(r"[ \t]{2,}|\t")
_PAIR = re.compile(r"[A-Za-z_][\w.\[\]-]{0,60}=[^\s=]{1,80}")
_BARE = re.compile(r"(?P<key>[A-Za-z_]\w{0,40}):(?P<value>[^\s:]{1,80})")
_INNER = re.compile(r"(?:^|[\s,(])[A-Za-z][\w.-]*(?::\s|=)")
_FIGURE = re.compile(r"[-+~<(\[]?(?:0x[0-9a-fA-F]+|[\d.,]*\d)")
_CELL_OF_FIGURES = re.compile(r"(?:^|[\s|])[-+~<(\[]?[.,]{0,8}\d")
_ORDINAL = re.compile(r"\d{1,3}(?:\.\d{1,4})?(?:th|st|nd|rd)\b")
_PLAIN = re.compile(r"-?[\d.,]*\d(?: ?[A-Za-z%µ°/]{1,12})?")
_WORD = re.compile(r"\S+")
_SINGLE = re.compile(r"\S \S")
_APART = re.compile(r"\S+(?: \S+)*")
_WITH_UNIT = re.compile(
    r"[\d.,]*\d (?:[kKMGTPE]?i?[bB](?:ytes)?(?:/s(?:ec)?)?|%|[mun]?s|Celsius|rpm|[CFWV])(?=\s|$)"
    r"|\S+"
)
_TITLE = re.compile(r"[A-Z#/(\[][^;{}<>|]{1,78}")
_REFUSED = re.compile(r"\s*+(?:" + "|".join((
    r"[{}\[\]]|[\"'][\w.-]+[\"']\s*:",  # JSON
    r".*(?:[;{}]|\*/|->\w+.*|\\)\s*$|//|/\*|#include|#define|\w+\(.*\)$",  # source code
    r"[-dlbcps](?:[rwxsStT-]{9})[.+@]?\s|total \d+$",  # ls
    r"(?:0x)?[0-9a-fA-F]{6,16}:?(?:\s+[0-9a-fA-F]{2,8}\b){3}",  # od, hexdump, registers
    r"(?:<\d>)?(?:\[\s*\d+\.\d{3,}\]|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:)",  # logs
    r"(?i:(?:from|to|cc|subject|date|message-id|reply-to|received|[\w-]+-by|mime-version"
    r"|content-[\w-]+|in-reply-to|references|fixes|link|user-agent): )",
    r"@@ |diff --git |index [0-9a-f]{7}|\S+\s+\|\s+\d+ [-+]+$",
    r"(?:[RE][A-D]X|[RE][SD]I|[RE][SBI]P|R\d\d): ?[0-9a-f]{4}",  # registers
    r"(?:\[pid +\d+\] )?\w+\(.*\)\s+= ",  # strace
    r"- \S|apiVersion:|%YAML",  # YAML
    r"<[/\w][^<>]*>",  # XML
    r"\[[\w .:$-]+\]\s*$",  # INI
)) + ")")  # fmt: skip
_DIGIT = re.compile(r"\d")
_REFUSED_SHARE = 0.2
_LEFT_OUT = re.compile(r"\s*[\[(<]?(?:\.{3}|…|snip|SNIP|cut|output omitted)[\])>]?\s*")
"""What a person writes where rows were."""
_WRAPPED = 62  # characters of a line that a mail may have broken


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Values by their names, or the columns and rows of a table; `title` is the line above them."""

    title: str
    values: dict[str, Json]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class PrintedFigures:
    """What was read of some lines, and the indices of those that say something else."""

    groups: tuple[FigureGroup, ...]
    left: tuple[int, ...]

    @property
    def lines(self) -> int:
        """How many lines the groups have."""
        return sum(group.last - group.first + 1 for group in self.groups)


def has_figure(value: Json | Sequence[str]) -> bool:
    """Whether a value, or one of a list's, is a figure, with a unit or without."""
    if isinstance(value, list | tuple):
        return any(map(has_figure, value))
    return isinstance(value, str) and _FIGURE.match(value) is not None


def has_digit(line: str) -> bool:
    """Whether a line has a digit, be it raised or of another script."""
    return _DIGIT.search(line) is not None or (not line.isascii() and any(map(str.isdigit, line)))


def is_other(lines: Sequence[str]) -> bool:
    """Whether the lines are of a kind that is never taken for a list or a table."""
    own = [line for line in lines if line.strip() and not _RULE.fullmatch(line)]
    most, refused = _REFUSED_SHARE * len(own), 0
    for line in own:
        refused += _REFUSED.match(line[:_LINE]) is not None
        if refused > most:
            return True
    return False


def read_figures(lines: Sequence[str], *, strict: bool = False) -> PrintedFigures:
    """The lists and tables in some lines, which are clean and belong together.

    Args:
        lines: at most some hundred.
        strict: no command stands above them: a list needs a sign between name and value.
    """
    groups: list[FigureGroup] = []
    left: list[int] = []
    title, titled, at = "", -1, 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        if _RULE.fullmatch(line):
            at += 1
            continue
        read = (
            ruled_table(lines, at, title)
            or headed_table(lines, at, title)
            or _list(lines, at, title, strict)
        )
        if read is not None:
            groups.append(read)
            title, titled, at = "", -1, read.last + 1
            continue
        left += [titled] if title else []
        title, titled = _title(line), at
        left += [] if title else [at]
        at += 1
    left += [titled] if title else []
    return PrintedFigures(tuple(groups), tuple(left))


def _title(line: str) -> str:
    """The words of a line that stands above a list, without what decorates them."""
    text = line.strip().strip("=-*#|").strip().removesuffix(":").strip()
    if (
        len(text.split()) > 8
        or is_sentence(text)
        or _GAP.search(text)
        or not _TITLE.fullmatch(text)
        or not _is_whole(text)
    ):
        return ""
    return text


# ── lists ───────────────────────────────────────────────────────────────────────────────────────


def _list(lines: Sequence[str], first: int, title: str, strict: bool) -> FigureGroup | None:
    """The list that begins in a line; a name that comes again begins the next."""
    rows: list[list[tuple[str, str]]] = []
    values: dict[str, Json] = {}
    for at in range(first, min(len(lines), first + _ROWS)):
        pairs = pairs_of(lines[at]) or ([] if strict else _beside(lines, at))
        if not pairs or any(name in values for name, _ in pairs):
            break
        rows.append(pairs)
        values.update(pairs)
    if rows and _is_broken(lines, first + len(rows) - 1):
        for name, _ in rows.pop():
            del values[name]
    return FigureGroup(title, values, first, first + len(rows) - 1) if values else None


def _is_broken(lines: Sequence[str], last: int) -> bool:
    """Whether the rest of a line's value stands in the next line, where a mail broke it."""
    after = lines[last + 1] if last + 1 < len(lines) else ""
    if len(lines[last]) < _WRAPPED or not after.strip() or ": " in after or pairs_of(after):
        return False
    return not _RULE.fullmatch(after) and _title(after) == ""


def pairs_of(line: str) -> list[tuple[str, str]]:
    """The names and values of a line; none where it is no line of a list, or not surely."""
    text = line.strip()
    if not 3 <= len(text) <= _LINE or text[0] in "\"'{}<>;@|" or "://" in text or "=3D" in text:
        return []
    parts = text.split()
    if all(_PAIR.fullmatch(part.rstrip(",;")) for part in parts):
        split = [part.rstrip(",;").split("=", 1) for part in parts]
        return _distinct([(name, value) for name, value in split])
    for several in (text.split(", "), _GAP.split(text)):
        if len(several) > 1 and all(" = " in part or ": " in part for part in several):
            pairs = [_pair(part) for part in several]
            return _distinct([pair for pair in pairs if pair]) if all(pairs) else []
    pair = _pair(text)
    return [pair] if pair else []


def _distinct(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return pairs if len({name for name, _ in pairs}) == len(pairs) else []


def _pair(text: str) -> tuple[str, str] | None:
    if " = " in text or " =\t" in text:
        name, _, value = text.partition(" =")
    elif dotted := _DOTTED.search(text):
        name, value = text[: dotted.start()], text[dotted.end() :].lstrip(" :")
    elif bare := _BARE.fullmatch(text):
        name, value = bare["key"], bare["value"]
    else:
        name, colon, value = text.replace(":\t", ": ").partition(": ")
        if not colon:
            return None
        name, value = _deeper(name, value.strip())
    return _valid(name, value)


def _deeper(name: str, value: str) -> tuple[str, str]:
    """The pair where the value is one itself: `rxq0: rx_bytes: 17`, and udev's `E: MAJOR=8`."""
    inner, again, rest = value.partition(": ")
    if again and _PLAIN.fullmatch(rest.strip()) and len(inner.split()) == 1:
        return f"{name}: {inner}", rest
    if _PAIR.fullmatch(value):
        inner, _, rest = value.partition("=")
        return f"{name}: {inner}", rest
    return name, value


def _valid(name: str, value: str) -> tuple[str, str] | None:
    """The pair, if its name is a name and its value a figure or some words."""
    name, value = name.strip(), value.strip()
    parts = value.split()
    if not name or not value or len(name) > _KEY or len(value) > _VALUE:
        return None
    named = len(name.split()) <= _KEY_PARTS and any(char.isalpha() for char in name)
    if (
        not named
        or not _is_whole(name)
        or name[0] in "\"'`*>+"
        or name[-1] in "\"'`,;"
        or is_sentence(name)
    ):
        return None
    if _GAP.search(value) and value[0] not in "[(":
        return None  # several values, of which a table's head tells what they are
    if _INNER.search(value) or value[-1] in "{;\\" or value[0] in "{=":
        return None
    if is_sentence(value) or (len(parts) > _VALUE_PARTS and not _FIGURE.match(value)):
        return None
    return name, value


def _is_whole(name: str) -> bool:
    """Whether every bracket and quote of a name that opens also closes."""
    closed = all(name.count(a) == name.count(b) for a, b in ("()", "[]", "{}"))
    return closed and name.count('"') % 2 == 0


def _beside(lines: Sequence[str], at: int) -> list[tuple[str, str]]:
    """Name and figure with blanks between, where a line above or below has them in one place."""
    own = _column(lines[at])
    if own is None:
        return []
    around = [lines[place] for place in (at - 1, at + 1) if 0 <= place < len(lines)]
    if not any(other and other[0] == own[0] for other in map(_column, around)):
        return []
    pair = _valid(own[1], own[2])
    return [pair] if pair else []


def _column(line: str) -> tuple[int, str, str] | None:
    """Where the figure of a line of two parts begins, its name, and the figure."""
    if len(line) > _LINE or not (gap := _GAP.search(line.rstrip(), len(line) - len(line.lstrip()))):
        return None
    value = line[gap.end() :].strip()
    inside = value[1:-1] if value[:1] == "[" and value[-1:] == "]" else value
    if not _FIGURE.match(inside) or (_GAP.search(value) and inside == value):
        return None
    return gap.end(), line[: gap.start()].strip(), value


# ── tables ──────────────────────────────────────────────────────────────────────────────────────


def ruled_table(lines: Sequence[str], at: int, title: str) -> FigureGroup | None:
    """A table whose columns are drawn by dashes between its head and its rows."""
    rule = at
    while rule < min(at + 4, len(lines)) and lines[rule].strip() and not _draws(lines[rule]):
        rule += 1
    if rule in (at, at + 4, len(lines)) or not _draws(lines[rule]):
        return None
    starts = [match.start() for match in _DASHES.finditer(lines[rule])]
    heads = [_cut(lines[place], starts) for place in range(at, rule)]
    names = [" ".join(" ".join(part).split()) for part in zip(*filter(None, heads), strict=True)]
    rows: list[list[str]] = []
    for line in lines[rule + 1 : rule + 1 + _ROWS]:
        cells = _cut(line, starts)
        if _draws(line):
            del rows[-1:]  # the head of the next table
            break
        if cells is None or not any(cells):
            break
        rows.append(cells)
    if None in heads or not rows or not all(names) or not any(map(has_figure, rows)):
        return None
    return _group(title, names, rows, at, rule + len(rows))


def _draws(line: str) -> bool:
    """Whether a line draws columns: three runs of dashes or more, with blanks between them."""
    return len(_DASHES.findall(line)) > 2 and not line.strip("- \t")


def _cut(line: str, starts: Sequence[int]) -> list[str] | None:
    """The parts of a line at these places; None where a word goes over one of them."""
    if any(len(line) > start > 0 and not line[start - 1].isspace() for start in starts):
        return None
    ends = (*starts[1:], len(line))
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def headed_table(lines: Sequence[str], at: int, title: str) -> FigureGroup | None:
    """A table: a line of names, and rows of as many cells, each of which stands below its name."""
    head = lines[at]
    if len(head) > _LINE or head.rstrip().endswith(":") or is_sentence(head):
        return None
    if not any(map(_may_have_figure, lines[at + 1 : at + 1 + _ROWS])):
        return None  # cheap, and true of most lines of a text that is prose or code
    barred, mixed = "|" in head, _GAP.search(head.strip()) and _SINGLE.search(head.strip())
    for split, least in ((_APART, 2 if barred else 3), (_WORD, 4 if mixed else 3)):
        names = _spans(head, split)
        if len(names) >= least and _are_names([head[start:end] for start, end in names]):
            read = _rows(lines, at, names, title)
            if read is not None:
                return read
    return None


@lru_cache(maxsize=1 << 10)  # each line is asked for once by every line above it
def _may_have_figure(line: str) -> bool:
    """Whether a cell of a line may be a figure: whether a word begins as a figure does."""
    return _CELL_OF_FIGURES.search(line) is not None


def _rows(
    lines: Sequence[str], at: int, spans: Sequence[tuple[int, int]], title: str
) -> FigureGroup | None:
    """The table whose names stand in these places of a line."""
    head, rows, last, ruled = lines[at], list[list[str]](), at, False
    for place in range(at + 1, min(at + 1 + _ROWS, len(lines))):
        line = lines[place]
        if _LEFT_OUT.fullmatch(line):
            continue
        if _RULE.fullmatch(line) and (not rows or "|" in head):
            ruled = bool(rows)
            continue
        cells = _cells(line, spans, barred="|" in head)
        if cells is None or (ruled and not any(map(has_figure, cells))):  # the next table's head
            break
        rows.append(cells)
        last, ruled = place, False
    if not rows or not any(map(has_figure, rows)):
        return None
    names = [head[start:end] for start, end in spans]
    columns = names if all(len(row) == len(names) for row in rows) else ["", *names]
    if any(len(row) != len(columns) for row in rows):
        return None
    return _group(title, columns, rows, at, last)


def _group(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], first: int, last: int
) -> FigureGroup:
    table: dict[str, Json] = {"columns": list(columns), "rows": [list(row) for row in rows]}
    return FigureGroup(title, table, first, last)


def _spans(line: str, split: re.Pattern[str]) -> list[tuple[int, int]]:
    """Where the parts of a line stand; of one with bars, those between them."""
    if "|" not in line:
        return [match.span() for match in split.finditer(line)]
    begin = len(line) - len(line.lstrip().removeprefix("|"))
    end = len(line.rstrip().removesuffix("|"))
    spans: list[tuple[int, int]] = []
    for part in line[begin:end].split("|"):
        low = begin + len(part) - len(part.lstrip())
        spans.append((low, max(low, begin + len(part.rstrip()))))
        begin += len(part) + 1
    return spans


def _are_names(names: Sequence[str]) -> bool:
    """Whether the parts of a line may be names of columns."""
    if any(_FIGURE.match(name) and not _ORDINAL.match(name) for name in names):
        return False
    return all(
        any(char.isalpha() for char in name)
        and name[-1] not in ":;,{(="
        and "=" not in name
        and _is_whole(name)
        for name in names
    )


def _cells(line: str, names: Sequence[tuple[int, int]], *, barred: bool) -> list[str] | None:
    """The cells of a row, each below its name, or with a name of the row's own before them."""
    if not line.strip() or len(line) > _LINE or barred != ("|" in line):
        return None
    if barred:
        spans = _spans(line, _WORD)
        return [line[start:end] for start, end in spans] if len(spans) == len(names) else None
    for split in (_WORD, _WITH_UNIT, _APART):
        spans = _spans(line, split)
        cells = [line[start:end] for start, end in spans]
        own = len(spans) == len(names) + 1 and cells[0].endswith(":")
        if len(spans) == len(names) + own and all(map(_is_below, spans[own:], names)):
            return cells
    return _by_place(line, names)


def _is_below(cell: tuple[int, int], name: tuple[int, int]) -> bool:
    """Whether a cell stands below a name, or begins or ends, give or take one, where it does."""
    overlaps = cell[0] < name[1] and name[0] < cell[1]
    return overlaps or abs(cell[0] - name[0]) < 2 or abs(cell[1] - name[1]) < 2


def _by_place(line: str, names: Sequence[tuple[int, int]]) -> list[str] | None:
    """The cells of a row with fewer than there are names, each of which ends where a name does."""
    label, colon, rest = line.rpartition(": ")
    cells = {end: "" for _, end in names}
    start = len(line) - len(rest) if colon else 0
    for match in _WORD.finditer(line, start):
        if match.end() not in cells or not _FIGURE.match(match[0]):
            return None
        cells[match.end()] = match[0]
    return [f"{label.strip()}:", *cells.values()] if colon else list(cells.values())
