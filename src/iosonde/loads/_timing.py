"""What `time` prints below the output of what it timed: of shells, GNU, busybox and BSD.

Source: bash 5.2, execute_cmd.c, print_formatted_time(): a tab before 0m0.000s; POSIX.1-2017, time:
seconds with two decimals after a blank; zsh 5.9, Src/jobs.c, printtime(); tcsh 6.24, sh.time.c,
`%Uu %Ss %E %P %X+%Dk %I+%Oio %Fpf+%Ww`; ksh and Solaris' time pad with blanks; GNU time 1.9,
time.c, default_format and long_format; busybox 1.36, miscutils/time.c: a blank behind the minutes,
and no fraction from an hour on; FreeBSD 14, usr.bin/time/time.c: one line, `3.21 real 0.00 user`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from iosonde.kerneltext import fields
from iosonde.records.stack import Json
from iosonde.text.cursor import TextCursor, lines

_TIME = (
    r"(?:(?:(?P<h>\d{1,5})h ?)?(?P<m>\d{1,7})m ?)?"
    r"(?P<s>\d{1,9}[.,]\d{1,6}|(?<=\dm )\d\d(?=s))s?"
)
_LINES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(rf"^\s*{name}\s+{_TIME}\s*$") for name in ("real", "user", "sys")
}
_CLOCK = r"(?:(?:(?P<h>\d{1,4}):)?(?P<m>\d{1,4}):)"
_SINGLE = (
    re.compile(
        r"^\s*+(?P<command>\S.{0,300}?)  (?P<user>\d{1,9}\.\d\d)s user (?P<sys>\d{1,9}\.\d\d)s"
        rf" system \d{{1,6}}% cpu {_CLOCK}?(?P<s>\d{{1,6}}(?:\.\d{{1,3}})?) total\s*$"
    ),
    re.compile(
        r"^\s*(?P<user>\d{1,9}\.\d\d)user (?P<sys>\d{1,9}\.\d\d)system "
        rf"{_CLOCK}(?P<s>\d\d(?:\.\d\d)?)elapsed "
    ),
    re.compile(
        r"^\s*(?P<user>\d{1,9}\.\d{1,3})u (?P<sys>\d{1,9}\.\d{1,3})s "
        rf"{_CLOCK}(?P<s>\d\d(?:\.\d{{1,2}})?) \d{{1,5}}(?:\.\d)?%\s"
    ),
    re.compile(
        r"^\s*(?P<h>(?!))?(?P<m>(?!))?(?P<s>\d{1,9}[.,]\d\d) real\s+(?P<user>\d{1,9}[.,]\d\d) user"
        r"\s+(?P<sys>\d{1,9}[.,]\d\d) sys\s*$"
    ),
)
"""zsh's line, which names the command, and those of GNU, tcsh and BSD."""
_GNU_REST = re.compile(r"^\s*\d{1,15}inputs\+\d{1,15}outputs \(")
_TIMED = re.compile(r'^\s*Command being timed: "(?P<command>.{0,600})"?\s*$')
_ELAPSED = re.compile(
    rf"(?:{_CLOCK}(?P<s>\d\d(?:\.\d\d)?)|(?:(?P<hb>\d{{1,5}})h )?(?P<mb>\d{{1,4}})m "
    r"(?P<sb>\d{1,2}(?:\.\d\d)?)s)"
)
_FACT = re.compile(r"^\s*(?P<name>[A-Z][A-Za-z ()/:]{4,50}): (?P<value>[\d:.hms %?]{1,20})$")
_MOST = 30
_FAULTS = {
    "Maximum resident set size (kbytes)": "max_resident_kib",
    "Major (requiring I/O) page faults": "major_faults",
    "Voluntary context switches": "voluntary_switches",
    "Involuntary context switches": "involuntary_switches",
    "File system inputs": "inputs", "File system outputs": "outputs",
    "Exit status": "exit_status",
}  # fmt: skip


class Timing(NamedTuple):
    """Seconds of a command, half of the last digit of `real`, and the index of the last line.

    `command` is empty where `time` does not name it; `more` is what GNU's -v counts beside.
    """

    real: float
    user: float
    system: float
    step: float
    last: int
    command: str = ""
    more: Mapping[str, Json] = {}


def timing_at(cursor: TextCursor, first: int) -> Timing | None:
    """What the lines from `first` on say; None where no time begins there."""
    line = cursor.line(first)
    for pattern in _SINGLE:
        if match := pattern.match(line):
            return _of_line(cursor, match, first)
    if match := _TIMED.match(line):
        return _verbose(cursor, first, match["command"].removesuffix('"'))
    return _of_three(cursor, first)


def _of_three(cursor: TextCursor, first: int) -> Timing | None:
    """The lines of a shell; None where those on user and sys do not follow the one of real."""
    real = _LINES["real"].match(cursor.line(first))
    if real is None:
        return None
    seconds, last = dict[str, float](), first
    for index in range(first + 1, first + 5):
        line = cursor.line(index)
        for name in ("user", "sys"):
            if match := _LINES[name].match(line):
                seconds[name], last = seconds_of(match), index
        if line and last != index:
            break
    if len(seconds) < len(_LINES) - 1:
        return None
    return Timing(seconds_of(real), seconds["user"], seconds["sys"], step_of(real["s"]), last)


def _of_line(cursor: TextCursor, match: re.Match[str], index: int) -> Timing:
    """What a single line says; GNU's has one more below it."""
    user, system = (float(match[name].replace(",", ".")) for name in ("user", "sys"))
    last = index + 1 if _GNU_REST.match(cursor.line(index + 1)) else index
    command = match.groupdict().get("command") or ""
    return Timing(seconds_of(match), user, system, step_of(match["s"]), last, command)


def _verbose(cursor: TextCursor, first: int, command: str) -> Timing | None:
    """GNU's block of `time -v`; None where it is cut off before the time."""
    values, last = dict[str, str](), first
    for name, value, index in _facts(cursor, first + 1):
        values[name], last = value, index
    elapsed = _ELAPSED.fullmatch(values.get("Elapsed (wall clock) time (h:mm:ss or m:ss)", ""))
    user, system = (values.get(f"{name} time (seconds)", "") for name in ("User", "System"))
    if elapsed is None or not user or not system:
        return None
    digits = elapsed["s"] or elapsed["sb"]
    minutes = int(elapsed["h"] or elapsed["hb"] or 0) * 60 + int(elapsed["m"] or elapsed["mb"])
    more: dict[str, Json] = {
        short: int(values[name]) for name, short in _FAULTS.items() if name in values
    }
    seconds = round(60 * minutes + float(digits), 6)
    return Timing(seconds, float(user), float(system), step_of(digits), last, command, more)


def _facts(cursor: TextCursor, first: int) -> Iterator[tuple[str, str, int]]:
    """The names and values of `time -v`, with the indices of their lines."""
    for index, line in lines(cursor, first, _MOST):
        match = _FACT.match(" ".join(fields(line)))
        if match is None:
            if line:
                return
            continue
        yield match["name"], match["value"], index
        if match["name"] == "Exit status":
            return


def real_at(line: str) -> tuple[float, float] | None:
    """Seconds of a line of `real`, and half of their last digit; None where it is none."""
    real = _LINES["real"].match(line)
    return (seconds_of(real), step_of(real["s"])) if real else None


def seconds_of(match: re.Match[str]) -> float:
    """Seconds of the hours, minutes and seconds in a match."""
    hours, minutes = match["h"], match["m"]
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(match["s"].replace(",", "."))


def step_of(printed: str) -> float:
    """Half of the last digit of a figure."""
    return float(0.5 * 10.0 ** -len(printed.replace(",", ".").partition(".")[2]))
