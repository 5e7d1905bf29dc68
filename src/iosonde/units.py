"""Bytes, seconds and rates: the only place that parses or prints a unit.

Inside everything is bytes (int), seconds (float), 1/s (float) and fractions (0–1). Units with a
binary prefix are KiB, MiB, GiB, TiB (1024); k, M, G without "i" are read as storage tools and fio
mean them in block sizes and file sizes (1024), and are never printed.
"""

from __future__ import annotations

import re
from math import floor, isfinite, log10

from iosonde.errors import UsageError

KIB = 1024
MIB = 1024**2
GIB = 1024**3
MINUS = "−"
SECTOR = 512  # the kernel's unit in /sys/block/*/size and /proc/diskstats, whatever the device

_BINARY = {"": 1, "k": KIB, "m": MIB, "g": GIB, "t": 1024**4, "p": 1024**5}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgtp]?)(i?b|B)?\s*", re.IGNORECASE)
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s|sec|m|min|h|d|)\s*", re.IGNORECASE)
_TIME_UNITS = {
    "": 1.0, "s": 1.0, "sec": 1.0, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3,
    "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0,
}  # fmt: skip


def parse_bytes(text: str | int, *, where: str = "") -> int:
    """Bytes from "4096", "4k", "4 KiB", "2g", "1.5 TiB".

    Raises:
        UsageError: not a size.
    """
    match = _SIZE.fullmatch(str(text))
    if not match:
        raise UsageError(
            f"{str(text)!r} is not a size", where=where, hint="write it as 4k, 128 KiB or 2g"
        )
    return round(float(match[1]) * _BINARY[match[2].lower()])


def parse_seconds(text: str | float, *, where: str = "") -> float:
    """Seconds from "60", "60s", "2 min", "500ms".

    Raises:
        UsageError: not a time.
    """
    match = _TIME.fullmatch(str(text))
    if not match:
        raise UsageError(
            f"{str(text)!r} is not a time", where=where, hint="write it as 60, 90s or 2min"
        )
    return float(match[1]) * _TIME_UNITS[match[2].lower()]


def parse_fraction(text: str | float, *, where: str = "") -> float:
    """A fraction from "2%", "2 %" or 0.02.

    Raises:
        UsageError: neither a percentage nor a number.
    """
    stripped = str(text).strip()
    try:
        if stripped.endswith("%"):
            return float(stripped[:-1]) / 100
        return float(stripped)
    except ValueError:
        raise UsageError(
            f"{str(text)!r} is not a share", where=where, hint="write it as 2% or 0.02"
        ) from None


def _scaled(value: float, base: float, prefixes: tuple[str, ...]) -> str:
    """A figure under the first prefix with which it is less than `base` as it is printed."""
    size = float(value)
    for prefix in prefixes[:-1]:
        text = _digits(size)
        if abs(float(text)) < base:
            return f"{text} {prefix}"
        size /= base
    return f"{_digits(size)} {prefixes[-1]}"


def _digits(value: float) -> str:
    """Three significant digits or the whole number, never in exponent notation."""
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value)}"
    for decimals, limit in ((2, 10), (1, 100)):
        text = f"{value:.{decimals}f}"
        if abs(float(text)) < limit:
            return text
    return f"{value:.0f}"


def counted(number: int, what: str) -> str:
    """`3 trials`, `1 trial`."""
    return f"{number} {what}{'s' * (number != 1)}"


def show_bytes(size: float) -> str:
    """`4 KiB`, `1.46 TiB`."""
    return _scaled(size, 1024, ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"))


def show_bandwidth(rate: float) -> str:
    """`117 MiB/s`."""
    return show_bytes(rate) + "/s"


def show_number(number: float) -> str:
    """Three significant digits, in full from 1,000 on: "279", "8,220"."""
    return f"{float(_digits(number)):,.10g}"


def show_iops(rate: float) -> str:
    """`9,780 IOPS`, `88,600 IOPS`, `1.23 M IOPS`."""
    if abs(rate) < 9.995:
        return f"{_digits(rate)} IOPS"
    rounded = float(f"{rate:.3g}") if abs(rate) >= 1000 else round(rate)
    if abs(rounded) < 1e6:
        return f"{rounded:,.0f} IOPS"
    return f"{_scaled(rate / 1e6, 1000, ('M', 'G'))} IOPS"


def show_seconds(time: float) -> str:
    """`84.2 µs`, `1.25 ms`, `66 s`, `1 h 04 min`."""
    if time == 0:
        return "0 s"
    if time < 0:
        return f"{MINUS}{show_seconds(-time)}"
    for scale, unit in ((1e9, "ns"), (1e6, "µs"), (1e3, "ms")):
        text = _digits(time * scale)
        if float(text) < 1000:
            return f"{text} {unit}"
    text = _digits(time)
    if float(text) < 120:
        return f"{text} s"
    minutes = round(time / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60:02d} min"


_MOST_PERCENT = 1e6  # beyond, the digits tell nothing but that what it is a share of is nearly 0
_MOST_DECIMALS = 3  # of a percentage; 0.001 % are ten of a million


def show_fraction(share: float) -> str:
    """`1.66 %`. What is nearly all is never shown as all: `99.97 %`, `over 99.999 %`."""
    if not isfinite(share):
        return f"{share} %"
    percent = abs(share) * 100
    sign = MINUS if share < 0 else ""
    if percent < 0.005:
        return "0 %"
    if percent > _MOST_PERCENT:
        return f"{sign}over {_MOST_PERCENT:.0f} %"
    decimals = max(0, 2 - floor(log10(percent)))
    text = f"{percent:.{decimals}f}"
    while percent < 100 <= float(text):
        if decimals >= _MOST_DECIMALS:
            return f"{sign}over 99.999 %"
        decimals += 1
        text = f"{percent:.{decimals}f}"
    return f"{sign}{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def show_change(share: float) -> str:
    """A change with its sign: `+2.3 %`, `−61.2 %`, `+127 %`; the rest of nearly all is shown."""
    if isfinite(share) and share * 100 > _MOST_PERCENT:
        return f"over +{_MOST_PERCENT:.0f} %"
    decimals = 1 if abs(share) < 0.9995 else 0
    text = f"{share * 100:+.{decimals}f} %".replace("-", MINUS)
    return f"{MINUS}{show_fraction(-share)}" if share > -1 and text == f"{MINUS}100 %" else text


def show_changes(low: float, high: float) -> str:
    """Changes from one to another, with the unit once: `−61.2 … +39.0 %`.

    `± 100 % or more` where they reach that far to both sides: no more is known.
    """
    if low < 0 < high and high - low >= 2:
        return "± 100 % or more"
    return f"{show_change(low).removesuffix(' %')} … {show_change(high)}"


def show_spread(share: float) -> str:
    """Half an interval as a share of its middle: `± 1.66 %`; `± 100 % or more` tells no more."""
    return "± 100 % or more" if share >= 1 else f"± {show_fraction(share)}"


def show(value: float | None, unit: str) -> str:
    """A figure of a metric in the unit the records carry it in.

    Args:
        value: the figure; None is shown as "–".
        unit: "B/s", "B", "s", "1/s", "fraction" or "cores"; others are appended as they are.
    """
    if value is None:
        return "–"
    printers = {
        "B/s": show_bandwidth,
        "B": show_bytes,
        "s": show_seconds,
        "1/s": show_iops,
        "fraction": show_fraction,
    }
    if unit in printers:
        return printers[unit](value)
    return f"{_digits(value)} {unit}".strip()


def show_evidence(value: str | float | bool | None, unit: str) -> str:
    """A figure that a finding rests on: numbers with their unit, everything else as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "–" if value is None else str(value)
    if unit == "B/s" and MIB / 100 <= value < 10 * GIB:
        return f"{value / MIB:.5g} MiB/s"
    if unit:
        return show(float(value), unit)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def show_range(low: float, high: float, unit: str) -> str:
    """From one figure to another, with a unit that both have once: `47,700 … 48,600 IOPS`."""
    first, last = show(low, unit), show(high, unit)
    number, _, name = first.partition(" ")
    if name and name == last.partition(" ")[2] and not any(sign.isdigit() for sign in name):
        return f"{number} … {last}"
    return f"{first} … {last}"


def show_interval(interval: tuple[float, float] | None, unit: str) -> str:
    """An interval of a figure that cannot be negative: `47.7 … 48.6 ms`, or `up to 152 ms`."""
    if interval is None:
        return "–"
    low, high = interval
    if low < 0 < high:
        return f"up to {show(high, unit)}"
    return show_range(low, high, unit)


_PRINTED = re.compile(
    r"\s*(-?\d+(?:\.(\d+))?(?:[eE]([+-]?\d+))?)\s*([kKMGTP]|E(?=i?B|i?$)|)(i?)([bB]?)"
)
_PREFIX = " kMGTPE"


def clock_seconds(text: str) -> int:
    """Seconds of hours:minutes:seconds, of minutes:seconds, or of seconds alone."""
    seconds = 0
    for part in text.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds


def printed(text: str, *, binary: bool = False) -> tuple[float, float]:
    """A number as a tool printed it, and half of its last digit: 88.6k → (88600, 50).

    Args:
        text: begins with the number; a prefix with "i" (KiB) is of 1024, one without of 1000.
        binary: a prefix without "i" is of 1024 too, as old tools mean it.

    Raises:
        ValueError: no number.
    """
    match = _PRINTED.match(text)
    if not match:
        raise ValueError(f"{text!r} is not a number")
    number, decimals, exponent, prefix, small_i, _ = match.groups()
    base = 1024.0 if small_i or binary else 1000.0
    scale = base ** _PREFIX.index(prefix.replace("K", "k")) if prefix else 1.0
    grain = 10.0 ** (int(exponent or 0) - len(decimals or ""))
    return float(number) * scale, grain * scale / 2
