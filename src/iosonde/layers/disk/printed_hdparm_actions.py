"""What hdparm does to a drive, as it prints it: sectors read, settings made, standby.

Each drive has a line of its own with its device. A sector that could be read may have been bad
before: nothing is concluded of it but that it was read.

Source: hdparm 9.65, hdparm.c, do_read_sector() ("reading sector %llu: ", then "succeeded" or
"FAILED: " and the error), process_dev() (" setting %s to %d" and interpret_standby(), on_off()),
" issuing standby command", " issuing sleep command"; sdparm and udisks print "standby disabled".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.disk.printed_hdparm import is_setting, values_of
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_DRIVE = re.compile(r"\s*/dev/(?P<name>[\w/.-]{1,60}):\s*$")
_SECTOR = re.compile(
    r"\s*(?P<what>reading|re-writing) sector (?P<sector>\d{1,20}): (?P<result>succeeded|FAILED)"
    r"(?:: (?P<error>.{1,80}?))?\s*$"
)
_SETTING = re.compile(
    r"\s*setting (?P<what>[A-Za-z][\w /-]{1,60}?) to (?P<value>0x[0-9a-f]{1,8}|\d{1,9}|[a-z]{2,20})"
    r"(?: \((?P<means>[^()]{1,60})\))?\s*$"
)
_STANDBY = re.compile(r"\s*/dev/(?P<name>[\w/.-]{1,60}): standby (?P<state>disabled|enabled)\s*$")
_ISSUED = re.compile(r"\s*issuing (?P<command>standby|sleep) command\s*$")
_DUMP = re.compile(r"\s*(?:[0-9a-f]{4} ){7}[0-9a-f]{4}\s*$")
_MOST = 400
_GAP = 2


class HdparmActions(StateOutput):
    tool = "hdparm actions"
    anchors = (
        "reading sector ", "re-writing sector ", " setting standby to", " setting drive ",
        " setting Advanced Power", " setting fs readahead", " setting using_dma",
        " setting acoustic", " issuing standby", " issuing sleep",
    )  # fmt: skip
    commands = ("hdparm",)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(pattern.match(line) for pattern in (_SECTOR, _SETTING, _ISSUED)):
            return None
        for index in range(cursor.at - 1, max(cursor.at - 1 - _GAP, -1), -1):
            above = cursor.line(index)
            if _DRIVE.match(above):
                return index
            if above:
                break
        return cursor.at if _SECTOR.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        name, last = prompt.path, first
        settings: dict[str, dict[str, Scalar]] = {}
        sectors: dict[str, list[Json]] = {}
        for index, line in lines(cursor, first, _MOST):
            if not line or (_DUMP.match(line) and index == last + 1):
                last = index if line else last
                continue
            if index > last + _GAP or prompt_in(line):
                break
            if drive := _DRIVE.match(line):
                name = drive["name"]
            elif sector := _SECTOR.match(line):
                sectors.setdefault(name, []).append(_of_sector(sector))
            elif setting := _value(line) or (values_of([line]) if is_setting(line) else None):
                settings.setdefault(name, {}).update(setting)
            else:
                break
            last = index
        items: list[PrintedSubject | PrintedCounters] = [
            PrintedSubject("disk", disk, values, prompt.host) for disk, values in settings.items()
        ]
        items += (
            self.counted("disk", disk, {"sectors": read}, prompt) for disk, read in sectors.items()
        )
        return last, items


def _of_sector(match: re.Match[str]) -> dict[str, Json]:
    """A sector's number, what was done to it and whether it succeeded."""
    values: dict[str, Json] = {
        "sector": int(match["sector"]), "action": match["what"],
        "succeeded": match["result"] == "succeeded",
    }  # fmt: skip
    return values | ({"error": match["error"]} if match["error"] else {})


def _value(line: str) -> dict[str, Scalar] | None:
    """What a line sets; None where it sets nothing."""
    if match := _SETTING.match(line):
        name = re.sub(r"\W+", "_", match["what"].strip().lower())
        value = f"{match['value']} ({match['means']})" if match["means"] else match["value"]
        return {f"set_{name}": value}
    if match := _STANDBY.match(line):
        return {"standby": match["state"]}
    return {"issued": match["command"]} if (match := _ISSUED.match(line)) else None
