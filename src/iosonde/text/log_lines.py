"""What stands before a message in a line of a log: time, host and program, and the kernel's time.

Source:
    dmesg(1) of util-linux 2.38 (-T, -x, -e, --human); Linux 6.12 kernel/printk/printk.c,
    print_time(), print_caller() (`[   T4552]`), info_print_ext_header() (`4,3526,4363269454,-;` of
    /dev/kmsg); the PREEMPT_RT patches before 5.15 (`[   12.345678] 003: `, the processor); RFC
    3164, 4.1.2; RFC 3339; journalctl(1), --output=short and short-iso (months by strftime's %b, in
    the language of who prints); rsyslog.conf(5), properties; pdsh(1); GitHub Actions' logs (a time
    before what a console prints); vmkernel.log of ESXi 5 to 7 (`TIME cpu2:2050)MODULE: …`) and 8
    (`TIME In(182) vmkernel: cpu2:2050)…`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_LEVEL = (
    r"(?:<\d{1,3}>|(?:kern|user|daemon|syslog|auth|local\d) {0,4}: {0,2}"
    r"(?:emerg|alert|crit|err|warn|notice|info|debug) {0,4}: ?)"
)
_UPTIME = r"\[ {0,9}\d{1,9}\.\d{3,6}\]"
_CALLER = r"(?: ?\[ {0,7}[TC]\d{1,9}\]|(?<=\]) \d{3}:(?= ))?"
_DATED = r"\[[^\s\[\]]{1,8} [^\s\[\]]{1,8} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4}\]"
_HUMAN = r"\[(?:[^\s\[\]\d]{2,8} {0,2}\d{1,2} \d\d:\d\d| {1,6}[+<] ?\d{1,7}[.,]\d{6}>?)\]"
_MONTH = r"(?:[^\W\d_]{2,6}\.?|\d{1,2}月)"
_SYSLOG = rf"{_MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d(?:\.\d{{1,9}})?"
_ISO = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
_CLOCK = r"\d\d:\d\d:\d\d(?= {1,4}(?:[\w.-]{1,64} {1,4})?kernel: )"  # its date is cut off
_RECORD = r"\d{1,3},\d{1,12},\d{1,18},[-c](?:,caller=\w{1,12})?;"
_SEVERITY = (
    r"(?:(?:(?:kern|user|daemon)\.)?"
    r"(?:emerg|alert|crit|err|error|warn|warning|notice|info|debug) {1,4}(?:kern |daemon )?"
    r"|(?:Em|Al|Cr|Er|Wa|No|In|Db)\(\d{1,3}\) {1,4})?"
)
_DEVICE = (
    r"(?=\((?:a?da|nda|cd|ses|pass|a?probe|sa|xpt)\d{0,4}:[a-z_-]{2,20}\d{1,4}:"
    r"|(?:a?da|nda|ahcich|siisch|mvsch|mp[rs]|mfi|mrsas|nvme|GEOM_[A-Z]{3,10})\d{0,4}: "
    r"|(?:a?da|nda)\d{1,4} at [a-z])"
)
"""How FreeBSD's kernel names the device a message is about, where a log leaves out that it is the
kernel's, as that of TrueNAS CORE does."""
_KERNEL = (
    r"(?:kernel|vmunix)(?:\[\d{1,9}\])?:| ?\[kernel\]| ?kernel - - -"
    r"|kernel(?= {1,4}\[ {0,9}\d{1,9}\.)"
    rf"|{_DEVICE}"
    r"|(?:vmkernel|vmkwarning|vobd):(?= )|(?=cpu\d{1,4}:\d{1,10}(?: opID=[\w:-]{1,80})?\)\S)"
)
_THREAD = r"[\da-f]{8,16} {1,4}-?\d{1,2}(?= )"  # of a daemon, and the message's level
_PROGRAM = r"[A-Za-z_(][\w./()@-]{0,63}(?:\[\d{1,9}\](?:\(\w{1,16}\))?)?:(?=\s|$)"
_PROMPT = r"(?:(?:/ |[\w@:~./-]{1,64})?[#$] (?=\[ {0,9}\d{1,9}\.\d{6}\]))"
"""Of a shell on a console, which the kernel writes behind it."""
_LINE = re.compile(
    rf"\s*+{_PROMPT}?{_LEVEL}?(?:"
    rf"(?:(?P<node>[A-Za-z][\w.-]{{0,63}}): ?)?(?:"
    rf"(?P<stamp>{_UPTIME}|{_DATED}|{_HUMAN}|{_RECORD})"
    rf"|(?P<written>{_ISO}) {{1,4}}(?P<inner>{_UPTIME})"
    rf"|(?P<time>{_SYSLOG}|{_ISO}|{_CLOCK}) {{1,4}}{_SEVERITY}"
    rf"(?:(?!\[?kernel[]: \[])(?P<host>[\w.$\[\](){{}}-]{{1,64}}) {{1,4}}{_SEVERITY})?"
    rf"(?:(?P<kernel>{_KERNEL})|(?P<program>{_PROGRAM}|{_THREAD}))"
    rf"(?: {{0,4}}(?P<within>{_UPTIME}))?"
    rf")){_CALLER} ?"
)
_DIGIT = re.compile(r"\d")
_SPACED = re.compile(r"\d{4}-\d\d-\d\d ")
_UNTIMED = re.compile(
    r"\s*+(?:(?P<host>[\w.-]{1,64}) )?kernel: {1,4}(?=\[?[A-Za-z][\w /.-]{0,40}"
    r"(?: \([a-z][^()\s]{0,40}(?: [^()]{1,40})?\))?[:\]])"
)

_DAEMON = re.compile(
    r"\s*+(?P<program>(?!kernel\[)[A-Za-z][\w.-]{1,40}\[(?:1|\d{3,9})\]): {1,2}(?=[A-Za-z/\[(\d])"
)
_NUMBER = re.compile(r"[-\d.,%() ]*+(?:[kKMGTP]i?B|[num]?s|Hz)?\s*+$")

_NAMED = re.compile(r"\s*+(?:[\w.-]{1,64} )?kernel:\s(?=\s{0,8}[?<#\w])")

_HEADERS = frozenset({"Subject", "Re", "Fwd", "Fw", "AW"})
"""What begins the subject of a mail, which may well be a line of a log."""
_SHORT = 1000
"""Characters of lines that are remembered with what was found."""


class LogPrefix(NamedTuple):
    """What stands before a message.

    Args:
        time: as printed; the kernel's own where it is there, with its brackets.
        clock: the same without brackets; the log's own where the line has both.
        host: that the line names; empty: none.
        program: that wrote it, with the number of its process; empty: the kernel.
        end: where the message begins, without the blanks before it.
    """

    time: str
    clock: str
    host: str
    program: str
    end: int


def log_prefix(line: str) -> LogPrefix | None:
    """What stands before the message in a line of a log; None where the line is none."""
    return _remembered(line) if len(line) <= _SHORT else _prefix(line)


def _prefix(line: str) -> LogPrefix | None:
    match = _LINE.match(line) if _DIGIT.search(line) else None  # most lines of prose have none
    if match is None:
        return _untimed(line) if "kernel:" in line or "]: " in line else None
    program = match["program"] or ""
    if program.endswith(":") and "]" not in program and _SPACED.match(match["time"]):
        return None  # a program's own log, or a table of times
    node = match["node"] or ""
    if node in _HEADERS:
        return None
    end = match.end()
    blanks = len(line) - end - len(line[end:].lstrip())
    written = match["time"] or match["written"]
    time = match["stamp"] or match["within"] or match["inner"] or written
    return LogPrefix(
        time,
        written or time.strip("[] "),
        match["host"] or (node if node != "kernel" else ""),
        program.removesuffix(":"),
        end + blanks,
    )


_remembered = lru_cache(maxsize=1 << 7)(_prefix)  # several ask of the same lines


def _untimed(line: str) -> LogPrefix | None:
    """A line that has no time and names who wrote it.

    What the kernel writes must begin with a part of it; a program has the number of its process,
    and says more than a figure.
    """
    if match := _UNTIMED.match(line):
        return LogPrefix("", "", match["host"] or "", "", match.end())
    match = _DAEMON.match(line)
    if match is None or _NUMBER.match(line, match.end()):
        return None
    return LogPrefix("", "", "", match["program"], match.end())


def end_of_name(line: str) -> int:
    """Where the text begins in a line that names the kernel, whatever it says; 0: it does not.

    Such lines may be of a log only beside others: `kernel: 5.10.0-8-amd64` is none.
    """
    match = _NAMED.match(line) if "kernel:" in line else None
    return match.end() if match else 0
