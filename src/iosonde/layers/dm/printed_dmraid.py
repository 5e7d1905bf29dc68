"""`dmraid -r`, `-b` and `-s`: drives with the metadata of a BIOS' RAID, and the sets they make.

Source: dmraid 1.0.0.rc16, lib/display/display.c (`log_disk()`, `log_rd()`, `log_rs()`: sizes and
strides are sectors of 512 bytes; `display_set()`: heads begin with --> or ***, and say that a set
is inconsistent or active; `check_null()`: unknown), lib/metadata/metadata.c (`ascii_type`,
`stacked_ascii_type`, whose raid01 is a stripe over mirrors, `ascii_status`: ok, nosync,
inconsistent, broken, setup).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import HeadedOutput, Items, StateOutput, start_of_own
from iosonde.text.wrapped_rows import wrapped_rows

_TYPE = (
    r"(?:GROUP|linear|stripe|mirror|raid4|raid5_[lr][sa]|raid6|raid[1-6]0|raid0[1-6]|spare"
    r"|partition|unknown)"
)
_STATUS = r"(?:ok|broken|inconsistent|nosync|setup|unknown)"
_DEVICE = r"/dev/[\w/!.:-]{2,60}"
_DRIVE_FORM = (
    rf"(?P<device>{_DEVICE}): (?P<format>[a-z]\w{{1,10}}), \"(?P<set>[^\"]{{1,60}})\", "
    rf"(?P<type>{_TYPE}), (?P<status>{_STATUS}), (?P<sectors>\d{{1,15}}) sectors, "
    r"data@ (?P<start>\d{1,15})"
)
_BLOCK_FORM = (
    rf"(?P<block>{_DEVICE}): {{1,12}}(?P<length>\d{{1,15}}) total, \"(?P<serial>[^\"]{{1,60}})\""
)
_ROW = re.compile(f"{_DRIVE_FORM}|{_BLOCK_FORM}")
_BEGINS = re.compile(r"\s*/dev/[\w/!.:-]{2,60}: {1,12}(?:\d{1,15} total,|[a-z]\w{1,10}, \")")
_HEAD = re.compile(
    r"\s*(?:\*{3} Group superset (?P<group>\S.{0,60}?)|(?:-->|\*{3}) (?P<role>"
    r"(?:\*Inconsistent\* )?(?:Active )?(?:Subset|Superset|Set)))\s*$"
)
_PAIR = re.compile(
    r"\s*(?P<label>name|size|stride|type|status|subsets|devs|spares) {0,6}: "
    r"(?P<value>\S.{0,80}?)\s*$"
)
_MISSING = re.compile(
    r"\s*(?:ERROR: )?(?P<format>[a-z]\w{1,10}): wrong # of devices in RAID set "
    r"\"(?P<set>[^\"]{1,60})\" \[(?P<present>\d{1,4})/(?P<expected>\d{1,4})\] on "
    r"(?P<device>/dev/[\w/!.:-]{2,60})\s*$"
)
_BEGINS_MISSING = re.compile(r"\s*(?:ERROR: )?[a-z]\w{1,10}: wrong # of devices in RAID set")
_LEVELS = {"stripe": "raid0", "mirror": "raid1", "raid01": "raid10", "raid10": "raid10",
           "raid4": "raid4", "raid5": "raid5", "raid6": "raid6", "linear": "linear"}  # fmt: skip


class DmraidDrives(StateOutput):
    tool = "dmraid -r"
    anchors = (" sectors, data@", ' total, "')
    commands = ("dmraid",)
    nothing = "its row is cut"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _BEGINS.match, most=60)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, subjects = first, list[PrintedSubject]()
        for row, index in wrapped_rows(cursor, first, _ROW, _BEGINS):
            last = index
            name = (row["device"] or row["block"]).removeprefix("/dev/")
            values = _of_drive(row) if row["device"] else _of_block(row)
            subjects.append(PrintedSubject("disk", name, values, prompt.host))
        return last, subjects


def _of_drive(row: re.Match[str]) -> dict[str, Scalar]:
    return {
        "metadata": row["format"],
        "set": row["set"].strip(),
        "type": row["type"],
        "status": row["status"],
        "size": int(row["sectors"]) * units.SECTOR,
        "data_start": int(row["start"]) * units.SECTOR,
    }


def _of_block(row: re.Match[str]) -> dict[str, Scalar]:
    serial = row["serial"].strip()
    size: dict[str, Scalar] = {"size": int(row["length"]) * units.SECTOR}
    return size if serial == "N/A" else {**size, "serial": serial}


class DmraidSets(HeadedOutput):
    tool = "dmraid -s"
    anchors = (
        "*** Group superset ", "--> Active S", "--> Subset", "--> Set", "--> Superset",
        "*** Active S", "*** Superset", "*** Set", " *Inconsistent* ",
    )  # fmt: skip
    commands = ("dmraid",)
    nothing = "nothing is said of a set"
    beginning = _HEAD

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
            yield PrintedSubject(
                "dmraid", pairs["name"], _of_set(pairs, head["role"] or ""), prompt.host
            )


def _of_set(pairs: Mapping[str, str], role: str) -> dict[str, Scalar]:
    stride, kind = pairs.get("stride", ""), pairs.get("type", "")
    size = pairs.get("size", "")
    counts = {label: int(pairs[label]) for label in ("subsets", "devs", "spares")
              if pairs.get(label, "").isdecimal()}  # fmt: skip
    return without_none(
        {
            "active": "Active" in role if role else None,
            "inconsistent": True if "*Inconsistent*" in role else None,
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


class DmraidMissing(StateOutput):
    tool = "dmraid"
    anchors = (": wrong # of devices in RAID set",)
    commands = ("dmraid",)
    beginning = _BEGINS_MISSING

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, values_by_set = first, dict[str, dict[str, Scalar]]()
        for row, index in wrapped_rows(cursor, first, _MISSING, _BEGINS_MISSING):
            last = index
            values = values_by_set.setdefault(row["set"].strip(), {"metadata": row["format"]})
            values |= {"disks": int(row["present"]), "expected_disks": int(row["expected"])}
            device = row["device"].removeprefix("/dev/")
            values["members"] = f"{values.get('members', '')} {device}".strip()
        if not values_by_set:
            raise Unreadable("it is cut")
        return last, [
            PrintedSubject("dmraid", *each, prompt.host) for each in values_by_set.items()
        ]
