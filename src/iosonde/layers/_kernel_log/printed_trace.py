"""A call trace of the kernel: what happened, in which process, and the functions it was in.

Read are hung tasks, warnings, oopses and traces of which the title was cut off. The registers and
the code beside them are left out. What a log says between the storage's own messages is the log's.

Source: Linux 6.6 kernel/hung_task.c, check_hung_task(); kernel/panic.c, __warn(); lib/dump_stack.c,
dump_stack_print_info() ("CPU: %d PID: %d Comm: %.20s %s%s %s %.*s"); kernel/sched/core.c,
sched_show_task(); arch/x86/kernel/dumpstack.c (`?`: not surely of the stack; before 4.10 with the
address before it); arch/arm64/kernel/process.c ("pc : ", "lr : ").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import REACH, Prompt, TextCursor
from iosonde.text.kernel_lines import is_beside_crash, unstamped
from iosonde.text.reader import Items, StateOutput

_FUNCTION = r"[A-Za-z_][\w.]{0,80}\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}"
_FRAME = re.compile(
    rf"\s*(?:\[<[0-9a-f]{{8,16}}>\]\s?)?(?P<unsure>\?\s+)?(?P<function>{_FUNCTION})"
    r"(?:\s+\[\w[\w ]{0,70}\])?\s*(?:\(.{0,60})?$"
)
_HEAD = re.compile(r"\s*Call [Tt]race:|\s*<(?:TASK|IRQ|NMI|SOFTIRQ|#DF)>\s*$")
_TITLE = re.compile(
    r"\s*(?P<title>INFO: (?:task|rcu|possible|inconsistent|NMI)\b.{0,200}"
    r"|WARNING: .{1,200}|BUG: .{1,200}|kernel BUG at .{1,200}|general protection fault.{0,200}"
    r"|Oops.{0,200}|Kernel panic.{0,200}"
    r"|(?:Internal error|watchdog: BUG|Unable to handle kernel|sysrq: ).{0,200})$"
)
_CPU = re.compile(
    r"\s*CPU: (?P<cpu>\d{1,5}) (?:UID: \d{1,10} )?PID: (?P<pid>\d{1,10}) Comm: (?P<comm>.{1,40}?) "
    r"(?:(?P<tainted>Not tainted|Tainted: .{1,40}?) )?(?P<kernel>\d\.\d[\w.+~-]{1,80})(?: |$)"
)
_TASK = re.compile(
    r"\s*(?:task:)?(?P<comm>\S{1,40}?)\s{0,20}(?: |\bstate:)(?P<state>[RSDTtXZPI]\b)"
    r".{0,80}?\bpid:? ?(?P<pid>\d{1,10})\b"
)
_AT = re.compile(rf"\s*(?:(?:E?IP is at|RIP: \d+:|pc :)\s*|RIP\s+\[<\w+>\] )(?P<at>{_FUNCTION})")
_MOST = 200
_APART = 4
"""Lines of other kinds between two of a trace, such as what stands below a hung task's name."""
_FEW = 2  # frames


class KernelTrace(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "kernel trace"
    anchors: ClassVar[tuple[str, ...]] = (
        "Call Trace:",
        "Call trace:",
        " <TASK>",
        "RIP: 00",
        "pc : ",
    )
    commands: ClassVar[tuple[str, ...]] = ("dmesg", "journalctl", "cat", "grep", "tail", "less")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = unstamped(cursor.line(cursor.at) or "")
        if not (_HEAD.match(line) or _AT.match(line)):
            return None
        first, apart = cursor.at, 0
        for index in range(first - 1, max(first - REACH, 0) - 1, -1):
            line = unstamped(cursor.line(index) or "")
            own = _TITLE.match(line) or _CPU.match(line) or _TASK.match(line) or _AT.match(line)
            apart = 0 if own or is_beside_crash(line) else apart + 1
            if apart > _APART:
                break
            first = index if own else first
            if own and own.re is _TITLE:
                break
        frames = sum(1 for _ in _frames(cursor, cursor.at, _MOST))
        return first if frames >= _FEW else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values = dict[str, Json]()
        functions, last, apart = list[Json](), first, 0
        for index in range(first, first + _MOST):
            text = cursor.line(index)
            line = unstamped(text or "")
            title = _TITLE.match(line)
            if text is None or (title and (functions or "title" in values)):
                break
            frame = _FRAME.match(line)
            for match in (
                title,
                _CPU.match(line),
                None if frame else _TASK.match(line),
                _AT.match(line),
            ):
                _note(values, match)
            if frame and not frame["unsure"]:
                functions.append(frame["function"].partition("+")[0])
            own = frame or title or _HEAD.match(line) or _AT.match(line) or is_beside_crash(line)
            apart = 0 if own else apart + 1
            if apart > _APART:
                break
            last = index if own else last
        if len(functions) < _FEW:
            raise Unreadable("its functions are cut off", last)
        values["functions"] = functions
        return last, [self.counted("host", str(values.pop("comm", "")), values, prompt)]


def _note(values: dict[str, Json], match: re.Match[str] | None) -> None:
    """Adds what a line says, where no line before it said the same."""
    for name, text in match.groupdict().items() if match else ():
        if text and name not in values:
            exact = int(text) if name in {"cpu", "pid"} else text.strip()
            values[name] = text.partition("+")[0] if name == "at" else exact


def _frames(cursor: TextCursor, first: int, most: int) -> Iterator[int]:
    """Indices of the frames that follow, up to lines that are of no crash."""
    apart = 0
    for index in range(first, first + most):
        text = cursor.line(index)
        if text is None:
            return
        line = unstamped(text)
        frame = bool(_FRAME.match(line))
        apart = 0 if frame or is_beside_crash(line) or _HEAD.match(line) else apart + 1
        if apart > _APART:
            return
        if frame:
            yield index
