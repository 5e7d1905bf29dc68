"""`smartctl --scan` and `--scan-open`: the drives that smartctl finds, and how it talks to them.

Source: smartmontools 7.3, smartctl.cpp (scan_devices: "NAME -d TYPE # INFO, PROTOCOL device").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, start_of_own

_LINE = re.compile(
    r"\s*(?P<off># )?(?P<name>/dev/[\w/.-]{1,60}) -d (?P<type>[a-z\d][\w,+/.-]{1,40}) # "
    r"(?P<info>\S.{0,120}), (?P<protocol>ATA|SCSI|NVMe) device"
    r"(?: open failed: (?P<problem>.{1,120}))?\s*$"
)
_MEMBER = re.compile(r",\d")
"""Of a type that names one of several drives behind a device: `megaraid,3`; `sat` names none."""


class SmartScan(StateOutput):
    tool = "smartctl --scan"
    anchors = (", SCSI device", ", ATA device", ", NVMe device")
    commands = ("smartctl",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _LINE.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        drives: list[PrintedSubject] = []
        last = first
        for index, line in close_lines(cursor, first, 1000):
            match = _LINE.match(line)
            if match is None:
                break
            last = index
            name = match["name"].removeprefix("/dev/")
            if _MEMBER.search(match["type"]):
                name = f"{name} {match['type']}"
            values = {"smart_type": match["type"], "protocol": match["protocol"]}
            if match["problem"]:
                values["smart_problem"] = match["problem"]
            drives.append(PrintedSubject("disk", name, dict(values), prompt.host))
        return last, drives
