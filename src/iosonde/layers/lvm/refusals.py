"""What LVM's commands say of devices, groups and volumes where they do less than they were asked.

Source: LVM2 2.03: tools/toollib.c ("No device found for %s.", "Physical volume '%s' is already in
volume group '%s'"), tools/pvcreate.c, lib/device/dev-cache.c ("Device %s not found (or ignored by
filtering)."), lib/metadata/metadata.c ("Device %s %s." with "excluded by a filter"),
lib/metadata/pv_manip.c, lib/device/dev-type.c ("%s: %s signature detected on %s at offset %llu.
Wipe it? [y/n]: "), lib/metadata/lv_manip.c ("New size (%d extents) matches existing size (%d
extents)."; before 2.02.104 "Extending logical volume %s to %s"), lib/format_text/import_vsn1.c
("Couldn't find device with uuid %s."), lib/metadata/metadata.c ("WARNING: VG %s is missing PV %s
(last written to %s).", "WARNING: VG %s was missing PV %s %s."), tools/vgreduce.c ("Wrote out
consistent volume group %s."); what goes on: tools/polldaemon.c ("%s: %s: %s%%"),
lib/metadata/cache_manip.c ("Flushing " FMTu64 " blocks for cache %s."), tools/lvconvert.c
("Logical volume %s is now cached."), tools/lvrename.c, vgrename.c, vgreduce.c, pvresize.c,
vgcfgbackup.c ("Volume group "%s" successfully backed up."), vgcfgrestore.c ("Restored volume group
%s."), pvmove.c ("No data to move for %s.").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from iosonde import units
from iosonde.layers import DEVICE_FOLDERS
from iosonde.layers._mapper.facts import mapper_name
from iosonde.layers.lvm.facts import UUID
from iosonde.records.stack import Scalar

_DEVICE = r"(?P<device>/dev/[\w/.:+-]{1,120}?)"
_NAME = r"[\w+.-]{1,128}"
_Values = Mapping[str, Scalar]


def _signature(match: re.Match[str]) -> _Values:
    values: dict[str, Scalar] = {
        "signature": match["signature"], "signature_offset": int(match["offset"]),
    }  # fmt: skip
    if match["answer"]:
        values["wiped"] = match["answer"].lower() == "y"
    return values


def _lacked(match: re.Match[str]) -> _Values:
    values: dict[str, Scalar] = {"missing": True, "volume_group": match["lacking"]}
    if match["last"] not in {None, "na"}:
        values["last_device"] = match["last"].removeprefix("/dev/")
    return values


def _sized(match: re.Match[str]) -> _Values:
    return {"size": units.parse_bytes(match["size"].replace(",", "."))}


def _share(percent: str) -> float:
    return round(float(percent.replace(",", ".")) / 100, 6)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], _Values]], ...] = tuple(
    (re.compile(rf"\s*{pattern}\s*$"), values)
    for pattern, values in (
        (rf"No device found for {_DEVICE}\.", lambda _: {"device_found": False}),
        (rf"(?:Cannot use |Device ){_DEVICE}:? (?:is )?(?:excluded by a filter|not found \(or "
         r"ignored by filtering\))\.?", lambda _: {"filtered": True}),
        (rf"Cannot use {_DEVICE}: (?P<why>[a-z][\w ()-]{{3,80}})\.?",
         lambda match: {"unusable": match["why"]}),
        (rf"Can't open {_DEVICE} exclusively\. {{1,2}}(?:Mounted filesystem|Can't open).{{0,40}}",
         lambda _: {"in_use": True}),
        (rf"(?:WARNING: )?(?P<signature>\w[\w +-]{{0,30}}) signature detected on {_DEVICE} at "
         r"offset (?P<offset>\d{1,19})\. Wipe it\? \[y/n\](?:: ?\[[yn]\])?:? ?(?P<answer>[yn]?)",
         _signature),
        (r"(?:WARNING: )?Couldn't find (?:all devices for |device with uuid )'?"
         rf"(?P<uuid>{UUID})'?\.?",
         lambda _: {"missing": True}),
        (rf"WARNING: VG (?P<lacking>{_NAME}) is missing PV (?P<uuid>{UUID})(?: \(last written to "
         r"(?P<last>/dev/[\w/.:+-]{1,120}|na)\))?\.", _lacked),
        (rf"WARNING: VG (?P<lacking>{_NAME}) was missing PV {_DEVICE} (?P<uuid>{UUID})\.",
         lambda match: {"missing": True, "volume_group": match["lacking"], "uuid": match["uuid"]}),
        (rf"Physical volume '{_DEVICE}' is already in volume group '(?P<of>{_NAME})'",
         lambda match: {"volume_group": match["of"]}),
        (rf"(?:Extending|Reducing) logical volume (?P<volume>{_NAME}) to "
         r"(?P<size>\d{1,9}[.,]\d\d [KMGTPE]iB)", _sized),
        (r"New size \((?P<extents>\d{1,12}) extents\) matches existing size \((?P=extents) "
         r"extents\)\.?", lambda match: {"extents": int(match["extents"])}),
        (r"There are (?P<missing>\d{1,6}) physical volumes missing\.",
         lambda match: {"missing_devices": int(match["missing"])}),
        (rf"Wrote out consistent volume group (?P<mended>{_NAME}?)\.",
         lambda _: {"consistent": True}),
        (rf"Logical volume (?P<volume>{_NAME}/{_NAME}) is (?P<cached>now|not) cached\.",
         lambda match: {"cached": match["cached"] == "now"}),
        (rf"Flushing (?P<blocks>\d{{1,12}}) blocks for cache (?P<volume>{_NAME}/{_NAME})\.",
         lambda match: {"dirty_blocks": int(match["blocks"])}),
        (rf"(?P<volume>{_NAME}/{_NAME}): (?P<what>Converted|Merged|Moved|Synced): "
         r"(?P<share>\d{1,3}[.,]\d{1,2})%",
         lambda match: {f"{match['what'].lower()}_share": _share(match["share"])}),
        (rf"{_DEVICE}: Moved: (?P<share>\d{{1,3}}[.,]\d{{1,2}})%",
         lambda match: {"moved_share": _share(match["share"])}),
        (rf"Renamed \"(?P<before>{_NAME})\" to \"(?P<to>{_NAME})\" in volume group "
         rf"\"(?P<group>{_NAME})\"", lambda match: {"name_before": match["before"]}),
        (rf"Volume group \"(?P<before>{_NAME})\" successfully renamed to \"(?P<named>{_NAME})\"",
         lambda match: {"name_before": match["before"]}),
        (rf"Volume group \"(?P<merged>{_NAME})\" successfully merged into \"(?P<named>{_NAME})\"",
         lambda match: {"merged": match["merged"]}),
        (rf"Volume group \"?(?P<saved>{_NAME})\"? successfully backed up\.",
         lambda _: {"backed_up": True}),
        (rf"Restored volume group (?P<saved>{_NAME}?)\.?", lambda _: {"restored": True}),
        (rf"No data to move for (?P<idle>{_NAME}?)\.?", lambda _: {"data_to_move": False}),
        (rf"Removed \"{_DEVICE}\" from volume group \"(?P<of>{_NAME})\"",
         lambda match: {"removed_from": match["of"]}),
        (rf"Merging of volume (?P<volume>{_NAME}/{_NAME}) started\.", lambda _: {"merging": True}),
        (r"(?P<resized>\d{1,6}) physical volume\(s\) resized(?: or updated)? / "
         r"(?P<kept>\d{1,6}) physical volume\(s\) not resized",
         lambda match: {
             "devices_resized": int(match["resized"]), "devices_not_resized": int(match["kept"]),
         }),
        (rf"Volume group \"?(?P<absent>{_NAME})\"? not found\.?", lambda _: {"found": False}),
    )
)  # fmt: skip
_KINDS = {
    "uuid": "lvm_pv", "volume": "lvm", "absent": "lvm_group", "extents": "lvm",
    "missing": "lvm_group", "named": "lvm_group", "resized": "host",
    "mended": "lvm_group", "saved": "lvm_group", "idle": "lvm_group",
}  # fmt: skip
"""What is named or counted, and the kind of thing that it is about."""


def refusal(line: str) -> tuple[str, str, _Values] | None:
    """Kind and name of what a message is about, and what it says of it."""
    for form, values in _FORMS:
        if match := form.match(line):
            kind, name = _about(match.groupdict())
            return kind, name, values(match)
    return None


def _about(named: Mapping[str, str | None]) -> tuple[str, str]:
    device = (named.get("device") or "").removeprefix("/dev/")
    if device:
        group, _, volume = device.partition("/")
        is_volume = volume and group not in DEVICE_FOLDERS
        return ("lvm", mapper_name(group, volume)) if is_volume else ("lvm_pv", device)
    if named.get("to"):
        return "lvm", mapper_name(named.get("group") or "", named["to"] or "")
    for key, kind in _KINDS.items():
        if name := named.get(key):
            group, _, volume = name.partition("/")
            return kind, mapper_name(group, volume) if volume else "" if name.isdecimal() else name
    return "host", ""
