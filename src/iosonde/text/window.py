"""The lines around a place in a document, cleaned as they are needed, in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Callable

from typing_extensions import override

from iosonde import limits
from iosonde.text.clean import clean
from iosonde.text.cursor import REACH, TextCursor
from iosonde.text.document import Document
from iosonde.text.programs import is_programs_name

_BLOCK = 1 << 12
"""Bytes cleaned at once: little more than an output has, for most of a text is none."""
_BEHIND = (1 << 13, 1 << 15)
"""Bytes before an anchor in which the lines before it are looked for: mostly the fewer do."""
_KEPT = 4 * REACH
"""Lines before the one looked at that stay in memory."""

_CLOCK = (
    r"(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\[\d\d:\d\d:\d\d\])"
)
_TIME = rf"(?:{_CLOCK}|\[ *\d+\.\d{{3,}}\])"  # the kernel's own time names no host behind it
_NUMBERED = re.compile(r"(?P<number>\d{1,5})[.:)|](?P<host>(?!))?(?:\s|$)")
_LOGGED = re.compile(_CLOCK + r" (?P<host>[A-Za-z][\w.-]*) [A-Za-z_][\w./-]*(?:\[\d+\])?:(?:\s|$)")
# Tests print hundredths; sar's time has no fraction, that of strace microseconds.
_STAMP = re.compile(rf"(?:{_TIME}|\d\d:\d\d:\d\d\.\d{{2,3}}(?=\s))(?P<host>(?!))?\s?")
_HARNESS = re.compile(
    r"(?:\d\d:\d\d:\d\d )?(?:DEBUG|INFO|WARNI|WARN|ERROR)\s*\| "
    r"(?:\[std(?:out|err)\] ?)?(?P<host>(?!))?"
)
"""What autotest and avocado log a program's output behind."""
_DEPLOYED = re.compile(
    r"\[(?P<host>[A-Za-z][\w.-]{0,80})\]\[(?:DEBUG|INFO|WARNIN|WARNING|ERROR|CRITICAL) {0,3}\] ?"
)
"""What ceph-deploy logs what a host printed behind (ceph_deploy/util/log.py, remoto)."""
_HOST = re.compile(r"(?P<host>[A-Za-z][\w-]*(?:\.[\w-]+)*)(?:: | ?\| |:$)")

_NO_HOSTS = frozenset({
    "read", "write", "trim", "mixed", "lat", "clat", "slat", "sync", "bw", "iops", "cpu", "jobs",
    "tcp", "iser", "bnx2i", "cxgb3i", "cxgb4i", "qla4xxx", "qedi", "be2iscsi", "kernel",
    "error", "warning", "info", "corruption", "repaired", "optimized",
    "average", "batezbestekoa", "gemiddeld", "gemideld", "genomsnitt", "gj.snitt", "keskiarvo",
    "media", "medie", "medja", "meznombro", "middel", "moyenne", "ortalama", "priemer", "prosjek",
    "rata-rata",
})  # fmt: skip
"""What lines of fio, iscsiadm, sysstat (its averages in the languages of its nls/*.po) and logs
begin with: two in a row have no host before them."""


class Window:
    """Clean lines of a document with their numbers, loaded on demand."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._texts: list[str] = []
        self._first = 1  # number, in the data, of the first line held
        self._next = 0  # offset of the first byte not loaded

    def go_to(self, number: int, offset: int) -> None:
        """Make a line available, and REACH lines before it.

        Args:
            number: of the line in the data, from 1; never less than in an earlier call.
            offset: of its first byte.
        """
        held = self._first + len(self._texts)
        if number > held + REACH:
            self._jump(number, offset)
        while number >= self._first + len(self._texts):
            if not self._load():
                break
        surplus = number - _KEPT - self._first
        if surplus > 4 * _KEPT:
            del self._texts[:surplus]
            self._first += surplus

    def text(self, number: int) -> str | None:
        """The clean line with this number; None outside of what is there."""
        place = number - self._first
        while place >= len(self._texts):
            if not self._load():
                return None
        return self._texts[place] if place >= 0 else None

    def block(self, number: int, most: int) -> list[str]:
        """The clean lines from a number on, at most so many; fewer at the end of the text."""
        place = number - self._first
        while place + most > len(self._texts):
            if not self._load():
                break
        return self._texts[max(place, 0) : max(place + most, 0)]

    def _jump(self, number: int, offset: int) -> None:
        data = self._document.data
        kept: list[bytes] = []
        for behind in _BEHIND:
            low = max(offset - behind, 0)
            before = data[low:offset].split(b"\n")[low > 0 : -1]  # the first may be torn
            kept = before[-REACH - 1 :]
            if len(kept) > REACH or not low:
                break
        self._texts.clear()
        self._first = number - len(kept)
        self._next = offset - sum(map(len, kept)) - len(kept)

    def _load(self) -> bool:
        data = self._document.data
        if self._next > len(data) or not len(data):
            return False
        start = min(self._next + _BLOCK, len(data))
        end = data.find(b"\n", start, start + limits.LINE)
        end = min(start + limits.LINE, len(data)) if end < 0 else end
        block = data[self._next : end]
        self._texts += clean(block.decode(errors="replace"))
        self._next = end + 1
        return True


class View(TextCursor):
    """See `iosonde.text.cursor.TextCursor`: the lines of a window that a parser may look at."""

    def __init__(self, window: Window, *, floor: int, anchor: int) -> None:
        self._window = window
        self._floor = max(floor, anchor - REACH, 1)
        self.at = anchor - self._floor
        self._strip, self.host = self._prefix(anchor)

    def number(self, index: int) -> int:
        """Number, in the data, of the line with an index."""
        return self._floor + index

    @override
    def has(self, index: int) -> bool:
        return index >= 0 and self._window.text(self._floor + index) is not None

    @override
    def line(self, index: int) -> str:
        text = self._window.text(self._floor + index) if index >= 0 else None
        if not text:
            return ""
        return text if self._strip is None else self._strip(text)

    @override
    def stamped(self, index: int) -> str:
        return (self._window.text(self._floor + index) or "") if index >= 0 else ""

    @override
    def block(self, first: int, most: int) -> list[str]:
        if first < 0:
            return []
        texts = self._window.block(self._floor + first, most)
        return texts if self._strip is None else [self._strip(text) for text in texts]

    def _prefix(self, anchor: int) -> tuple[Callable[[str], str] | None, str]:
        """What stands before every line here, and the host it names."""
        around = [self._window.text(anchor + step) for step in (-1, 0, 1)]
        near = [text.lstrip() for text in around if text]
        own = (self._window.text(anchor) or "").lstrip()
        if _is_numbered(*((text or "").lstrip() for text in around)):
            return _without(_NUMBERED), ""
        for pattern in (_LOGGED, _STAMP, _HARNESS, _DEPLOYED, _HOST):
            match = pattern.match(own)
            if match is None or len(near) < 2:
                continue
            matches = [pattern.match(text + " ") for text in near]
            alike = [other for other in matches if other and other["host"] == match["host"]]
            if pattern is _HOST and _is_no_host(match["host"]):
                continue
            if len(alike) >= 2 and (pattern is not _HOST or len(alike) == len(near)):
                return _without(pattern), match["host"] or ""
        return None, ""


_OF_KERNEL = re.compile(
    r"ata\d{1,3}(?:\.\d{1,3})?|(?:sd|vd|xvd|hd)[a-z]{1,3}|(?:md|dm-|nbd|loop|bcache|drbd|zram|ram)\d{1,4}"
    r"|nvme\d{1,3}(?:[nc]\d{1,3}){0,2}|(?:scsi|eth|usb|session|host)\d{1,4}|rcu|watchdog|scsi|nvme|usb|pci"
    r"|end_request|blk_update_request|print_req_error"
)
"""What the kernel begins its messages with: devices, and parts of itself."""


def _is_no_host(name: str) -> bool:
    """Whether lines that begin with this name are a program's own, not those of a host."""
    return (
        _OF_KERNEL.fullmatch(name) is not None
        or name.lower() in _NO_HOSTS
        or is_programs_name(name)
    )


def _is_numbered(before: str, line: str, after: str) -> bool:
    """Whether lines have their numbers in front, each one more than the line above."""
    own = _NUMBERED.match(line)
    if own is None:
        return False
    beside = ((before, int(own["number"]) - 1), (after, int(own["number"]) + 1))
    alike = [(_NUMBERED.match(text), number) for text, number in beside if text]
    return bool(alike) and all(match and int(match["number"]) == n for match, n in alike)


def _without(pattern: re.Pattern[str]) -> Callable[[str], str]:
    def strip(text: str) -> str:
        prefix = pattern.match(text.lstrip() + " ")  # a blank line lost the blank after its prefix
        return text.lstrip()[prefix.end() :] if prefix else text

    return strip
