"""Rows of `iostat -x` without their head, as grep leaves them.

Which columns they have is told by how many they are, and of what the rates are by the figures: the
mean size of a request times how many there are in a second is the rate. A row is read only where
that holds for one unit; of a row that shows no requests another one beside it must tell.

Source: sysstat 9 to 12.7, iostat.c (write_ext_stat(), write_plain_ext_stat()): columns by versions;
`avgrq-sz` is in sectors of 512 bytes, `rareq-sz` in KiB, whatever the unit of the rates is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.monitors.printed_iostat import figures
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_OLD = ("rrqm/s", "wrqm/s", "r/s", "w/s", "rkB/s", "wkB/s", "avgrq-sz", "avgqu-sz")
_READ = ("r/s", "rkB/s", "rrqm/s", "%rrqm", "r_await", "rareq-sz")
_WRITE = ("w/s", "wkB/s", "wrqm/s", "%wrqm", "w_await", "wareq-sz")
_DISCARD = ("d/s", "dkB/s", "drqm/s", "%drqm", "d_await", "dareq-sz")
_COLUMNS: Mapping[int, Sequence[str]] = {
    len(columns): columns
    for columns in (
        (*_OLD, "await", "svctm", "%util"),
        (*_OLD, "await", "r_await", "w_await", "svctm", "%util"),
        ("r/s", "w/s", "rkB/s", "wkB/s", "rrqm/s", "wrqm/s", "%rrqm", "%wrqm", "r_await", "w_await",
         "aqu-sz", "rareq-sz", "wareq-sz", "svctm", "%util"),
        (*_READ, *_WRITE, *_DISCARD, "aqu-sz", "%util"),
        (*_READ, *_WRITE, *_DISCARD, "f/s", "f_await", "aqu-sz", "%util"),
    )
}  # fmt: skip
_ROW = re.compile(
    r"\s*(?P<name>(?:sd[a-z]{1,3}|hd[a-z]|x?vd[a-z]{1,2}|dm-|md|drbd|rbd|bcache|loop|sr"
    r"|(?:nvme|mmcblk|cciss/c)\d{1,4}(?:c\d{1,4})?[nd]?\d{0,4})(?:p?\d{1,5})?):?"
    r"(?P<cells>(?:\s{1,40}\d{1,12}\.\d{1,3}){11,22})\s*$"
)
_UNITS = {"sec/s": 512, "kB/s": 1024, "MB/s": 1024**2}
"""Of rates: bytes; versions that print `rareq-sz` don't count sectors."""
_HALF = 0.005  # of the last digit of most figures
_MOST = 4000


class IostatRows(StateOutput):
    tool = "iostat"
    unspecific: ClassVar[bool] = True
    anchors = ("0.00  ", "0.00\t")
    holds: ClassVar[re.Pattern[bytes]] = re.compile(
        rb"(?:sd|hd|vd|dm-|md|nvme|mmcblk|cciss|rbd|drbd|bcache|loop)[\w/]{0,20}:?"
        rb"(?:\s{1,40}\d{1,12}\.\d{1,3}){11}"
    )
    commands = ("iostat",)
    reach = 3
    beginning = _ROW
    nothing = "what its rates are of is not told by its figures"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The row, where its figures or those of one beside it tell what they are."""
        row = _ROW.match(cursor.line(cursor.at))
        if row is None or len(fields(row["cells"])) not in _COLUMNS:
            return None
        rows, _ = _rows(cursor, cursor.at)
        return cursor.at if _unit(rows) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = _rows(cursor, first)
        unit = _unit(rows)
        return last, [
            self.counted(
                "disk", row["name"],
                figures(_named(cells, unit), cells) | {"report": None, "since_boot": None}, prompt,
            )
            for row in rows if (cells := fields(row["cells"]))
        ] if unit else []  # fmt: skip


def _rows(cursor: TextCursor, first: int) -> tuple[list[re.Match[str]], int]:
    """The rows of as many columns as the first of them, and the index of the last."""
    head = _ROW.match(cursor.line(first))
    count = len(fields(head["cells"])) if head else 0

    def alike(line: str) -> re.Match[str] | None:
        row = _ROW.match(line)
        return row if row and len(fields(row["cells"])) == count else None

    return close_rows(cursor, first, alike, _MOST, gap=1)


def _named(cells: Sequence[str], unit: str) -> list[str]:
    """The columns of a row whose rates are in a unit: `kB/s`, `MB/s` or `sec/s`."""
    return [name.replace("kB/s", unit) for name in _COLUMNS[len(cells)]]


def _unit(rows: Sequence[re.Match[str]]) -> str:
    """The unit that all rows with requests agree on; empty where none or several would do."""
    units = [some for row in rows if (some := _units_of(fields(row["cells"])))]
    shared = set.intersection(*units) if units else set[str]()
    return shared.pop() if len(shared) == 1 else ""


def _units_of(cells: Sequence[str]) -> set[str]:
    """The units for which sizes times requests are the rates of a row; empty: it has no requests.

    A row for none of whose units that holds contradicts all.
    """
    values = dict(zip(_COLUMNS[len(cells)], map(float, cells), strict=True))
    parts = [
        (values[f"{way}areq-sz"] * 1024, values[f"{way}/s"], values[f"{way}kB/s"], 1024)
        for way in "rw"
        if "rareq-sz" in values and values[f"{way}/s"] >= 1
    ]
    requests = values["r/s"] + values["w/s"]
    if "avgrq-sz" in values and requests >= 1:
        parts = [(values["avgrq-sz"] * 512, requests, values["rkB/s"] + values["wkB/s"], 512)]
    if not parts:
        return set()
    units = {
        unit for unit, scale in _UNITS.items()
        if ("avgrq-sz" in values or unit != "sec/s") and all(_fits(part, scale) for part in parts)
    }  # fmt: skip
    return units or {""}


def _fits(part: tuple[float, float, float, int], scale: int) -> bool:
    """Whether a size times a rate of requests is a rate of bytes, within what was rounded off."""
    size, requests, rate, grain = part
    error = _HALF * (requests * grain + size + 2 * scale) + 2e-3 * size * requests
    return abs(size * requests - rate * scale) <= error and rate > 0
