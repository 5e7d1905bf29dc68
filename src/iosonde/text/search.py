"""One search through a document: where an output may begin, and what its reader makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from iosonde import limits
from iosonde._core import Anchors
from iosonde.errors import UsageError
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedLoad,
    PrintedState,
    PrintedTrial,
    TextLocation,
    Unread,
    Unreadable,
)
from iosonde.records.stack import Json
from iosonde.text.changes import CHANGED, changes_in
from iosonde.text.cursor import REACH, Output, folder_above, folder_in, joined
from iosonde.text.document import Document
from iosonde.text.find_state import BETWEEN, FindState, LastTrial, TakenLines, places_in
from iosonde.text.headings import headings_above, marked_between
from iosonde.text.output_kinds import output_kinds
from iosonde.text.rate_limits import says_limit
from iosonde.text.same_command import (
    MOST,
    NO_COMMAND,
    command_above,
    has_command,
    is_same_block,
    last_command,
    may_print,
    of_host,
    of_same_command,
)
from iosonde.text.shell import is_shells_prompt
from iosonde.text.sound import require_sound
from iosonde.text.watch import StepTimeLimit
from iosonde.text.window import View, Window

_BLOCK = 1 << 22
_MARKS = "#=*_-~ "
"""What marks a heading around its words."""
WATCH = StepTimeLimit()
_BROKEN = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, ArithmeticError, RecursionError,
    UsageError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoundOutput:
    """One output: where it stands and what it says."""

    place: TextLocation
    tool: str
    trials: tuple[PrintedTrial, ...] = ()
    states: tuple[PrintedState, ...] = ()
    counters: tuple[PrintedCounters, ...] = ()
    loads: tuple[PrintedLoad, ...] = ()
    text: str = ""
    """The clean lines that a trial was read from."""


@cache
def outputs() -> tuple[Output, ...]:
    """Every kind of output that is known."""
    return tuple(kind.output for kind in output_kinds())


@cache
def anchors() -> Anchors:
    """The literals of which each output has one, in groups by the order of `output_kinds`."""
    return Anchors(
        [(anchor, group) for group, kind in enumerate(output_kinds()) for anchor in kind.anchors]
    )


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a document that begins and ends with lines; `line` is the number of its first."""

    start: int
    line: int
    end: int


def hits(
    document: Document, span: Span, is_free: Callable[[int], bool] = lambda _: True
) -> Iterator[tuple[int, int, Output]]:
    """Number and offset of each line that holds an anchor, and the output it may belong to.

    Args:
        document: to look through.
        span: of it.
        is_free: whether an output may begin in the line with a number, asked when it is its turn.
    """
    data, literals = document.data, anchors()
    kinds = output_kinds()
    start, number = span.start, span.line
    while start < span.end:
        end = end_of_line(document, min(start + _BLOCK, span.end))
        block = data[start:end]
        lines, starts, groups, ends = literals.scan(block)
        for line, offset, group in zip(lines, starts, groups, strict=True):
            if not is_free(number + line):
                continue
            output = kinds[group].output
            holds = getattr(output, "holds", None)
            if holds is None or holds.search(block, offset, _line_end(block, offset)):
                yield number + line, start + offset, output
        start, number = end, number + ends


def _line_end(block: bytes, offset: int) -> int:
    """Where the line that begins at an offset ends in a block."""
    end = block.find(b"\n", offset)
    return len(block) if end < 0 else end


def end_of_line(document: Document, offset: int) -> int:
    """Offset behind the end of the line that the byte before `offset` is part of.

    Raises:
        UsageError: the line is longer than limits.py allows.
    """
    data = document.data
    if offset >= len(data) or data[offset - 1 : offset] == b"\n":
        return min(offset, len(data))
    end = data.find(b"\n", offset, offset + limits.LINE)
    if end < 0 and offset + limits.LINE < len(data):
        raise UsageError(
            f"has a line of more than {limits.shown(limits.LINE)} around its byte {offset}",
            where=document.name,
            hint="a text with outputs has shorter ones; cut out the part with the outputs",
        )
    return end + 1 or len(data)


def _is_unspecific(output: Output) -> bool:
    """Whether its form is that of many, so that it is not tried on lines of another broken one."""
    return getattr(output, "unspecific", False)


class Search:
    """Goes through a document from some state on."""

    def __init__(
        self, document: Document, state: FindState | None = None, *, with_text: bool = True
    ) -> None:
        state = state or FindState()
        self._with_text = with_text
        self._document = document
        self._window = Window(document)
        self._free = state.free
        self._failed = dict(state.failed)
        self._heading = state.heading
        self._title = state.title
        self._looked = state.looked
        self._offset = state.offset
        self._trial = state.trial
        self._command = state.command
        self.taken = list(state.taken)

    @property
    def _broken_to(self) -> int:
        """Number of the last line of a broken output."""
        return max(self._failed.values(), default=0)

    @property
    def state(self) -> FindState:
        """What another search needs to go on."""
        return FindState(
            self._free,
            dict(self._failed),
            self._heading,
            self._title,
            self._looked,
            self._offset,
            self._trial,
            self._command,
            tuple(taken for taken in self.taken[-REACH:] if taken.last >= self._free - REACH),
        )

    def through(self, span: Span) -> Iterator[FoundOutput | Unread]:
        """What the anchors in a span lead to; most of them stand in an output already read."""
        for number, offset, output in hits(self._document, span, lambda line: line >= self._free):
            yield from self._look(number, offset, output)

    def _look(self, number: int, offset: int, output: Output) -> Iterator[FoundOutput | Unread]:
        """What an anchor in a line leads to."""
        if _is_unspecific(output) and number <= self._broken_to:
            return
        self._window.go_to(number, offset)
        floor = 1 if getattr(output, "looks_above", False) else self._free
        view = View(self._window, floor=floor, anchor=number)
        first = view.at
        self._check_time()
        WATCH.begin()
        try:
            begins = output.begin(view)
            if begins is None:
                return
            first = begins
            if view.number(first) <= self._failed.get(output, 0):
                # It goes on: what begins in it was tried already.
                self._failed[output] = max(number, self._failed[output])
                return
            reading = output.read(view, first)
            require_sound(view, reading, output)
        except Unreadable as problem:
            WATCH.end()
            self._failed[output] = max(number, view.number(max(first, problem.last)))
            self._take(view, first, max(view.at, problem.last), output)
            heading = self._heading_above(view, first, offset)
            yield Unread(self._place(view, first, view.at, heading), output.tool, problem.reason)
            return
        except _BROKEN as problem:
            WATCH.end()
            self._failed[output] = max(number, view.number(first))
            self._take(view, first, view.at, output)
            reason = f"it is not as {output.tool} prints it ({problem})"
            heading = self._heading_above(view, first, offset)
            yield Unread(self._place(view, first, view.at, heading), output.tool, reason)
            return
        finally:
            WATCH.end()
        reading = self._within_its_lines(view, reading, output)
        heading = self._heading_above(
            view, reading.first, offset, measures=bool(reading.trials or reading.loads)
        )
        reading = self._with_command(view, reading, output, (number, offset))
        if reading.trials:
            reading = self._with_changes(view, reading, heading)
        if reading.trials or reading.states or reading.counters:
            # A command alone is left to the output below it, which wants to know it too.
            self._free = max(view.number(max(reading.last, first)) + 1, number + 1)
        if not reading.loads or reading.last > reading.first:
            self._take(view, reading.first, reading.last, output)
        for low, high, _ in reading.unread:
            self._take(view, low, high, output)
        yield from self._readings(view, reading, output.tool, heading)

    def _with_changes(self, view: View, reading: OutputReading, heading: str) -> OutputReading:
        """The same, its first trial with what was changed since the trial before it.

        What an author says above the first of several, or above each of them, is no change. The
        heading above it tells it apart already.
        """
        end, before = view.number(reading.first), self._trial
        above = range(max(before.line + 1, end - REACH, 1), end)
        lines = [self._window.text(number) or "" for number in above]
        changes = changes_in(lines, places_in(above, self.taken))
        follows = 0 < before.line >= end - BETWEEN
        is_asked = follows or changes.may_say_limit()
        sentences = changes.sentences() if is_asked else ()
        earlier = before.changes.sentences() if sentences else ()
        said = [text for text in sentences if text not in earlier and text.strip(_MARKS) != heading]
        folder = folder_in(self._window.text(end) or "") or folder_above(
            self._window.text(end - 1) or ""
        )
        moved = folder and before.folder and folder != before.folder
        self._trial = LastTrial(view.number(reading.last), folder, changes)
        changed: list[Json] = [*changes.commands]
        if follows:
            changed += [*([f"cd {folder}"] if moved else ()), *said]
        else:
            changed += [text for text in said if says_limit(text)]
        if not changed:
            return reading
        first, *rest = reading.trials
        first = replace(first, details={**first.details, CHANGED: changed})
        return replace(reading, trials=(first, *rest))

    def _with_command(
        self, view: View, reading: OutputReading, output: Output, anchor: tuple[int, int]
    ) -> OutputReading:
        """The same with the host and the command above it, where it is a later part of its output.

        Args:
            view: of the lines.
            reading: what it says.
            output: what read it.
            anchor: number and offset of a line of it.
        """
        first, last = view.number(reading.first), self._command.line
        if first > last and not (view.host or has_command(reading)):
            low = max(last, first - MOST - 2)
            between = [self._window.text(number) or "" for number in range(low + 1, first)]
            above = command_above(between, self._command if low == last else NO_COMMAND)
            if may_print(output, above) and is_same_block(
                self._document.lines_before(*anchor, low)[: first - low + 1]
            ):
                reading = of_same_command(reading, above.prompt)
        if reading.trials or reading.states or reading.counters:
            self._command = last_command(view.number(reading.last), output, reading)
        return reading

    def _within_its_lines(
        self, view: View, reading: OutputReading, output: Output
    ) -> OutputReading:
        """The same without lines above it that another has, nor blank ones and prompts at its ends.

        What is read of commands themselves ends with a prompt.
        """
        of_commands = reading.loads or getattr(output, "of_commands", False)
        first, last = self._own(view, reading.first), reading.last
        while first < last and not view.line(first).strip():
            first += 1
        while last > first and (
            not (line := view.line(last)).strip() or (not of_commands and is_shells_prompt(line))
        ):
            last -= 1
        return replace(reading, first=first, last=last)

    def _own(self, view: View, index: int) -> int:
        """An index, or that of the first line that no output has yet where it is above it."""
        return max(index, self._free - view.number(0))

    def _take(self, view: View, first: int, last: int, output: Output) -> None:
        """Notes the lines that an output has, which are not looked at again."""
        numbers = view.number(first), view.number(max(first, last))
        self.taken.append(TakenLines(*numbers, output.tool))

    def _check_time(self) -> None:
        """Raises UsageError where outputs took too long together: a text that is made for that."""
        if WATCH.slow > limits.SLOW_SECONDS:
            raise UsageError(
                f"holds outputs that take more than {limits.SLOW_SECONDS:g} s of a processor, the "
                "limit for a text",
                where=self._document.name,
                hint="cut out the part with the outputs",
            )

    def _readings(
        self, view: View, reading: OutputReading, tool: str, heading: str
    ) -> Iterator[FoundOutput | Unread]:
        place = self._place(view, reading.first, reading.last, heading)
        host = view.host
        yield FoundOutput(
            place,
            tool,
            tuple(of_host(trial, host) for trial in reading.trials),
            tuple(of_host(state, host) for state in reading.states),
            tuple(of_host(counters, host) for counters in reading.counters),
            tuple(of_host(load, host) for load in reading.loads),
            joined(view, reading.first, reading.last) if reading.trials and self._with_text else "",
        )
        for first, last, reason in reading.unread:
            yield Unread(self._place(view, first, last, heading), tool, reason)

    def _place(self, view: View, first: int, last: int, heading: str) -> TextLocation:
        number = self._document.number
        low, high = view.number(first), view.number(max(first, last))
        return TextLocation(self._document.name, number(low), number(high), heading)

    def _heading_above(self, view: View, first: int, offset: int, *, measures: bool = False) -> str:
        """The title or the heading above an output; the last one seen where there is none since."""
        here = view.number(first)
        if here > self._looked:
            above = headings_above(partial(self._line_above, view), first, measures=measures)
            marked = above.marked or marked_between(
                self._document,
                self._offset,
                (view.number(view.at), offset),
                range(self._free, here),
            )
            if above.title or above.is_apart or marked:
                self._title = above.title
            self._heading = marked or self._heading
            self._looked, self._offset = here, offset
        return self._title or self._heading

    def _line_above(self, view: View, index: int) -> str | None:
        """A line that a heading may stand in; empty above the text, None where an output has it."""
        if view.number(index) < 1:
            return ""
        return view.line(index) if index >= self._own(view, 0) else None


def tool_names() -> Sequence[str]:
    """Names of the tools whose outputs are known, each once."""
    return sorted({kind.tool for kind in output_kinds()})


def kinds_hint() -> str:
    """What to do where nothing was recognised in a text."""
    return f"`iosonde import --kinds` lists the {len(tool_names())} kinds of output that are read"
