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
_ABOVE = (
    re.compile(
        r"\s*(?:==> ?|(?:[#$]{1,2} ?)?(?:sudo )?cat )?/proc/(?P<pid>\d{1,9})(?:/task/\d{1,9})?"
        r"/stack\s*(?:<==|:)?\s*$"
    ),
    re.compile(r"\s*comm:? (?P<comm>\S.{0,31}?),? state:? (?P<state>[RSDTtXZIKWP])\b.{0,20}$"),
    re.compile(
        r"\s*(?:[#=*-]{1,8} {0,2})?(?:(?:[Pp]id|PID|tid|TID)[ :=#]|(?:[Tt]ask|TASK|[Tt]hread)[:=])"
        r"[ :=#]{0,2}(?P<pid>\d{1,9})\b(?:[ ,:]{1,3}(?:\(?(?:comm|name|cmd|command)[:= ]{1,2})?"
        r"\(?(?P<comm>[\w\[][\w./:\[\]+-]{0,31})\)?)?\s{0,4}[:=*-]{0,8}\s*$"
    ),
    re.compile(
        r"\s*(?:[a-z_][\w-]{0,31}\+?\s{1,12})?(?P<pid>\d{1,9})\s(?:.{1,80}\s)?"
        r"(?P<state>[RSDTtXZI])[<NLsl+]{0,4}\s(?:.{1,40}\s)?\d{1,6}:\d\d\s{1,4}"
        r"(?P<comm>\[[^\[\]]{1,60}\]|\S{1,60})(?:\s.{0,200})?$"
    ),
    re.compile(
        r"\s*(?P<pid>\d{1,9})\s{1,12}(?P<state>[RSDTtXZI])[<NLsl+]{0,4}\s{1,12}"
        r"(?P<comm>\[[^\[\]]{1,60}\]|\S{1,60})\s*$"
    ),
    re.compile(r"\s*(?P<pid>\d{1,9})[ :]{1,2}\((?P<comm>[A-Za-z][\w./:+-]{1,31})\):?\s*$"),
)
"""Lines above a stack: its file, what scripts write of the process, a row of ps."""
_FILE = re.compile(r"/proc/(?P<pid>\d{1,9})(?:/task/\d{1,9})?/stack")
_MOST = 200
_FEW = 2  # frames; a lone line is quoted in prose


class ProcessStack(StateOutput):
    tool = "process stack"
    anchors = ("[<0>] ", "[<ffffffff")
    commands = ("cat", "head", "tail", "grep", "more")
    reach = 3
    about = "/stack"
    looks_above: ClassVar[bool] = True

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _FRAME.match(line):
            return None
        first = top_of(cursor, lambda above: bool(_FRAME.match(above)), most=40)
        if _FILE.search(_above(cursor, first)):
            return first
        following = [cursor.line(index) for index in range(first, first + 4)]
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
        name, about = _process(cursor, first, prompt)
        values: dict[str, Json] = {**about, "waits_in": functions[0], "functions": functions}
        if modules:
            values["modules"] = modules
        return last, [self.counted("process", name, values, prompt)]


def _above(cursor: TextCursor, first: int) -> str:
    """The line above a stack; a blank one may stand between."""
    return cursor.line(before(cursor, first))


def _process(cursor: TextCursor, first: int, prompt: Prompt) -> tuple[str, dict[str, Json]]:
    """Number of the process that the line above its stack or the command names, and what it says.

    The number is empty where neither names it.
    """
    line = _above(cursor, first)
    for pattern in _ABOVE:
        if match := pattern.match(line):
            parts = match.groupdict()
            about: dict[str, Json] = {
                name: text.strip("[]()") for name, text in parts.items() if text and name != "pid"
            }
            return parts.get("pid") or "", about
    match = _FILE.search(prompt.command) or _FILE.search(line)
    return (match["pid"] if match else ""), {}
