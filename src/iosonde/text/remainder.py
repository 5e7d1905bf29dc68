"""What no reader took of a text: outputs of other tools, as they are printed, and what is left.

A command at a prompt with lines below it, a fenced or indented block, a table that is drawn, and
lines of the kernel's log become records of kind `AS_PRINTED`: the names and values that stand there
and nothing that is concluded from them. Of no form that `iosonde.text.figures` reads, an output of
a command or a paragraph that looks like an output is kept line by line, or said to be unread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

from iosonde.kerneltext import fields
from iosonde.records.printed import AS_PRINTED, PRINTED, PrintedCounters, TextLocation, Unread
from iosonde.records.stack import Json
from iosonde.text.alike_lines import alike_at
from iosonde.text.blocks import TextBlock, TextBlocks
from iosonde.text.document import Document
from iosonde.text.figures import (
    FigureGroup,
    PrintedFigures,
    has_digit,
    has_figure,
    is_other,
    pairs_of,
    read_figures,
)
from iosonde.text.file_settings import file_of, file_settings
from iosonde.text.find_state import TakenLines
from iosonde.text.kernel_lines import (
    LONGEST_MESSAGE,
    is_kernel_line,
    is_mostly_log,
    timelines,
)
from iosonde.text.loose_lines import fenced_lines, loose_lines
from iosonde.text.output_kinds import output_kinds
from iosonde.text.plain_lines import is_no_output, plain_lines
from iosonde.text.programs import is_program
from iosonde.text.search import FoundOutput, anchors
from iosonde.text.shell import (
    end_of_written,
    is_next_command,
    prints_figures,
    program_of,
    shows_text,
)
from iosonde.text.sound import BREAKS_LOST
from iosonde.text.whole_outputs import whole_json, whole_value

_COMPLAINT = re.compile(r"(?i)(?:(?:ba)?sh|sudo|(?:fatal|error|warning)(?::.*)?)$")
_FEW = 3  # lines below which a block without a command says nothing
_SHARES = {"fenced": 0.25, "indented": 0.5, "plain": 0.6}
"""Of the values of a block without a command, how many are figures: the surer, the fewer."""
_LONG, _LONG_SHARE = 6, 0.25
"""Lines of an aligned list that needs fewer figures, as it is surely none of a person's."""
_TITLES = 3  # lines, drawn ones among them
_HEAD = 4  # lines above a list
_READ = 0.5  # of the lines of an output
_LEFT = 60  # lines beside lists and tables
_NAMED = 120  # characters of a command
_JOINED, _JOINED_WORDS, _JOINED_SHARE, _JOINED_ANCHORS, _JOINED_ANCHOR = 120, 12, 0.12, 14, 6
"""Of a line in which several of an output stand: characters, words, how many of these have figures,
how many characters of anchors of the output it holds, and how many each has."""
_COMMAND_SHARE = 0.5  # of the words of a line are options
_ROW = 0.6  # of the parts are numbers
_FROM_DIGIT = re.compile(r"\d[^ \t]*")
_OPTION = re.compile(r"\s--[a-z]")
_QUERY = re.compile(r"\b(?:rate|irate|increase|avg|sum|max|min|count)\s?(?:by\s?)?\(")
"""What a query of Prometheus has and what it exposes has not."""
_AUTHOR = re.compile(r"(?i)[ ](?:the|a|an|and|of|to|in|is|are|was|were|with|that|for|as)(?=[ ])")
_AUTHOR_SHARE = 0.15  # of the words of prose are such ones
_ITEM = re.compile(r"\s*\d{1,2}[.)]\s*")  # the number of what follows
_OF_MANY_COMMANDS = frozenset({
    "aws", "az", "ceph", "cinder", "crictl", "docker", "esxcli", "gcloud", "gluster", "ip", "k",
    "kubectl",
    "microceph.ceph", "microk8s", "oc", "openstack", "podman", "pvesm", "qm", "rados",
    "radosgw-admin", "rbd", "rclone", "snapper", "virsh",
})  # fmt: skip
"""Programs of which most commands print something else than what a reader is for: what is kept of
them as it is printed is not beside it said to be unread."""


def remainder(document: Document, taken: Sequence[TakenLines]) -> Iterator[FoundOutput | Unread]:
    """What the lines say that no reader took, in their order.

    Args:
        document: of which everything else was read.
        taken: what was read, or told as unread.
    """
    return _Remainder(document, taken).every()


class _Remainder:
    def __init__(self, document: Document, taken: Sequence[TakenLines]) -> None:
        text = document.data[:].decode(errors="replace").replace("\r\n", "\n")
        self._document = document
        self._blocks = TextBlocks(text, taken)
        self._lines = self._blocks.lines
        self._free = self._blocks.free

    def every(self) -> Iterator[FoundOutput | Unread]:
        """Everything that is left of the document."""
        for place, line in enumerate(self._lines):
            if self._free[place] and (tool := _run_together(line)):
                self._free[place] = False
                yield Unread(self._place(place, place), tool, BREAKS_LOST)
        for block in self._blocks.every():
            yield from self._records(block)

    def _records(self, block: TextBlock) -> Iterator[FoundOutput | Unread]:
        """What a block says, part by part where a reader took lines of it."""
        first = block.first
        apart = False
        while first <= block.last:
            last = first
            while last < block.last and self._free[last + 1] == self._free[first]:
                last += 1
            if not self._free[first]:
                apart = True
            elif apart or last == block.last or self._says_something_above(block, first, last):
                yield from self._part(block, first, last, apart=apart)
            first = last + 1

    def _says_something_above(self, block: TextBlock, first: int, last: int) -> bool:
        """Whether lines above what a reader took are more than the rest of a broken command."""
        lines = self._lines[first : last + 1]
        return block.kind != "command" or is_mostly_log(lines) or any(map(has_digit, lines))

    def _part(
        self, block: TextBlock, first: int, last: int, *, apart: bool
    ) -> Iterator[FoundOutput | Unread]:
        """What lines say that no reader took; `apart`: one took others of the same output."""
        while last >= first and not self._lines[last].strip(" \t`"):
            last -= 1
        lines = self._lines[first : last + 1]
        if block.kind == "command":
            last = first + end_of_written(lines) - 1
            lines = self._lines[first : last + 1]
        if not lines:
            return
        whole = _as_whole(block.command, lines) if block.kind == "command" else None
        if whole:
            place = self._place(first, first + whole[1] - 1)
            yield self._kept(block, place, block.command[:_NAMED], whole[0])
        elif (path := file_of(block.command, self._above(block))) and (
            settings := file_settings(lines)
        ):
            yield self._kept(block, self._place(first, last), path, settings)
        elif not any(map(has_digit, lines)):
            yield from self._without_figures(block, first, lines, apart=apart)
        elif block.kind == "log" or is_mostly_log(lines):
            yield from self._log(block, first, lines)
        elif block.kind == "table":
            yield from self._of_table(block, first, lines)
        else:
            yield from self._figures(block, first, lines, apart=apart)

    def _without_figures(
        self, block: TextBlock, first: int, lines: Sequence[str], *, apart: bool
    ) -> Iterator[FoundOutput | Unread]:
        """Lines without any figure: of a command, or of what its fence says to be a log."""
        if block.kind == "command" and not apart:
            yield from self._plain(block, first, lines)
        elif block.is_logged and len(lines) <= _LEFT:
            kept: list[Json] = [*filter(None, map(str.strip, lines))]
            yield self._kept(block, self._place(first, first + len(lines) - 1), "", {"lines": kept})

    def _above(self, block: TextBlock) -> str:
        """The line that introduces a fenced block; empty for others."""
        fence = block.first - 2
        above = (self._lines[at] for at in range(fence, max(fence - 2, -1), -1))
        return next(filter(None, above), "") if block.kind == "fenced" else ""

    def _of_table(
        self, block: TextBlock, first: int, lines: Sequence[str]
    ) -> Iterator[FoundOutput | Unread]:
        table = self._blocks.table(first)
        if table and table.last == first + len(lines) - 1:
            group = replace(table, first=0, last=len(lines) - 1)
            yield self._record(block, first, PrintedFigures((group,), ()))

    def _figures(
        self, block: TextBlock, first: int, lines: Sequence[str], *, apart: bool
    ) -> Iterator[FoundOutput | Unread]:
        """The lists and tables of an output."""
        free = block.kind != "command"
        figures = None
        if (
            block.kind != "paragraph"
            and not is_other(lines)
            and (free or prints_figures(block.command))
        ):
            figures = read_figures(lines, strict=free)
        own = sum(bool(line.strip()) for line in lines)
        sure = figures is not None and figures.lines >= _READ * own
        if sure and figures is not None:
            figures = _without_complaints(block.command, figures)
            sure = self._is_sure(block, lines, figures) if free else bool(figures.groups)
        if not sure and not free and (group := _alike(lines)):
            figures, sure = PrintedFigures((group,), ()), True
        left = figures and any(has_digit(lines[place]) for place in figures.left)
        if sure and left and block.kind == "plain":
            place = self._place(first, first + len(lines) - 1)
            yield self._kept(block, place, "", {"lines": [line.strip() for line in lines]})
        elif figures is not None and sure:
            yield self._record(block, first, figures)
            yield from self._left(block, first, lines, figures)
        elif block.kind == "fenced" and (text := fenced_lines(lines)):
            place = self._place(first, first + len(lines) - 1)
            yield self._kept(block, place, block.command[:_NAMED], {"lines": [*text]})
        elif free:
            yield from self._printed(block, first, lines)
        elif not apart and not lines[0].lstrip().startswith("+"):  # `set -x` goes on
            yield from self._plain(block, first, lines)

    def _printed(
        self, block: TextBlock, first: int, lines: Sequence[str]
    ) -> Iterator[FoundOutput | Unread]:
        """Paragraphs without a command, line by line where they look like an output."""
        for low, high in self._blocks.paragraphs(first, first + len(lines) - 1):
            above = next((self._lines[at] for at in range(low - 1, max(low - 3, -1), -1)
                          if self._lines[at]), "")  # fmt: skip
            within = low > 0 and self._lines[low - 1] != "" and not self._free[low - 1]
            introduced = within or above.endswith(":")
            if high + 1 < len(self._lines) and self._blocks.table(high + 1):
                continue  # what a table is headed by
            kept = loose_lines(self._lines[low : high + 1], introduced=introduced)
            if kept:
                yield self._kept(block, self._place(low, high), "", {"lines": [*kept]})

    def _plain(
        self, block: TextBlock, first: int, lines: Sequence[str]
    ) -> Iterator[FoundOutput | Unread]:
        """An output of no form, line by line; unread where its tool has a reader, or it is long."""
        beyond = (at for at, line in enumerate(lines) if self._is_beyond(block, line, at))
        own = lines[: next(beyond, len(lines))]
        if all(line.lstrip().startswith("#") for line in own):
            return  # nothing, or comments
        values = plain_lines(block.command, block.host, own, enclosed=block.enclosed)
        place = self._place(first, first + len(own) - 1)
        if values:
            yield self._kept(block, place, block.command[:_NAMED], values)
        program = program_of(block.command)
        named = is_program(program)
        alone = all(self._free[block.first : block.last + 1]) and program not in _OF_MANY_COMMANDS
        if (
            ((named and alone) or not values)
            and prints_figures(block.command)
            and any(map(has_digit, own))
            and not is_no_output(block.command, block.host, own, enclosed=block.enclosed)
        ):
            why = "in no form that its reader knows" if named else "no reader for it"
            said = f"output of `{block.command[:_NAMED]}`: {why}"
            yield Unread(place, program, said)

    def _is_beyond(self, block: TextBlock, line: str, at: int) -> bool:
        """Whether the output of a command ends before a line of its block."""
        if block.enclosed:
            return is_next_command(line, block.command)
        return at > 0 and not line.strip()

    def _is_sure(self, block: TextBlock, lines: Sequence[str], figures: PrintedFigures) -> bool:
        """Whether lines without a command are an output: enough of them, with figures."""
        tables = any("columns" in group.values for group in figures.groups)
        own = [line for line in lines if line.strip()]
        if tables:
            drawn = any(set(line.strip()) <= set("-=+| ") for line in own)
            return (drawn or block.kind != "plain") and not figures.left
        if len(own) > _LONG:
            own = _below_titles(own)
        pairs = [pair for line in own for pair in pairs_of(line)]
        if figures.lines < _FEW or not pairs:
            return False
        if block.kind == "plain" and (
            figures.lines < len(own) or len(own) <= _FEW or not _aligned(own)
        ):
            return False
        share = sum(has_figure(value) for _, value in pairs) / len(pairs)
        return share >= (_LONG_SHARE if len(own) >= _LONG else _SHARES[block.kind])

    def _record(self, block: TextBlock, first: int, figures: PrintedFigures) -> FoundOutput:
        """The groups of an output as counters, each named by the command or the heading above."""
        low, high = first + figures.groups[0].first, first + figures.groups[-1].last
        place = self._place(low, high)
        named = block.command[:_NAMED] or place.heading
        counters = tuple(
            self._counters(block, ": ".join(filter(None, (named, group.title))), group.values)
            for group in figures.groups
        )
        return FoundOutput(place, PRINTED, counters=counters)

    def _kept(
        self,
        block: TextBlock,
        place: TextLocation,
        name: str,
        values: dict[str, Json],
        host: str = "",
    ) -> FoundOutput:
        where, command = block.host or host, block.command
        record = PrintedCounters(PRINTED, AS_PRINTED, name, values, where, command)
        return FoundOutput(place, PRINTED, counters=(record,))

    def _counters(self, block: TextBlock, name: str, values: dict[str, Json]) -> PrintedCounters:
        return PrintedCounters(PRINTED, AS_PRINTED, name, values, block.host, block.command)

    def _left(
        self, block: TextBlock, first: int, lines: Sequence[str], figures: PrintedFigures
    ) -> Iterator[FoundOutput | Unread]:
        """Lines with figures that are of no form, in an output of which others are."""
        left = [
            place
            for place in figures.left
            if has_digit(lines[place]) and not _ITEM.fullmatch(lines[place])
        ]
        if not left or block.kind != "command":
            return
        if len(left) <= _LEFT:
            place = self._place(first + left[0], first + left[-1])
            kept: list[Json] = [lines[at].strip() for at in left]
            yield self._kept(block, place, block.command[:_NAMED], {"lines": kept})
        else:
            count = f"{len(left)} of its lines are" if len(left) > 1 else "a line of it is"
            said = f"output of `{block.command[:_NAMED]}`: {count} neither a list nor a table"
            place = self._place(first + left[0], first + left[-1])
            yield Unread(place, program_of(block.command), said)

    def _log(
        self, block: TextBlock, first: int, lines: Sequence[str]
    ) -> Iterator[FoundOutput | Unread]:
        for at, (messages, _, last, host) in timelines(lines):
            begin = first + at
            if messages:
                place = self._place(begin, begin + last)
                named = block.command[:_NAMED] if shows_text(block.command) else place.heading
                yield self._kept(block, place, named, messages, host)
            elif last >= 0 and any(map(_says_something, lines[at : at + last + 1])):
                yield from self._crash(block, begin, lines[at : at + last + 1])

    def _crash(self, block: TextBlock, first: int, lines: Sequence[str]) -> Iterator[FoundOutput]:
        """A part of a crash, without a function or a process that it is about."""
        for at, (messages, _, last, host) in timelines(lines, is_of_a_crash=True):
            place = self._place(first + at, first + at + last)
            yield self._kept(block, place, place.heading, messages, host)

    def _place(self, first: int, last: int) -> TextLocation:
        number = self._document.number
        return TextLocation(
            self._document.name, number(first + 1), number(last + 1), self._blocks.heading
        )


def _run_together(line: str) -> str:
    """The tool of whose output several lines stand in one; empty where it is none or not sure."""
    if len(line) < _JOINED or '":' in line or line.count("`") > 1 or _OPTION.search(line):
        return ""
    parts = fields(line)
    options = sum(part.startswith("-") for part in parts)
    if options > _COMMAND_SHARE * len(parts) or len(parts) < _JOINED_WORDS:
        return ""  # a command, or a short line
    is_kept_whole = len(line) <= LONGEST_MESSAGE and is_kernel_line(line)
    if is_kept_whole or _with_digits(line, parts) < _JOINED_SHARE * len(parts):
        return ""
    if sum(map(str.isdigit, parts)) > _ROW * len(parts):
        return ""  # a row: /proc/interrupts has a column for each processor
    if _QUERY.search(line) or len(_AUTHOR.findall(line)) > _AUTHOR_SHARE * len(parts):
        return ""
    kinds, counts = output_kinds(), Counter[str]()
    for group in {each for each in anchors().scan(line.encode())[2] if not kinds[each].is_prose}:
        counts[kinds[group].tool] += sum(
            len(each)
            for each in kinds[group].anchors
            if len(each) >= _JOINED_ANCHOR and each in line
        )
    tool, count = max(counts.items(), key=itemgetter(1), default=("", 0))
    return tool if count >= _JOINED_ANCHORS else ""


def _with_digits(line: str, parts: Sequence[str]) -> int:
    """How many parts of a line have a digit."""
    return len(_FROM_DIGIT.findall(line)) if line.isascii() else sum(map(has_digit, parts))


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


def _below_titles(lines: Sequence[str]) -> list[str]:
    """The lines of a list below a title or two, without what is drawn."""
    first = next((at for at, line in enumerate(lines[:_TITLES]) if pairs_of(line)), _TITLES)
    return [line for line in lines[first:] if line.strip(" -=*_~")]


def _aligned(lines: Sequence[str]) -> bool:
    """Whether the values of a list begin in one place, or its names end in one."""
    parts = [re.split(r"[:=]\s", line, maxsplit=1) for line in lines]
    begins = {len(line) - len(part[-1].lstrip()) for line, part in zip(lines, parts, strict=True)}
    return len(begins) == 1 or len({len(part[0].rstrip()) for part in parts}) == 1
