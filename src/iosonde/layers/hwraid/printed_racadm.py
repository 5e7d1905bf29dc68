"""`racadm raid|storage get pdisks|vdisks -o` of Dell's iDRAC: drives and volumes of controllers.

Each thing has a line with its name (FQDD), below it "   Label = value". A drive is kind `disk`, a
volume `hwraid`; what no rule knows is kept by its label.

Its source is not public. Source: Dell, RACADM Command Line Reference Guide for iDRAC 7 to 9, raid
and storage (get pdisks -o -p, get vdisks -o -p; states Ready, Online, Foreign, Offline, Blocked,
Failed, Non-RAID, Removed, Degraded; sizes in units of 1024, as omreport's exact ones show).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines

_NAME = re.compile(r"\s*(?P<name>Disk\.[A-Z][\w.-]{2,40}(?::[A-Z][\w.-]{3,60}){0,3})\s*$")
_PAIR = re.compile(r"\s*(?P<label>[A-Z][\w-]{1,50}) {1,60}=(?: (?P<value>\S.{0,200}?))?\s*$")
_SIZE = re.compile(r"(?P<size>\d{1,9}(?:\.\d{1,2})?) ?(?P<unit>[KMGT])B?$")
_LEVEL = re.compile(r"Raid-(?P<level>10|50|60|[0156])$", re.IGNORECASE)
_NOTHING = frozenset({"Not Applicable", "Not Available", "None", "N/A", "Unknown"})
_STATES = {"Online": "optimal", "Ready": "optimal", "Failed": "offline"}
_DRIVE_STATES = {"removed": "missing"}
_WRITES = {"Write Back": "write_back", "Write Through": "write_through",
           "Force Write Back": "write_back_always"}  # fmt: skip
_OF_DRIVE = {"ProductId": "model", "Manufacturer": "vendor", "SerialNumber": "serial",
             "Revision": "firmware"}  # fmt: skip
_READ = frozenset({"Size", "State", "Layout", "StripeSize", "WritePolicy", "MediaType", *_OF_DRIVE})


class Racadm(StateOutput):
    tool = "racadm"
    anchors = ("Disk.Bay.", "Disk.Virtual.", "Disk.Direct.")
    commands = ("racadm",)
    reach = 3
    nothing = "none of them is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        below = cursor.line(cursor.at + 1) or cursor.line(cursor.at + 2)
        is_thing = _NAME.match(cursor.line(cursor.at)) and _PAIR.match(below)
        return cursor.at if is_thing else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: list[tuple[str, dict[str, str]]] = []
        last = first
        for index, line in close_lines(cursor, first, 8000, gap=2):
            if prompt_in(line):
                break
            if name := _NAME.match(line):
                things.append((name["name"], {}))
            elif pair := _PAIR.match(line):
                things[-1][1].setdefault(pair["label"], pair["value"] or "")
            else:
                break
            last = index
        return last, [_subject(name, pairs, prompt.host) for name, pairs in things if pairs]


def _bytes(text: str | None) -> int | None:
    match = _SIZE.match(text or "")
    return round(units.printed(match["size"] + match["unit"], binary=True)[0]) if match else None


def _subject(name: str, pairs: Mapping[str, str], host: str) -> PrintedSubject:
    said = {label: text for label, text in pairs.items() if text and text not in _NOTHING}
    values = as_labelled(said, _READ)
    state = said.get("State", "")
    values |= without_none({"size": _bytes(said.get("Size"))})
    if name.startswith("Disk.Virtual."):
        level = _LEVEL.match(said.get("Layout", ""))
        values |= without_none({
            "raid_level": f"raid{level['level']}" if level else None,
            "layout": None if level else said.get("Layout"),
            "state": _STATES.get(state, state.lower()) or None,
            "strip_size": _bytes(said.get("StripeSize")),
            "write_policy": _WRITES.get(said.get("WritePolicy", "")),
        })  # fmt: skip
        return PrintedSubject("hwraid", name, values, host)
    state = _DRIVE_STATES.get(state.lower(), state.lower())
    if said.get("FailurePredicted", "").upper() == "YES" and state in {"online", "ready"}:
        state = "predictive failure"
    drive: dict[str, Scalar] = {own: said[label].strip() for label, own in _OF_DRIVE.items()
                                if label in said}  # fmt: skip
    drive |= without_none({
        "state": state or None,
        "rotational": {"HDD": True, "SSD": False}.get(said.get("MediaType", "")),
    })  # fmt: skip
    return PrintedSubject("disk", name, values | drive, host)
