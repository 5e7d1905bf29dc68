"""Where the parts of a text begin and end that no reader took: outputs, logs, lists, paragraphs.

A command at a prompt with the lines below it, a fenced or indented block, a table that is drawn,
lines of the kernel's log, and what else stands between blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from iosonde.text.alike_lines import alike_at
from iosonde.text.author_rates import rates_at
from iosonde.text.author_tables import table_at
from iosonde.text.clean import clean, quote_depth
from iosonde.text.comma_tables import comma_table_at
from iosonde.text.fences import fenced
from iosonde.text.figures import FigureGroup
from iosonde.text.find_state import TakenLines
from iosonde.text.headings import is_section, marked_heading
from iosonde.text.kernel_lines import is_kernel_line, is_rest
from iosonde.text.pipe_tables import pipe_table_at
from iosonde.text.prose import is_sentence
from iosonde.text.secrets import without_secrets
from iosonde.text.shell import (
    CODE,
    MOST,
    ShellCommand,
    called,
    command_at,
    end_of_output,
    indent_of,
    is_prompt,
    shows_file,
    whole_command,
)
from iosonde.text.stacked_cells import stacked_at

_LANGUAGES = frozenset({
    "c", "c++", "cmake", "conf", "cpp", "diff", "dockerfile", "dts", "go", "html", "ini", "java",
    "javascript", "js", "json", "lua", "make", "makefile", "nix", "patch", "perl", "py", "python",
    "ruby", "rust", "sql", "toml", "xml", "yaml", "yml",
})  # fmt: skip
_LOGS = frozenset({"log", "logs", "output"})
_INLINE = re.compile(r"`(?P<command>[^`]{3,120})`[ .:]*")
_REMARKS = 3  # lines
_FEW = 3
"""Lines below which a block without a command is a paragraph."""

_TABLES: tuple[Callable[[Sequence[str], int], FigureGroup | None], ...] = (
    pipe_table_at, table_at, rates_at, alike_at, stacked_at, comma_table_at,
)  # fmt: skip

Kind = Literal["command", "log", "fenced", "indented", "paragraph", "plain", "table"]


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lines that belong together, by indices; the command whose output they are, if one is."""

    kind: Kind
    first: int
    last: int
    command: str = ""
    host: str = ""
    enclosed: bool = False
    """Whether a fence or an indent says where the output of a command ends."""
    is_logged: bool = False
    """Whether its fence says that it is a log, or an output."""


class TextBlocks:
    """The blocks of a text, as they are asked for from its begin to its end.

    Args:
        text: all of it.
        taken: what was read, or said to be unread.
    """

    def __init__(self, text: str, taken: Sequence[TakenLines]) -> None:
        raw = text.split("\n")
        self.lines = clean(text)
        """Clean ones."""
        self.depths = list(map(quote_depth, raw))
        """How many marks of quoting stand before each line."""
        self._fences, self._closing = fenced(raw) if "```" in text or "~~~" in text else ({}, {})
        self.free = bytearray(b"\1") * len(self.lines)
        """Whether no reader took a line."""
        for part in taken:
            last = min(part.last, len(self.lines))
            self.free[part.first - 1 : last] = bytes(max(last - part.first + 1, 0))
        self._own = [line if free else "" for line, free in zip(self.lines, self.free, strict=True)]
        self._tools = {part.last: part.tool for part in taken}
        self.heading = ""
        """The last one above what was asked for."""
        self._tables: dict[int, FigureGroup | None] = {}

    def every(self) -> Iterator[TextBlock]:
        """The blocks in their order; none begins within another."""
        at = 0
        while at < len(self.lines):
            block = self._block(at)
            if block is not None:
                yield block
            at = max(block.last if block else at, at) + 1

    def paragraphs(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Indices of the first and last lines between blank ones that somebody quoted as deep."""
        at = first
        while at <= last:
            end = at
            while end < last and self._goes_on(end):
                end += 1
            if self.lines[at]:
                yield at, end
            at = end + 1

    def _goes_on(self, at: int) -> bool:
        """Whether the line below one belongs to the same paragraph."""
        line, below = self.lines[at], self.lines[at + 1]
        same = bool(below) and self.depths[at + 1] == self.depths[at]
        return same and not (line.endswith(":") and is_sentence(line))

    def table(self, at: int) -> FigureGroup | None:
        """The table that begins in a line, if one does."""
        if at not in self._tables:
            own = self._own
            self._tables[at] = next(filter(None, (read(own, at) for read in _TABLES)), None)
        return self._tables[at]

    def _block(self, at: int) -> TextBlock | None:
        """What begins in a line, if anything does."""
        line = self.lines[at]
        if at in self._fences:
            return self._fenced(at, self._fences[at])
        if not line:
            return None
        if command := command_at(self.lines, at):
            first, last = command.last + 1, self._end(at, command)
            enclosed = at in self._closing or self._is_indented_code(at, last)
            return TextBlock("command", first, last, command.text, command.host, enclosed)
        return self._loose(at, line) if self.free[at] else None

    def _loose(self, at: int, line: str) -> TextBlock | None:
        """What begins in a line that is no command."""
        if at not in self._closing and (heading := self._heading_at(at)):
            self.heading = heading
            return None
        if is_kernel_line(line):
            return TextBlock("log", at, self._while(at, self._is_log))
        if at and not self.free[at - 1] and at in self._closing:
            return TextBlock("fenced", at, self._while(at, self._is_text), self._tools.get(at, ""))
        if table := self.table(at):
            return TextBlock("table", at, table.last)
        return self._paragraph(at, line)

    def _paragraph(self, at: int, line: str) -> TextBlock | None:
        """Lines without a blank one between them, where they are not within such lines.

        Several that begin with no prose may be a list, with blank lines in it if they are indented.
        """
        above, depth = self.lines[at - 1] if at else "", self.depths[at]
        if not above and not is_sentence(line):
            indented = indent_of(line) >= CODE
            last = self._while(at, self._is_indented if indented else self._is_text)
            if last - at + 1 >= _FEW:
                return TextBlock("indented" if indented else "plain", at, last)
        if above and self.depths[at - 1] == depth and self.free[at - 1] and above[-1] != ":":
            return None
        return TextBlock("paragraph", at, self._while(at, self._is_text))

    def _heading_at(self, at: int) -> str:
        """A heading that is marked as one; a command of root's is none."""
        beside = self.lines[max(at - 1, 0) : at] + self.lines[at + 1 : at + 2]
        return marked_heading(self.lines[at], alone=not any(beside))

    def _end(self, at: int, command: ShellCommand) -> int:
        """Index of the last line of a command's output."""
        if at not in self._closing:
            return end_of_output(self.lines, self.depths, command)
        return self._before_prompt(command.last, self._closing[at])

    def _before_prompt(self, at: int, close: int) -> int:
        """Index of the last line behind one, before the next prompt or the end of its block."""
        for place in range(at + 1, min(close, at + 1 + MOST)):
            if is_prompt(self.lines[place]):
                return place - 1
            at = place
        return at

    def _fenced(self, at: int, language: str) -> TextBlock | None:
        """A fenced block up to its first prompt: of a command in it, or in the line above it."""
        close = self._closing.get(at + 1, at + 1)
        if language in _LANGUAGES:
            return TextBlock("command", close, close - 1)
        first = next((place for place in range(at + 1, close) if self.lines[place]), close)
        if first == close or is_prompt(self.lines[first]):
            return None
        last = self._before_prompt(first, close)
        if command := self._command_in(first, close):
            last = max(self._before_prompt(command.last, close), command.last)
            return TextBlock("command", command.last + 1, last, command.text, enclosed=True)
        if command := self._command_above(at):
            return TextBlock("command", first, last, command.text, command.host, enclosed=True)
        if not self.free[first] or is_kernel_line(self.lines[first]):
            return None  # line by line
        return TextBlock("fenced", first, last, is_logged=language in _LOGS)

    def _command_in(self, at: int, close: int) -> ShellCommand | None:
        """The command without a prompt that a block begins with.

        Below remarks only one that shows a file of settings: what is below others may be a script.
        """
        first = next(
            (place for place in range(at, min(close, at + _REMARKS + 1))
             if not self.lines[place].lstrip().startswith("#")), close,
        )  # fmt: skip
        if first == close or not called(self.lines[first]):
            return None
        whole, last = whole_command(self.lines, first, self.lines[first].strip())
        return ShellCommand(whole, "", last) if first == at or shows_file(whole) else None

    def _command_above(self, at: int) -> ShellCommand | None:
        """The command above a fenced block: at a prompt, in backticks, or as a title."""
        above = next((place for place in range(at - 1, max(at - 4, -1), -1)
                      if self.lines[place]), -1)  # fmt: skip
        if above < 0:
            return None
        line = self.lines[above]
        if command := command_at(self.lines, above):
            return command if command.last == above else None
        inline = _INLINE.search(line)
        text = inline["command"] if inline else line.strip(" *_:#")
        own = called(text)
        return ShellCommand(without_secrets(text), "", above) if own else None

    def _is_indented_code(self, at: int, last: int) -> bool:
        """Whether a command and the lines below it, up to one, are indented as Markdown's code."""
        return all(indent_of(line) >= CODE for line in self.lines[at : last + 1] if line)

    def _while(self, at: int, goes_on: Callable[[int], bool]) -> int:
        last = at
        while last + 1 < len(self.lines) and last - at + 1 < MOST and goes_on(last + 1):
            last += 1
        return last

    def _is_text(self, at: int) -> bool:
        line = self.lines[at]
        if not line or not self.free[at] or at in self._fences:
            return False
        return not self._begins(at) and (at in self._closing or not is_section(line))

    def _begins(self, at: int) -> bool:
        """Whether a command, a log or a table begins in a line."""
        line = self.lines[at]
        begins = is_prompt(line) or is_kernel_line(line)
        return begins or self.table(at) is not None

    def _is_indented(self, at: int) -> bool:
        line = self.lines[at]
        if not line:  # one blank line may stand within
            line = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        return bool(self.free[at]) and indent_of(line) >= CODE and not self._begins(at)

    def _is_log(self, at: int) -> bool:
        """Whether a line belongs to a log: up to four without a time may be the rest of another."""
        line = self.lines[at]
        if not line or not self.free[at] or is_prompt(line):
            return False
        if is_kernel_line(line):
            return True
        above = self.lines[max(at - 4, 0) : at]
        return any(map(is_kernel_line, above)) and is_rest(above[-1], line)
