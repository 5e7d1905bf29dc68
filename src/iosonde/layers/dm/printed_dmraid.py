"""`dmraid -r` and `dmraid -s`: drives with the metadata of a BIOS' RAID, and the sets they make.

Source: dmraid 1.0.0.rc16, lib/format/format.c and lib/display/display.c (`_log_rd()`, `_log_rs()`:
sizes in sectors of 512 bytes, stride in sectors; the status is ok, broken, inconsistent, nosync,
setup or undef), lib/metadata/metadata.c (`get_type()`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import HeadedOutput, Items, StateOutput, close_lines, start_of

_TYPE = (
    r"(?:GROUP|linear|stripe|mirror|raid01|raid10|raid4|raid5_\w\w|raid6_\w\w|spare|partition|\?)"
)
_STATUS = r"(?:ok|broken|inconsistent|nosync|setup|undef)"
_DRIVE = re.compile(
    r"\s*(?P<device>/dev/[\w/-]{2,40}): (?P<format>[a-z]\w{1,10}), \"(?P<set>[^\"]{1,60})\", "
    rf"(?P<type>{_TYPE}), (?P<status>{_STATUS}), (?P<sectors>\d{{1,15}}) sectors, "
    r"data@ (?P<start>\d{1,15})\s*$"
)
_HEAD = re.compile(
    r"\s*(?:\*{3} Group superset (?P<group>\S{1,60})|--> (?P<role>(?:Active |\*Inactive\* )?"
    r"(?:Sub|Super)?[Ss]et))\s*$"
)
_PAIR = re.compile(
    r"\s*(?P<label>name|size|stride|type|status|subsets|devs|spares) {0,6}: (?P<value>\S{1,80})\s*$"
)
_LEVELS = {"stripe": "raid0", "mirror": "raid1", "raid01": "raid10", "raid10": "raid10",
           "raid4": "raid4", "raid5": "raid5", "raid6": "raid6", "linear": "linear"}  # fmt: skip


class DmraidDrives(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "dmraid -r"
    anchors: ClassVar[tuple[str, ...]] = (" sectors, data@ ",)
    commands: ClassVar[tuple[str, ...]] = ("dmraid",)
    beginning: ClassVar[re.Pattern[str]] = _DRIVE

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if super().begin(cursor) is None:
            return None
        return start_of(cursor, _DRIVE.match, most=60)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, subjects = first, list[PrintedSubject]()
        for index, line in close_lines(cursor, first, 400, gap=2):
            row = _DRIVE.match(line)
            if row is None:
                break
            last = index
            values: dict[str, Scalar] = {
                "metadata": row["format"], "set": row["set"].strip(), "type": row["type"],
                "status": row["status"], "size": int(row["sectors"]) * units.SECTOR,
                "data_start": int(row["start"]) * units.SECTOR,
            }  # fmt: skip
            name = row["device"].removeprefix("/dev/")
            subjects.append(PrintedSubject("disk", name, values, prompt.host))
        return last, subjects


class DmraidSets(HeadedOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "dmraid -s"
    anchors: ClassVar[tuple[str, ...]] = (
        "*** Group superset ", "--> Active S", "--> Subset", "--> Set", "--> *Inactive",
        "--> Superset",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("dmraid",)
    nothing: ClassVar[str] = "nothing is said of a set"
    beginning: ClassVar[re.Pattern[str]] = _HEAD

    @override
    def is_head(self, line: str) -> bool:
        return bool(_HEAD.match(line))

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return bool(_PAIR.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        pairs = {
            pair["label"]: pair["value"] for pair in map(_PAIR.match, text.split("\n")) if pair
        }
        head = _HEAD.match(text.partition("\n")[0])
        if "name" in pairs and head:
            yield PrintedSubject("dmraid", pairs["name"], _of_set(pairs, head["role"]), prompt.host)


def _of_set(pairs: Mapping[str, str], role: str) -> dict[str, Scalar]:
    stride, kind = pairs.get("stride", ""), pairs.get("type", "")
    size = pairs.get("size", "")
    counts = {label: int(pairs[label]) for label in ("subsets", "devs", "spares")
              if pairs.get(label, "").isdecimal()}  # fmt: skip
    return without_none(
        {
            "active": "Inactive" not in role if "ctive" in role else None,
            "size": int(size) * units.SECTOR if size.isdecimal() else None,
            "strip_size": int(stride) * units.SECTOR
            if stride.isdecimal() and stride != "0"
            else None,
            "type": kind or None,
            "raid_level": _LEVELS.get(kind.partition("_")[0]),
            "status": pairs.get("status"),
            "subsets": counts.get("subsets"),
            "disks": counts.get("devs"),
            "spares": counts.get("spares"),
        }
    )
