"""Lines of the kernel's log as they stand in a text: each message under the time printed with it.

Left out are what a crash prints beside its message: registers, code, frames of the stack, modules.

Source: Documentation/admin-guide/bug-hunting.rst of Linux 6.6 (what an oops prints); dmesg(1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from iosonde.records.stack import Json

_MOST = 200  # messages of one record
_LONGEST = 300  # characters of one
_LINE = re.compile(
    r"\s*(?:<\d>)?(?:(?P<syslog>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) [\w.-]{1,64} kernel: ?)?"
    r"(?P<stamp>\[ *\d+\.\d{3,6}\]|\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\])?"
    r"(?: ?\[ *[TC]\d+\])? ?(?P<message>.*)"
)
_CRASH = re.compile(
    r"(?:\? |[<>^=-]|[\w.]+\+0x[0-9a-f]+/0x|Code:|[RE]?[A-Z]{2,3}:? ?[0-9a-f]{4,16}\b|R\d\d:"
    r"|[RE]?[SI]P:|[FC]S:|[CD]R\d:|DS:|[0-9a-f]{8,16}[: ]|raw: |page:|flags: |PGD |CPU: ?\d"
    r"|Call Trace|Hardware name:|Modules linked|Stack:|Tainted)"
)


def is_kernel_line(line: str) -> bool:
    """Whether a line begins with the kernel's time, `[ 4528.074501]`, or a log's and its name."""
    return _stamped(line) is not None


def _stamped(line: str) -> tuple[str, str] | None:
    """Time as printed, and message; None where the line is none of the kernel's."""
    if "[" not in line[:90] and "kernel:" not in line[:90]:
        return None
    match = _LINE.fullmatch(line)
    stamp = match and (match["stamp"] or match["syslog"])
    return (stamp, match["message"].strip()) if match and stamp else None


def kernel_messages(lines: Sequence[str]) -> tuple[dict[str, Json], int]:
    """Time as printed to message, a list where several have it, and how many lines were gone over.

    A line without a time goes on with the message above it: a mail broke it.
    """
    messages: dict[str, Json] = {}
    stamp, goes_on, count = "", False, 0
    for place, line in enumerate(lines):
        stamped = _stamped(line)
        if stamped is None:
            if goes_on and line.strip():
                _continue(messages, stamp, line.strip())
            continue
        stamp, message = stamped
        goes_on = bool(message) and not _CRASH.match(message)
        if not goes_on:
            continue
        if count == _MOST:
            return messages, place
        count += 1
        _add(messages, stamp, message[:_LONGEST])
    return messages, len(lines)


def _add(messages: dict[str, Json], stamp: str, message: str) -> None:
    before = messages.get(stamp)
    if before is None:
        messages[stamp] = message
    elif isinstance(before, list):
        before.append(message)
    else:
        messages[stamp] = [before, message]


def _continue(messages: dict[str, Json], stamp: str, rest: str) -> None:
    before = messages[stamp]
    if isinstance(before, list):
        before[-1] = f"{before[-1]} {rest}"[:_LONGEST]
    else:
        messages[stamp] = f"{before} {rest}"[:_LONGEST]
