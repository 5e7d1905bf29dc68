"""`gmirror status`, `graid status`, `gstripe status` and their like of FreeBSD.

Source: FreeBSD 14, sbin/geom/core/geom.c (std_status(), status_one_consumer(): a component with its
state in brackets, how far it is synchronised behind a comma); lib/geom/mirror, raid and raid3.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_HEAD = re.compile(r"\s*+Name\s++Status\s++Components\s*+$")
_MEMBER = (
    r"(?P<member>[a-z][\w./%-]{1,60})"
    r"(?: \((?P<state>[A-Z]{2,20}(?: \([A-Z]{2,20}\))?)(?:, (?P<share>\d{1,3})%)?\))?"
)
_ROW = re.compile(
    rf"\s*+(?P<class>mirror|raid|raid3|stripe|concat|shsec)/(?P<name>[\w.+-]{{1,60}})\s++"
    rf"(?P<status>[A-Z]{{2,16}})\s++{_MEMBER}\s*+$"
)
_MORE = re.compile(rf"\s*+{_MEMBER}\s*+$")
_MOST = 400
_MEMBERS = 64


class GeomStatus(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "geom status"
    anchors: ClassVar[tuple[str, ...]] = ("Status  Components", "Status Components")
    commands: ClassVar[tuple[str, ...]] = (
        "gmirror", "graid", "graid3", "gstripe", "gconcat", "geom",
    )  # fmt: skip
    reach: ClassVar[int] = 3
    beginning: ClassVar[re.Pattern[str]] = _HEAD
    nothing: ClassVar[str] = "no array follows its head"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        arrays: list[tuple[str, dict[str, Scalar]]] = []
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            if not line:
                if index > last + 2:
                    break
                continue
            if row := _ROW.match(line):
                name = f"{row['class']}/{row['name']}"
                arrays.append((name, {"type": row["class"], "state": row["status"]}))
            else:
                row = _MORE.match(line) if arrays and line[:1].isspace() else None
            if row is None:
                break
            _take(arrays[-1][1], row)
            last = index
        return last, [PrintedSubject("geom", name, own, prompt.host) for name, own in arrays]


def _take(array: dict[str, Scalar], row: re.Match[str]) -> None:
    """Adds a component to its array: its state, and the share of it that is synchronised."""
    members = str(array.get("members") or "").split(", ") if array.get("members") else []
    if len(members) < _MEMBERS:
        array["members"] = ", ".join([*members, row["member"]])
        if row["state"]:
            array[f"{row['member']}_state"] = row["state"]
        if row["share"]:
            array[f"{row['member']}_synchronised"] = int(row["share"]) / 100
