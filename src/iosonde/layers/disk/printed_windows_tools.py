"""Windows' older tools: the lists of diskpart, and `wmic diskdrive get`.

diskpart underlines the names of its columns and fills each to the width of its dashes; a star marks
what is selected, is dynamic, or has a GPT. wmic orders the columns by name and ends each with two
blanks or more.

Source: Microsoft, Windows Commands: diskpart, list disk, list partition, list volume (sizes are
rounded to units that are powers of 1024; states of disks and volumes); Win32_DiskDrive (Size in
bytes; Status "Pred Fail": the drive's SMART says so).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from typing_extensions import override

from iosonde import units
from iosonde.layers.disk.facts_windows import facts_of
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import PartlyReadItems, StateOutput, UnreadPart, close_lines

_HEAD = re.compile(r"\s*+(?P<what>Disk|Volume|Partition) ###\s{2,12}\S.{0,120}")
_RULE = re.compile(r"\s*+-{3,20}(?:\s{2,4}-{3,20}){2,9}")
_THING = re.compile(r"\s*+(?:\* )?(?P<own>(?:Disk|Volume|Partition) (?P<number>\d{1,4})(?!\S).*)")
_SIZE = re.compile(r"\d{1,9} (?:[KMGTP]?B|bytes)")
_SIZES = {"Size": "size", "Free": "free", "Offset": "offset"}
_TEXTS = {"Ltr": "letter", "Label": "label", "Fs": "type", "Info": "info"}
_TOO_BROKEN = "its cells do not stand below their names"


class Diskpart(StateOutput):
    tool = "diskpart"
    anchors = ("Disk ###  ", "Volume ###  ", "Partition ###  ")
    commands = ()
    nothing = _TOO_BROKEN
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        head = cursor.line(first)
        what = head.split(maxsplit=1)[0]
        last, spans = first, list[tuple[int, int]]()
        items = list[PrintedSubject | UnreadPart]()
        for index, line in close_lines(cursor, first + 1, gap=1):
            if _RULE.fullmatch(line) and not spans:
                spans = [match.span() for match in re.finditer("-+", line)]
            elif not spans or not (thing := _THING.fullmatch(line)):
                break
            elif cells := _cells(head, " " * spans[0][0] + thing["own"], spans):
                items.append(_listed(what, thing["number"], cells, prompt))
            else:
                items.append((index, index, _TOO_BROKEN))
            last = index
        return last, items


def _cells(head: str, line: str, spans: list[tuple[int, int]]) -> dict[str, str] | None:
    """The cells that hold something, by the names above them; None where one stands beside."""
    between = [line[low:high] for (_, low), (high, _) in pairwise(spans)]
    if any(map(str.strip, (*between, line[spans[-1][1] :]))):
        return None
    named = {head[low:high].strip(): line[low:high].strip() for low, high in spans[1:]}
    whole = all(_SIZE.fullmatch(named[name]) for name in _SIZES if name in named)
    return {name: text for name, text in named.items() if text} if whole else None


def _listed(what: str, number: str, cells: Mapping[str, str], prompt: Prompt) -> PrintedSubject:
    """A disk, a volume by its letter or number, or a partition of the disk that is selected."""
    values: dict[str, Scalar] = {"number": int(number)}
    for name, text in cells.items():
        if name in _SIZES:
            size, unit = text.replace("bytes", "B").split()
            values[_SIZES[name]] = round(units.printed(size + unit, binary=True)[0])
        elif name in _TEXTS:
            values[_TEXTS[name]] = text
        elif name == "Status":
            values["operational_status" if what == "Disk" else "volume_status"] = text
        elif name == "Dyn":
            values["dynamic"] = text == "*"
        elif name == "Gpt":
            values["partition_style"] = "GPT"
        elif name == "Type":
            values["layout" if what == "Volume" else "partition_type"] = text
    kind, named = {
        "Disk": ("disk", f"PhysicalDrive{number}"),
        "Volume": ("mount", f"{cells['Ltr']}:" if "Ltr" in cells else f"volume {number}"),
        "Partition": ("partition", f"partition {number}"),
    }[what]
    return PrintedSubject(kind, named, values, prompt.host)


_CALL = re.compile(r"(?i).{0,120}\bwmic\b.{0,40}\bdiskdrive\b.{0,200}\b(?:get|list)\b")
_PAIR = re.compile(r"(?P<name>[A-Z][A-Za-z0-9]{1,40})=(?P<value>.{0,200})")
_NAME = re.compile(r"[A-Z][A-Za-z0-9]{1,40}(?:\s{2,}|$)")
_PLACE = re.compile(r"(?i)\\\\\.\\PHYSICALDRIVE(\d{1,4})")


class WmicDrives(StateOutput):
    tool = "wmic diskdrive"
    anchors = ("diskdrive", "DISKDRIVE", "DiskDrive")
    commands = ()
    nothing = "no drive stands below it"
    beginning = _CALL

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        lines = list(close_lines(cursor, first + 1, gap=3))
        pairs = [(index, match) for index, line in lines if (match := _PAIR.fullmatch(line))]
        if lines and pairs and pairs[0][0] == lines[0][0]:
            objects = [dict[str, str]()]
            for _, pair in pairs:
                if pair["name"] in objects[-1]:
                    objects.append({})
                objects[-1][pair["name"]] = pair["value"].strip()
            return pairs[-1][0], [_drive(each, prompt) for each in objects if any(each.values())]
        return self._table(lines, first, prompt)

    def _table(self, lines: list[tuple[int, str]], first: int, prompt: Prompt) -> PartlyReadItems:
        head = lines[0][1] if lines else ""
        names = list(_NAME.finditer(head))
        last, items = first, list[PrintedSubject | UnreadPart]()
        if not names or "".join(match[0] for match in names) != head:
            return first, ()
        starts = [match.start() for match in names]
        for index, line in lines[1:]:
            if any(at and line[at - 1 : at].strip() for at in starts) or "\\>" in line:
                break
            cells = (line[low:high] for low, high in zip(starts, [*starts[1:], None], strict=True))
            row = {name[0].strip(): cell.strip() for name, cell in zip(names, cells, strict=True)}
            if not row.get("Size", "0").isdecimal() and row["Size"]:
                items.append((index, index, _TOO_BROKEN))
            else:
                items.append(_drive(row, prompt))
            last = index
        return last, items


_NAMES = {
    "Size": "Size", "Model": "FriendlyName", "SerialNumber": "SerialNumber",
    "FirmwareRevision": "FirmwareVersion", "MediaType": "wmic_media",
    "Status": "OperationalStatus",
}  # fmt: skip


def _drive(row: Mapping[str, str], prompt: Prompt) -> PrintedSubject:
    """A drive, named by its number, else by its serial number or its model."""
    place = _PLACE.search(row.get("DeviceID") or row.get("Name") or "")
    number = place[1] if place else row.get("Index", "")
    values = facts_of(
        "disk", {_NAMES.get(name, name): text for name, text in row.items() if name != "DeviceID"}
    )
    values |= without_none({
        "number": int(number) if number else None,
        "health_passed": False if row.get("Status") == "Pred Fail" else None,
    })  # fmt: skip
    named = f"PhysicalDrive{number}" if number else row.get("SerialNumber") or row.get("Model")
    return PrintedSubject("disk", named or "", values, prompt.host)
