"""/proc/PID/stack: where a process is in the kernel, which says what it waits for.

Source: Linux 6.6 fs/proc/base.c, proc_pid_stack(): `[<0>] function+offset/size [module]`, the
innermost first; before 5.1 the address where the zero is. sysrq-w and hung tasks print frames
below a line of their own and are the kernel log's.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, before, top_of

_FRAME = re.compile(
    r"\s*\[<(?:0|[\da-f]{8,16})>\]\s+(?P<function>[A-Za-z_][\w.]{0,80})\+0x[\da-f]{1,8}/0x[\da-f]{1,8}"
    r"(?:\s+\[(?P<module>\w{1,56})\])?\s*$"
)
_END = re.compile(r"\s*\[<(?:0|f{8,16})>\]\s+0xf{8,16}\s*$")
_ABOVE = re.compile(
    r"^\s*(?:==> ?)?/proc/(?P<pid>\d{1,9})(?:/task/\d{1,9})?/stack\s*(?:<==|:)?\s*$"
)
_FILE = re.compile(r"/proc/(?P<pid>\d{1,9})(?:/task/\d{1,9})?/stack")
_MOST = 200
_FEW = 2  # frames; a lone line is quoted in prose


class ProcessStack(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "process stack"
    anchors: ClassVar[tuple[str, ...]] = ("[<0>] ", "[<ffffffff")
    commands: ClassVar[tuple[str, ...]] = ("cat", "head", "tail", "grep", "more")
    reach: ClassVar[int] = 3
    about: ClassVar[str] = "/stack"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at) or ""
        if not _FRAME.match(line):
            return None
        first = top_of(cursor, lambda above: bool(_FRAME.match(above)), most=40)
        following = [cursor.line(index) or "" for index in range(first, first + 4)]
        frames = sum(bool(_FRAME.match(line)) for line in following)
        return first if frames >= _FEW else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        functions, modules, last = list[Json](), list[Json](), first
        for index, line in lines(cursor, first, _MOST):
            if not line and index <= last + 1:
                continue
            frame = _FRAME.match(line)
            if frame is None:
                last = index if _END.match(line) else last
                break
            functions.append(frame["function"])
            if frame["module"] and frame["module"] not in modules:
                modules.append(frame["module"])
            last = index
        values: dict[str, Json] = {"waits_in": functions[0], "functions": functions}
        if modules:
            values["modules"] = modules
        return last, [self.counted("process", _process(cursor, first, prompt), values, prompt)]


def _process(cursor: TextCursor, first: int, prompt: Prompt) -> str:
    """The number of the process that is named above its stack or in the command; empty: neither."""
    above = _ABOVE.match(cursor.line(before(cursor, first)) or "")
    match = above or _FILE.search(prompt.command)
    return match["pid"] if match else ""
