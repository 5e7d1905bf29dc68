"""`dmidecode -t memory`: a host's modules of memory, as the firmware describes them.

Source: dmidecode 3.5, dmidecode.c, dmi_decode() of types 16 and 17 ("Memory Device", "Size: 32 GB",
"No Module Installed", "Error Correction Type:", "Configured Memory Speed:", before 3.2 "Configured
Clock Speed:"; sizes of 1024, speeds in MT/s, before 3.0 in MHz).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_HANDLE = re.compile(
    r"\s*(?:Handle 0x[0-9A-F]{1,8}, DMI type \d{1,3}, \d{1,3} bytes"
    r"|# dmidecode \d\S{0,12}|Getting SMBIOS data from .{0,60}|SMBIOS [\d.]{1,9} present\.)\s*$"
)
_TITLE = re.compile(r"\s*(?P<title>Physical Memory Array|Memory Device)\s*$")
_OTHER_TITLE = re.compile(
    r"\s*(?:Memory (?:Array|Device) Mapped Address|Memory Controller.{0,30}|\d+-bit.{0,40})\s*$"
)
_PAIR = re.compile(r"\s*(?P<label>[A-Z][A-Za-z0-9 ()/-]{2,50}):(?: (?P<value>\S.{0,120}?))?\s*$")
_SIZE = re.compile(r"(?P<count>\d{1,9}) (?P<unit>[kMGT]B)$")
_UNITS = {"kB": units.KIB, "MB": units.MIB, "GB": units.GIB, "TB": 1024 * units.GIB}
_SPEED = re.compile(r"(?P<speed>\d{1,6}) (?:MT/s|MHz)$")
_ABSENT = frozenset({"Unknown", "None", "Not Specified", "Not Provided", "Other"})
_MOST = 4000


@dataclass(slots=True)
class _Memory:
    """What the descriptions so far say."""

    arrays: list[dict[str, str]] = field(default_factory=list)
    devices: list[dict[str, str]] = field(default_factory=list)
    current: dict[str, str] = field(default_factory=dict)

    def begins(self, title: str) -> None:
        self.current = {}
        if title == "Memory Device":
            self.devices.append(self.current)
        elif title:
            self.arrays.append(self.current)

    def is_whole(self, command: str) -> bool:
        """Whether as many modules are described as the arrays have; else by the command."""
        counts = [array.get("Number Of Devices", "") for array in self.arrays]
        if counts and all(count.isdecimal() for count in counts):
            return sum(map(int, counts)) == len(self.devices)
        return not counts and bool(command) and "|" not in command


class DmidecodeMemory(StateOutput):
    tool = "dmidecode"
    anchors = ("DMI type 17,", "DMI type 16,", "Memory Device", "Physical Memory Array")
    commands = ("dmidecode",)
    reach = 4
    nothing = "no module follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _HANDLE.match(line) and not _TITLE.match(line):
            return None
        return top_of(cursor, _HANDLE.match, most=6)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        memory, last = _Memory(), first
        for index, line in close_lines(cursor, first, _MOST, gap=4):
            if title := _TITLE.match(line):
                memory.begins(title["title"])
            elif _HANDLE.match(line) or _OTHER_TITLE.match(line):
                memory.begins("")
            elif prompt_in(line):
                break
            elif pair := _PAIR.match(line):
                memory.current.setdefault(pair["label"], pair["value"] or "")
            else:
                break
            last = index
        values = _values(memory, whole=memory.is_whole(prompt.command))
        return last, [PrintedSubject("host", "", values, prompt.host)] if values else []


def _values(memory: _Memory, *, whole: bool) -> dict[str, Scalar]:
    """Of all modules together, their sum where none is missing; what differs is listed."""
    sizes = [
        int(size["count"]) * _UNITS[size["unit"]]
        for device in memory.devices if (size := _SIZE.match(device.get("Size", "")))
    ]  # fmt: skip
    if not sizes:
        return {}
    filled = [device for device in memory.devices if _SIZE.match(device.get("Size", ""))]
    values: dict[str, Scalar] = {}
    if whole:
        values = {
            "memory_modules": len(sizes), "memory_slots": len(memory.devices),
            "memory_installed": sum(sizes),
        }  # fmt: skip
    for name, labels in (
        ("memory_type", ("Type",)),
        ("memory_speed", ("Configured Memory Speed", "Configured Clock Speed")),
        ("memory_speed_max", ("Speed",)),
    ):
        each = [_of(device, labels) for device in filled]
        if texts := list(dict.fromkeys(text for text in each if text)):
            values[name] = " ".join(texts)
    corrections = {array.get("Error Correction Type", "") for array in memory.arrays}
    if len(corrections) == 1 and not corrections & {"", "Unknown", "Other"}:
        values["memory_error_correction"] = corrections.pop()
    return values


def _of(device: dict[str, str], labels: tuple[str, ...]) -> str:
    """A text, or a speed in millions of transfers a second; empty where it is not known."""
    text = next((device[label] for label in labels if device.get(label)), "")
    if speed := _SPEED.match(text):
        return speed["speed"]
    return "" if text in _ABSENT or any("Speed" in label for label in labels) else text
