"""Amounts with a unit in a text that was kept as printed, in bytes, seconds or as a share."""

from __future__ import annotations

import re

_PRINTED = re.compile(
    r"(?<![\w.,])(?P<figure>-?\d+(?:[.,]\d+)?)"
    r"(?:\s?(?P<share>%)|\s?(?P<time>ns|[uµ]s(?:ec)?|ms(?:ec)?|sec(?:onds?)?|s|min(?:utes)?|hours?|h)"
    r"|\s?(?P<prefix>[kKmMgGtTpP]?)i?(?:[bB](?:ytes?|/s(?:ec)?|ps)?|(?<=[kKmMgGtTpP]))(?:/s(?:ec)?)?)"
    r"(?![\w%])"
)
_SECONDS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "se": 1.0, "mi": 60.0, "ho": 3600.0,
    "h": 3600.0,
}  # fmt: skip
_PREFIXES = "kmgtp"
_SPAN = re.compile(
    r"(?:(?P<days>\d{1,5})(?:[ ]days?,?[ ]|-))?(?P<hours>\d{1,5}):(?P<minutes>\d\d)"
    r":(?P<seconds>\d\d(?:[.,]\d{1,9})?)"
)
_PART = re.compile(
    r"(?P<figure>\d+(?:[.,]\d+)?) ?"
    r"(?P<unit>(?i:days?|hours?|hrs?|min(?:ute)?s?|sec(?:ond)?s?)|[dhms])(?![A-Za-z])[, ]*"
)
_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}


def duration_of(text: str) -> tuple[float, float] | None:
    """Seconds that a text comes to, and the unit of its last digit; None where it is no duration.

    "5.1min", "0:13:04", "0m6.804s" and "12 Hours 54 Minutes" are.
    """
    if span := _SPAN.fullmatch(text):
        seconds = span["seconds"].replace(",", ".")
        hours = int(span["days"] or 0) * 24 + int(span["hours"])
        reach = 10.0 ** -len(seconds.partition(".")[2])
        return (hours * 60 + int(span["minutes"])) * 60 + float(seconds), reach
    total, reach, end = 0.0, 0.0, 0
    while end < len(text) and (part := _PART.match(text, end)):
        figure, unit = part["figure"].replace(",", "."), _UNITS[part["unit"][0].lower()]
        total += float(figure) * unit
        reach, end = unit * 10.0 ** -len(figure.partition(".")[2]), part.end()
    return (total, reach) if end and end == len(text) else None


def says_in_units(truth: float, step: float, text: str) -> bool:
    """Whether a text holds an amount that is the number meant, as exactly as it is printed.

    A prefix may be decimal or binary: the text does not say it, and who wrote the truth down chose.

    Args:
        truth: in bytes, bytes per second, seconds, or as a share.
        step: half of the last digit that was printed.
        text: as printed.
    """
    for match in _PRINTED.finditer(text):
        figure = float(match["figure"].replace(",", "."))
        factors: tuple[float, ...]
        if match["share"]:
            factors = (0.01,)
        elif match["time"]:
            time = match["time"]
            factors = (_SECONDS[time] if time in _SECONDS else _SECONDS[time[:2]],)
        else:
            power = _PREFIXES.find(match["prefix"].lower()) + 1 if match["prefix"] else 0
            factors = (1024.0**power, 1000.0**power)
        reach = max(step, 1e-6 * abs(truth), 1e-12) * 1.000001
        if any(abs(figure * factor - truth) <= reach for factor in factors):
            return True
    return False
