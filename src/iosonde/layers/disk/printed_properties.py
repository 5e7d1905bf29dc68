"""Properties as bare `NAME=value`: `blkid -o export`, `-o udev`, `udevadm info -q property`.

Source: util-linux 2.38, misc-utils/blkid.c (print_value(), OUTPUT_EXPORT, OUTPUT_UDEV: a blank line
between devices; `-i` adds the sizes of I/O; PART_ENTRY_OFFSET and _SIZE are in sectors of 512
bytes); systemd 252, src/udev/udevadm-info.c (print_record(), QUERY_PROPERTY).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.disk.facts import subjects
from iosonde.layers.disk.printed_udev import nameless, subject_of
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of
from iosonde.units import SECTOR

_PAIR = re.compile(r"\s*(?P<name>[A-Z][A-Z0-9_]{2,60})=(?P<value>.{0,400}?)\s*$")
_OF_BLKID = frozenset({
    "DEVNAME", "UUID", "UUID_SUB", "LABEL", "TYPE", "SEC_TYPE", "BLOCK_SIZE", "PARTUUID",
    "PARTLABEL", "PTUUID", "PTTYPE", "VERSION", "USAGE", "LABEL_FATBOOT", "EXT_JOURNAL", "FSSIZE",
    "FSLASTBLOCK", "FSBLOCKSIZE", "PART_ENTRY_SCHEME", "PART_ENTRY_NAME", "PART_ENTRY_UUID",
    "PART_ENTRY_TYPE", "PART_ENTRY_NUMBER", "PART_ENTRY_OFFSET", "PART_ENTRY_SIZE",
    "PART_ENTRY_DISK", "PART_ENTRY_FLAGS", "SYSTEM_ID", "LOGUUID", "APPLICATION_ID",
    "PUBLISHER_ID", "VOLUME_ID", "BOOT_SYSTEM_ID", "MOUNT",
    "MINIMUM_IO_SIZE", "OPTIMAL_IO_SIZE", "PHYSICAL_SECTOR_SIZE", "LOGICAL_SECTOR_SIZE",
    "ALIGNMENT_OFFSET", "DISKSEQ", "DAX", "ENDIANNESS",
})  # fmt: skip
_SURE = frozenset({"UUID", "TYPE", "PTTYPE", "PTUUID", "PARTUUID", "LABEL"})
_OF_UDEV = re.compile(r"(?:ID_|DM_|MD_|DEVTYPE$|DEVPATH$|SUBSYSTEM$)")
_COLUMNS = {
    "TYPE": "FSTYPE", "DEVNAME": "NAME", "MINIMUM_IO_SIZE": "MIN-IO", "OPTIMAL_IO_SIZE": "OPT-IO",
    "PHYSICAL_SECTOR_SIZE": "PHY-SEC", "LOGICAL_SECTOR_SIZE": "LOG-SEC",
    "ALIGNMENT_OFFSET": "ALIGNMENT", "PART_ENTRY_OFFSET": "START",
}  # fmt: skip
_OF_BLKID_UDEV = re.compile(r"ID_(?:FS|IOLIMIT|PART_ENTRY|PART_TABLE)_")
_DEVICE = re.compile(r"(?:--name[= ]|-n ?)?(/(?:dev|sys)/[\w./:+-]{2,120})")
_MOST = 4000


class Properties(StateOutput):
    tool = "device properties"
    anchors = (
        "DEVNAME=/dev/", "ID_FS_UUID=", "ID_FS_TYPE=", "ID_MODEL=", "ID_SERIAL_SHORT=",
        "DEVPATH=/devices/", "ID\\_FS\\_UUID=", "ID\\_FS\\_TYPE=", "ID\\_MODEL=",
    )  # fmt: skip
    commands = ("blkid", "udevadm")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        own = _PAIR.match(cursor.line(cursor.at))
        if own is None:
            return None
        first = top_of(cursor, lambda above: bool(_PAIR.match(above)))
        near = {cursor.at - 1, cursor.at + 1, cursor.at + 2}
        return first if any(_PAIR.match(cursor.line(index)) for index in near) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        groups, last, gap = [dict[str, str]()], first, 0
        for index, line in close_lines(cursor, first, _MOST):
            pair = _PAIR.match(line)
            if pair is None or prompt_in(line):
                break
            gap = gap or index - last
            if pair["name"] in groups[-1] or index - last > gap > 0:
                groups.append({})
            groups[-1][pair["name"]] = pair["value"].strip("\"'")
            last = index
        asked = _DEVICE.search(prompt.command)
        items: list[PrintedSubject] = []
        for group in groups:
            if len(groups) == 1 and asked:
                group.setdefault("DEVNAME", asked[1].rpartition("/")[2])
            if group.keys() <= _OF_BLKID and group.keys() & _SURE and "DEVNAME" in group:
                row = {_COLUMNS.get(name, name): value for name, value in group.items() if value}
                if row.get("PART_ENTRY_SIZE", "").isdecimal():
                    row["SIZE"] = f"{int(row.pop('PART_ENTRY_SIZE')) * SECTOR}"
                items += subjects([(row, ())], prompt.host)
            elif any(map(_OF_UDEV.match, group)):
                bare = not group.get("DEVNAME") and all(map(_OF_BLKID_UDEV.match, group))
                subject = (nameless(group, prompt.host) if bare and len(group) > 1
                           else subject_of(group, "", prompt.host))  # fmt: skip
                items += filter(None, [subject])
        return last, items
