"""`mdadm --examine` of a disk with DDF metadata: the container, its virtual and its physical disks.

Source: mdadm 4.3, super-ddf.c (examine_super_ddf(), examine_vds(), examine_vd(), examine_pds(),
print_guid(); sizes of virtual disks are in KiB, chunks in sectors of 512 bytes); mdadm 3.0, the
same ("PD GUID[%d]", "Avail Size[%d]").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.layers.md.facts_mdadm import MDADM_DEVICE
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, before, close_rows

_PAIR = re.compile(
    r"\s*(?P<label>Magic|Version|Controller GUID|Container GUID|Seq|Redundant hdr|Virtual Disks|"
    r"Physical Disks|VD GUID|PD GUID|unit|state|init state|access|Name|Raid Devices|Chunk Size|"
    r"Raid Level|Secondary Position|Secondary Level|Device Size|Array Size|ref|mode|Avail Size)"
    r"(?:\[(?P<number>\d{1,5})\])? :(?: (?P<value>\S.{0,900}?))?\s*$"
)
_DISK_HEAD = re.compile(r"\s*Number\s+RefNo\s+Size\s+Device\s+Type/State\s*$")
_MORE_STATE = re.compile(r"\s*[A-Z][A-Za-z-]{3,24}(?:, [A-Za-z-]{4,24}){0,5}\s*$")
_DISK = re.compile(
    r"\s*(?P<number>\d{1,5})\s+(?P<reference>[0-9a-f]{8})\s+(?P<size>\d{1,18})K"
    r"(?:\s+/dev/(?P<device>\S{1,60}))?\s+(?P<type>[A-Za-z-]{0,24}(?:, ?foreign)?(?:pass-through)?)"
    r"/(?P<state>O[a-z]{5,6}(?:, ?[A-Za-z-]{4,24}){0,6})(?P<goes_on>,)?\s*$"
)
_ASCII = re.compile(r"\s*\(\S.{0,60}\)\s*$")
_MEMBER = re.compile(r"\(?(?:\d{1,5}|\?|\(SP\d{1,5}\))(?:@\d{1,18}K)?\)?")
_COUNT = re.compile(r"(?P<count>\d{1,5}) \((?P<members>.{0,900}?)(?P<end>\))?$")
_OF_DISK = frozenset({"PD GUID", "ref", "mode", "Avail Size"})
_HEAD = frozenset({
    "Version", "Controller GUID", "Container GUID", "Seq", "Redundant hdr", "Virtual Disks",
    "Physical Disks",
})  # fmt: skip
_MOST = 2000


class MdadmDdf(StateOutput):
    tool = "mdadm DDF"
    anchors = (
        "Magic : de11de11", "Controller GUID :", "Container GUID :", "VD GUID[", "PD GUID[",
        "Type/State",
    )  # fmt: skip
    commands = ("mdadm",)
    reach = 4
    nothing = "neither a container nor a disk follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_PAIR.match(line) or _DISK_HEAD.match(line)):
            return None
        first = cursor.at
        while _PAIR.match(cursor.line(before(cursor, first))):
            first = before(cursor, first)
        above = before(cursor, first)
        return above if MDADM_DEVICE.match(cursor.line(above)) else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        device_line = MDADM_DEVICE.match(cursor.line(first))
        container = _Container(device_line["name"] if device_line else prompt.path)
        below = first + 1 if device_line else first
        _, last = close_rows(cursor, below, container.takes, _MOST, gap=3)
        return last, container.subjects(prompt.host)


class _Container:
    """What the lines say so far of the container, and of its disks by their numbers."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._head: dict[str, Scalar] = {}
        self._virtual: dict[int, dict[str, Scalar]] = {}
        self._physical: dict[int, dict[str, Scalar]] = {}
        self._in_disks = False
        self._broken: dict[str, Scalar] | None = None

    def takes(self, line: str) -> bool:
        """Whether a line is part of it; what it says is kept."""
        broken, self._broken = self._broken, None
        if pair := _PAIR.match(line):
            label, value = pair["label"], pair["value"] or ""
            if label == "Physical Disks":
                self._in_disks = True
            if pair["number"] is None:
                return self._takes_head(label, value)
            is_disk = label in _OF_DISK or (self._in_disks and label == "state")
            below = self._physical if is_disk else self._virtual
            values = below.setdefault(int(pair["number"]), {})
            values |= _of(label, value)
            if label == "Raid Devices" and "members" in values and not value.endswith(")"):
                self._broken = values  # a mail broke the list
            return True
        if disk := _DISK.match(line):
            values = {"reference": disk["reference"], "size": int(disk["size"]) << 10}
            values |= {name: disk[name] for name in ("device", "type", "state") if disk[name]}
            self._physical[int(disk["number"])] = values
            self._broken = values if disk["goes_on"] else None
            return True
        if broken is not None and "state" in broken and _MORE_STATE.match(line):
            broken["state"] = f"{broken['state']}, {line.strip()}"
            return True
        if broken is not None and "members" in broken and all(map(_MEMBER.fullmatch, fields(line))):
            broken["members"] = f"{broken['members']} {line.strip().removesuffix(')')}"
            self._broken = None if ")" in line else broken
            return True
        return bool(_ASCII.match(line) or _DISK_HEAD.match(line))

    def _takes_head(self, label: str, value: str) -> bool:
        if label in _HEAD:
            is_count = label.endswith("Disks") and value.isdecimal()
            self._head[_named(label)] = int(value) if is_count else value
        return label in _HEAD or label == "Magic"

    def subjects(self, host: str) -> list[PrintedSubject]:
        """The container, each virtual disk and each physical disk."""
        subjects: list[PrintedSubject] = []
        if self._head:
            values = {"metadata": "ddf", **self._head}
            subjects.append(PrintedSubject("md_member", self._name, values, host))
        for number, virtual in self._virtual.items():
            name = str(virtual.pop("name", "") or f"VD{number}")
            subjects.append(PrintedSubject("md_volume", name, {"number": number, **virtual}, host))
        for number, disk in self._physical.items():
            name = str(disk.pop("device", "") or disk.get("reference") or f"PD{number}")
            subjects.append(PrintedSubject("md_member", name, {"number": number, **disk}, host))
        return subjects


def _named(label: str) -> str:
    return label.lower().replace(" ", "_")


def _of(label: str, value: str) -> dict[str, Scalar]:
    """What a line says of a disk: sizes in bytes, the level as md names it."""
    name, figure = _named(label), value.partition(" ")[0]
    if not value:
        return {}
    if label in {"Device Size", "Array Size", "Avail Size"} and figure.isdecimal():
        return {"size" if label == "Avail Size" else name: int(figure) << 10}
    if label == "Chunk Size" and figure.isdecimal():
        return {name: int(figure) * units.SECTOR}
    if label == "Raid Level":
        return {"level": value.lower()}
    if label == "Raid Devices" and (count := _COUNT.match(value)):
        return {"raid_disks": int(count["count"]), "members": count["members"].strip()}
    name = {"mode": "type", "ref": "reference"}.get(label, name)
    return {name: int(value) if value.isdecimal() and label != "ref" else value}
