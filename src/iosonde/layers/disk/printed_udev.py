"""`udevadm info`: what udev's database says of a disk, a partition or a map.

Source:
    systemd 254, src/udev/udevadm-info.c ("P:", "N:", "S:", "E:"); ata_id/ata_id.c (ID_ATA_*),
    udev-builtin-blkid.c (ID_FS_*, ID_PART_ENTRY_SIZE and _OFFSET in sectors of 512 bytes);
    lvm2 udev/10-dm.rules.in (DM_NAME).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.layers._names import kind_by_name
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import StateOutput

_LINE = re.compile(r"\s*(?P<letter>[PNLSEMRUTDIQV]): ?(?P<text>.{0,1000})$")
_TEXTS = {
    "ID_MODEL": "model", "ID_VENDOR": "vendor", "ID_REVISION": "firmware", "ID_BUS": "transport",
    "ID_PATH": "path", "ID_WWN": "wwn", "ID_FS_TYPE": "filesystem", "ID_FS_UUID": "uuid",
    "ID_FS_LABEL": "label", "ID_PART_TABLE_TYPE": "partition_table", "DM_NAME": "map",
    "ID_FS_VERSION": "version", "ID_FS_USAGE": "usage", "ID_FS_UUID_SUB": "uuid_sub",
    "ID_PART_TABLE_UUID": "disk_identifier", "ID_PART_ENTRY_UUID": "partuuid",
    "ID_PART_ENTRY_TYPE": "type", "DM_UUID": "map_uuid", "MD_LEVEL": "level", "MD_DEVNAME": "array",
}  # fmt: skip
_NUMBERS = {
    "ID_IOLIMIT_MINIMUM_IO_SIZE": "io_min", "ID_IOLIMIT_OPTIMAL_IO_SIZE": "io_opt",
    "ID_IOLIMIT_PHYSICAL_SECTOR_SIZE": "physical_block_size",
    "ID_IOLIMIT_LOGICAL_SECTOR_SIZE": "logical_block_size",
    "ID_IOLIMIT_ALIGNMENT_OFFSET": "alignment_offset", "ID_PART_ENTRY_NUMBER": "number",
    "ID_FS_FSSIZE": "filesystem_size", "ID_FS_SIZE": "filesystem_size",
    "ID_FS_FSBLOCKSIZE": "filesystem_block_size", "ID_FS_BLOCKSIZE": "filesystem_block_size",
    "ID_FS_FSLASTBLOCK": "filesystem_last_block", "ID_FS_LASTBLOCK": "filesystem_last_block",
}  # fmt: skip
"""Bytes and numbers. Source: util-linux 2.40, misc-utils/blkid.c (print_udev_format())."""
_SECTORS = {"ID_PART_ENTRY_SIZE": "size", "ID_PART_ENTRY_OFFSET": "start"}
_TAKEN = frozenset({
    *_TEXTS, *_NUMBERS, *_SECTORS, "ID_SERIAL_SHORT", "ID_ATA_ROTATION_RATE_RPM",
    "ID_ATA_WRITE_CACHE", "ID_ATA_WRITE_CACHE_ENABLED", "MAJOR", "MINOR", "DEVPATH", "DEVNAME",
    "DEVTYPE", "DEVLINKS", "SUBSYSTEM", "TAGS", "CURRENT_TAGS", "ID_PART_ENTRY_DISK",
})  # fmt: skip
"""Properties that have another name here, and paths and tags."""
_ASKED = re.compile(r"\s(?:(?:-n|--name)[= ]?)?(?:/dev/|/sys/(?:class/)?block/)([\w./:+-]{2,80})")
_MOST = 400


class UdevInfo(StateOutput):
    tool = "udevadm info"
    anchors = ("E: DEVPATH=", "E: DEVNAME=", "E: ID_", "P: /devices/")
    commands = ("udevadm", "udevinfo")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _LINE.match(line) or "=3D" in line:
            return None
        first = cursor.at
        while first and not _is_path(cursor.line(first)):
            if not _LINE.match(cursor.line(first - 1)):
                break
            first -= 1
        return first

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        properties: dict[str, str] = {}
        node, last = "", first
        for index, line in lines(cursor, first, _MOST):
            match = _LINE.match(line)
            if not match or prompt_in(line) or (index > first and _is_path(line)):
                break
            last = index
            if match["letter"] == "N":
                node = match["text"].strip()
            elif match["letter"] == "E":
                name, _, value = match["text"].partition("=")
                properties[name] = value.strip()
        asked = _ASKED.search(prompt.command)
        node = node or (asked[1] if asked else "")
        if not node and not properties.get("DEVNAME"):
            raise Unreadable("it does not say which device it is of", last)
        if properties.get("SUBSYSTEM", "block") != "block":
            raise Unreadable("it is of no block device", last)
        subject = subject_of(properties, node, prompt.host)
        if subject is None:
            raise Unreadable("none of its properties is of a disk", last)
        return last, (subject,)


def nameless(properties: Mapping[str, str], host: str) -> PrintedSubject | None:
    """What `blkid -o udev` says of a device that it does not name; None where it says nothing."""
    values = _values(properties)
    kind = "partition" if "ID_PART_ENTRY_NUMBER" in properties else "disk"
    return PrintedSubject(kind, "", values, host) if values else None


def subject_of(properties: Mapping[str, str], node: str, host: str) -> PrintedSubject | None:
    """What udev's properties say of a block device; None where they say nothing of one.

    Args:
        properties: by their names.
        node: the device, where DEVNAME is not among them.
        host: as a prompt names it.
    """
    name = properties.get("DEVNAME", "").removeprefix("/dev/") or node
    values = _values(properties)
    if not name or not values or properties.get("SUBSYSTEM", "block") != "block":
        return None
    kind = kind_by_name(name)
    if kind == "disk" and properties.get("DEVTYPE") == "partition":
        kind = "partition"
    return PrintedSubject(kind, name, values, host)


def _is_path(line: str) -> bool:
    return line.lstrip().startswith("P: /")


def _values(properties: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        name: properties[key] for key, name in _TEXTS.items() if properties.get(key)
    }
    if serial := properties.get("ID_SERIAL_SHORT") or properties.get("ID_SERIAL"):
        values["serial"] = serial
    for key, name in _NUMBERS.items():
        if (text := properties.get(key, "")).isdecimal() and (int(text) or name != "io_opt"):
            values[name] = int(text)
    for key, name in _SECTORS.items():
        if (text := properties.get(key, "")).isdecimal():
            values[name] = int(text) * units.SECTOR
    if (rate := properties.get("ID_ATA_ROTATION_RATE_RPM", "")).isdecimal():
        values["rotational"] = rate != "0"
        values |= {"rotation_rate": int(rate)} if rate != "0" else {}
    if properties.get("ID_ATA_WRITE_CACHE") == "1":
        enabled = properties.get("ID_ATA_WRITE_CACHE_ENABLED") == "1"
        values["write_cache"] = "write back" if enabled else "write through"
    return values | _others(properties) if values else {}


def _others(properties: Mapping[str, str]) -> dict[str, Scalar]:
    """The number of the device, and what has no name of discovery's, by the properties' own."""
    others = {
        name: value for name, value in properties.items()
        if name not in _TAKEN and not name.startswith("UDISKS_")
        and not name.endswith(("_ENC", "_ESCAPED"))
    }  # fmt: skip
    major, minor = properties.get("MAJOR", ""), properties.get("MINOR", "")
    number: dict[str, Scalar] = {"maj_min": f"{major}:{minor}"} if major and minor else {}
    return number | as_labelled(others)
