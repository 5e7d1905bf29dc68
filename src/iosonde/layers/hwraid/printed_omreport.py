"""`omreport storage` of Dell's OpenManage: virtual disks and physical disks of PERC controllers.

Each thing is a list of labels; the line of its controller stands above its first one. A virtual
disk is kind `hwraid`, a physical one kind `disk`, named by its place on the controller. With -fmt
ssv or cdv the labels are one line, and each thing is another.

Its source is not public. Source: Dell EMC OpenManage Server Administrator, CLI User's Guide, 8.x to
10.x, omreport storage vdisk and pdisk (sizes are printed in bytes beside the rounded ones), Storage
Management User's Guide (states of virtual disks: Ready, Degraded, Degraded Redundancy, Failed
Redundancy, Permanently Degraded, Failed, Resynching, Rebuilding, Regenerating …; of physical ones:
Online, Ready, Failed, Removed, SMART Alert Detected …); check_om_storage and check_openmanage,
which read both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.layers.hwraid.facts import size_of
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled, is_apart
from iosonde.text.reader import PartlyReadItems, StateOutput, UnreadPart, close_lines, top_of

_PAIR = re.compile(r"\s*(?P<label>[A-Z][A-Za-z0-9 /().-]{1,48}?)\s*: (?P<value>\S.{0,200}?)?\s*$")
_TITLE = re.compile(
    r"\s*(?:(?:List of )?(?:Physical|Virtual) Disks? .{2,100}|Controller .{2,100})$"
)
_CONTROLLER = re.compile(
    r"\s*Controller (?P<name>[^:]{2,80}?)(?: \((?:Embedded|Slot [^()]*)\))?\s*$"
)
_BYTES = re.compile(r"\((?P<bytes>\d{1,19}) bytes\)")
_PLACE = re.compile(r"\d{1,3}:\d{1,3}(?::\d{1,3})?")
_LEVEL = re.compile(r"RAID-(?P<level>10|50|60|[0156])$")
_NOTHING = frozenset({"Not Applicable", "Not Available", "None", "N/A"})
_STATES = {
    "Ready": "optimal", "Failed": "offline", "Degraded Redundancy": "partially degraded",
    "Failed Redundancy": "degraded", "Permanently Degraded": "degraded", "Rebuilding": "rebuild",
    "Resynching": "rebuild", "Regenerating": "rebuild",
}  # fmt: skip
_DRIVE_STATES = {"removed": "missing", "smart alert detected": "predictive failure",
                 "rebuilding": "rebuild"}  # fmt: skip
_WRITES = {"Write Back": "write_back", "Write Through": "write_through",
           "Force Write Back": "write_back_always"}  # fmt: skip
_READ = frozenset({
    "State", "Size", "Capacity", "Stripe Element Size", "Write Policy", "Disk Cache Policy",
    "Serial No.", "Product ID", "Vendor ID", "Revision", "Media", "Device Name", "Layout", "ID",
    "Available RAID Disk Space", "Used RAID Disk Space", "Failure Predicted",
})  # fmt: skip
_LEAST = 4
_MOST = 8000


class Omreport(StateOutput):
    tool = "omreport"
    anchors = (
        "Failure Predicted", "Stripe Element Size", "Used RAID Disk Space",
    )  # fmt: skip
    commands = ("omreport",)
    reach = 4
    nothing = "no disk is whole in it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _PAIR.match(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, lambda line: _PAIR.match(line) or _TITLE.match(line))
        labels = {pair["label"] for line in cursor.block(first, 60) if (pair := _PAIR.match(line))}
        return first if {"ID", "Status", "State", "Name"} <= labels else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        things: list[tuple[str, dict[str, str]]] = []
        nameless = list[UnreadPart]()
        last, controller, above = first, "", list[str]()
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            above += [""] * (index > last + 1)
            pair = _PAIR.match(line)
            if pair and not prompt_in(line):
                if pair["label"] == "ID":
                    things.append((controller, {}))
                    above = []
                elif is_apart(line, above):
                    break
                above.append(line)
                if things:
                    things[-1][1].setdefault(pair["label"], pair["value"] or "")
                else:
                    nameless = [(first, index, "the ID above it is cut off")]
            elif named := _CONTROLLER.match(line):
                controller = named["name"]
            elif not _TITLE.match(line):
                break
            last = index
        whole = [_subject(*thing, prompt.host) for thing in things if _is_whole(thing[1])]
        return last, [*whole, *nameless]


_ROWS = re.compile(r"\s*ID;Status;Name;State;(?:[A-Z][^;]{0,60};){2,60}[A-Z][^;]{0,60}$")


class OmreportRows(StateOutput):
    """The same with semicolons between the values; a row that has not as many is not read."""

    tool = "omreport"
    anchors = ("ID;Status;Name;State;",)
    commands = ("omreport",)
    reach = 8
    nothing = "no disk is whole in it"
    beginning = _ROWS

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        labels = [label.strip() for label in cursor.line(first).strip().split(";")]
        above = (
            _CONTROLLER.match(cursor.line(at)) for at in range(first - 1, max(first - 4, 0), -1)
        )
        controller = next((named["name"] for named in above if named), "")
        last, items = first, list[PrintedSubject | UnreadPart]()
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            if ";" not in line or _ROWS.match(line):
                break
            cells = [cell.strip() for cell in line.split(";")]
            pairs = dict(zip(labels, cells, strict=False))
            if len(cells) == len(labels) and _is_whole(pairs):
                items.append(_subject(controller, pairs, prompt.host))
            else:
                items.append((index, index, "it has not as many values as there are labels"))
            last = index
        return last, items


def _is_whole(pairs: Mapping[str, str]) -> bool:
    return len(pairs) >= _LEAST and "State" in pairs and ("Layout" in pairs or "Capacity" in pairs)


def _subject(controller: str, pairs: Mapping[str, str], host: str) -> PrintedSubject:
    said = {label: text for label, text in pairs.items() if text and text not in _NOTHING}
    values = as_labelled(said, _READ)
    values |= without_none({
        "controller": controller or None,
        "size": _bytes(said.get("Size") or said.get("Capacity")),
    })  # fmt: skip
    number = pairs["ID"]
    if "Layout" in pairs:
        device = said.get("Device Name", "").removeprefix("/dev/")
        name = device or f"virtual disk {number}"
        return PrintedSubject("hwraid", name, values | _volume(said, number), host)
    name = f"physical disk {number}" if _PLACE.fullmatch(number) else number
    return PrintedSubject("disk", name, values | _drive(said), host)


def _bytes(text: str | None) -> int | None:
    """A size in bytes: as it stands in brackets, else as it is rounded."""
    exact = _BYTES.search(text or "")
    return int(exact["bytes"]) if exact else size_of((text or "").partition(" (")[0] or None)


def _volume(said: Mapping[str, str], number: str) -> dict[str, Scalar]:
    level = _LEVEL.match(said.get("Layout", ""))
    state = said.get("State", "")
    cache = said.get("Disk Cache Policy", "").lower()
    return without_none({
        "volume": number,
        "raid_level": f"raid{level['level']}" if level else None,
        "state": _STATES.get(state, state.lower()) or None,
        "strip_size": size_of(said.get("Stripe Element Size")),
        "write_policy": _WRITES.get(said.get("Write Policy", "")),
        "disk_cache": cache if cache in {"enabled", "disabled", "default"} else None,
    })  # fmt: skip


def _drive(said: Mapping[str, str]) -> dict[str, Scalar]:
    media, predicted = said.get("Media"), said.get("Failure Predicted")
    state = said.get("State", "").lower()
    state = _DRIVE_STATES.get(state, state)
    if predicted == "Yes" and state in {"online", "ready", "non-raid", "foreign"}:
        state = "predictive failure"
    return without_none({
        "state": state or None,
        "vendor": said.get("Vendor ID", "").replace("(tm)", "") or None,
        "model": said.get("Product ID"),
        "serial": said.get("Serial No."),
        "firmware": said.get("Revision"),
        "rotational": {"HDD": True, "SSD": False}.get(media or ""),
    })  # fmt: skip
