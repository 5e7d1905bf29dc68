"""Call traces of the kernel, line by line: what a line is, and what the lines of one say together.

Source:
    Linux 6.12 kernel/hung_task.c, check_hung_task(); kernel/panic.c, __warn(), print_tainted();
    lib/dump_stack.c, dump_stack_print_info() (before 3.9 "Pid: %d, comm: %.20s");
    kernel/sched/core.c, sched_show_task(); arch/x86/kernel/dumpstack.c (`?`: not surely of the
    stack; before 4.10 with the address before it) and fault.c; arch/arm64/kernel/process.c
    (`pc : `, `lr : `); arch/powerpc/kernel/process.c (`NIP [c000…]`); mm/kasan/report.c;
    kernel/locking/lockdep.c; mm/kmemleak.c; lib/ubsan.c; scripts/decode_stacktrace.sh
    (`function (file.c:12) module`); crash 8.0, kernel.c, print_task_header() and x86_64.c (`bt`);
    drgn 0.0.30, libdrgn/stack_trace.c (`#0  function (file.c:12:3)`); the reports of syzkaller
    (`function file.c:12 [inline]`); arch/arm/kernel/traps.c,
    die() ("8<--- cut here ---"); arch/powerpc/mm/fault.c, bad_page_fault(). What the reports of
    KASAN and lockdep say beside is of `debug_reports`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from iosonde.kerneltext import fields
from iosonde.layers._kernel_log.debug_reports import LOCK, DebugReport
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.log_lines import end_of_name, log_prefix
from iosonde.text.prose import is_sentence
from iosonde.text.torn import is_full

_NAME = r"[A-Za-z_$.][\w.$]{0,100}"
_OFFSET = r"\+0x[\da-f]{1,8}/0x[\da-f]{1,8}"
_WHERE = r"[\w./-]{1,120}\.[chSs]:\d{1,6}(?: \(discriminator \d{1,4}\))?"
_ADDRESS = r"\(?\[<?[\da-f]{8,16}>?\]\)?\s{0,3}"
_TAINT = r"(?:Kdump: loaded )?(?P<tainted>Not tainted|Tainted: [A-Z](?:\s{0,20}[A-Z]){0,24}\b)"
_VERSION = r"(?P<kernel>\d{1,3}\.\d{1,3}\S{0,90})"

_Kind = Literal[
    "title", "cut", "cpu", "taint", "task", "head", "frame", "at", "code", "modules", "end",
    "origin", "chain", "beside", "leak", "owner", "bt", "exception", "access", "lock",
]  # fmt: skip
_FRAME = re.compile(
    rf"(?P<address>{_ADDRESS}){{0,2}}(?P<unsure>\? +)?(?P<function>{_NAME})(?:"
    rf"{_OFFSET}(?: \[[\w. -]{{1,80}}\]?)?(?: \([\w ]{{1,20}}\))?(?: {_WHERE})?(?: \[inline\])?"
    rf"| \({_WHERE}(?: {_WHERE}){{0,8}}\)(?: [\w-]{{1,56}})?"
    rf"| {_WHERE} \[inline\])\s*"
)
_FROM = re.compile(
    rf"(?:{_ADDRESS})?\(?(?P<function>{_NAME})(?:{_OFFSET})?\)? from "
    rf"(?:{_ADDRESS})?\(?{_NAME}{_OFFSET}\)?(?: \[\w{{1,56}}\])?"
)
_CRASH_FRAME = re.compile(
    rf"#\d{{1,3}} \[[\da-f]{{8,16}}\] (?P<function>{_NAME}) at [\da-f]{{8,16}}"
    r"(?: \[\w{1,56}\])?"
    rf"|#\d{{1,3}}\s{{1,3}}(?:0x[\da-f]{{8,16}} in )?(?P<called>{_NAME}) "
    r"\([\w./-]{1,120}\.[chS]:\d{1,6}(?::\d{1,4})?\)"
)
_AT = re.compile(
    r"(?:(?:RIP|EIP)\s{0,4}:?\s{0,4}(?:[\da-f]{2,4}:)?|IP: |E?IP is at |PC is at |e?pc : |NIP )"
    rf"\s{{0,2}}(?:{_ADDRESS}){{0,2}}(?P<at>{_NAME})"
    rf"(?:(?P<offset>{_OFFSET})(?:\s+\[[\w. -]{{1,80}}\])?"
    rf"(?:\s+(?:SS:ESP|RSP)\b.*|\s*\(?{_WHERE}.*)?"
    rf"| \({_WHERE}.*)\s*"
)
_LINK = re.compile(rf"(?:lr : |LR (?:is at )?)(?:{_ADDRESS})?(?P<lr>{_NAME}{_OFFSET})")
_EXCEPTION = re.compile(rf"\[exception RIP: (?P<at>{_NAME})(?:\+\d{{1,8}})?\]")
_TITLE = re.compile(
    r"(?P<title>INFO: (?:task|rcu_|possible|inconsistent|NMI|trying to register)\b.*"
    r"|WARNING: (?:CPU: \d|[\w./-]{3,80}\.[ch]:\d+ at |at |possible|suspicious"
    r"|inconsistent|bad|stack|kernel|lock|held).*"
    r"|(?:watchdog: |kernel )?BUG:? .+|(?:rcu: )?INFO: rcu_.*|UBSAN: .+|sysrq: .+"
    r"|(?:general protection fault|double fault|divide error|invalid opcode|stack segment)\b.*"
    r"|traps: PANIC.*|Oops[: -].*\[#\d.*|(?:\d: )?Unable to handle kernel .+|Internal error: .+"
    r"|NMI backtrace for cpu \d.*|(?:list_add|list_del) corruption.*|refcount_t: .+"
    r"|FAULT_INJECTION: .+|CPU\d{1,4}: stopping)"
)
_CPU = re.compile(
    r"(?:CPU: (?P<cpu>\d{1,5}) (?:UID: \d{1,10} )?PID: (?P<pid>\d{1,10}) Comm: (?P<comm>.{1,40}?)"
    r"|Pid: (?P<old_pid>\d{1,10}), comm: (?P<old_comm>.{1,40}?))"
    rf"(?: {_TAINT}|(?: Kdump: loaded)?\s*$)"
    rf"(?:\s*\(?{_VERSION})?"
)
_BLOCKED = re.compile(
    r"INFO: task (?P<comm>.{1,40}):(?P<pid>\d{1,10}) blocked for more than"
    r"(?: (?P<blocked_seconds>\d{1,9}) seconds)?"
)
_TAINTED = re.compile(rf"{_TAINT}\s+{_VERSION} #")
_TASK = re.compile(
    r"(?:task:(?P<comm>\S.{0,40}?) +state:(?P<state>[A-Z])\b.{0,80}?\bpid: *(?P<pid>\d{1,10})\b"
    r"(?: +tgid: *\d{1,10})?(?: +ppid: *(?P<ppid>\d{1,10}))?"
    r"(?: +(?:task_)?flags: *(?P<flags>0x[\da-f]{8}))?"
    r"|(?P<old_comm>[\w./:()@-]{1,16}) +(?P<old_state>[RSDTtXZPI]) +"
    r"(?:[\da-f]{8,16}|\w[\w.+]{0,60}) +\d{1,10} +(?P<old_pid>\d{1,10}) +\d{1,10} +"
    r"(?:0x[\da-f]{8}|\(L-TLB\)|\(NOTLB\))).*"
)
_CRASH_TASK = re.compile(
    r"PID: (?P<pid>\d{1,10})\s{1,12}TASK: [\da-f]{8,16}\s{1,12}CPU: (?P<cpu>\d{1,5})\s{1,12}"
    r'COMMAND: "(?P<comm>[^"]{1,40})"'
)
_LEAK = re.compile(
    r"(?P<title>unreferenced object (?:\(percpu\) )?0x[\da-f]{4,16}) \(size (?P<size>\d{1,15})\):"
)
_OWNER = re.compile(
    r'comm "(?P<comm>[^"]{1,40})", pid (?P<pid>\d{1,10}), jiffies (?P<jiffies>\d{1,20})'
    r"(?: \(age (?P<age>\d{1,12}\.\d{3})s(?:ec)?\))?"
)
_ACCESS = re.compile(
    r"(?P<access>Read|Write) of size (?P<access_size>\d{1,9}) at addr [\da-f]{4,16} "
    r"by task (?P<comm>\S.{0,39})/(?P<pid>\d{1,10})"
)
_PLACE = re.compile(
    r"(?:WARNING: (?:CPU: \d{1,5} PID: \d{1,10} )?(?:at )?|kernel BUG at "
    r"|UBSAN: [a-z][a-z -]{2,60} in )(?P<place>[\w./-]{3,120}\.[chS]:\d{1,6})\b"
)
_NOTED: Mapping[_Kind, re.Pattern[str]] = {
    "cpu": _CPU, "taint": _TAINTED, "task": _TASK, "bt": _CRASH_TASK, "leak": _LEAK,
    "owner": _OWNER, "access": _ACCESS,
}  # fmt: skip
_WHOLES: Sequence[tuple[_Kind, re.Pattern[str]]] = (
    ("at", _AT), ("title", _TITLE), ("task", _TASK), ("leak", _LEAK), ("owner", _OWNER),
    ("bt", _CRASH_TASK), ("exception", _EXCEPTION), ("access", _ACCESS),
    ("lock", LOCK),
)  # fmt: skip
_FORMS: Sequence[tuple[_Kind, str]] = (
    ("cut", r"-{6,}\[ cut here \]"),
    ("end", r"---\[ end "),
    ("head", r"(?:Call [Tt]race|Backtrace|(?:stack )?backtrace)"
             r"(?: ?\d{0,3}| \(crc [\da-f]{1,8}\))?:(?:\s|$)"),
    ("code", r"Code: "),
    ("modules", r"Modules linked in:"),
    ("origin", r"(?:Allocated by|Freed by|Last potentially|page last (?:allocated|free))"),
    ("chain", r"-> #\d{1,3} |the existing dependency chain"),
    ("beside", r"</?(?:TASK|[A-Z_#]{2,24})>$"),
    ("beside", r"(?:ORIG_RAX|[A-Za-z_]{1,8}\d{0,2}) {0,2}[:=] {0,2}(?:[\da-f]{2,4}:)?(?:0x)?"
               r"[\da-f]{8,16}\b"),
    ("beside", r"(?:[CDEFGS]S: |[RE]?IP:|R[DS]P: |LR |lr : |LR is at |ra : |PC: |PGD \d|P4D "
               r"|Hardware name: |Workqueue: |Tainted: \[|\[last unloaded|Unloaded tainted"
               r"|irq event stamp|(?:hard|soft)irqs last |Krnl |Stack:|Process \S+ \(pid"
               r"|note: \S+\[\d|Dumping ftrace|\(ftrace buffer|Kernel Offset|Supported: |#PF: "
               r"|Oops: |Mem abort info|ESR = |EC = |SET = |FSC = |Data abort|ISV = |CM = "
               r"|\[[\da-f]{16}\] pgd=|(?:user|swapper) pgtable|\"echo 0 >"
               r"|(?:Read|Write) of size \d|The buggy address|Memory state around"
               r"|which belongs to|raw: [\da-f]|page:|flags: 0x|page_type|page dumped because"
               r"|hex dump|\d+ locks? held by| {0,2}#\d{1,3}: "
               r"|other info that|Possible unsafe locking|CPU\d +CPU\d|-{3,}(?: +-{3,})?$"
               r"|={8,}$|PKRU|lock\(|<Interrupt>|\*\*\* DEADLOCK|but (?:task is|now in)"
               r"|which lock already|\S.{0,40}/\d+ is trying to (?:acquire|release)|preempt_count"
               r"|but there are no more locks to release|(?:\w+ )?\d+-byte region \["
               r"|KASAN: \S|\d+\.\d+\.\S+ #\d+ (?:Not t|T)ainted"
               r"|Faulting instruction address: |LE PAGE_SIZE=|BE PAGE_SIZE=|IRQMASK: "
               r"|8<--- cut here|Exception stack\("
               r"|\[[\da-f]{8}\] \*pgd=|NIP \[[\da-f]{16}\] 0x"
               r"|\[[\da-f]{16}\] \[[\da-f]{16}\](?: 0x[\da-f]{1,16})?(?: \(unreliable\))?$"
               r"|RCU nest depth|in_atomic\(\)"
               r"|rcu_scheduler_active|stack backtrace|Instruction dump:|Exception stack"
               r"|Sched_ext|Fixing recursive|stripe state)"),
    ("beside", r">?(?:0x)?[\da-f]{4,16}:?(?: [\da-f<>()]{2,18}){2,}|\^$|[\da-f]{16}$"),
)  # fmt: skip
_LINES: Sequence[tuple[_Kind, re.Pattern[str]]] = tuple(
    (kind, re.compile(pattern)) for kind, pattern in _FORMS
)
_ELLIPSIS = re.compile(r"[^\w]{0,8}(?:\.{2,}|snip|…|cut)?[^\w]{0,8}")
_CUT_TITLE = re.compile(r"(?: in| at \S{1,120}:\d{1,6})$")
_HEX = re.compile(r"(?:[<(]?[\da-f]{2,16}[>)]?(?:\s+|$))+$")
_BEGINS = frozenset({
    "title", "cut", "cpu", "taint", "task", "head", "frame", "at", "leak", "bt",
})  # fmt: skip
TRACE_TOOL = "kernel trace"
TRACE_ANCHORS = (
    "unreferenced object ", " COMMAND: ", "cut here ]", "WARNING: ", "BUG: ", "kernel BUG at",
    "INFO: ", "Oops: ", "protection fault",
    "double fault", "Internal error: ", "UBSAN: ", " Comm: ", ", comm: ", "state:",
    "Call Trace", "Call trace", "RIP: ", "EIP: ", "pc : ", "NIP [", "backtrace:", "[inline]",
    "#0  ",
    *(f"{digit}/0x" for digit in "0123456789abcdef"),
)  # fmt: skip
"""Of which a trace's first lines hold one."""
_UPTIME = re.compile(r"\d{1,9}\.\d{3,6}")
_WHOLE = frozenset({"cpu", "pid", "ppid", "size", "jiffies", "access_size", "blocked_seconds"})
_MOST = 600  # lines of one trace
_APART = 4
"""Lines of other kinds between two of a trace, such as what stands below a hung task's name."""
_NARROW = 56  # characters of lines that mails break, less the marks of some quoting
_LONGEST = 200
_LISTED = 40  # functions
_FEW = 2


@dataclass(slots=True)
class KernelTrace:
    """One trace.

    Args:
        last: index of its last line.
        name: of the process; empty where it is not said.
        values: what it says.
        strange: indices of the lines between its own that are of something else.
    """

    last: int
    name: str = ""
    values: dict[str, Json] = field(default_factory=dict)
    strange: list[int] = field(default_factory=list)

    def record(self, prompt: Prompt) -> PrintedCounters:
        """What it says, under the name of its process; `prompt` is of the log around it."""
        return PrintedCounters(
            TRACE_TOOL, "host", self.name, self.values, prompt.host, prompt.command
        )


def _kind(text: str) -> _Kind | None:
    """What a line of a trace is; None where it is none."""
    if _FRAME.fullmatch(text) or (" from " in text and _FROM.fullmatch(text)):
        return "frame"
    if text.startswith("#") and _CRASH_FRAME.fullmatch(text):
        return "frame"
    if _CPU.match(text) or _TAINTED.match(text):
        return "cpu" if _CPU.match(text) else "taint"
    whole = next((kind for kind, pattern in _WHOLES if pattern.fullmatch(text)), None)
    return whole or next((kind for kind, pattern in _LINES if pattern.match(text)), None)


def may_begin_trace(text: str) -> bool:
    """Whether a message may be the first of a trace."""
    return _kind(text) in _BEGINS


def message_at(cursor: TextCursor, index: int) -> tuple[str, bool] | None:
    """A line without what stands before its message, and whether that is a log's; None: no line."""
    if not cursor.has(index):
        return None
    raw = cursor.stamped(index)
    if prefix := log_prefix(raw):
        return raw[prefix.end :].strip(), True
    if end := end_of_name(raw):
        return raw[end:].strip(), True
    return cursor.line(index).strip(), False


def trace_at(cursor: TextCursor, first: int) -> KernelTrace | None:
    """The trace that begins in a line; None where none does."""
    if _is_of_a_list(cursor, first):
        return None
    reading, trace = _Reading(), KernelTrace(first)
    held: tuple[_Kind, str] | None = None
    apart, above = 0, ""
    for index in range(first, first + _MOST):
        message = message_at(cursor, index)
        if message is None or apart > _APART:
            break
        text, logged = message
        kind = _kind(text) if text else None
        if held and kind == "frame" and held[0] == "title" and _CUT_TITLE.search(held[1]):
            kind = None  # where it was, in the line below
        if kind is None and text and held and above and _goes_on(held[0], above, text, logged):
            text = f"{held[1]} {text}"
            held = _kind(text) or held[0], text
            trace.last, above = index, cursor.stamped(index)
            continue
        if kind is None:
            apart, above = apart + 1, ""
            trace.strange += [index] if text else []
            continue
        if held:
            reading.take(*held)
        held = None
        if reading.is_ended_by(kind):
            break
        held = kind, text
        trace.last, apart, above = index, 0, cursor.stamped(index)
    if held:
        reading.take(*held)
    trace.strange = [index for index in trace.strange if index < trace.last]
    trace.values, trace.name = {**_time(cursor.stamped(first)), **reading.result()}, reading.name
    return trace if reading.is_trace else None


def exact_time(clock: str) -> Json:
    """A time in a log: seconds since the kernel began, or a date and time as printed."""
    return float(clock) if _UPTIME.fullmatch(clock) else clock


def _time(line: str) -> dict[str, Json]:
    """When a line was logged; dmesg's delta to the line before is no time."""
    prefix = log_prefix(line)
    return (
        {"time": exact_time(prefix.clock)} if prefix and prefix.clock[:1] not in {"", "+"} else {}
    )


def _is_of_a_list(cursor: TextCursor, first: int) -> bool:
    """Whether a frame is one of a program's list, such as a histogram of ftrace, by what is above.

    A trace of which the head was cut off stands below a blank line, an ellipsis or prose.
    """
    text, logged = message_at(cursor, first) or ("", False)
    above = cursor.line(first - 1).strip()
    if logged or not above or _kind(text) != "frame":
        return False
    return not (is_sentence(above) or _ELLIPSIS.fullmatch(above))


def _goes_on(kind: _Kind, above: str, text: str, logged: bool) -> bool:
    """Whether a line is the rest of the one above it, which a mail broke."""
    if logged:
        return kind == "modules" and not is_sentence(text)
    if kind == "frame" and text == "]":
        return True
    if kind == "code" and _HEX.match(text):
        return True
    if kind == "title" and _FRAME.fullmatch(text):
        return True
    return (kind == "modules" or is_full(len(above), text, _NARROW)) and not is_sentence(text)


def _exact(name: str, text: str) -> Json:
    """A value: numbers, sizes in bytes, ages in seconds, or the text with single blanks."""
    if name in _WHOLE:
        return int(text)
    return float(text) if name == "age" else " ".join(fields(text))


class _Reading:
    """What the lines of a trace have said so far."""

    def __init__(self) -> None:
        self.values: dict[str, Json] = {}
        self.name = ""
        self._functions: list[Json] = []
        self._unsure: list[Json] = []
        self._has_head = self._is_over = self._is_origin = self._is_chain = False
        self._addressed = 0
        self._report = DebugReport(self.values)

    @property
    def _frames(self) -> int:
        return len(self._functions) + len(self._unsure)

    @property
    def is_trace(self) -> bool:
        """Whether it is one: /proc/PID/stack, of another reader, has frames alone."""
        says = self.name or "at" in self.values or "title" in self.values
        if self.name and self._frames > _FEW:
            return True  # `bt` of crash(8) has no head
        if says and ("at" in self.values or self._has_head):
            return bool(self._frames) or "at" in self.values
        if self._has_head or says or "kernel" in self.values:
            return self._frames >= _FEW
        return self._frames > _FEW and (bool(self._unsure) or not self._addressed)

    def is_ended_by(self, kind: _Kind) -> bool:
        """Whether a line of that kind is the first of another trace."""
        if self._is_over:
            return kind not in {"at", "beside", "code"}
        if kind in {"title", "cut", "leak"}:
            return bool(self._frames or self.name or (kind == "cut" and self.values))
        if kind == "head":
            return self._has_head and bool(self._frames) and not self._is_chain
        return kind in {"task", "cpu", "bt"} and bool(self._frames and self.name)

    def result(self) -> dict[str, Json]:
        """What it says, with the functions last."""
        values = dict(self.values)
        if self._functions:
            values["functions"] = self._functions
        elif self._unsure:
            values["unsure_functions"] = self._unsure
        return values

    def take(self, kind: _Kind, text: str) -> None:
        """Notes what a line says."""
        if kind == "frame":
            self._take_frame(text)
        elif kind == "title":
            self.values.setdefault("title", text[:_LONGEST].strip())
            self._note(_BLOCKED.match(text))
            self._note(_PLACE.match(text))
        elif kind in _NOTED:
            if kind == "cpu" and self._is_chain:
                self._functions, self._unsure = [], []
            self._note(_NOTED[kind].match(text))
        elif kind in {"at", "exception"}:
            match = _AT.fullmatch(text) or _EXCEPTION.fullmatch(text)
            if match:
                self.values.setdefault("at", match["at"])
                if offset := match.groupdict().get("offset"):
                    self.values.setdefault("ip", match["at"] + offset)
        elif kind in {"beside", "origin", "chain", "lock"}:
            self._note(_LINK.match(text))
            self._report.take(text)
        if kind == "head" and self._is_chain:
            self._functions, self._unsure = [], []
        self._has_head = self._has_head or kind == "head"
        self._is_over = self._is_over or kind == "end"
        self._is_origin = self._is_origin or kind == "origin"
        self._is_chain = self._is_chain or kind == "chain" or "release lock (" in text

    def _note(self, match: re.Match[str] | None) -> None:
        for group, text in match.groupdict().items() if match else ():
            name = group.removeprefix("old_")
            if not text:
                continue
            if name == "comm":
                self.name = self.name or text.strip()
            elif name not in self.values:
                self.values[name] = _exact(name, text)

    def _take_frame(self, text: str) -> None:
        match = _FRAME.fullmatch(text)
        unsure = bool(match and match["unsure"])
        self._addressed += bool(match and match["address"])
        match = match or _FROM.fullmatch(text) or _CRASH_FRAME.fullmatch(text)
        listed = self._unsure if unsure else self._functions
        if match and not self._is_origin and len(listed) < _LISTED:
            listed.append(match["function"] or match["called"])
