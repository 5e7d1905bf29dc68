"""Lines of a log as they stand in a text: each message under the time printed with it.

The kernel's, and those of programs behind their names. Left out is what a crash prints beside its
message: registers, code, frames of the stack, modules.

Source: Documentation/admin-guide/bug-hunting.rst of Linux 6.6 (what an oops prints); dmesg(1);
`iosonde.text.log_lines` for what stands before a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from iosonde.records.stack import Json
from iosonde.text.log_lines import LogPrefix, log_prefix
from iosonde.text.prose import is_sentence

_MOST = 200  # messages of one record
LONGEST_MESSAGE = 300  # characters of one
_BROKEN = 3  # lines that a mail breaks off of one
_NARROW = 56  # characters of lines that mails break, less the marks of some quoting
_CRASH = re.compile(
    r"(?:\? |[<>^=-]|[\w.]+\+0x[0-9a-f]+/0x|\[<[0-9a-f]+>\]|Code:"
    r"|[RE]?[A-Z]{2,3}:? ?[0-9a-f]{4,16}\b|R\d\d:|[RE]?[SI]P:|[FC]S:|[CD]R\d:|DS:"
    r"|[0-9a-f]{8,16}(?:: | +[0-9a-f]{4,16}\b)|raw: |page:|flags: |PGD |CPU: ?\d|Call Trace"
    r"|Hardware name:|Modules linked|Stack:|Tainted)"
)


_COMPLAINT = re.compile(
    r"\s*+(?:dd|cp|mv|rm|cat|ls|tar|touch|mkdir|rsync|sync|fio|hdparm|badblocks|losetup|blkdiscard"
    r"|u?mount|mke2fs|e2fsck|resize2fs|tune2fs|(?:mkfs|fsck)(?:\.[a-z0-9]{2,8})?"
    r"|xfs_(?:io|repair|growfs)|-?(?:ba|da|z|k)?sh): \S"
)
"""What a program says on a console between the lines of the kernel."""


class Timeline(NamedTuple):
    """The messages of some lines.

    Args:
        messages: time as printed to message, a list where several have it.
        read: how many lines were gone over.
        last: index of the last line that is one of a log, or the rest of one; -1: none is.
        host: that the lines name first.
    """

    messages: dict[str, Json]
    read: int
    last: int
    host: str


def is_kernel_line(line: str) -> bool:
    """Whether a line begins as a log's do: with the kernel's time, or a time and who writes."""
    return log_prefix(line) is not None


def is_mostly_log(lines: Sequence[str]) -> bool:
    """Whether more than half of some lines are of a log, with what a mail broke off of them."""
    own, rest = 0, 0
    for place, line in enumerate(lines):
        if is_kernel_line(line):
            rest = _BROKEN
        elif rest and line.strip() and is_rest(lines[place - 1], line):
            rest -= 1
        else:
            rest = 0
            continue
        own += 1
    return own * 2 > len(lines)


def _timeline(lines: Sequence[str], *, is_of_a_crash: bool) -> Timeline:
    """The messages in lines of a log; at most so many as one record takes.

    A line without a time goes on with the message above it where a mail may have broken that, or
    where it is no prose.
    """
    messages: dict[str, Json] = {}
    stamp, goes_on, count, last, host = "", False, 0, -1, ""
    for place, line in enumerate(lines):
        prefix = log_prefix(line)
        if prefix is None:
            if last == place - 1 and line.strip() and is_rest(lines[place - 1], line):
                last = place
                if goes_on:
                    _continue(messages, stamp, line.strip())
            continue
        stamp, message = prefix.time, _message(line, prefix)
        goes_on = bool(message) and (is_of_a_crash or not _CRASH.match(message))
        if goes_on and count == _MOST:
            return Timeline(messages, place, last, host)
        last, host = place, host or prefix.host
        if goes_on:
            count += 1
            _add(messages, stamp, message[:LONGEST_MESSAGE])
    return Timeline(messages, len(lines), last, host)


def timelines(
    lines: Sequence[str], *, is_of_a_crash: bool = False
) -> Iterator[tuple[int, Timeline]]:
    """The messages in lines of a log, record by record, each with the index where its lines begin.

    What a `Timeline` says of lines counts from there.

    Args:
        lines: of a log.
        is_of_a_crash: also what a crash prints beside its message is one.
    """
    at = 0
    while at < len(lines):
        timeline = _timeline(lines[at:], is_of_a_crash=is_of_a_crash)
        yield at, timeline
        at += timeline.read


def is_rest(above: str, line: str) -> bool:
    """Whether a line without a time is the rest of the one above it.

    A mail broke that where the next word had no place in it; else it must not be prose. What a
    program complains of is its own.
    """
    if is_complaint(line):
        return False
    torn = len(above) + 1 + len(line.split(maxsplit=1)[0]) >= _NARROW
    return torn or not is_sentence(line)


def is_complaint(line: str) -> bool:
    """Whether a line is what a command says of an error: `dd: error writing '/dev/sdb': …`."""
    return _COMPLAINT.match(line) is not None


def _message(line: str, prefix: LogPrefix) -> str:
    message = line[prefix.end :].strip()
    return f"{prefix.program}: {message}" if prefix.program and message else message


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
        before[-1] = f"{before[-1]} {rest}"[:LONGEST_MESSAGE]
    else:
        messages[stamp] = f"{before} {rest}"[:LONGEST_MESSAGE]
