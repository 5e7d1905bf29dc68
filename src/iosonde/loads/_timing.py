"""The three lines that a shell's `time` prints below the output of what it timed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from iosonde.text.cursor import TextCursor

_TIME = r"(?:(?:(?P<h>\d{1,5})h)?(?P<m>\d{1,7})m)?(?P<s>\d{1,9}[.,]\d{1,6})s?"
_LINES: Mapping[str, re.Pattern[str]] = {
    name: re.compile(rf"^\s*{name}\s+{_TIME}\s*$") for name in ("real", "user", "sys")
}


class Timing(NamedTuple):
    """Seconds of a command, half of the last digit of `real`, and the index of the last line."""

    real: float
    user: float
    system: float
    step: float
    last: int


def timing_at(cursor: TextCursor, first: int) -> Timing | None:
    """What the lines from `first` on say; None where no line of `real` stands there.

    Also None where those on user and sys do not follow.
    """
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


def real_at(line: str) -> tuple[float, float] | None:
    """Seconds of a line of `real`, and half of their last digit; None where it is none."""
    real = _LINES["real"].match(line)
    return (seconds_of(real), step_of(real["s"])) if real else None


def seconds_of(match: re.Match[str]) -> float:
    """Seconds of the hours, minutes and seconds that a pattern seconds."""
    hours, minutes = match["h"], match["m"]
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(match["s"].replace(",", "."))


def step_of(printed: str) -> float:
    """Half of the last digit of a figure."""
    return float(0.5 * 10.0 ** -len(printed.replace(",", ".").partition(".")[2]))
