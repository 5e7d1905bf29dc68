"""Rows of `ceph osd df` without their head, as grep leaves them: their shares must fit their sizes.

Source: osd/OSDMap.cc, OSDUtilizationPlainFormatter: Ceph 10 "ID WEIGHT REWEIGHT SIZE USE AVAIL %USE
VAR PGS", 12 with CLASS, 13 and later with DATA, OMAP and META between USE and AVAIL, 14 and later
with STATUS; "TOTAL" and "MIN/MAX VAR: %f/%f  STDDEV: %f" below them.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.ceph.facts import size
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, start_of_own

_SIZE = r"\d{1,7}(?:\.\d{1,3})? ?(?:[kKMGTPE]i?B?|B)"
_ROOM = (
    rf"(?P<size>{_SIZE})\s+(?P<used>{_SIZE})\s+(?:(?P<data>{_SIZE})\s+(?P<omap>{_SIZE})\s+"
    rf"(?P<metadata>{_SIZE})\s+)?(?P<available>{_SIZE})\s+(?P<full>\d{{1,3}}\.\d{{1,2}})"
)
_ROW = re.compile(
    r"\s*(?P<id>\d{1,7})\s+(?:(?P<class>[a-z][\w-]{1,30})\s+)?(?P<weight>\d{1,7}\.\d{1,6})\s+"
    rf"(?P<reweight>\d\.\d{{1,6}}|1|0)\s+{_ROOM}\s+(?P<variance>\d{{1,4}}\.\d{{1,3}})"
    r"(?:\s+(?P<pgs>\d{1,7}))?(?:\s+(?P<status>up|down|destroyed))?(?:\s+osd\.(?P=id))?\s*$"
)
_TOTAL = re.compile(rf"\s*TOTAL\s+{_ROOM}\s*$")
_SPREAD = re.compile(
    r"\s*MIN/MAX VAR: (?P<variance_min>\d{1,4}(?:\.\d{1,4})?)/(?P<variance_max>\d{1,6}"
    r"(?:\.\d{1,4})?)\s+STDDEV: (?P<full_deviation>\d{1,3}(?:\.\d{1,4})?)\s*$"
)
_FIGURES = frozenset({
    "weight", "reweight", "variance", "variance_min", "variance_max",
})  # fmt: skip
_SHARES = frozenset({"full", "full_deviation"})
_ROUNDED = 0.05
"""How far a share may lie from the quotient of sizes with two digits ("1.1 TiB")."""


class CephOsdDfRows(StateOutput):
    tool = "ceph osd df"
    anchors = (
        " hdd ", " ssd ", " nvme ", " 1.00000 ", "MIN/MAX VAR: ", "TOTAL ",
    )  # fmt: skip
    commands = ("ceph",)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _row)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, cluster = first, dict[str, Scalar]()
        subjects: list[PrintedSubject] = []
        for index, line in close_lines(cursor, first, 6000):
            match = _row(line)
            if match is None or (index > first and prompt_in(line)):
                break
            last, values = index, _values(match)
            if match.re is _ROW:
                subjects.append(PrintedSubject("osd", f"osd.{match['id']}", values, prompt.host))
            else:
                cluster |= values
        if cluster:
            subjects.append(PrintedSubject("ceph", "ceph", cluster, prompt.host))
        return last, subjects


def _row(line: str) -> re.Match[str] | None:
    """A row whose share is that of its sizes; the others are of another table."""
    match = _ROW.match(line) or _TOTAL.match(line)
    if match is None:
        return _SPREAD.match(line)
    whole, used = size(match["size"]), size(match["used"])
    is_share = whole > 0 and abs(used / whole - float(match["full"]) / 100) <= _ROUNDED
    return match if is_share else None


def _values(match: re.Match[str]) -> dict[str, Scalar]:
    """Sizes in bytes, shares as fractions."""
    values: dict[str, Scalar] = {}
    for name, text in match.groupdict().items():
        if not text or name == "id":
            continue
        if name in {"class", "status"}:
            values[name] = text
        elif name == "pgs":
            values[name] = int(text)
        elif name in _SHARES:
            values[name] = round(float(text) / 100, 6)
        else:
            values[name] = float(text) if name in _FIGURES else size(text)
    return values
