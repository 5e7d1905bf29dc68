"""Lines of `ceph health detail` about placement groups and OSDs, below the checks or alone.

Source: Ceph 0.80, mon/PGMonitor.cc (note_stuck_detail(): "pg %s is stuck %s for %s, current state
%s, last acting %s"; get_health(): "osd.%d is near full at %d%%"), mon/OSDMonitor.cc ("osd.%d is
down since epoch %d, last address %s"); Ceph 18, mon/PGMap.cc (get_health_checks()), osd/OSDMap.cc
(check_health(): "osd.%d (root=…) is down").
"""

from __future__ import annotations

import re
from typing import ClassVar, NamedTuple

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, nearest, start_of

_PG = r"pg (?P<pg>\d{1,10}\.[0-9a-f]{1,8}) is "
_ACTING = r"acting (?P<acting>\[(?:-?\d{1,10}(?:,-?\d{1,10}){0,40})?\])"
_DETAILS = tuple(
    re.compile(rf"\s*{pattern}")
    for pattern in (
        rf"{_PG}stuck (?P<stuck>[a-z]{{4,12}}) (?:for (?P<stuck_for>\d{{1,12}}(?:\.\d{{1,9}})?"
        rf"[a-z]{{0,2}})|since (?P<stuck_since>forever)), current state "
        rf"(?P<state>[a-z]{{4,20}}(?:\+[a-z_]{{3,30}}){{0,14}}), last {_ACTING}",
        rf"{_PG}(?P<state>[a-z]{{4,20}}(?:\+[a-z_]{{3,30}}){{0,14}}), {_ACTING}"
        r"(?:, (?P<unfound>\d{1,12}) unfound)?",
        r"osd\.(?P<osd>\d{1,7}) is (?P<fullness>near full|backfill full|full) at "
        r"(?P<full>\d{1,3})%",
        r"osd\.(?P<osd>\d{1,7})(?: \((?P<place>[^()]{3,120})\))? is (?P<status>down)"
        r"(?: since epoch (?P<down_since_epoch>\d{1,9}), last address (?P<address>\S{3,120}))?$",
        r"(?P<blocked_operations>\d{1,9}) ops are blocked > (?P<blocked_longer_than>[\d.]{1,12}) "
        r"sec on osd\.(?P<osd>\d{1,7})",
    )
)
_BEGUN = re.compile(r"\s*(?:pg \d{1,10}\.[0-9a-f]{1,8} is [a-z]|osd\.\d{1,7} )")
_SECONDS = frozenset({"stuck_for", "blocked_longer_than"})
_FLOAT = re.compile(r"\d{1,12}(?:\.\d{1,9})?")
_MOST = 20_000


class Detail(NamedTuple):
    """A line about a group or an OSD: what it is about, what it says, and its last line."""

    kind: str
    name: str
    values: dict[str, Scalar]
    last: int


def detail_at(cursor: TextCursor, index: int) -> Detail | None:
    """What the line says, with what a mail broke off it; None where it is another line."""
    line = cursor.line(index) or ""
    for last in (index, index + 1):
        for pattern in _DETAILS:
            if match := pattern.match(line):
                return _detail(match, last)
        more = cursor.line(index + 1) or ""
        if not _BEGUN.match(line) or not more or _BEGUN.match(more) or prompt_in(more):
            break
        line = f"{line} {more.strip()}"
    return None


def _detail(match: re.Match[str], last: int) -> Detail:
    groups = match.groupdict()
    pg, osd = groups.get("pg"), groups.get("osd")
    values: dict[str, Scalar] = {}
    for name, text in groups.items():
        if not text or name in {"pg", "osd"}:
            continue
        if name == "full":
            values[name] = int(text) / 100
        elif name in _SECONDS:
            values[name] = float(text) if _FLOAT.fullmatch(text) else text
        else:
            values[name] = int(text) if text.isdecimal() else text
    return Detail("ceph_pg" if pg else "osd", pg or f"osd.{osd}", values, last)


class CephHealthDetails(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "ceph health detail"
    anchors: ClassVar[tuple[str, ...]] = (
        " is stuck ", ", acting [", " full at ", " is down since epoch ", " ops are blocked > ",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("ceph",)
    reach: ClassVar[int] = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = nearest(cursor, 2, lambda line: _BEGUN.match(line) or " ops are blocked > " in line)
        if first is None or detail_at(cursor, first) is None:
            return None
        return start_of(cursor, _BEGUN.match, most=60) if first == cursor.at else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, subjects = details(cursor, first, prompt.host)
        return last, subjects


def details(cursor: TextCursor, first: int, host: str) -> tuple[int, list[PrintedSubject]]:
    """What such lines from one on say, by what they are about, and the index of the last."""
    by_name: dict[tuple[str, str], dict[str, Scalar]] = {}
    last = first - 1
    for index, line in lines(cursor, first, _MOST):
        if index <= last or (not line and index == last + 1):
            continue
        detail = detail_at(cursor, index)
        if detail is None:
            break
        by_name.setdefault((detail.kind, detail.name), {}).update(detail.values)
        last = detail.last
    return max(last, first), [
        PrintedSubject(kind, name, values, host) for (kind, name), values in by_name.items()
    ]
