"""`sgdisk -i` of a partition, and what gdisk finds when it reads the tables of a disk.

Source: gptfdisk 1.0.10, gptpart.cc (GPTPart::ShowDetails()), gpt.cc (PartitionScan(),
GPTData::ForceLoadGPTData(): what is damaged, which table was loaded; ShowGPTState()), basicmbr.cc
and bsd.cc (ShowState()), support.cc (BytesToIeee(): sizes in brackets are rounded), parttypes.cc
(names of types, which have brackets of their own).
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, first_match, top_of

_GUID = r"[\dA-Fa-f]{8}(?:-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}"
_SIZE = r"\d{1,8}(?:\.\d [KMGTPEZ]iB| bytes)"
_DETAILS = tuple(
    re.compile(rf"\s*{form}\s*$")
    for form in (
        rf"Partition GUID code: (?P<type_guid>{_GUID}) \((?P<type>[^\n]{{1,80}})\)",
        rf"Partition unique GUID: (?P<partuuid>{_GUID})",
        rf"First sector: (?P<first_sector>\d{{1,15}}) \(at {_SIZE}\)",
        rf"Last sector: (?P<last_sector>\d{{1,15}}) \(at {_SIZE}\)",
        r"Partition size: (?P<sectors>\d{1,15}) sectors "
        rf"\((?P<printed_size>{_SIZE})\)",
        r"Attribute flags: (?P<attributes>[\dA-Fa-f]{16})",
        r"Partition name:(?: '?(?P<label>[^'\s].{0,70}?)?'?)?",
    )
)
_COUNTED = frozenset({"first_sector", "last_sector", "sectors"})
_NUMBER = re.compile(
    r"(?:-[a-zA-Z]*i|--info=?)[ =]?(?P<number>\d{1,3})\b|\s(?P<device>/dev/[\w/.!-]{2,60})"
)
_SCANNED = re.compile(r"\s*(?P<name>MBR|BSD|APM|GPT): (?P<state>(?:MBR )?[a-z][a-z -]{2,30})\s*$")
_CHECKED = re.compile(
    r"\s*(?P<which>Main|Backup) (?P<what>header|partition table): (?P<state>OK|ERROR)\s*$"
)
_AROUND = re.compile(
    r"\s*(?:\*{20,}|Caution|Warning|from backup|on the recovery|instead of main|but disk"
    r"|backup header from|secondary header from|verify disk integrity|the disk\.\s*$"
    r"|verification and|The protective|in memory|program|typing|Type|Partition table scan:"
    r"|Creating new|Using GPT)"
)
_VERSION = re.compile(r"\s*GPT fdisk \(gdisk\) version (?P<version>\d[\d.]{1,12})\s*$")
_WARNED = (
    ("Main and backup partition tables differ", "tables_differ"),
    ("loaded backup partition table", "backup_used"),
    ("Loaded backup partition table", "backup_used"),
    ("Unable to load either main or backup", "tables_unreadable"),
    ("Disk size is smaller than the main header indicates", "disk_too_small"),
)
_CAUTIONS = (
    ("invalid main GPT header, but valid backup", "gpt_main_header"),
    ("invalid backup GPT header, but valid main", "gpt_backup_header"),
    ("Main partition table CRC mismatch", "gpt_main_table"),
)
"""What is wrong, where the version (before 1.0) does not list each part."""


_DEVICE = re.compile(r"\s/dev/([\w/.!-]{2,60})\s*$")
_CHOSEN = re.compile(r"\s*(?:Using (?=\d)|Partition number \(\d{1,3}-\d{1,3}\): ?)(\d{1,3})\s*$")
_WORKED_ON = re.compile(
    r"(?:^\s*Disk|(?:^|\s)gdisk\s(?:-\S{1,9}\s)?)\s?/dev/([\w/.!-]{2,60})(?::|\s*$)"
)
_REACH = 70
_TABLE = re.compile(r"\s{0,20}Disk /dev/([\w/.!-]{2,60}): \d{1,15} sectors")
_TELLING = frozenset({
    "gpt_state", "gpt_main_header", "gpt_backup_header", "gpt_main_table", "backup_used",
})  # fmt: skip


class SgdiskInfo(StateOutput):
    tool = "sgdisk -i"
    anchors = ("Partition GUID code: ", "Partition unique GUID: ")
    commands = ("sgdisk",)
    reach = 4
    looks_above: ClassVar[bool] = True

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _detail(line):
            return None
        return top_of(cursor, lambda text: _detail(text) is not None, most=8)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first, 20):
            match = _detail(line)
            if line and (match is None or values.keys() & match.groupdict().keys()):
                break
            if match:
                last = index
                values |= {
                    name: int(text) if name in _COUNTED else text
                    for name, text in match.groupdict().items()
                    if text
                }
        name = _asked(prompt.command) if prompt.command else _of_dialogue(cursor, first)
        return last, [PrintedSubject("partition", name, values, prompt.host)]


def _detail(line: str) -> re.Match[str] | None:
    return first_match(_DETAILS, line)


def _asked(command: str) -> str:
    """The partition that a command of sgdisk asks for; empty where it names no one."""
    number, device = "", ""
    for match in _NUMBER.finditer(command):
        number = match["number"] or number
        device = (match["device"] or device).removeprefix("/dev/")
    return _named(device, number)


def _of_dialogue(cursor: TextCursor, first: int) -> str:
    """The partition that gdisk was asked for in its dialogue, by the lines above its details."""
    above = [cursor.line(index) for index in range(first - 1, max(first - _REACH, 0) - 1, -1)]
    number = _CHOSEN.match(above[0]) if above else None
    device = next((match[1] for line in above if (match := _WORKED_ON.search(line))), "")
    return _named(device, number[1]) if number else ""


def _named(device: str, number: str) -> str:
    if not number or not device:
        return ""
    return f"{device}{'p' if device[-1:].isdigit() else ''}{number}"


class GdiskScan(StateOutput):
    tool = "gdisk scan"
    anchors = (
        "Partition table scan:", "Main header: ", "invalid main GPT header, but",
        "invalid backup GPT header, but", "oaded backup partition table",
    )  # fmt: skip
    commands = ("gdisk", "sgdisk", "cgdisk")
    reach = 40
    beginning = re.compile(
        r"\s*(?:(?:Partition table scan:|Main header: (?:OK|ERROR))\s*$"
        r"|Caution: invalid (?:main|backup) GPT header, but valid "
        r"|Warning[:!] (?:Invalid CRC on main header|Main partition table CRC))"
    )
    nothing = "it does not say which tables are there"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if super().begin(cursor) is None:
            return None
        return top_of(cursor, _is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first, 60):
            if line and (not _is_own(line) or index > last + 4):
                break
            if match := _SCANNED.match(line):
                values[f"{match['name'].lower()}_state"] = match["state"]
            elif match := _CHECKED.match(line):
                what = "header" if match["what"] == "header" else "table"
                values[f"gpt_{match['which'].lower()}_{what}"] = match["state"]
            elif match := _VERSION.match(line):
                values["gdisk_version"] = match["version"]
            for text, name in _WARNED:
                if text in line:
                    values[name] = True
            for text, name in _CAUTIONS:
                if text in line:
                    values.setdefault(name, "ERROR")
            last = index if line else last
        name = _disk(cursor, last, prompt)
        subject = PrintedSubject("disk", name, values, prompt.host)
        return last, [subject] if values.keys() & _TELLING else []


def _disk(cursor: TextCursor, last: int, prompt: Prompt) -> str:
    """The disk that the command names, or else the table that `sgdisk -p` prints below."""
    below = [cursor.line(last + step) for step in range(1, 5)]
    named = (_DEVICE.search(prompt.command), *map(_TABLE.match, below))
    return next((match[1] for match in named if match), "")


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in (_SCANNED, _CHECKED, _AROUND, _VERSION))
