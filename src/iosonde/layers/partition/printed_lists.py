"""`fdisk --list-free`, `partx --show` and `partx --list`, and what growpart says.

Source: util-linux 2.40, disk-utils/fdisk-list.c (print_device_freespace()), disk-utils/partx.c
(list_parts(); START, END and SECTORS in sectors of 512 bytes, as libblkid/src/partitions has them);
cloud-utils 0.33, bin/growpart (change(), nochange(); sectors as sfdisk has them).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.partition import fdisk_languages
from iosonde.records.printed import PrintedSubject, Unreadable, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, lines
from iosonde.text.reader import Items, StateOutput, close_rows
from iosonde.units import SECTOR

_FREE = re.compile(
    r"\s*[^\W\d_][^:：/]{3,60}\s(?P<device>/dev/[\w/.!-]{2,60})[^:：\d]{0,12}[:：] ?\S"
)
_UNITS = re.compile(r"\d [*×·] \d+ = \d+")
_AREA = re.compile(
    r"\s*(?P<start>\d{1,15})\s+(?P<end>\d{1,15})\s+(?P<sectors>\d{1,15})\s+[\d.,]{1,8}[BKMGTPE]?\s*$"
)
_SHOWN = re.compile(
    r"\s*(?P<number>\d{1,3})\s+(?P<start>\d{1,15})\s+(?P<end>\d{1,15})\s+(?P<sectors>\d{1,15})\s+"
    r"[\d.,]{1,8}[BKMGTPE]?(?:\s+(?P<rest>\S.{0,200}))?$"
)
_HEAD = re.compile(r"\s*NR\s+START\s+END\s+SECTORS\s+SIZE(?:\s+NAME\s+UUID)?\s*$")
_UUID = re.compile(r"(?:(?P<label>.*\S)\s+)?(?P<uuid>[\da-f]{8}-(?:[\da-f]{2}|[\da-f-]{27}))\s*$")
_LISTED = re.compile(
    r"\s*# ?(?P<number>\d{1,3}):\s{1,12}(?P<start>\d{1,15})-\s{0,12}(?P<end>\d{1,15}) "
    r"\(\s{0,12}(?P<sectors>\d{1,15}) sectors?,\s{1,12}\d{1,12} MB\)\s*$"
)
_GROWN = re.compile(
    r"\s*(?P<word>CHANGED?): partition=(?P<number>\d{1,3}) start=(?P<start>\d{1,15}) "
    r"old: size=(?P<old>\d{1,15}) end=(?P<old_end>\d{1,15}) new: size=(?P<new>\d{1,15})[, ] ?"
    r"end=(?P<new_end>\d{1,15})\s*$"
)
_NOT_GROWN = re.compile(
    r"\s*NOCHANGE: (?:partition (?P<number>\d{1,3})|/dev/(?P<name>[\w/.-]{2,60}):) "
    r"(?:(?:is size |size is |size=)(?P<size>\d{1,18})"
    r"(?: bytes \((?P<sectors>\d{1,15}) sectors of (?P<sector>\d{3,5})\))?[.,] it cannot be grown"
    r"|could only be grown by (?P<by>-?\d{1,15}) \[fudge=\d{1,15}\])\s*$"
)
_ASKED = re.compile(r"/dev/(?P<device>[\w/.-]{2,40})\s+\d{1,3}\b")
_MOST = 300
_MOST_AREAS = 20


class FreeSpace(StateOutput):
    tool = "fdisk --list-free"
    anchors = fdisk_languages.FREE_ANCHORS
    commands = ("fdisk", "sfdisk")
    reach = 4
    nothing = "it does not say how much is free"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        return cursor.at if _FREE.match(line) and _is_sized(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        areas: list[tuple[int, int]] = []
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            area = _AREA.match(line)
            if line and (index > last + 4 or not (area or _is_above_areas(cursor, index))):
                break
            if area and int(area["end"]) - int(area["start"]) + 1 == int(area["sectors"]):
                areas.append((int(area["start"]), int(area["end"])))
            last = index if line else last
        head = cursor.line(first)
        device = _FREE.match(head)
        text = flow(cursor, first, last)
        logical, physical = fdisk_languages.sector_sizes(text)
        places = [f"{start}-{end}" for start, end in areas[:_MOST_AREAS]]
        values: dict[str, Scalar] = {
            "unpartitioned": fdisk_languages.size_in_bytes(head) or 0,
            "logical_block_size": logical, "physical_block_size": physical,
            "free_areas": len(areas) or None, "free_sectors": ", ".join(places) or None,
        }  # fmt: skip
        if areas and logical:
            values["largest_free_area"] = max(end - start + 1 for start, end in areas) * logical
        name = device["device"].removeprefix("/dev/") if device else ""
        return last, [PrintedSubject("disk", name, without_none(values), prompt.host)]


class Partx(StateOutput):
    tool = "partx"
    anchors = (" SECTORS", "# 1:")
    commands = ("partx",)
    reach = 3
    nothing = "no partition follows its head"
    beginnings = (_HEAD, _LISTED)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        is_table = bool(_HEAD.match(cursor.line(first)))
        pattern = _SHOWN if is_table else _LISTED
        rows, last = close_rows(cursor, first + is_table, pattern.match, _MOST, gap=2)
        return last, [
            _partition(row, prompt)
            for row in rows
            if int(row["end"]) - int(row["start"]) + 1 == int(row["sectors"])
        ]


class Growpart(StateOutput):
    tool = "growpart"
    anchors = (
        "CHANGED: partition=", "CHANGE: partition=", "NOCHANGE: partition", "NOCHANGE: /dev/",
    )  # fmt: skip
    commands = ("growpart",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _over_lines(cursor, cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        over = _over_lines(cursor, first)
        if over is None:
            raise Unreadable("it is cut off", first)
        last, match = over
        if match.re is _GROWN:
            values: dict[str, Scalar] = {
                "state": "grown" if match["word"] == "CHANGED" else "would be grown",
                "first_sector": int(match["start"]), "sectors_before": int(match["old"]),
                "sectors": int(match["new"]),
                "end_before": int(match["old_end"]), "end": int(match["new_end"]),
            }  # fmt: skip
        else:
            values = {"state": "not grown", **_unchanged(match)}
        asked = _ASKED.search(prompt.command)
        name = match.groupdict().get("name")
        name = name or _name(asked["device"] if asked else "", match["number"])
        return last, [PrintedSubject("partition", name, values, prompt.host)]


def _unchanged(match: re.Match[str]) -> dict[str, Scalar]:
    """What growpart says of a partition that it leaves as it is; bytes only where it says them."""
    if match["by"]:
        return {"could_grow_by_sectors": int(match["by"])}
    if match["sectors"]:
        return {"size": int(match["size"]), "sectors": int(match["sectors"]),
                "logical_block_size": int(match["sector"])}  # fmt: skip
    return {"sectors": int(match["size"])}


def _over_lines(cursor: TextCursor, first: int) -> tuple[int, re.Match[str]] | None:
    """What growpart says in a line or in what a mail made of it, and the index of its last line."""
    for last in range(first, first + 3):
        text = flow(cursor, first, last)
        if match := _GROWN.match(text) or _NOT_GROWN.match(text):
            return last, match
    return None


def _is_above_areas(cursor: TextCursor, index: int) -> bool:
    """Whether a line is of the units, of the size of sectors, or names the areas' columns."""
    line = cursor.line(index)
    below = next((after for after in cursor.block(index + 1, 3) if after), "")
    return bool(
        fdisk_languages.is_sector_size(line)
        or _UNITS.search(line)
        or (_AREA.match(below) and not _FREE.match(line))
    )


def _is_sized(line: str) -> bool:
    return fdisk_languages.size_in_bytes(line) is not None or ", 0 " in line or "，0 " in line


def _partition(row: re.Match[str], prompt: Prompt) -> PrintedSubject:
    values: dict[str, Scalar] = {
        "start": int(row["start"]) * SECTOR, "size": int(row["sectors"]) * SECTOR,
    }  # fmt: skip
    rest = (row.groupdict().get("rest") or "").strip()
    if uuid := _UUID.match(rest):
        values["partuuid"] = uuid["uuid"]
        rest = uuid["label"] or ""
    if rest:
        values["label"] = rest
    return PrintedSubject("partition", _name(prompt.path, row["number"]), values, prompt.host)


def _name(device: str, number: str) -> str:
    return f"{device}{'p' if device[-1:].isdigit() else ''}{number}"
