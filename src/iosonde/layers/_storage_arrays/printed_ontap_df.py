"""`df` of ONTAP and of Data ONTAP in 7-mode: volumes, aggregates and what their snapshots take.

A row of `.snapshot` (or "snap reserve") is the reserve for snapshots of the volume above it: what
these take beyond it, they take from the files. Sizes are of 1024; without -h they are KiB.

Source: NetApp, na_df(1); outputs of Data ONTAP 7.3 to 8.2 in 7-mode and of ONTAP 9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.layers._storage_arrays.printed_ontap import size_in
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(
    r"\s*(?P<what>Filesystem|[Aa]ggregate) {2,40}(?:kbytes|total) {2,20}used {2,20}avail capacity"
    r"(?: {1,4}Mounted on(?P<vserver> {2,60}Vserver)?)?\s*$"
)
_SIZE = r"\d{1,18}(?:[KMGTP]?B)?"
_ROW = re.compile(
    rf"\s*(?P<name>/vol/\S{{1,300}}|[A-Za-z_]\S{{0,100}}|snap reserve)\s+(?P<size>{_SIZE})\s+"
    rf"(?P<used>{_SIZE})\s+(?P<available>{_SIZE})\s+(?P<share>\d{{1,6}}|---)%"
    r"(?:\s+(?P<point>\S{1,300})(?:\s+(?P<vserver>[A-Za-z_][\w.-]{0,100}))?)?\s*$"
)
_NAME = re.compile(r"\s*(?:/vol/\S{1,300}|[A-Za-z_][\w.-]{0,100}(?:/\.snapshot)?)\s*$")
_SNAPSHOT = re.compile(r"(?:/|^)\.snapshot/?$|^snap reserve$")
_OF_SNAPSHOTS = {"size": "snapshot_reserve", "used": "snapshot_used"}


class OntapDf(StateOutput):
    tool = "ontap df"
    anchors = ("used      avail capacity", "used avail capacity")
    commands = ("df", "storage", "volume", "ssh")
    beginning = _HEAD
    reach = 4
    nothing = "no row follows"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        kind = "storage_volume" if head["what"] == "Filesystem" else "storage_pool"
        things: list[tuple[str, dict[str, Scalar]]] = []
        last, above = first, ""
        for index, line in close_lines(cursor, first + 1, 2000):
            row = _ROW.match(f"{above} {line}")
            if row is None:
                if prompt_in(line) or above or not _NAME.match(line):
                    break
                above = line
                continue
            last, above = index, ""
            if not _SNAPSHOT.search(row["name"]):
                things.append((_name(row), _values(row)))
            elif things:
                sizes = _values(row)
                named = {name: sizes[key] for key, name in _OF_SNAPSHOTS.items() if key in sizes}
                things[-1][1].update(named)
        return last, [PrintedSubject(kind, name, values, prompt.host) for name, values in things]


def _name(row: re.Match[str]) -> str:
    name = row["name"].removeprefix("/vol/").rstrip("/")
    return f"{row['vserver']}:{name}" if row["vserver"] else name


def _bytes(text: str) -> int | None:
    return int(text) * units.KIB if text.isdecimal() else size_in(text)


def _values(row: re.Match[str]) -> dict[str, Scalar]:
    sizes: Mapping[str, int | None] = {
        name: _bytes(row[name]) for name in ("size", "used", "available")
    }
    share = int(row["share"]) / 100 if row["share"].isdecimal() else None
    point = row["point"] if row["point"] and row["point"].startswith("/") else None
    return without_none({**sizes, "used_share": share, "mount_point": point})
