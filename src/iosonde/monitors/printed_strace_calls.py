r"""Lines of strace and ltrace: each system call with its result, and how long it took (-T).

They are summed up by call; the lines of those that failed are kept.

Source: strace 6.1, src/syscall.c (syscall_exiting_trace(): "= -1 %s (%s)", "<%lld.%06lld>"),
src/strace.c (printleader(): "[pid %5u] ", times of -t, -tt, -ttt and -r; " <unfinished ...>",
"<... %s resumed>"), src/defs.h (the "=" is aligned to a column); ltrace 0.7.3, output.c.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_LEAD = (
    r"\s*+(?:\[pid\s{1,6}\d{1,8}\]\s|\d{1,8}\s{1,4}(?=[\d:.+a-z_<]))?"
    r"\s{0,8}+(?:\d\d:\d\d:\d\d(?:\.\d{1,9})?\s|\+?\d{1,10}\.\d{6}\s)?"
    r"(?:\(\+\s{0,6}\d{1,10}\.\d{6}\)\s)?\s{0,4}+"
)
_NAME = r"(?P<name>[a-z_][a-z0-9_]{1,40})"
_RESULT = (
    r"\s*= (?P<result>-?\d{1,20}|0x[0-9a-f]{1,16}|\?)(?:<(?!\d{1,9}\.\d{6}>)[^>\n]{0,300}>)?"
    r"(?: (?P<errno>E[A-Z0-9]{2,20})(?: \([^)\n]{1,90}\))?)?(?: \([^\n]{1,200}\))?"
    r"(?: <(?P<seconds>\d{1,9}\.\d{6,9})>)?\s*$"
)
_CALL = re.compile(rf"{_LEAD}{_NAME}\([^\n]{{0,4000}}\){_RESULT}")
_RESUMED = re.compile(rf"{_LEAD}<\.\.\. {_NAME} resumed> ?[^\n]{{0,4000}}\){_RESULT}")
_UNFINISHED = re.compile(rf"{_LEAD}{_NAME}\([^\n]{{0,4000}}<unfinished \.\.\.>\s*$")
_BEGUN = re.compile(rf"{_LEAD}(?:{_NAME}\(|<\.\.\. \w{{1,40}} resumed>)[^\n]{{0,1000}}$")
_SIGNAL = re.compile(
    rf"{_LEAD}(?:--- SIG[A-Z0-9]{{2,10}} .{{0,300}}---|\+\+\+ (?:exited with \d{{1,3}}"
    rf"|killed by SIG[A-Z]{{2,10}}).{{0,40}}\+\+\+)\s*$"
    r"|\s*strace: Process \d{1,8} (?:attached|detached)\s*$"
)
_MOVING = frozenset({
    "read", "write", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev", "preadv2",
    "pwritev2", "sendfile", "copy_file_range", "splice", "recvfrom", "sendto", "recvmsg", "sendmsg",
})  # fmt: skip
"""Calls whose result is a number of bytes."""
_MOST = 20000
_KEPT = 40  # lines of failed calls
_BROKEN = 5  # lines that a mail may have made of one


@dataclass
class _Sum:
    """What the lines of one call add up to."""

    calls: int = 0
    unfinished: int = 0
    bytes: int = 0
    seconds: list[float] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)


class StraceCalls(StateOutput):
    tool = "strace"
    anchors = (
        ") = 0", ") = -1 E", " = -1 E", ") = ", "<unfinished ...>", " resumed>", ")     ",
    )  # fmt: skip
    commands = ("strace", "ltrace")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _is_own(line) or _SIGNAL.match(line):
            return None
        first = top_of(cursor, _is_own)
        match = _CALL.match(line)
        is_sure = first < cursor.at or (match and (match["errno"] or match["seconds"]))
        near = (cursor.line(cursor.at + distance) for distance in (1, 2))
        if is_sure or any(map(_is_own, near)):
            return first
        return first if command_before(cursor, first, self.commands, reach=4)[1].command else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        sums, failed, last, rest = dict[str, _Sum](), list[str](), first, list[str]()
        for index, line in close_lines(cursor, first, _MOST):
            whole = " ".join([*rest, line.strip()]) if rest else line
            if rest and _is_own(line):
                whole, rest = line, []  # what was begun has no end
            if match := _CALL.match(whole) or _RESUMED.match(whole):
                _add(sums.setdefault(match["name"], _Sum()), match)
                if match["errno"]:
                    failed.append(whole.strip()[:300])
                rest, last = [], index
            elif match := _UNFINISHED.match(whole):
                sums.setdefault(match["name"], _Sum()).unfinished += 1
                rest, last = [], index
            elif _SIGNAL.match(line):
                last = index
            elif prompt_in(line) or (not rest and not _BEGUN.match(line)) or len(rest) >= _BROKEN:
                break
            else:
                rest.append(whole if not rest else line.strip())
        if not sums:
            raise Unreadable("no call follows", last)
        return last, self._counters(sums, failed, prompt)

    def _counters(
        self, sums: dict[str, _Sum], failed: list[str], prompt: Prompt
    ) -> list[PrintedCounters]:
        counters: list[PrintedCounters] = []
        for name, total in sums.items():
            errors = sum(total.errors.values())
            values: dict[str, Json] = {"calls": total.calls, "errors": errors}
            if total.errors:
                values["error_names"] = dict[str, Json](total.errors)
            if total.seconds:
                values |= {"seconds": round(sum(total.seconds), 9), "longest": max(total.seconds)}
            if name in _MOVING:
                values["bytes"] = total.bytes
            if total.unfinished:
                values["unfinished"] = total.unfinished
            counters.append(self.counted("system_call", name, values, prompt))
        if failed:
            lines = {"failed_calls": list[Json](failed[:_KEPT])}
            counters.append(self.counted("host", "", lines, prompt))
        return counters


def _is_own(line: str) -> bool:
    forms = (_CALL, _RESUMED, _UNFINISHED, _SIGNAL)
    return any(form.match(line) for form in forms)


def _add(total: _Sum, match: re.Match[str]) -> None:
    """Counts a call that came back."""
    total.calls += 1
    if "resumed" in match[0]:
        total.unfinished -= total.unfinished > 0
    if match["seconds"]:
        total.seconds.append(float(match["seconds"]))
    if match["errno"]:
        total.errors[match["errno"]] = total.errors.get(match["errno"], 0) + 1
    elif match["result"].isdecimal():
        total.bytes += int(match["result"])
