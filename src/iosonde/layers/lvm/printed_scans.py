"""pvscan, lvscan, vgscan and lvmdiskscan, and the one-line forms of vgdisplay and pvdisplay.

Source: LVM2 2.03: tools/pvscan.c (_pvscan_display_single(): "PV %-*s VG %-*s %s [%s / %s free]",
"is in exported VG", "with UUID" in front; "Total: %d [%s] / in use: %d [%s] / in no VG: %d [%s]"),
tools/lvscan.c ("%s%s '%s%s/%s' [%s] %s"), tools/vgscan.c ("Found %svolume group "%s" using metadata
type %s"), tools/lvmdiskscan.c ("%-*s [%15s] %s", "%d disk%s"), lib/display/display.c
(vgdisplay_short(), pvdisplay_short()). Sizes of versions before 2.02.70 have GB for 1024^3; a
locale may have a comma in them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers.lvm.facts import UUID, size_of
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import PartlyReadItems, StateOutput, close_rows, first_match, start_of

_DEVICE = r"/dev/[\w/.:+-]{1,120}|\[unknown\]|unknown device"
_NAME = r"[\w+.-]{1,128}"


def _size(name: str) -> str:
    return rf"(?P<{name}><?\d{{1,12}}(?:[.,]\d{{1,3}})?(?: {{0,9}}[KMGTPE]?i?B)?|0) {{0,9}}"


_PV = re.compile(
    rf"\s*(?:pvscan\[\d{{1,9}}\] )?PV (?P<device>{_DEVICE})(?: with UUID (?P<uuid>{UUID}))?\s+"
    rf"(?:VG (?P<group>{_NAME})\s+(?P<format>lvm[12]) \[{_size('size')}/ {_size('free')}free\]"
    rf"|is in exported VG (?P<exported>{_NAME}) "
    rf"\[{_size('of_exported')}/ {_size('free_exported')}\]"
    rf"|(?P<orphan>lvm[12])\s+\[{_size('of_orphan')}\])\s*$"
)
_TOTAL = re.compile(
    rf"\s*Total: (?P<devices>\d{{1,6}}) \[{_size('size')}\] "
    rf"/ in use: (?P<devices_in_use>\d{{1,6}}) "
    rf"\[{_size('size_in_use')}\] / in no VG: (?P<devices_in_no_group>\d{{1,6}}) "
    rf"\[{_size('size_in_no_group')}\]\s*$"
)
_LV = re.compile(
    rf"\s*(?P<state>ACTIVE|inactive)\s+(?:(?P<role>Original|Snapshot)\s+)?'/dev/(?P<group>{_NAME})/"
    rf"(?P<volume>\[?{_NAME}\]?)' \[{_size('size')}\] "
    r"(?P<allocation>inherit|contiguous|cling(?:_by_tags)?|normal|anywhere"
    r"|next free(?: \(default\))?)\s*$"
)
_VG = re.compile(
    rf'\s*Found (?P<exported>exported )?volume group "(?P<group>{_NAME})" using metadata type '
    r"(?P<format>\w{1,12})\s*$"
)
_VG_SHORT = re.compile(
    rf'\s*"(?P<group>{_NAME})" {_size("size")}\[{_size("used")}used / {_size("free")}free\]\s*$'
)
_PV_SHORT = re.compile(
    rf'\s*Device "(?P<device>/dev/[\w/.:+-]{{1,120}})" has a capacity of {_size("size")}$'
)
_DISK = re.compile(
    rf"\s*(?P<device>/dev/[\w/.:+-]{{1,120}})\s+\[\s{{0,15}}{_size('size')}\]"
    r"(?P<physical> LVM physical volume)?\s*$"
)
_COUNTED = re.compile(
    r"\s*(?P<count>\d{1,6}) (?P<what>disks?|partitions?|LVM physical volume whole disks?"
    r"|LVM physical volumes?)\s*$"
)
_READING = re.compile(r"\s*Reading (?:all physical volumes|volume groups from cache)\.")
_FORMS = (_PV, _TOTAL, _LV, _VG, _VG_SHORT, _PV_SHORT, _DISK, _COUNTED, _READING)
_FIRM = (_PV, _TOTAL, _LV, _VG, _VG_SHORT, _PV_SHORT)


class LvmScans(StateOutput):
    tool = "lvm scan"
    anchors = (
        " VG ", " free]", " / in use: ", "ACTIVE  ", "inactive  ", "inactive Snapshot",
        "volume group \"", "] LVM physical volume", "LVM physical volume whole disk",
        "has a capacity of", "Reading all physical volumes", "Reading volume groups from cache",
    )  # fmt: skip
    commands = ("pvscan", "lvscan", "vgscan", "lvmdiskscan", "vgdisplay", "pvdisplay", "lvm")
    nothing = "it lists nothing"
    looks_above: ClassVar[bool] = True

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        is_disk = _DISK.match(line) or _COUNTED.match(line)
        if is_disk and "LVM physical volume" in line:
            return start_of(cursor, lambda above: _DISK.match(above) or _COUNTED.match(above))
        if _READING.match(line):
            return cursor.at if any(map(_VG.match, cursor.block(cursor.at + 1, 4))) else None
        return cursor.at if any(form.match(line) for form in _FIRM) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        subjects: list[PrintedSubject] = []
        totals: dict[str, Json] = {}
        matches, last = close_rows(
            cursor, first, lambda line: first_match(_FORMS, line), 2000, no_prompts=True
        )
        for match in matches:
            if match.re is _TOTAL:
                totals |= _sizes(match.groupdict())
            elif match.re is _COUNTED:
                totals[_plural(match["what"])] = int(match["count"])
            elif subject := _subject(match, prompt.host):
                subjects.append(subject)
        counted: list[PrintedCounters] = []
        if totals:
            counted.append(self.counted("host", "", totals, prompt))
        return last, [*subjects, *counted]


def _plural(what: str) -> str:
    return f"{what.rstrip('s').replace(' ', '_').lower()}s"


def _subject(match: re.Match[str], host: str) -> PrintedSubject | None:
    """What a line says of a device, a volume or a group."""
    form = match.re
    said = {name: text for name, text in match.groupdict().items() if text}
    if form is _LV:
        name = mapper_name(said.pop("group"), said.pop("volume").strip("[]"))
        said |= {"state": said["state"].lower()}
        return PrintedSubject("lvm", name, _sizes(said), host)
    if form is _VG:
        exported: dict[str, Scalar] = {"exported": True} if said.pop("exported", "") else {}
        return PrintedSubject("lvm_group", said.pop("group"), _sizes(said) | exported, host)
    if form is _VG_SHORT:
        return PrintedSubject("lvm_group", said.pop("group"), _sizes(said), host)
    device = said.pop("device", "").removeprefix("/dev/")
    if form is _DISK:
        is_volume = said.pop("physical", "")
        return PrintedSubject("lvm_pv" if is_volume else "disk", device, _sizes(said), host)
    if form is _PV or form is _PV_SHORT:
        return PrintedSubject("lvm_pv", device, _of_device(said), host)
    return None


def _of_device(said: dict[str, str]) -> dict[str, Scalar]:
    is_exported = "exported" in said
    names = {
        "group": "volume_group", "exported": "volume_group", "orphan": "format",
        "of_exported": "size", "free_exported": "free", "of_orphan": "size",
    }  # fmt: skip
    values = _sizes({names.get(name, name): text for name, text in said.items()})
    return values | ({"exported": True} if is_exported else {})


def _sizes(said: Mapping[str, str | None]) -> dict[str, Scalar]:
    """The values: sizes in bytes, counts as numbers."""
    values: dict[str, Scalar] = {}
    for name, text in said.items():
        if text is None:
            continue
        if name in {"free", "used"} or name.startswith("size"):
            size = size_of(text.replace(" ", "").removesuffix("B").replace("i", "").lower())
            values |= {name: size} if size is not None else {}
        else:
            values[name] = int(text) if text.isdecimal() and name.startswith("devices") else text
    return values
