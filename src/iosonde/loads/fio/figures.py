"""fio's own way of writing sizes, times and counts in options.

Source:
    fio HOWTO, "Parameter types"; parse.c, get_mult_bytes(), str_to_decimal(), check_str_time();
    options.c, FIO_OPT_STR_VAL_ZONE.
"""

from __future__ import annotations

import re

from iosonde.errors import ToolRefuses

_SIZE = re.compile(r"(0x[0-9a-f]{1,16}|\d{1,20}(?:\.\d+)?)\s*(?:([kmgtp])(i?)b?|b)?", re.IGNORECASE)
_ZONED = frozenset({"size", "io_size", "offset", "offset_increment", "zoneskip"})
_TIME = re.compile(r"(\d{1,20}(?:\.\d+)?)\s*(us|usec|ms|msec|s|sec|m|min|h|d|)", re.IGNORECASE)
_SECONDS = {
    "us": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3, "": 1.0, "s": 1.0, "sec": 1.0,
    "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0,
}  # fmt: skip


def size(text: str, *, kb_base: int, what: str, where: str) -> int | None:
    """Bytes; None for a percentage of the target and for zones of it ("8z"), both the target's own.

    fio turns the prefixes round: with kb_base=1024, its default, "4k" and "4kb" are 4096 bytes
    and "4kib" is 4000; with kb_base=1000 they are what the standards say.

    Raises:
        ToolRefuses: not a size.
    """
    stripped = text.strip()
    in_zones = what in _ZONED and re.fullmatch(r"\d{1,9}z", stripped)
    if in_zones or re.fullmatch(r"\d+(\.\d+)?%", stripped):
        return None
    match = _SIZE.fullmatch(stripped)
    if not match:
        raise ToolRefuses(
            f"{what}={text} is not a size that fio reads", where=where, hint="write it as 4k or 2g"
        )
    number = int(match[1], 16) if match[1][:2].lower() == "0x" else float(match[1])
    if not match[2]:
        return round(number)
    other = 1000 if kb_base == 1024 else 1024
    base = other if match[3] else kb_base
    return round(number * float(base) ** ("kmgtp".index(match[2].lower()) + 1))


def seconds(text: str, *, what: str, where: str) -> float:
    """Seconds; a bare number is in seconds, DD:HH:MM:SS is read from its end.

    Raises:
        ToolRefuses: not a time.
    """
    if re.fullmatch(r"\d{1,9}(:\d{1,9}){1,3}", text.strip()):
        parts = [int(part) for part in reversed(text.strip().split(":"))]
        return float(
            sum(part * each for part, each in zip(parts, (1, 60, 3600, 86400), strict=False))
        )
    match = _TIME.fullmatch(text.strip())
    if not match:
        raise ToolRefuses(
            f"{what}={text} is not a time that fio reads", where=where, hint="write it as 60 or 2m"
        )
    return float(match[1]) * _SECONDS[match[2].lower()]


def count(text: str, *, what: str, where: str) -> int:
    """A whole number of at least 0.

    Raises:
        ToolRefuses: not one.
    """
    if not re.fullmatch(r"\d{1,9}", text.strip()):
        raise ToolRefuses(f"{what}={text} is not a number that fio takes", where=where)
    return int(text)
