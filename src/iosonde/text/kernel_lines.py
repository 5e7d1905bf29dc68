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
_MONTH = r"[^\W\d_]{3,5}\.?"
"""As the language of the machine has it: `Mär`, `févr.`, `дек`."""
LOG_TIME = (
    r"(?:\[ *(?P<uptime>\d+\.\d{3,6})\]"  # dmesg, printk.time
    rf"|\[(?P<date>[^\W\d_]{{2,4}}\.? {_MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d \d{{4}})\]"
    r"|(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,14})(?: (?!kernel:)(?P<named>[\w.-]{1,64}))?"
    rf"|(?P<syslog>{_MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d)"
    r"(?: (?!kernel:)(?P<host>[\w.()-]{1,64}))?)"
)
"""Time and host before a message: dmesg(1), RFC 3339 (rsyslog), RFC 3164 4.1.2 (syslog)."""
_LEVEL = (
    r"(?:(?:kern|user|daemon)(?:\.| *:)\w{1,8} *:? )?"  # dmesg -x, busybox
    r"(?:(?:emerg|alert|crit|err|warn(?:ing)?|notice|info|debug) )?"
)
_LINE = re.compile(
    rf"\s*(?:<\d>)?{_LEVEL}(?:{LOG_TIME}\s*)?{_LEVEL}"
    r"(?P<kernel>\[?(?:[\w.-]{1,64} )?kernel: ?\]?\s*)?"
    r"(?:(?P<stamp>\[ *\d+\.\d{3,6}\])\s*)?(?:\[ *[TC]\d+\])? ?(?P<message>.*)"
)
_OF_A_PART = re.compile(r"\[?\w[\w /.-]{0,40}[:\]]")
_CRASH = re.compile(
    r"(?:\? |[<>^=-]|[\w.]+\+0x[0-9a-f]+/0x|Code:|[RE]?[A-Z]{2,3}:? ?[0-9a-f]{4,16}\b|R\d\d:"
    r"|[RE]?[SI]P:|[FC]S:|[CD]R\d:|DS:|[0-9a-f]{8,16}[: ]|raw: |page:|flags: |PGD |CPU: ?\d"
    r"|Call Trace|Hardware name:|Modules linked|Stack:|Tainted)"
)


def is_kernel_line(line: str) -> bool:
    """Whether a line begins with the kernel's time, `[ 4528.074501]`, or a log's and its name."""
    return _stamped(line) is not None


def unstamped(line: str) -> str:
    """A line without the kernel's time, the log's and the name before its message."""
    stamped = _stamped(line)
    return stamped[1] if stamped else line


def is_beside_crash(message: str) -> bool:
    """Whether a message is what a crash prints beside its own: registers, code, frames, modules."""
    return bool(_CRASH.match(message.lstrip()))


def _stamped(line: str) -> tuple[str, str] | None:
    """Time as printed, and message; None where the line is none of the kernel's."""
    if "[" not in line[:90] and "kernel:" not in line[:120]:
        return None
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    message = match["message"].strip()
    stamp = match["stamp"]
    for name in ("uptime", "date"):
        if not stamp and match[name]:
            stamp = line[line.rindex("[", 0, match.start(name)) : match.end(name) + 1]
    if not stamp and match["kernel"]:
        stamp = match["syslog"] or match["iso"]
    if stamp:
        return stamp, message
    return ("", message) if match["kernel"] and _OF_A_PART.match(message) else None


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
