"""A cursor in a text as parsers of printed outputs see it: clean lines around an anchor.

The lines are already freed of quote marks, escapes, code fences, quoted-printable and
colours; a prefix that stands before every line (host name, time stamp) is taken off too. Parsers
must not rely on where lines break: `compact` and `flow` read over breaks, whatever wrapped them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import ClassVar, NamedTuple, Protocol

from iosonde.records.printed import OutputReading
from iosonde.text.prompts import BEHIND, FOLDER_OF_TWO, NAMED, PLAIN, PREFIX, host_of
from iosonde.text.secrets import without_secrets

_DASHES = re.compile(r"(?:^|\s)--?$")
REACH = 80
"""Lines before an anchor that a parser may look at."""

_AHEAD = 32  # lines asked for at once

_PROMPT = re.compile(
    rf"(?:(?:^|[|`\s])(?:{NAMED}(?:[ \t]+|(?<=[\]~][#$>])(?=[a-z./]))"  # also in a table's cell
    r"|\[?(?:root[#$]|(?<![\w\"'])\]?[#$]|~(?:/[\w./-]{0,60})?[#$](?=[ \t]+[a-z./(])"
    r"|\[root [~/][\w./-]{0,60}\][#$])[ \t]+)"
    rf"|^[ \t|`]*+{PREFIX}{PLAIN}{BEHIND})"
    r"(?P<command>[\w./~({-].*)$"
)
_SHOWS = re.compile(
    r"((?:sudo )?(?:cat|head|tail|more)\s+(?:-\S+ )*)([a-z][\w!.-]{0,60}(?:/[\w!.-]{1,60}){0,3})"
)
_OPTION = re.compile(r"\s*--[a-z][\w-]*\w(?:[= ]|$)")
"""How the rest of a command begins that was wrapped; a head such as `--procs--` ends otherwise."""
_NO_COMMAND = re.compile(r"[#$]\s+(?:[A-Z][\w ]+$|#)")


class Prompt(NamedTuple):
    """A command line with what stood before it. `host` is empty where the prompt names none.

    What a command says of secrets is masked (`iosonde.text.secrets`).
    """

    command: str
    host: str = ""

    @property
    def path(self) -> str:
        """The path that the command ends with, without /dev/; empty where it ends otherwise."""
        last = self.command.rpartition(" ")[2]
        return last.removeprefix("/dev/") if last.startswith("/") else ""


class TextCursor(Protocol):
    """Lines around an anchor, by index: the anchor's line has index `at`, lines before it less.

    Index 0 is the first line that may be looked at: the one after the last output, or REACH lines
    before the anchor.
    """

    at: int
    host: str
    """As a prefix before every line names it; else empty."""

    def has(self, index: int) -> bool:
        """Whether there is a line with this index, and it may be looked at."""
        ...

    def line(self, index: int) -> str:
        """The clean line, without blanks at its end; empty outside of what may be looked at."""
        ...

    def stamped(self, index: int) -> str:
        """As `line`, with the time and the host that may stand before every line."""
        ...

    def block(self, first: int, most: int) -> list[str]:
        """The clean lines from an index on, at most so many; fewer at the end, none before 0."""
        ...


class Output(Protocol):
    """How one kind of printed output is recognised and read.

    With `joined_by`, a text, its values are messages with that between their parts.
    With `unspecific = True` its form is that of many, and it is not tried on lines of another
    output that is broken. With `looks_above = True` it sees lines that another output has, too:
    its command may stand above that one. With `of_commands = True` it is commands at prompts, which
    never are the last line of another. With `holds`, a pattern of bytes, it is tried only where
    the anchor's line, as it stands in the text, also holds that: for anchors that are common.
    With `is_prose = True` it is what a person writes: many of its anchors in a line are prose.
    """

    tool: ClassVar[str]
    anchors: ClassVar[tuple[str, ...]]
    """Literals, upper and lower case as printed, of which a line of the output holds at least one.
    Common words make the search slow; a wrap may tear one apart, so name several.
    """
    beginning: ClassVar[re.Pattern[str]] = re.compile(r"(?!)")
    """What the first line begins with: the anchor's, where no `begin` looks further."""
    beginnings: ClassVar[tuple[re.Pattern[str], ...]] = ()
    """The same where it begins in several ways."""

    def begin(self, cursor: TextCursor) -> int | None:
        """Index of the output's first line, or None where the anchor stands in something else.

        Cheap: looks at few lines. An output that begins in the same line is read once, however many
        anchors it holds.
        """
        line = cursor.line(cursor.at)
        forms = self.beginnings or (self.beginning,)
        return cursor.at if any(form.match(line) for form in forms) else None

    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        """What the output that begins in line `first` says.

        Raises:
            Unreadable: it is broken or says nothing. ValueError, KeyError, IndexError and
                TypeError of a parser are taken for the same.
        """
        ...


def lines(cursor: TextCursor, first: int, most: int = 400) -> Iterator[tuple[int, str]]:
    """Indices and lines from `first` on, at most `most` of them."""
    at, end = first, first + most
    while at < end:
        block = cursor.block(at, min(_AHEAD, end - at))
        yield from enumerate(block, at)
        if len(block) < min(_AHEAD, end - at):
            return
        at += len(block)


def joined(cursor: TextCursor, first: int, last: int) -> str:
    """The lines, broken where they were broken."""
    return "\n".join(cursor.block(first, last - first + 1))


_JOINED = 1 << 16
"""Characters of lines made one: many patterns take the square of it in time."""


def flow(cursor: TextCursor, first: int, last: int) -> str:
    """The words of the lines with single blanks between them, whatever stood there."""
    return " ".join(joined(cursor, first, last)[:_JOINED].split())


def compact(cursor: TextCursor, first: int, last: int) -> str:
    """The characters of the lines without any blanks: what a wrap tore apart is whole again."""
    return "".join(joined(cursor, first, last)[:_JOINED].split())


def prompt_in(line: str) -> Prompt | None:
    """The command after a shell's prompt in a line, without its secrets; None where none is."""
    match = _prompted(line)
    return _prompt_of(match) if match else None


def prompt_with_path(line: str) -> Prompt | None:
    """As `prompt_in`; a file that is shown from within the folder of the prompt has its whole path.

    Some prompts name that folder: `root@host:/sys/block/sda/queue# cat scheduler`.
    """
    match = _prompted(line)
    if match is None:
        return None
    prompt, folder = _prompt_of(match), (match["folder"] or "").strip()
    shows = _SHOWS.fullmatch(prompt.command) if folder.startswith("/") else None
    return prompt._replace(command=f"{shows[1]}{folder}/{shows[2]}") if shows else prompt


def folder_in(line: str) -> str:
    """The folder that a prompt in a line names; empty where none does."""
    match = _prompted(line)
    return (match["folder"] or "").strip() if match else ""


def folder_above(line: str) -> str:
    """The folder that the first line of a prompt of two lines names; empty where it is none."""
    match = _FIRST_OF_TWO.fullmatch(line) if "[" in line else None
    return match["folder"].strip() if match else ""


def _prompted(line: str) -> re.Match[str] | None:
    signed = "#" in line or "$" in line or "%" in line or ">" in line
    if not signed and line.isascii() and not (line[:1] == "[" and "@" in line):
        return None
    match = _PROMPT.search(line)
    return None if match is None or _NO_COMMAND.match(line.strip()) else match


def _prompt_of(match: re.Match[str]) -> Prompt:
    command = without_secrets(match["command"].strip().rstrip("`"))
    return Prompt(command, host_of(match))


_WRAPPER = (
    r"(?:sudo|time|nohup|(?:taskset|numactl|nice|ionice|chrt|timeout|env)"
    r"(?:\s+(?:-\S+|[\dA-Fa-f][\dA-Fa-fxsm.,-]*|[A-Z_]{1,40}=\S*)(?=\s))*)"
)
"""What runs another command, with its options: processors, priority, time, environment."""


@cache
def _calls(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A line that begins with one of some commands, and one that mentions it."""
    named = f"(?:{'|'.join(map(re.escape, names))})(?:\\s|$)"
    # No part may match in two ways what another one matches: that takes 2^n steps.
    called = re.compile(rf"(?:(?:[^\s/]*/)*{_WRAPPER}\s+)*(?:[^\s/]*/)*{named}")
    return called, re.compile(rf"(?<![\w.-]){named}")  # `mdadm --add /dev/sda` is no dd


def command_of_parts(
    cursor: TextCursor, first: int, names: Sequence[str], is_part: Callable[[str], object]
) -> Prompt:
    """The command above an output's earlier parts, where this one's stands below a sentence.

    An empty one where another command stands between, or a sentence that speaks of a machine, which
    may be another than that of the parts above it.

    Args:
        cursor: to look at.
        first: index of the first line of the later part.
        names: of the commands that print such an output.
        is_part: whether a line can only be of such a part.
    """
    called, _ = _calls(tuple(names))
    above = False
    for index in range(first - 1, max(first - REACH, 0) - 1, -1):
        line = cursor.line(index)
        if is_part(line):
            above = True
            continue
        prompt = prompt_in(line)
        if prompt is None and called.match(line.strip(" \t`|")):
            prompt = Prompt(without_secrets(line.strip(" \t`|")))
        if prompt is not None:
            return prompt if above and called.match(prompt.command) else Prompt("")
        if MACHINE.search(line) and _SENTENCE.match(line):
            break
    return Prompt("")


_SENTENCE = re.compile(r"[>|]?\s?(?!\w{1,20}:)[^\W\d]\S*\s")
MACHINE = re.compile(
    r"\b(?:hosts?|servers?|nodes?|machines?|box(?:es)?|systems?|vms?|guests?|pcs?|laptops?"
    r"|computers?|nas)\b", re.IGNORECASE,
)  # fmt: skip
"""What a person says who speaks of a machine."""
_HEAD = re.compile(r" {20} *+(?!-)")


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def is_head_of_columns(line: str) -> bool:
    """Whether a line below a command is no more of it but begins far inside, without an option."""
    return _HEAD.match(line) is not None


_FIRST_OF_TWO = re.compile(FOLDER_OF_TWO)
_SECTION = re.compile(r"\s{0,3}#{2,6} {1,4}\S")
"""A heading of Markdown."""


def command_before(
    cursor: TextCursor, first: int, names: Sequence[str], *, reach: int = 12, about: str = ""
) -> tuple[int, Prompt]:
    """The command whose output begins in line `first`: after a prompt, or by its name alone.

    A command that goes over several lines is joined: after a backslash, or where it was wrapped.

    Args:
        cursor: to look at.
        first: index of the output's first line.
        names: of the commands that print such an output ("fio"), without their directories.
        reach: lines to look at before `first`.
        about: what the command must name, such as a file.

    Returns:
        Index of the command's first line, and the command; `first` and an empty one where there is
        none.
    """
    nothing = first, Prompt("")
    for index in range(first - 1, max(first - reach, 0) - 1, -1):
        line = cursor.line(index)
        prompt = prompt_in(line)
        if names and not any(name in line for name in names):
            if prompt is None:
                continue
            break
        called, mentioned = _calls(tuple(names))
        if prompt is None and called.match(line.strip(" \t`|")):
            prompt = Prompt(without_secrets(line.strip(" \t`|")))
        if prompt is None:
            continue
        if not called.match(prompt.command) and not mentioned.search(prompt.command):
            break
        rest = [prompt.command]
        for after in range(index + 1, first):
            more = cursor.line(after)
            goes_on = rest[-1].endswith("-") or len(rest[-1]) > 60
            goes_on = goes_on and not is_head_of_columns(more) and _margin(more) <= _margin(line)
            goes_on = goes_on or _OPTION.match(more) is not None
            if not more or not (goes_on or rest[-1].endswith("\\")):
                break
            rest.append(more.strip())
        command = without_secrets(rejoined(rest))
        if about not in command:
            return nothing
        # What is said once above several headings is of each, and none of its outputs begins there.
        apart = any(_SECTION.match(cursor.line(below)) for below in range(index + 1, first))
        return (first if apart else index), Prompt(command, prompt.host)
    return nothing


def rejoined(parts: Sequence[str], torn: re.Pattern[str] = _DASHES) -> str:
    """A command in one line: no blank after what ends in `torn`, where a wrap tore it apart."""
    whole = parts[0]
    for part in parts[1:]:
        if whole.endswith("\\"):
            whole = f"{whole[:-1].rstrip()} {part}"
        else:
            whole += part if torn.search(whole) else f" {part}"
    return whole
