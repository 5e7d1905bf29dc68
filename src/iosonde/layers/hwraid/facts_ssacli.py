"""hpacucli, hpssacli and ssacli: Smart Array controllers, logical and physical drives.

Reads `ctrl all show config [detail]`, `ctrl all show [detail|status]`, `ld all show detail` and
`pd all show detail`: lines of `Name: value` under headings of one line.

Source: outputs of hpacucli 9, hpssacli 2 and ssacli 3 to 6; HPE's "Smart Storage Administrator CLI"
guide. Sizes of logical drives and caches are of 1024, those of physical drives as their makers
count. Caching is write-back where a logical drive may use the cache, the cache has a share for
writes, and a battery or capacitor is ready, or "No-Battery Write Cache" waives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from iosonde import units
from iosonde.layers.hwraid.facts import (
    battery_state,
    data_disks,
    identifier_of,
    other_labels,
    volume_state,
)
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.labels import is_apart

SSACLI = ("ssacli", "hpssacli", "hpacucli")
"""Names of the command."""
SSACLI_CONTROLLER = re.compile(
    r"^\s*(?P<model>(?:HPE? |Dynamic )?(?:Smart (?:Array|HBA)|MSA\d?|SR\d+\w*|\w+-[pa])"
    r"[\w -]{0,40}?) in Slot (?P<slot>\w{1,8})\b"
    r"(?:[^\n]{0,60}\(sn: (?P<serial>\w{4,24}) *\))?"
)
_ARRAY = re.compile(
    r"^\s*[Aa]rray:? (?P<name>[A-Z]{1,2})\b(?: \((?P<about>[^()]{1,80})\))?"
    r"|^\s*(?P<none>[Uu]nassigned)\s*$"
)
_LOGICAL = re.compile(
    r"^\s*(?:Logical Drive: (?P<number>\d{1,3})\s*$|logicaldrive (?P<short>\d{1,3})"
    r"(?: \((?P<size>[\d.]+ [KMGTP]B), RAID (?P<level>[\w+() ]{1,24}), (?P<status>[^)]{1,60})\))?)"
)
_PHYSICAL = re.compile(
    r"^\s*physicaldrive (?P<name>[\w:]{3,16})(?: \((?P<about>port[^)]{0,160})\)?)?"
)
_DRIVE = re.compile(r"\s*(?:(?:physical|logical)drive|SEP|Enclosure SEP|Expander) ")
_WORD_BREAK = re.compile(
    r"(?<=[a-z])(?=[A-Z])|(?<=[SA])(?=[HS][DS]D$)"
)  # between words whose blank a wrap may have eaten
_ENCLOSURE = re.compile(
    r"^\s*+(?:(?P<what>(?:Enclosure )?SEP|Expander|Enclosure)\b"
    r"(?: \(Vendor ID (?P<vendor>[^,()]{1,40}), Model (?P<model>[^()]{1,40})\))?"
    r" (?P<number>\d{1,4})(?: {1,4}\((?P<about>[^()]{0,120})\)?)?"
    r"|[A-Z][\w ]{2,40} at Port (?P<port>\w{1,6})"
    r", Box (?P<box>\d{1,3}), (?P<state>[\w ]{2,30}))\s*$"
)
_WWID = re.compile(r"WWID: ?([0-9A-F]{16})(?!\w)")
_TORN_WWID = re.compile(r"[0-9A-F]{16}[,)]")  # which a wrap put in a line of its own
_APART = re.compile(r"\s*(?:(?:SEP|Enclosure|Expander)\b(?![^:]{0,60}:\s)|Port Name: )")
_ITEM = re.compile(
    r"^\s*(?P<name>PCI Address \(Domain:Bus:Device\.Function\)"
    r"|[A-Z][\w /().-]{1,58}?):\s+(?P<value>\S.*)$"
)
_UNUSED = re.compile(r"Unused Space: *(\d[\d.]* +[KMGTP]B)")
_RATIO = re.compile(r"(\d{1,3})% Read ?/ ?(\d{1,3})% Write")
_SIZE = re.compile(r"([\d.]+) *([KMGTP]?B)")
_LEVELS = {"0": "raid0", "1": "raid1", "1+0": "raid10", "5": "raid5", "6": "raid6", "50": "raid50",
           "60": "raid60", "5+0": "raid50", "6+0": "raid60", "adg": "raid6", "6 (adg)": "raid6",
           "1 (adm)": "raid1", "10": "raid10"}  # fmt: skip
_READ_OF_CONTROLLER = frozenset({
    "Controller Temperature (C)", "Cache Module Temperature (C)", "Capacitor Temperature  (C)",
    "Capacitor Temperature (C)", "Slot", "Firmware Version", "Controller Status", "Serial Number",
    "Total Cache Size", "Cache Status", "Cache Ratio", "Accelerator Ratio", "Rebuild Priority",
    "Drive Write Cache", "No-Battery Write Cache", "Expand Priority", "Sensor ID",
})  # fmt: skip
_READ_OF_LOGICAL = frozenset({
    "array", "Fault Tolerance", "Status", "Size", "Strip Size", "Stripe Size", "Full Stripe Size",
    "Unique Identifier",
})  # fmt: skip
_READ_OF_PHYSICAL = frozenset({
    "Firmware Revision", "Maximum Temperature (C)", "Usage remaining", "Power On Hours", "Status",
    "Model", "Serial Number", "Current Temperature (C)", "Rotational Speed", "Size",
    "Native Block Size", "Logical/Physical Block Size",
})  # fmt: skip
"""Labels that are read into names of the records; the others stand as printed."""


@dataclass(slots=True)
class _Controller:
    """One controller as printed: items by name, of it and of what hangs on it."""

    model: str
    slot: str
    serial: str = ""
    items: dict[str, str] = field(default_factory=dict)
    logical: dict[str, dict[str, str]] = field(default_factory=dict)
    physical: dict[str, dict[str, str]] = field(default_factory=dict)
    arrays: dict[str, str] = field(default_factory=dict)  # array → what stands behind it
    members: dict[str, set[str]] = field(default_factory=dict)  # array → its physical drives
    groups: dict[str, dict[str, str]] = field(default_factory=dict)  # array → its items
    enclosures: dict[str, dict[str, str]] = field(default_factory=dict)


def parse_ssacli(text: str, host: str = "", *, headless: bool = False) -> Iterator[PrintedSubject]:
    """The controllers, logical and physical drives that ssacli names.

    Args:
        text: lines of it.
        host: where it ran.
        headless: they may be of a controller that they do not name.
    """
    for controller in _controllers(text, [_Controller("", "")] if headless else []):
        yield from _subjects(controller, host)


def is_ssacli(line: str) -> bool:
    """Whether a line is one that the tool prints."""
    patterns = (SSACLI_CONTROLLER, _ITEM, _ARRAY, _LOGICAL, _PHYSICAL, _TORN_WWID)
    return any(pattern.match(line) for pattern in patterns) or line.lstrip().startswith(
        ("Mirror Group", "SEP ", "Enclosure", "Expander", "Port Name")
    )


def _whole(text: str) -> Iterator[str]:
    """The lines; where a wrap broke one within its brackets, in one piece again."""
    held = ""
    for line in text.split("\n"):
        whole = held + line
        torn = whole.count("(") > whole.count(")") and len(whole) < 200
        held = whole if torn and _DRIVE.match(whole) else ""
        if not held:
            yield whole
    if held:
        yield held


def _controllers(text: str, controllers: list[_Controller]) -> list[_Controller]:
    """Files every line under the heading above it."""
    where: dict[str, str] = controllers[0].items if controllers else {}
    array, leftmost = "", list[str]()
    for line in _whole(text):
        head = SSACLI_CONTROLLER.match(line)
        if head:
            controllers.append(
                _Controller(head["model"].strip(), head["slot"], head["serial"] or "")
            )
            where, array, leftmost = controllers[-1].items, "", []
            continue
        if not controllers:
            continue
        if group := _ARRAY.match(line):
            array = group["name"] or ""
            where = controllers[-1].groups.setdefault(array, {}) if array else {}
            if group["about"]:
                controllers[-1].arrays[array] = group["about"]
        elif drive := _LOGICAL.match(line):
            where = _drive(controllers[-1], drive, array)
        elif disk := _PHYSICAL.match(line):
            own = _disk(controllers[-1], disk, array)
            where = where if own is None else own
        elif (apart := _enclosure(controllers[-1], line)) is not None:
            where = apart
        elif (item := _ITEM.match(line)) and not is_apart(line, leftmost):
            _file(item, where)
        else:
            continue
        leftmost = [min(*leftmost, line, key=_margin)] if leftmost else [line]
    return controllers


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


_OF_SENSOR = frozenset({"Location", "Current Value (C)", "Max Value Since Power On"})


def _file(item: re.Match[str], where: dict[str, str]) -> None:
    """Files a label; those of several sensors with the number of theirs."""
    name, value = item["name"], item["value"].strip()
    if name == "Sensor ID":
        where[name] = value
    elif name in _OF_SENSOR and "Sensor ID" in where:
        where.setdefault(f"Sensor {where['Sensor ID']} {name}", value)
    else:
        where.setdefault(name, value)


def _enclosure(printed: _Controller, line: str) -> dict[str, str] | None:
    """The items of an enclosure, its processor (SEP) or an expander; None where none begins."""
    named = _ENCLOSURE.match(line)
    if named is None:
        return {} if _APART.match(line) else None
    name = f"{named['port']}:{named['box']}" if named["port"] else str(named["number"])
    where = printed.enclosures.setdefault(name, {})
    wwid = _WWID.search(named["about"] or "")
    where |= {
        label: text
        for label, text in (
            ("Status", named["state"]), ("Vendor ID", named["vendor"]), ("Model", named["model"]),
            ("WWID", wwid[1] if wwid else None), ("Type", named["what"]),
        ) if text
    }  # fmt: skip
    return where


def _drive(printed: _Controller, named: re.Match[str], array: str) -> dict[str, str]:
    """The items of a logical drive; its heading may say some."""
    where = printed.logical.setdefault(named["number"] or named["short"], {})
    where.setdefault("array", array)
    if named["size"]:
        where["Size"], where["Status"] = named["size"], named["status"]
        where["Fault Tolerance"] = named["level"]
    return where


def _disk(printed: _Controller, named: re.Match[str], array: str) -> dict[str, str] | None:
    """The items of a physical drive; None where one line says all of it."""
    if array:
        printed.members.setdefault(array, set()).add(named["name"])
    where = printed.physical.setdefault(named["name"], {})
    if named["about"]:
        _short(where, named["about"])
        return None
    return where


def _short(about: dict[str, str], text: str) -> None:
    """Files what stands in brackets: port 1I:box 1:bay 1, SAS HDD, 600 GB, OK."""
    parts = "".join(text.split()).split(",")
    if len(parts) > 3:
        about.setdefault("Interface Type", _WORD_BREAK.sub(" ", parts[1]))
        about.setdefault("Size", parts[2])
        about.setdefault("Status", _WORD_BREAK.sub(" ", parts[3]))
    if len(parts) > 4 and parts[4].endswith("spare"):
        about.setdefault("Drive Type", "spare")


def _subjects(printed: _Controller, host: str) -> Iterator[PrintedSubject]:
    name = f"slot{printed.slot}" if printed.slot else ""
    items = printed.items
    ratio = _RATIO.search(items.get("Cache Ratio") or items.get("Accelerator Ratio", ""))
    battery = battery_state(items.get("Battery/Capacitor Status", ""))
    if items.get("Battery/Capacitor Count") == "0":
        battery = "missing"
    facts = other_labels(items, _READ_OF_CONTROLLER) | without_none(
        {
            "serial": items.get("Serial Number") or printed.serial or None,
            "temperature": _degrees(items, "Controller Temperature (C)"),
            "cache_temperature": _degrees(items, "Cache Module Temperature (C)"),
            "capacitor_temperature": _degrees(items, "Capacitor Temperature  (C)"),
            "model": printed.model or None,
            "slot": printed.slot or None,
            "firmware": items.get("Firmware Version"),
            "state": items.get("Controller Status"),
            "cache_size": _bytes(items.get("Total Cache Size"), binary=True),
            "cache_state": items.get("Cache Status"),
            "cache_read_share": int(ratio[1]) / 100 if ratio else None,
            "cache_write_share": int(ratio[2]) / 100 if ratio else None,
            "battery": battery,
            "disk_cache": (items.get("Drive Write Cache") or "").lower() or None,
            "unprotected_write_cache": items.get("No-Battery Write Cache"),
            "rebuild_priority": items.get("Rebuild Priority"),
            "expand_priority": items.get("Expand Priority"),
        }
    )
    if facts:
        yield PrintedSubject("controller", name, facts, host)
    share = int(ratio[2]) / 100 if ratio else None
    for number, drive in printed.logical.items():
        values = _logical(printed, drive, share)
        device = drive.get("Disk Name", "").partition(" ")[0]
        title = (
            device.removeprefix("/dev/") if device.startswith("/dev/") else _on(name, f"ld{number}")
        )
        own: dict[str, Scalar] = {"volume": _on(name, f"ld{number}")}
        own |= {"controller": name} if name else {}
        yield PrintedSubject("hwraid", title, own | values, host)
    for place, disk in printed.physical.items():
        values = _physical(disk)
        arrays = [array for array, members in printed.members.items() if place in members]
        if values and arrays:
            values["drive_group"] = arrays[0]
        if values:
            yield PrintedSubject("disk", _on(name, place), values, host)
    yield from _others(printed, name, host)


def _others(printed: _Controller, name: str, host: str) -> Iterator[PrintedSubject]:
    """Arrays that say more than their drives do, and enclosures."""
    for array, items in printed.groups.items():
        used, unused = (items.get(f"{word} Space", "").partition("(")[0] for word in _SPACES)
        values = other_labels(items, {"Status", "Used Space", "Unused Space"}) | without_none(
            {
                "state": items.get("Status", "").lower() or None,
                "used_space": _bytes(used, binary=True) if used else None,
                "unused_space": _bytes(unused, binary=True) if unused else None,
            }
        )
        if items and values:
            yield PrintedSubject("drive_group", _on(name, array), values, host)
    for place, items in printed.enclosures.items():
        values = other_labels(items, {"Status", "Model"}) | without_none(
            {"state": items.get("Status", "").lower() or None, "model": items.get("Model")}
        )
        if values:
            yield PrintedSubject("enclosure", _on(name, place), values, host)


_SPACES = ("Used", "Unused")


def _on(controller: str, thing: str) -> str:
    """The name of what hangs on a controller, which may not be named."""
    return f"{controller}/{thing}" if controller else thing


def _logical(
    printed: _Controller, drive: Mapping[str, str], share: float | None
) -> dict[str, Scalar]:
    strip = _bytes(drive.get("Strip Size") or drive.get("Stripe Size"), binary=True)
    full = _bytes(drive.get("Full Stripe Size"), binary=True)
    state = drive.get("Status", "").partition(",")
    cache = printed.items.get("Drive Write Cache", "")
    cache = (cache or printed.items.get("Configured Drive Write Cache Policy", "")).lower()
    level = _LEVELS.get(drive.get("Fault Tolerance", "").lower())
    members = [
        name
        for name in printed.members.get(drive.get("array", ""), ())
        if "spare" not in printed.physical[name].get("Drive Type", "").lower()
    ]
    about = printed.arrays.get(drive.get("array", ""), "")
    unused = _UNUSED.search(about)
    return other_labels(drive, _READ_OF_LOGICAL) | without_none(
        {
            "drive_group": drive.get("array") or None,
            "array_state": about.lower() if about in {"Failed", "OK"} else None,
            "unused_space": _bytes(unused[1], binary=True) if unused else None,
            "raid_level": level,
            "state": volume_state(state[0]) or None,
            "size": _bytes(drive.get("Size"), binary=True),
            "disks": len(members) or None,
            "data_disks": full // strip
            if full and strip
            else data_disks(level, len(members) or None, None),
            "strip_size": strip,
            "full_stripe_size": full,
            "write_policy": _policy(printed.items, drive, share),
            "write_policy_initial": _policy({**printed.items, "Cache Status": "OK"}, drive, share)
            if printed.items.get("Cache Status") in _SUSPENDED
            else None,
            "disk_cache": cache.partition(" ")[0] or None,
            "active_operations": state[2].strip() or None,
            "identifier": identifier_of(drive.get("Unique Identifier")),
        }
    )


_SUSPENDED = frozenset({"Temporarily Disabled", "Permanently Disabled"})
"""What the controller says of a cache that it does not use although it was set to."""


def _policy(items: Mapping[str, str], drive: Mapping[str, str], share: float | None) -> str | None:
    """Whether writes are acknowledged from the cache; None where too little is said."""
    caching = drive.get("Caching") or drive.get("Array Accelerator")
    if caching is None:
        return None
    broken = items.get("Cache Status", "OK") not in {"OK", "Enabled"}
    if not caching.startswith("Enabled") or share == 0 or broken:
        return "write_through"
    if items.get("No-Battery Write Cache") == "Enabled":
        return "write_back_always"
    return "write_back" if items or share is not None else None


def _physical(disk: Mapping[str, str]) -> dict[str, Scalar]:
    interface = disk.get("Interface Type", "")
    speed = disk.get("Rotational Speed", "")
    heat = disk.get("Current Temperature (C)", "")
    solid = "solid state" in interface.lower() or "SSD" in interface
    turning = True if speed.isdecimal() or "HDD" in interface else None
    bus = next((bus_name for bus_name in ("NVMe", "SATA", "SAS") if bus_name in interface), "")
    blocks = disk.get("Native Block Size") or disk.get("Logical/Physical Block Size", "")
    sector = blocks.partition("/")
    unused = re.fullmatch(r"(\d{1,3}(?:\.\d{1,2})?)%", disk.get("Usage remaining", ""))
    hours = disk.get("Power On Hours", "")
    return other_labels(disk, _READ_OF_PHYSICAL) | without_none(
        {
            "firmware": disk.get("Firmware Revision"),
            "maximum_temperature": _degrees(disk, "Maximum Temperature (C)"),
            "media_wear": round(1 - float(unused[1]) / 100, 4) if unused else None,
            "power_on_time": int(hours) * 3600 if hours.isdecimal() else None,
            "state": disk["Status"].lower() if "Status" in disk else None,
            "model": " ".join(disk.get("Model", "").split()) or None,
            "serial": disk.get("Serial Number"),
            "media": "SSD" if solid else "HDD" if turning else None,
            "rotational": False if solid else turning,
            "temperature": int(heat) if heat.isdecimal() else None,
            "rpm": int(speed) if speed.isdecimal() else None,
            "transport": bus.lower() or None,
            "size": _bytes(disk.get("Size"), binary=False),
            "logical_block_size": int(sector[0]) if sector[0].isdecimal() else None,
            "physical_block_size": int(sector[2]) if sector[2].isdecimal() else None,
        }
    )


def _degrees(items: Mapping[str, str], label: str) -> int | None:
    text = items.get(label, "")
    return int(text) if text.isdecimal() else None


def _bytes(text: str | None, *, binary: bool) -> int | None:
    """Bytes of "2.0 GB", and of "4.0", which some versions print of a cache of 4 GB."""
    if text is None:
        return None
    match = _SIZE.match(text)
    if match:
        return round(units.printed(match[1] + match[2][:-1], binary=binary)[0])
    return round(float(text) * units.GIB) if re.fullmatch(r"\d{1,3}\.\d", text) else None
