"""Every regular expression of iosonde against texts that make expressions slow.

An expression that tries, at each place, everything that follows takes the square of the length in
time; one whose parts can match the same in several ways takes far more.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
import time
import warnings
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from types import FrameType

import iosonde
from iosonde.layers import KERNEL_MESSAGES

LENGTH = 1 << 10
"""Characters of a text; lines of strangers are cut at 2¹³ (text/clean.py)."""
SLOW = 0.25
"""Seconds of a processor for one search in it; what goes through it once takes 0.001."""
_PARTS = (4, 2, 1)
"""A quarter of each text is searched, then half of it, then all: `_says_enough` ends it earlier."""

_FILLERS = (
    "a", "A", "0", " ", "-", ".", ":", "=", "/", "(", "[", "{", '"', "'", "_", ",", "|", "#", "\n",
    "\t", "\\", "a ", "0 ", "a.", "0.", "1,", "a=", "a=1 ", "a:1 ", "a-", "/a", "(a", "(a)", "[a]",
    " \n", "a\n", "0\n", "1.0 ", "=a", "-a ", "--a ", "a/", "0:", "0/", "a,", "a(0),", "(0,",
    "%", "0%", "aB", "µ",
)  # fmt: skip
_LITERAL = re.compile(r"[A-Za-z0-9 _=:,/.%-]{2,}")


class _Over(BaseException):
    """The time is over."""


@cache
def patterns() -> Mapping[str, re.Pattern[str]]:
    """All that stand in modules and their classes, by module and name; each expression once."""
    by_source: dict[str, re.Pattern[str]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.walk_packages(iosonde.__path__, "iosonde."):
            if "migrations" in module.name or module.name.endswith("__main__"):
                continue
            try:
                loaded = importlib.import_module(module.name)
            except ImportError:  # an extra that is not installed
                continue
            for name, value in vars(loaded).items():
                for label, pattern in _of(name, value):
                    by_source[f"{module.name}:{label}"] = pattern
    for kind in KERNEL_MESSAGES:
        for number, message in enumerate(KERNEL_MESSAGES.load(kind)):
            label = f"iosonde.layers._kernel_log.messages:{kind}[{number}]"
            by_source[label] = re.compile(message.pattern)
    names = {pattern: name for name, pattern in by_source.items()}
    return {name: pattern for pattern, name in names.items()}


def _of(name: str, value: object) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield name, value
    elif isinstance(value, dict | list | tuple | set | frozenset):
        each = value.values() if isinstance(value, dict) else value
        for number, record in enumerate(each):
            if isinstance(record, re.Pattern | tuple | list):
                yield from _of(f"{name}[{number}]", record)
    elif isinstance(value, type) and value.__module__.startswith("iosonde"):
        for inner, record in vars(value).items():
            if isinstance(record, re.Pattern):
                yield from _of(f"{name}.{inner}", record)


def texts(pattern: re.Pattern[str], length: int = LENGTH) -> Iterator[str]:
    """Texts that begin as the expression wants it and then go on for `length` characters."""
    literals = list(dict.fromkeys(_LITERAL.findall(re.sub(r"\\[a-zA-Z]", "\n", pattern.pattern))))
    heads = ["", *literals[:6]]
    for filler in (*_FILLERS, *literals[:12]):
        body = (filler * (length // len(filler) + 1))[:length]
        yield body
        yield body + "\n!"
        for head in heads[1:]:
            yield head + body
            yield f"{head} {body}!"


def slowest(pattern: re.Pattern[str], *, of: int = 1) -> tuple[float, str]:
    """Seconds of a processor of the slowest search, and the beginning of its text.

    Args:
        pattern: to search for.
        of: texts from which one is taken; which it is depends on the expression.
    """
    most, which = 0.0, ""
    first = zlib.crc32(pattern.pattern.encode()) % of
    before = signal.signal(signal.SIGVTALRM, _over)
    try:
        each = zip(*(texts(pattern, LENGTH // part) for part in _PARTS), strict=True)
        for of_lengths in islice(each, first, None, of):
            took = _longest(pattern, of_lengths)
            if took > most:
                most, which = took, of_lengths[-1][:40]
            if most > SLOW:
                break
    finally:
        signal.signal(signal.SIGVTALRM, before)
    return most, which


def _longest(pattern: re.Pattern[str], of_lengths: tuple[str, ...]) -> float:
    """Seconds of a search in the longest text that has to be searched; a shorter says enough
    where time that grows with the fourth power of the length would stay below `SLOW`, and a fifth
    power of a quarter takes minutes."""
    took = 0.0
    for part, text in zip(_PARTS, of_lengths, strict=True):
        took = _time(pattern, text)
        if took < SLOW / part**4:
            break
    return took


def _time(pattern: re.Pattern[str], text: str) -> float:
    signal.setitimer(signal.ITIMER_VIRTUAL, 4 * SLOW)
    begun = time.process_time()
    try:
        for _ in pattern.finditer(text):
            pass
        pattern.fullmatch(text)
    except _Over:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - begun


def pace() -> float:
    """How many times longer this processor takes now than that on which `SLOW` was set.

    It took 0.15 to 0.27 seconds for the searches that are measured here, which grow with the
    square of a line as the slowest do that are allowed. What is faster makes no limit stricter.
    """
    plain, line = re.compile(r"\s*(?:alpha|beta|gamma): \d{1,9}\s*$"), " " * LENGTH
    begun = time.process_time()
    for _ in range(20):
        for _ in plain.finditer(line):
            pass
    return max(1.0, (time.process_time() - begun) / 0.2)


def _over(_number: int, _frame: FrameType | None) -> None:
    raise _Over
