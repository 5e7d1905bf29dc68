"""Command lines of dd as they stand in a text: loads that can be run again.

Only what measures is a load: that which reads from or writes to the kernel's own devices, has a
block size or count, or asks for direct or synchronous I/O; a copy of a file is none. What the shell
does around it (a pipe, a redirection of messages) is left out.

Source: coreutils 9.1, src/dd.c, usage(): operands are NAME=VALUE in any order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.records.printed import OutputReading, PrintedLoad, Unreadable
from iosonde.text.cursor import Output, Prompt, TextCursor, command_before, prompt_in

_OPERAND = (
    r"(?:if|of|bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|conv|iflag|oflag|status|speed)"
    r"=[^\s`;|&<>()]+"
)
_CALL = re.compile(
    r"(?:(?:sudo|time|nice|ionice(?: -\w ?\d){0,2}|env|taskset -c [\d,-]{1,20})\s+){0,4}"
    rf"(?:[\w./~-]{{0,100}}/)?dd(?:\s+{_OPERAND}){{2,14}}"
)
_QUOTED = re.compile(r"`{1,3}\s?(?P<command>[^`]{5,1000})`")
_MARK = re.compile(
    r"^[\s|*•>-]{0,20}(?:\d{1,2}[.)]\s+)?(?:[^\W\d][^:：`]{0,40}[:：]\s{0,4})?(?:[#$%]\s+)?(?=\S)"
)
_LABELLED = re.compile(
    r"[\s|*•>-]{0,20}[^\W\d][^:：`]{0,40}[:：]\s{0,4}`?(?P<command>(?:(?:sudo|time)\s{1,4}){0,3}"
    r"(?:[\w./~-]{0,60}/)?dd\s{1,4}(?:if|of|[io]?bs|count|[io]flag|conv)=[^`]{1,600})`?"
)
"""A command that somebody put behind what it is to measure: `Write: time dd if=…`."""
_REACH = 6
_LOOP = re.compile(
    r"(?:^|[\s;])(?:for|while|until)\s.{1,800}?[;\s]do\s.{0,800}?\bdd\s.{0,800}?\bdone\b"
)
"""A loop in one line, of which each turn prints a result."""
_PRINTED = re.compile(r"\d\+\d{1,12} records |\d bytes? .{0,60}(?:copied|transferred)")
_ECHOED = 60  # characters of what a turn echoes
_SIZE = re.compile(
    r"(?:^|[\s(])(?:bs|block ?size)\s?[=:]?\s?(?P<size>\d{1,9}[kKMG]?i?B?)\b", re.IGNORECASE
)
_TELLS = re.compile(r"\s(?:bs|ibs|obs|count|iflag|oflag)=")
_REST = re.compile(r"\s*(?:$|[;|&`]|\d?>|\(|#|\\$)")


class DdCommand(Output):
    tool = "dd"
    anchors = (
        "dd if=", "dd of=", "dd bs=", "dd count=", "dd iflag=", "dd oflag=", "dd conv=",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _command(cursor.line(cursor.at)) else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        call = _command(cursor.line(first))
        if call is None:
            raise Unreadable("no command follows")
        command, host = call
        return OutputReading(first, first, loads=(PrintedLoad(self.tool, command, host),))


def _command(line: str) -> tuple[str, str] | None:
    """The command in a line and its host: behind a prompt, alone on the line, or in backticks."""
    prompt = prompt_in(line)
    if prompt and (call := _whole(prompt.command)):
        return call, prompt.host
    if call := _whole(_MARK.sub("", line)):
        return call, ""
    for quoted in _QUOTED.finditer(line):
        if call := _whole(quoted["command"]):
            return call, ""
    return None


def _whole(text: str) -> str:
    """A call that a text begins with; empty where it is a part of a sentence, or no measurement."""
    match = _CALL.match(text)
    if not match or not _TELLS.search(match[0]) or not _REST.match(text, match.end()):
        return ""
    return text.partition("`")[0].strip() if ";" in text or "|" in text else match[0]


def command_above(cursor: TextCursor, first: int) -> tuple[int, Prompt]:
    """Index of the command's line and the command: by a prompt, its name alone, or a label."""
    for index in range(first - 1, max(first - _REACH, 0) - 1, -1):
        if prompt_in(cursor.line(index)):
            break
        if labelled := _LABELLED.fullmatch(cursor.line(index)):
            return index, Prompt(labelled["command"].strip())
    return command_before(cursor, first, ("dd",))


def is_loop(command: str) -> bool:
    """Whether a command goes round a loop, of which each turn prints a result."""
    return _LOOP.search(command) is not None


def echo_of_turn(cursor: TextCursor, index: int) -> str:
    """What a turn of a loop echoes above its result; empty where a line is no such."""
    line = cursor.line(index).strip()
    is_echo = line and len(line) <= _ECHOED and not prompt_in(line) and not _PRINTED.search(line)
    below = cursor.line(index + 1) or cursor.line(index + 2)
    return line if is_echo and _PRINTED.search(below) and below else ""


def of_turn(call: Mapping[str, str], echoed: str) -> Mapping[str, str]:
    """A call's operands with the block size that its turn echoes, where they name a variable."""
    size = _SIZE.search(echoed) if "$" in call.get("bs", "$") else None
    return {**call, "bs": size["size"]} if size else call
