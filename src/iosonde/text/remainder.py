"""What no reader took of a text: outputs of other tools, as they are printed, and what is left.

A command at a prompt with lines below it, a fenced or indented block, a table that is drawn, and
lines of the kernel's log become records of kind `AS_PRINTED`: the names and values that stand there
and nothing that is concluded from them. What is the output of a command and of no form that
`iosonde.text.figures` reads is told as unread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from iosonde.records.printed import AS_PRINTED, PRINTED, PrintedCounters, TextLocation, Unread
from iosonde.records.stack import Json
from iosonde.text.alike_lines import alike_at
from iosonde.text.author_rates import rates_at
from iosonde.text.author_tables import table_at
from iosonde.text.clean import clean, quote_marks
from iosonde.text.document import Document
from iosonde.text.fences import fenced
from iosonde.text.figures import (
    FigureGroup,
    PrintedFigures,
    has_figure,
    is_other,
    is_sentence,
    pairs_of,
    read_figures,
)
from iosonde.text.find import FoundOutput, TakenLines, marked_heading
from iosonde.text.kernel_lines import is_kernel_line, is_mostly_log, is_rest, timelines
from iosonde.text.plain_lines import plain_lines
from iosonde.text.shell import (
    MOST,
    ShellCommand,
    called,
    command_at,
    end_of_output,
    indent_of,
    is_prompt,
    prints_figures,
    program_of,
    shows_text,
)
from iosonde.text.whole_outputs import whole_json, whole_value

_LANGUAGES = frozenset({
    "c", "c++", "cmake", "conf", "cpp", "diff", "dockerfile", "dts", "go", "html", "ini", "java",
    "javascript", "js", "json", "lua", "make", "makefile", "nix", "patch", "perl", "py", "python",
    "ruby", "rust", "sql", "toml", "xml", "yaml", "yml",
})  # fmt: skip
_INLINE = re.compile(r"`(?P<command>[^`]{3,120})`[ .:]*")
_COMPLAINT = re.compile(r"(?i)(?:(?:ba)?sh|sudo|(?:fatal|error|warning)(?::.*)?)$")
_FEW = 3  # lines below which a block without a command says nothing
_SHARES = {"fenced": 0.25, "indented": 0.5, "plain": 0.6}
"""Of the values of a block without a command, how many are figures: the surer, the fewer."""
_HEAD = 4  # lines above a list
_READ = 0.5  # of the lines of an output
_NAMED = 120  # characters of a command

_Kind = Literal["command", "log", "fenced", "indented", "plain", "table"]


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together, by indices; the command whose output they are, if one is."""

    kind: _Kind
    first: int
    last: int
    command: str = ""
    host: str = ""


def remainder(
    document: Document, taken: Sequence[TakenLines], programs: Collection[str]
) -> Iterator[FoundOutput | Unread]:
    """What the lines say that no reader took, in their order.

    Args:
        document: of which everything else was read.
        taken: what was read, or told as unread.
        programs: names of programs whose output is known.
    """
    return _Remainder(document, taken, programs).every()


class _Remainder:
    def __init__(
        self, document: Document, taken: Sequence[TakenLines], programs: Collection[str]
    ) -> None:
        text = document.data[:].decode(errors="replace").replace("\r\n", "\n")
        raw = text.split("\n")
        self._document = document
        self._programs = programs
        self._lines = clean(text)
        self._depths = [line[: quote_marks(line)].count(">") if ">" in line else 0 for line in raw]
        self._fences, self._closing = fenced(raw) if "```" in text or "~~~" in text else ({}, {})
        self._free = bytearray(b"\1") * len(self._lines)
        for part in taken:
            last = min(part.last, len(self._lines))
            self._free[part.first - 1 : last] = bytes(max(last - part.first + 1, 0))
        self._own = [
            line if free else "" for line, free in zip(self._lines, self._free, strict=True)
        ]
        self._tools = {part.last: part.tool for part in taken}
        self._heading = ""
        self._tables: dict[int, FigureGroup | None] = {}

    def every(self) -> Iterator[FoundOutput | Unread]:
        """Everything that is left of the document."""
        at = 0
        while at < len(self._lines):
            block = self._block(at)
            if block is not None:
                yield from self._records(block)
            at = max(block.last if block else at, at) + 1

    # ── where blocks begin and end ──────────────────────────────────────────────────────────────

    def _block(self, at: int) -> _Block | None:
        """What begins in a line, if anything does."""
        line = self._lines[at]
        if at in self._fences:
            return self._fenced(at, self._fences[at])
        if not line:
            return None
        if command := command_at(self._lines, at, self._programs):
            first, last = command.last + 1, self._end(at, command)
            return _Block("command", first, last, command.text, command.host)
        return self._loose(at, line) if self._free[at] else None

    def _loose(self, at: int, line: str) -> _Block | None:
        """What begins in a line that is no command."""
        if at not in self._closing and (heading := self._heading_at(at)):
            self._heading = heading
            return None
        if is_kernel_line(line):
            return _Block("log", at, self._while(at, self._is_log))
        if at and not self._free[at - 1] and at in self._closing:
            return _Block("fenced", at, self._while(at, self._is_text), self._tools.get(at, ""))
        table = self._table(at)
        if table or (at and self._lines[at - 1]) or is_sentence(line):
            return _Block("table", at, table.last) if table else None  # a paragraph of prose
        indented = indent_of(line) >= 4
        last = self._while(at, self._is_indented if indented else self._is_text)
        if last - at + 1 < _FEW:
            return None
        return _Block("indented" if indented else "plain", at, last)

    def _heading_at(self, at: int) -> str:
        """A heading that is marked as one; a command of root's is none."""
        line = self._lines[at]
        if line[:2] == "# " and line[2:3].islower():
            return ""  # mkdir, or a comment
        return marked_heading(line)

    def _end(self, at: int, command: ShellCommand) -> int:
        """Index of the last line of a command's output."""
        if at not in self._closing:
            return end_of_output(self._lines, self._depths, command, self._programs)
        return self._before_prompt(command.last, self._closing[at])

    def _before_prompt(self, at: int, close: int) -> int:
        """Index of the last line behind one, before the next prompt or the end of its block."""
        for place in range(at + 1, min(close, at + 1 + MOST)):
            if is_prompt(self._lines[place], self._programs):
                return place - 1
            at = place
        return at

    def _fenced(self, at: int, language: str) -> _Block | None:
        """A fenced block up to its first prompt: of a command in it, or in the line above it."""
        close = self._closing.get(at + 1, at + 1)
        if language in _LANGUAGES:
            return _Block("command", close, close - 1)
        first = next((place for place in range(at + 1, close) if self._lines[place]), close)
        if first == close or is_prompt(self._lines[first], self._programs):
            return None
        last = self._before_prompt(first, close)
        if called(self._lines[first], self._programs):
            return _Block("command", first + 1, last, self._lines[first].strip())
        above = next((self._lines[place] for place in range(at - 1, max(at - 4, -1), -1)
                      if self._lines[place]), "")  # fmt: skip
        inline = _INLINE.search(above)
        if inline and called(inline["command"], self._programs):
            return _Block("command", first, last, inline["command"])
        if not self._free[first] or is_kernel_line(self._lines[first]):
            return None  # line by line
        return _Block("fenced", first, last)

    def _while(self, at: int, goes_on: Callable[[int], bool]) -> int:
        last = at
        while last + 1 < len(self._lines) and last - at + 1 < MOST and goes_on(last + 1):
            last += 1
        return last

    def _is_text(self, at: int) -> bool:
        line = self._lines[at]
        if not line or not self._free[at] or at in self._fences:
            return False
        return not self._begins(at)

    def _begins(self, at: int) -> bool:
        """Whether a command, a log or a table begins in a line."""
        line = self._lines[at]
        begins = is_prompt(line, self._programs) or is_kernel_line(line)
        return begins or self._table(at) is not None

    def _table(self, at: int) -> FigureGroup | None:
        """The table that begins in a line, if one does."""
        if at not in self._tables:
            own = self._own
            self._tables[at] = table_at(own, at) or rates_at(own, at) or alike_at(own, at)
        return self._tables[at]

    def _is_indented(self, at: int) -> bool:
        line = self._lines[at]
        if not line:  # one blank line may stand within
            line = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        return bool(self._free[at]) and indent_of(line) >= 4 and not self._begins(at)

    def _is_log(self, at: int) -> bool:
        """Whether a line belongs to a log: up to four without a time may be the rest of another."""
        line = self._lines[at]
        if not line or not self._free[at] or is_prompt(line, self._programs):
            return False
        if is_kernel_line(line):
            return True
        above = self._lines[max(at - 4, 0) : at]
        return any(map(is_kernel_line, above)) and is_rest(above[-1], line)

    # ── what they say ───────────────────────────────────────────────────────────────────────────

    def _records(self, block: _Block) -> Iterator[FoundOutput | Unread]:
        """What a block says, part by part where a reader took lines of it."""
        first = block.first
        apart = False
        while first <= block.last:
            last = first
            while last < block.last and self._free[last + 1] == self._free[first]:
                last += 1
            if not self._free[first]:
                apart = True
            elif (
                not apart
                and not all(self._free[first : block.last + 1])
                and not is_mostly_log(self._lines[first : last + 1])
            ):
                pass  # above what a reader took of the same output
            else:
                yield from self._part(block, first, last, apart=apart)
            first = last + 1

    def _part(
        self, block: _Block, first: int, last: int, *, apart: bool
    ) -> Iterator[FoundOutput | Unread]:
        """What lines say that no reader took; `apart`: one took others of the same output."""
        while last >= first and not self._lines[last].strip():
            last -= 1
        lines = self._lines[first : last + 1]
        whole = _as_whole(block.command, lines) if block.kind == "command" else None
        if whole:
            record = self._counters(block, block.command[:_NAMED], whole[0])
            end = first + whole[1] - 1
            yield FoundOutput(self._place(first, end), PRINTED, counters=(record,))
        elif not any(map(_has_digit, lines)):
            if block.kind == "command" and not apart:
                yield from self._plain(block, first, lines)
        elif block.kind == "log" or is_mostly_log(lines):
            yield from self._log(block, first, lines)
        elif block.kind == "table":
            yield from self._of_table(block, first, lines)
        else:
            yield from self._figures(block, first, lines, apart=apart)

    def _of_table(
        self, block: _Block, first: int, lines: Sequence[str]
    ) -> Iterator[FoundOutput | Unread]:
        table = self._table(first)
        if table and table.last == first + len(lines) - 1:
            group = replace(table, first=0, last=len(lines) - 1)
            yield self._record(block, first, PrintedFigures((group,), ()))

    def _figures(
        self, block: _Block, first: int, lines: Sequence[str], *, apart: bool
    ) -> Iterator[FoundOutput | Unread]:
        """The lists and tables of an output."""
        free = block.kind != "command"
        figures = None
        if not is_other(lines) and (free or prints_figures(block.command)):
            figures = read_figures(lines, strict=free)
        own = sum(bool(line.strip()) for line in lines)
        sure = figures is not None and figures.lines >= _READ * own
        if sure and figures is not None:
            figures = _without_complaints(block.command, figures)
            sure = self._is_sure(block, lines, figures) if free else bool(figures.groups)
        if not sure and not free and (group := _alike(lines)):
            figures, sure = PrintedFigures((group,), ()), True
        if figures is not None and sure:
            yield self._record(block, first, figures)
            yield from self._left(block, first, lines, figures)
        elif not free and not apart and not _is_traced(lines):
            yield from self._plain(block, first, lines)

    def _plain(
        self, block: _Block, first: int, lines: Sequence[str]
    ) -> Iterator[FoundOutput | Unread]:
        """An output of no form, line by line; unread where its tool has a reader, or it is long."""
        blank = next((at for at, line in enumerate(lines) if at and not line.strip()), len(lines))
        values = plain_lines(block.command, block.host, lines[:blank])
        place = self._place(first, first + blank - 1)
        if values:
            record = self._counters(block, block.command[:_NAMED], values)
            yield FoundOutput(place, PRINTED, counters=(record,))
        named = program_of(block.command) in self._programs
        if (named or not values) and prints_figures(block.command) and any(map(_has_digit, lines)):
            why = "in no form that its reader knows" if named else "no reader for it"
            said = f"output of `{block.command[:_NAMED]}`: {why}"
            yield Unread(place, program_of(block.command), said)

    def _is_sure(self, block: _Block, lines: Sequence[str], figures: PrintedFigures) -> bool:
        """Whether lines without a command are an output: enough of them, with figures."""
        tables = any("columns" in group.values for group in figures.groups)
        own = [line for line in lines if line.strip()]
        if tables:
            drawn = any(set(line.strip()) <= set("-=+| ") for line in own)
            return (drawn or block.kind != "plain") and not figures.left
        pairs = [pair for line in own for pair in pairs_of(line)]
        if figures.lines < _FEW or not pairs:
            return False
        if block.kind == "plain" and (
            figures.lines < len(own) or len(own) <= _FEW or not _aligned(own)
        ):
            return False
        share = sum(has_figure(value) for _, value in pairs) / len(pairs)
        return share >= _SHARES[block.kind]

    def _record(self, block: _Block, first: int, figures: PrintedFigures) -> FoundOutput:
        """The groups of an output as counters, each named by the command or the heading above."""
        low, high = first + figures.groups[0].first, first + figures.groups[-1].last
        place = self._place(low, high)
        named = block.command[:_NAMED] or place.heading
        counters = tuple(
            self._counters(block, ": ".join(filter(None, (named, group.title))), group.values)
            for group in figures.groups
        )
        return FoundOutput(place, PRINTED, counters=counters)

    def _counters(self, block: _Block, name: str, values: dict[str, Json]) -> PrintedCounters:
        return PrintedCounters(PRINTED, AS_PRINTED, name, values, block.host, block.command)

    def _left(
        self, block: _Block, first: int, lines: Sequence[str], figures: PrintedFigures
    ) -> Iterator[Unread]:
        """Lines with figures that are of no form, in an output of which others are."""
        left = [place for place in figures.left if any(map(str.isdigit, lines[place]))]
        if left and block.kind == "command":
            count = f"{len(left)} of its lines are" if len(left) > 1 else "a line of it is"
            said = f"output of `{block.command[:_NAMED]}`: {count} neither a list nor a table"
            place = self._place(first + left[0], first + left[-1])
            yield Unread(place, program_of(block.command), said)

    def _log(
        self, block: _Block, first: int, lines: Sequence[str]
    ) -> Iterator[FoundOutput | Unread]:
        for at, (messages, _, last, host) in timelines(lines):
            begin = first + at
            if messages:
                place = self._place(begin, begin + last)
                named = block.command[:_NAMED] if shows_text(block.command) else place.heading
                record = PrintedCounters(
                    PRINTED, AS_PRINTED, named, messages, block.host or host, block.command
                )
                yield FoundOutput(place, PRINTED, counters=(record,))
            elif last >= 0 and any(map(_says_something, lines[at : at + last + 1])):
                said = "a part of a crash, without a function or a process that it is about"
                yield Unread(self._place(begin, begin + last), "kernel log", said)

    def _place(self, first: int, last: int) -> TextLocation:
        number = self._document.number
        return TextLocation(self._document.name, number(first + 1), number(last + 1), self._heading)


def _as_whole(command: str, lines: Sequence[str]) -> tuple[dict[str, Json], int] | None:
    """What an output says that is one value or one JSON document, and how many lines it has."""
    if not prints_figures(command):
        return None
    value = whole_value(command, lines)
    return (value, len(lines)) if value else whole_json(lines)


def _alike(lines: Sequence[str]) -> FigureGroup | None:
    """The list of alike lines that an output is, but for a few others around it."""
    for at in range(min(len(lines), _HEAD)):
        group = alike_at(lines, at)
        if group:
            own = sum(bool(line.strip()) for line in lines)
            return group if group.last - group.first + 1 >= _READ * own else None
    return None


def _is_traced(lines: Sequence[str]) -> bool:
    """Whether a shell that shows its commands (`set -x`) goes on: the command printed nothing."""
    return lines[0].lstrip().startswith("+")


def _has_digit(line: str) -> bool:
    return any(map(str.isdigit, line))


def _says_something(line: str) -> bool:
    """Whether a line of a log holds more than its time and a line that is drawn."""
    return line.rpartition("]")[2].strip(" =-") != ""


def _without_complaints(command: str, figures: PrintedFigures) -> PrintedFigures:
    """The figures without what programs say of themselves: `umount: /mnt: not mounted`."""
    if not command:
        return figures
    names = Counter(name for group in figures.groups for name in group.values)
    programs = {part.rpartition("/")[2] for part in command.split()}
    groups: list[FigureGroup] = []
    left = list(figures.left)
    for group in figures.groups:
        values = {
            name: value
            for name, value in group.values.items()
            if name not in programs
            and not _COMPLAINT.match(name)
            and (names[name] < _FEW or has_figure(value))
        }
        if len(values) < len(group.values):
            left += range(group.first, group.last + 1)
        if any(map(has_figure, values.values())) or len(values) >= _FEW or "rows" in values:
            groups.append(replace(group, values=values))
    return PrintedFigures(tuple(groups), tuple(sorted(left)))


def _aligned(lines: Sequence[str]) -> bool:
    """Whether the values of a list begin in one place, or its names end in one."""
    parts = [re.split(r"[:=]\s", line, maxsplit=1) for line in lines]
    begins = {len(line) - len(part[-1].lstrip()) for line, part in zip(lines, parts, strict=True)}
    return len(begins) == 1 or len({len(part[0].rstrip()) for part in parts}) == 1
