"""/etc/lvm/devices/system.devices: the devices that LVM uses.

Source: LVM2 2.03, lib/device/device_id.c, device_ids_write(); lvmdevices(8): `lvmdevices` prints
the same lines with "Device" before them.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, start_of

_ENTRY = re.compile(
    r"\s*(?:Device (?P<device>/dev/\S{1,120}|\.) )?IDTYPE=(?P<id_type>\w{2,20}) "
    r"IDNAME=(?P<id_name>\S{1,200}) DEVNAME=(?P<name>/dev/\S{1,120}|\.) "
    r"PVID=(?P<pvid>\w{32}|\.)(?: PART=(?P<part>\d{1,4}))?\s*$"
)
_OTHER = re.compile(
    r"\s*(?:# (?:LVM uses devices|Created by LVM command |HASH=)|VERSION=[\d.]+$"
    r"|SYSTEMID=|HOSTNAME=|PRODUCT_UUID=)"
)


class LvmDevices(StateOutput):
    tool = "lvmdevices"
    anchors = ("IDTYPE=",)
    commands = ("lvmdevices", "cat", "less", "grep")
    nothing = "it lists no devices"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _ENTRY.match(cursor.line(cursor.at)):
            return None
        return start_of(cursor, lambda line: _ENTRY.match(line) or _OTHER.match(line), most=20)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        last = first
        for index, line in close_lines(cursor, first, 1000):
            entry = _ENTRY.match(line)
            if entry is None and not _OTHER.match(line):
                break
            last = index
            if entry is None:
                continue
            values: dict[str, Scalar] = {"id_type": entry["id_type"]}
            values |= {name: entry[name] for name in ("id_name", "pvid") if entry[name] != "."}
            if entry["part"]:
                values["part"] = int(entry["part"])
            device = entry["name"] if entry["name"] != "." else entry["device"] or ""
            name = device.removeprefix("/dev/").strip(".")
            subjects.append(PrintedSubject("lvm_pv", name, values, prompt.host))
        return last, subjects
