"""`lsraid` of the raidtools: md's arrays and their members, by device numbers and names.

Its source is no longer at hand. Source: raidtools 1.00.3, lsraid(8), its options and EXAMPLES;
nagios-plugin-check_raid 4.0, its plugin lsraid (lsraid -A -p) and the outputs of Red Hat 2.1 and 3
that it is tested with. A slot whose drive is gone is "(unknown) … missing". Any other state is said
as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows, top_of_own

_ROW = re.compile(
    r"\s*\[dev {1,4}(?:\d{1,4}|\?), {1,4}(?:\d{1,4}|\?)\] (?P<name>/dev/\S{1,40}|\(unknown\)) +"
    r"(?P<uuid>[0-9A-F]{8}(?:\.[0-9A-F]{8}){3}) (?P<state>[a-z]{4,12})\s*$"
)
_LISTED = frozenset({"good", "failed", "spare", "missing"})
_ARRAY = frozenset({"online", "offline"})


class Lsraid(StateOutput):
    tool = "lsraid"
    anchors = ("[dev  ", "[dev   ?")
    commands = ("lsraid",)
    nothing = "it names no array"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _ROW.match, most=70)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        arrays: list[list[re.Match[str]]] = []
        rows, last = close_rows(cursor, first, _ROW.match, 600, gap=3)
        for row in rows:
            if row["state"] in _ARRAY:
                arrays.append([row])
            elif arrays:
                arrays[-1].append(row)
        return last, _subjects(arrays, prompt.host)


def _subjects(arrays: list[list[re.Match[str]]], host: str) -> Iterator[PrintedSubject]:
    """The arrays. How many members one lacks is said where only one list tells of it.

    A drive that failed may stand there beside the slot that it left.
    """
    for head, *rows in arrays:
        values: dict[str, Scalar] = {"uuid": head["uuid"], "array_state": head["state"]}
        lists = {
            name: [row["name"].removeprefix("/dev/") for row in rows if row["state"] == state]
            for name, state in (
                ("members", "good"), ("faulty", "failed"), ("spares", "spare"),
                ("missing", "missing"),
            )
        }  # fmt: skip
        missing = len(lists.pop("missing"))
        values["active_members"] = len(lists["members"])
        values |= {name: " ".join(names) for name, names in lists.items() if names}
        for row in rows:
            if row["state"] not in _LISTED:
                other = row["name"].removeprefix("/dev/")
                values[row["state"]] = f"{values.get(row['state'], '')} {other}".strip()
        if not (missing and lists["faulty"]):
            values["degraded"] = missing + len(lists["faulty"])
        yield PrintedSubject("md", head["name"].removeprefix("/dev/"), values, host)
