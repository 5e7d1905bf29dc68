"""A command line of fio as it stands in a text: behind a prompt, alone on its line, in backticks.

It is a load that can be run again, not a measurement. What the shell would do with the output
(a pipe, a redirection) is left out.

Source: fio 3.33, init.c, l_opts[]: options are taken with one dash or with two.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.loads.fio.options import ALIASES, ARGUMENT_FLAGS, OPTION_NAMES
from iosonde.loads.fio.text_figures import sections_of, without_shell
from iosonde.records.printed import OutputReading, PrintedLoad, Unreadable
from iosonde.text.cursor import Output, TextCursor, prompt_in, rejoined
from iosonde.text.secrets import without_secrets

_CALL = re.compile(
    r"(?:(?:sudo|time|nice|env|taskset -c [\d,-]{1,20}|numactl(?: --?[\w=,-]{1,40}){1,4}|ionice(?: "
    r"-\w ?\d){0,2}|[A-Z_]{1,30}=\S{0,100})\s+){0,4}"
    r"(?:[\w.:~/\\-]{0,120}[/\\])?fio(?:\.exe)?\s+--?[a-zA-Z]"
)
_QUOTED = re.compile(r"`{1,3}\s?(?P<command>[^`]{5,3000})`?")
_MARK = re.compile(
    r"^[\s|*•>-]{0,20}(?:\d{1,2}[.)]\s+|\[\d{1,2}\]:?\s+|[^\W\d_][\w .()/+-]{0,40}(?::\s+|：\s*))?"
    r"(?:(?:power ?shell|cmd(?:\.exe)?|PS [A-Z]:[^>]{0,100}>|[A-Z]:\\[^>]{0,100}>)[: ]?\s*)?",
    re.IGNORECASE,
)
_OPTION = re.compile(r"^--?[a-zA-Z]")
_TORN = re.compile(r"\s--?$")
_GOES_ON = re.compile(r"[=,]$")
_APART = re.compile(r"(?:(?:^|\s)--?|[=,])$")
"""Where a wrap tears an option apart: after its dashes, = or comma."""
_LINES = 40
_WIDE = 60
_PLAIN = {name.replace("_", "") for name in OPTION_NAMES | ALIASES.keys()}
_TELLING = frozenset({"rw", "readwrite", "bs", "blocksize", "name", "filename", "ioengine", "size"})


class FioCommand(Output):
    tool = "fio"
    anchors = ("fio -", "fio  -", "fio \u2013", "fio \\", "fio.exe -")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _whole(cursor, cursor.at) else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        call = _whole(cursor, first)
        if not call:
            raise Unreadable("no command follows")
        last, command, host = call
        return OutputReading(first, last, loads=(PrintedLoad("fio", command, host),))


def _whole(cursor: TextCursor, first: int) -> tuple[int, str, str] | None:
    """Index of the command's last line, the command and its host; None where it is no load."""
    last, line = _line(cursor, first)
    call = _command_in(line)
    if not call:
        return None
    command, host, quoted = call
    parts = [command]
    for index in range(last + 1, last + _LINES):
        more = cursor.line(index).strip()
        if not more or not _continues(parts[-1], more, quoted):
            break
        parts.append(more)
        last = index
        if quoted and "`" in more:
            break
    whole = without_secrets(without_shell(rejoined(parts, _APART).partition("`")[0]).strip())
    return (last, whole, host) if _tells(whole) else None


def _line(cursor: TextCursor, index: int) -> tuple[int, str]:
    """A line; with the next one, and its index, where a backslash stands before any option."""
    line = cursor.line(index)
    if re.search(r"\bfio\s+\\$", line):
        return index + 1, f"{line[:-1].rstrip()} {cursor.line(index + 1).strip()}"
    return index, line


def _command_in(line: str) -> tuple[str, str, bool] | None:
    """The command in a line, its host, and whether it stands in backticks."""
    prompt = prompt_in(line)
    if prompt and _CALL.match(prompt.command):
        return prompt.command, prompt.host, False
    plain = _MARK.sub("", line)
    if _CALL.match(plain):
        return plain, "", False
    for quoted in _QUOTED.finditer(line):
        if _CALL.match(quoted["command"]):
            return quoted["command"], "", "`" not in line[quoted.end("command") :]
    return None


def _continues(before: str, line: str, quoted: bool) -> bool:
    """Whether a line goes on with the command: it was wrapped, or broken by a backslash."""
    if prompt_in(line) or _CALL.match(line):
        return False
    if quoted or before.endswith("\\") or _TORN.search(before):
        return True
    return bool(_OPTION.match(line)) or (len(before) > _WIDE and bool(_GOES_ON.search(before)))


def _tells(command: str) -> bool:
    """Whether an option of a job is among those given."""
    for section in sections_of(command):
        options = {name for name in section.options if name not in ARGUMENT_FLAGS}
        if options & _TELLING or any(name.replace("_", "") in _PLAIN for name in options):
            return True
    return False
