"""slabtop and /proc/slabinfo: what the kernel's caches of objects take.

Source: procps-ng 4.0, slabtop.c: sizes in units of 1024 bytes, what is printed on a terminal padded
by ncurses, with tabs where it likes; Linux, mm/slab_common.c,
print_slabinfo_header() and cache_show(): <objsize> in bytes, a slab in pages of the processor.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows

_SHARE = re.compile(
    r"\s*Active / Total (?P<of>Objects|Slabs|Caches|Size) \(% used\)\s*: "
    r"(?P<active>\d+(?:[.,]\d+)?)K? / (?P<total>\d+(?:[.,]\d+)?)K? \("
    r"(?P<share>\d{1,3}[.,]\d)?"
)
_SIZES = re.compile(
    r"\s*Minimum / Average / Maximum Object\s*:"
    r"(?:\s{0,4}(\d{1,9}[.,]\d\d)K / (\d{1,9}[.,]\d\d)K / (\d{1,9}[.,]\d\d)K)?"
)
_HEAD = re.compile(r"\s*OBJS ACTIVE\s+USE OBJ SIZE\s+SLABS OBJ/SLAB CACHE SIZE NAME\s*$")
_ROW = re.compile(
    r"\s*(?P<objects>\d+)\s+(?P<active>\d+)\s+(?P<used>\d{1,3})%\s+(?P<object_size>\d+[.,]\d+)K\s+"
    r"(?P<slabs>\d+)\s+(?P<objects_per_slab>\d+)\s+(?P<size>\d+)K\s+(?P<name>\S[^|]{0,60}?)\s*$"
)
_SLABINFO_HEAD = re.compile(
    r"\s*+(?:#\s{1,4})?name\s{1,30}<active_objs> <num_objs> <objsize> .{1,200}"
)
_SLABINFO_ROW = re.compile(
    r"\s*+(?P<name>\S{1,64})\s{1,40}(?P<active>\d{1,12})\s{1,12}(?P<objects>\d{1,12})"
    r"\s{1,12}(?P<object_size>\d{1,9})\s{1,12}(?P<objects_per_slab>\d{1,6})"
    r"\s{1,12}(?P<pages_per_slab>\d{1,6})\s{1,4}:\s{1,4}tunables(?:\s{1,12}\d{1,9}){3}"
    r"\s{1,4}:\s{1,4}slabdata\s{1,12}\d{1,12}\s{1,12}(?P<slabs>\d{1,12})(?:\s.{0,300})?"
)
_MOST = 400


class Slabtop(StateOutput):
    tool = "slabtop"
    anchors = ("Active / Total Objects", "OBJS ACTIVE")
    commands = ("slabtop",)
    nothing = "no cache follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _SHARE.match(line):
            return cursor.at
        return cursor.at if _HEAD.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        rows: list[Json] = []
        last = first - 1
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            if share := _SHARE.match(line):
                scale = float(units.KIB) if share["of"] == "Size" else 1.0
                of = share["of"].lower()
                values[f"active_{of}"] = _figure(share["active"]) * scale
                values[of] = _figure(share["total"]) * scale
                if share["share"]:
                    values[f"active_{of}_share"] = round(_figure(share["share"]) / 100, 6)
            elif row := _ROW.match(line):
                rows.append({
                    "name": row["name"], "objects": int(row["objects"]),
                    "active": int(row["active"]), "used": int(row["used"]) / 100,
                    "object_size": _figure(row["object_size"]) * units.KIB,
                    "slabs": int(row["slabs"]),
                    "objects_per_slab": int(row["objects_per_slab"]),
                    "size": int(row["size"]) * units.KIB,
                })  # fmt: skip
            elif sizes := _SIZES.match(line):
                for name, size in zip(("min", "mean", "max"), sizes.groups(), strict=True):
                    if size:
                        values[f"object_size.{name}"] = _figure(size) * units.KIB
            elif not _HEAD.match(line):
                break
            last = index
        if rows:
            values["kernel_caches"] = rows
        return max(last, first), [self.counted("host", "", values, prompt)] if values else []


class Slabinfo(StateOutput):
    tool = "slabinfo"
    anchors = ("<objsize>", "<objperslab>")
    commands = ("cat", "head", "grep", "sort", "sudo")
    nothing = "no cache follows"
    beginning = _SLABINFO_HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        matches, last = close_rows(cursor, first + 1, _SLABINFO_ROW.fullmatch, _MOST)
        rows: list[Json] = [
            {
                name: figure if name == "name" else int(figure)
                for name, figure in match.groupdict().items()
            }
            for match in matches
        ]
        return last, [self.counted("host", "", {"kernel_caches": rows}, prompt)] if rows else []


def _figure(text: str) -> float:
    return float(text.replace(",", "."))
