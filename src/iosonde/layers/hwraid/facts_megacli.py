"""MegaCli: virtual drives (-LDInfo), adapters (-AdpAllInfo), drives (-PDList), -AdpBbuCmd.

Source: outputs of MegaCLI 8.x and PercCLI; its help; LSI's "MegaRAID SAS Software User Guide",
chapter "MegaRAID Command Tool". Levels are written as DDF has them (SNIA DDF 2.0, 4.2.2): primary,
qualifier, and secondary 3 for spans. Sizes are of 1024.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import TypeAlias

from iosonde.layers.hwraid.facts import battery_state, data_disks, other_labels, size_of
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.labels import as_labelled, is_apart

MEGACLI = ("MegaCli64", "MegaCli", "megacli", "MegaCLI", "megacli64", "megasasctl", "PercCli")
"""Names of the command."""
_ADAPTER = re.compile(r"\s*(?:\w+ \w+ for )?Adapter:?\s*#?(?P<number>\d+)")

_VOLUME = re.compile(r"Virtual(?:Drive|Disk):(?P<number>\d+)\(TargetId:(?P<target>\d+)\)")
_LEVEL = re.compile(r"RAIDLevel:Primary-(\d),Secondary-(\d),RAIDLevelQualifier-(\d)")
_SIZE = re.compile(r"(?<![A-Za-z])Size:([\d.]+[KMGTP]B)")
_STATE = re.compile(r"State:(Optimal|PartiallyDegraded|Degraded|Offline|Recovery)")
_STRIP = re.compile(r"Strip(?:e)?Size:([\d.]+[KM]B)")
_DRIVES = re.compile(r"NumberOfDrives(perspan)?:(\d{1,4})", re.IGNORECASE)
_SPANS = re.compile(r"SpanDepth:(\d{1,3})")
_POLICY = re.compile(
    r"(?P<which>Default|Current)CachePolicy:(?P<write>Write\w+?),(?P<ahead>Read\w+?|Normal),"
    r"(?P<io>Direct|Cached),(?P<bad>(?:No)?WriteCache(?:OK)?ifBadBBU)"
)
_DISK_CACHE = re.compile(r"Disk(?:'|’)?s?CachePolicy:(Disk(?:'|’)sDefault|Enabled|Disabled)")
_ENCRYPTION = re.compile(r"EncryptionType:(None|FDE|[A-Z][a-z]+)")
_STATES = {"Optimal": "optimal", "PartiallyDegraded": "partially degraded", "Degraded": "degraded",
           "Offline": "offline", "Recovery": "recovery"}  # fmt: skip
_DISK_CACHES = {"Enabled": "enabled", "Disabled": "disabled"}
_OWNER = re.compile(r"Adapter(?P<number>\d{1,3})(?:-|—)+VirtualDrive")
_MEMORY = re.compile(r"\d+ ?[KMGT]?i?B")
_ONGOING = re.compile(r"OngoingProgresses:(\w+?):Completed(\d+)%")
_SECTOR = re.compile(r"SectorSize:(\d{3,5})(?!\d)")
_PARITY = re.compile(r"ParitySize:([\d.]+[KMGTP]B)")

ADAPTER_COUNTS = (
    "Virtual Drives", "Degraded", "Offline", "Physical Devices", "Disks", "Critical Disks",
    "Failed Disks", "Memory Correctable Errors", "Memory Uncorrectable Errors",
    "Relative State of Charge", "Absolute State of charge", "Remaining Capacity",
    "Full Charge Capacity", "Design Capacity", "Cycle Count", "Max Error", "Charger System State",
    "Charger System Ctrl", "Charging current", "Remaining Capacity Alarm", "Remining Time Alarm",
    "Date of Manufacture", "Design Voltage", "Auto Learn Period", "Next Learn time",
    "Learn Delay Interval", "Pack energy", "Capacitance", "Number of Backend Port",
)  # fmt: skip
_COUNTS = {label.lower(): label for label in ADAPTER_COUNTS}
_OF_BATTERY = ("Voltage", "Current", "Temperature")
"""Labels that also stand before `OK`, and of other things than the battery."""
_UNITS_OF_BATTERY = re.compile(r"-?\d{1,6} ?(?:mV|mA|C|degree)\b")
_READ_OF_ADAPTER = frozenset({
    "Product Name", "FW Version", "Memory Size", "Serial No", *_OF_BATTERY,
    "BBU Capacity Info for Adapter", "BBU Properties for Adapter", "BBU Design Info for Adapter",
})  # fmt: skip
READ_OF_DISK = frozenset({
    "Device Firmware Level", "Drive Temperature", "Media Error Count", "Other Error Count",
    "Predictive Failure Count", "PD Type", "Raw Size", "Non Coerced Size", "Coerced Size",
    "Sector Size", "Drive has flagged a S.M.A.R.T alert", "Drive's position", "Drive's postion",
    "Slot Number", "Enclosure Device ID", "Inquiry Data", "Torn", "Firmware state", "Media Type",
})  # fmt: skip
READ_OF_VOLUME = frozenset({
    "Size", "State", "Strip Size", "Stripe Size", "Span Depth", "Sector Size", "Parity Size",
    "Encryption Type", "Disk Cache Policy", "Number Of Drives", "Number Of Drives per span",
    "Default Cache Policy", "Current Cache Policy", "RAID Level",
})  # fmt: skip
_VOLUME_LINE = re.compile(r"\s*(?:CacheCade )?Virtual (?:Drive|Disk): ?(\d+) ?\(")
_VOLUME_END = re.compile(r"\s*(?:PD|Span): ?\d")
_BAR = re.compile(r"\s*={3,}\s*$")
_POSITION = re.compile(r"DiskGroup: ?(\d+), Span: ?(\d+), Arm: ?(\d+)")
ITEM = re.compile(r"^\s*(?P<name>[A-Za-z][\w ()&/.'#-]{1,60}?)\s*[:=]\s*(?P<value>.*?)\s*$")
_LEVELS = {(0, 0): "raid0", (1, 0): "raid1", (5, 0): "raid5", (6, 0): "raid6", (0, 3): "raid00",
           (1, 3): "raid10", (5, 3): "raid50", (6, 3): "raid60"}  # fmt: skip


def parse_megacli(text: str, host: str = "") -> Iterator[PrintedSubject]:
    """The virtual drives, adapters with their battery, and physical drives that MegaCli names."""
    adapters, drives, volumes = _items(text)
    yield from _volumes(text, host, volumes)
    for name, items in adapters.items():
        if values := adapter_of(items):
            yield PrintedSubject("controller", name, values, host)
    for name, items in drives.items():
        if values := disk_of(items):
            yield PrintedSubject("disk", name, values, host)


def _volumes(
    text: str, host: str, labelled: Mapping[str, Mapping[str, str]]
) -> Iterator[PrintedSubject]:
    """The virtual drives. Their lines are read without blanks: some are wider than a page."""
    packed = "".join(text.split())
    marks = list(_VOLUME.finditer(packed))
    owners = list(_OWNER.finditer(packed))
    for mark, after in zip_longest(marks, marks[1:]):
        above = [owner["number"] for owner in owners if owner.start() < mark.start()]
        owner = f"c{above[-1] if above else 0}"
        values = volume_of(packed[mark.end() : after.start() if after else len(packed)])
        if values:
            name = f"{owner}/v{mark['number']}"
            own = other_labels(labelled.get(name, {}), READ_OF_VOLUME)
            own |= {"controller": owner, "volume": name, "target_id": int(mark["target"])}
            yield PrintedSubject("hwraid", name, own | values, host)


def volume_of(block: str) -> dict[str, Scalar]:
    """What a virtual drive is, by the lines of -LDInfo without their blanks."""
    level = _LEVEL.search(block)
    spans = _whole(_SPANS, block)
    disks = _DRIVES.search(block)
    members = int(disks[2]) * (spans or 1 if disks[1] else 1) if disks else None
    raid = _LEVELS.get((int(level[1]), int(level[2]))) if level else None
    if raid in {"raid0", "raid1", "raid5", "raid6"} and disks and disks[1] and (spans or 1) > 1:
        raid = {"raid0": "raid00", "raid1": "raid10", "raid5": "raid50", "raid6": "raid60"}[raid]
    policies = {match["which"]: match for match in _POLICY.finditer(block)}
    now = policies.get("Current") or policies.get("Default")
    state, ongoing = _STATE.search(block), _ONGOING.search(block)
    cache, encryption = _DISK_CACHE.search(block), _ENCRYPTION.search(block)
    return without_none(
        {
            "raid_level": raid,
            "state": _STATES[state[1]] if state else None,
            "size": _bytes(_SIZE, block),
            "disks": members,
            "data_disks": data_disks(raid, members, spans),
            "strip_size": _bytes(_STRIP, block),
            "write_policy": _write(now) if now else None,
            "write_policy_initial": _write(policies["Default"]) if "Default" in policies else None,
            "cache_policy": _policy(now) if now else None,
            "cache_policy_initial": _policy(policies["Default"]) if "Default" in policies else None,
            "read_ahead": now["ahead"] not in {"ReadAheadNone", "Normal"} if now else None,
            "io_policy": now["io"].lower() if now else None,
            "disk_cache": _DISK_CACHES.get(cache[1], "default") if cache else None,
            "encryption": encryption[1] if encryption else None,
            "spans": spans,
            "logical_block_size": _whole(_SECTOR, block),
            "parity_size": _bytes(_PARITY, block),
            "active_operations": f"{ongoing[1]} {ongoing[2]} %" if ongoing else None,
        }
    )


def _write(policy: re.Match[str]) -> str:
    if policy["write"] == "WriteThrough":
        return "write_through"
    return "write_back" if policy["bad"].startswith("No") else "write_back_always"


def _policy(policy: re.Match[str]) -> str:
    """As printed, with the blanks that the packed lines lack."""
    bad = "No Write Cache" if policy["bad"].startswith("No") else "Write Cache OK"
    return f"{policy['write']}, {policy['ahead']}, {policy['io']}, {bad} if Bad BBU"


def _whole(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return int(match[1]) if match else None


def _bytes(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    return size_of(match[1]) if match else None


# ── adapters, drives and batteries: one `Name: value` per line ────────────────────────────────


_Labels: TypeAlias = dict[str, dict[str, str]]
"""Thing → label → value."""


def _items(text: str) -> tuple[_Labels, _Labels, _Labels]:
    """`Name: value` lines by adapter, by physical and by virtual drive."""
    owner, enclosure, section, above = "c0", "", "", ""
    where: dict[str, str] = {}
    own: list[str] = []  # lines of a drive or of a section
    adapters, drives, volumes = {owner: where}, _Labels(), _Labels()
    for line in text.split("\n"):
        named, item, volume = _ADAPTER.match(line), ITEM.match(line), _VOLUME_LINE.match(line)
        if _BAR.match(line):
            section, own = section if ":" in above else above, []
        elif named:
            owner, section = f"c{named['number']}", ""
            where = adapters.setdefault(owner, {})
            if "Get BBU Status Failed" in line:
                where["Battery State"] = "missing"
        elif volume or _VOLUME_END.match(line):
            own = []
            where = volumes.setdefault(f"{owner}/v{volume[1]}", {}) if volume else {}
        elif item and item["name"] == "Enclosure Device ID":
            enclosure, where, own = item["value"], {}, []
        elif item and item["name"] == "Slot Number":
            place = f"e{enclosure}/s{item['value']}" if enclosure else f"s{item['value']}"
            drives[f"{owner}/{place}"] = where = {}
        elif item:
            of_battery = where is adapters[owner] and not section  # which has paragraphs
            where = _file(item, section, where, [] if of_battery else own)
        elif above.startswith("Inquiry Data") and line:
            where["Torn"] = "Inquiry Data"
        own.append(line)
        above = line.strip() or above
    return adapters, drives, volumes


def _file(
    item: re.Match[str], section: str, where: dict[str, str], above: list[str]
) -> dict[str, str]:
    """Files a label, which says its section where others have it too; returns where to go on."""
    name, prefix = item["name"], section.partition(" ")[0]
    if name not in READ_OF_DISK and is_apart(item[0], above):
        return {}  # a remark of somebody
    if item["value"] and name != "Exit Code":
        where.setdefault(
            f"{prefix} {name}" if section.startswith(_PREFIXED) else name, item["value"]
        )
    return where


_PREFIXED = ("Supported ", "Default Settings", "Limitations")
"""Sections of -AdpAllInfo in which labels of other sections stand again."""


def adapter_of(items: Mapping[str, str]) -> dict[str, Scalar]:
    """What an adapter and its battery are, by the labels of -AdpAllInfo and -AdpBbuCmd."""
    memory = items.get("Memory Size", "")
    counted = {
        _COUNTS[label.lower()]: text
        for label, text in items.items()
        if label.lower() in _COUNTS and text[:1].isdigit()
    }
    rest = {
        label: text
        for label, text in items.items()
        if label.lower() not in _COUNTS and (label, text) != ("Battery State", "missing")
    }
    powered = {
        f"Battery {label}": items[label]
        for label in _OF_BATTERY
        if _UNITS_OF_BATTERY.match(items.get(label, ""))
    }
    return (
        as_labelled(counted | powered)
        | other_labels(rest, _READ_OF_ADAPTER)
        | without_none(
            {
                "model": items.get("Product Name"),
                "serial": items.get("Serial No"),
                "firmware": items.get("FW Version") or items.get("FW Package Build"),
                "cache_size": size_of(memory) if _MEMORY.fullmatch(memory) else None,
                "battery": _battery(items),
            }
        )
    )


def _battery(items: Mapping[str, str]) -> str | None:
    """In one word: what makes the cache unsafe first, then what switches write-back off."""
    state = battery_state(items.get("Battery State", ""))
    if state is None and items.get("isSOHGood") == "Yes":
        state = "ok"
    tells = (
        ("missing", "BBU", "Absent"), ("missing", "Battery Pack Missing", "Yes"),
        ("failed", "Battery Replacement required", "Yes"),
        ("learning", "Learn Cycle Active", "Yes"), ("failed", "isSOHGood", "No"),
        ("charging", "Charging Status", "Charging"),
    )  # fmt: skip
    indicated = next((word for word, name, value in tells if items.get(name) == value), None)
    return (
        state
        if state not in {None, "ok"} and indicated in {None, "charging"}
        else indicated or state
    )


_SIZES = {"Non Coerced Size": "non_coerced_size", "Coerced Size": "coerced_size"}


def disk_of(items: Mapping[str, str]) -> dict[str, Scalar]:
    """What a physical drive is, by the labels of -PDList."""
    alert = items.get("Drive has flagged a S.M.A.R.T alert", "").strip()
    heat = re.match(r"(\d{1,3}) ?C\b", items.get("Drive Temperature", ""))
    state, _, spun = items.get("Firmware state", "").partition(", ")
    media, inquiry = items.get("Media Type", ""), items.get("Inquiry Data", "")
    size = re.match(r"[\d.]+ ?[KMGTP]B", items.get("Raw Size", ""))
    errors = items.get("Media Error Count", "")
    others = items.get("Other Error Count", "")
    predicted = items.get("Predictive Failure Count", "")
    kind = items.get("PD Type", "").lower()
    sector = items.get("Sector Size", "")
    sizes = {name: re.match(r"[\d.]+ ?[KMGTP]B", items.get(name, "")) for name in _SIZES}
    place = _POSITION.match(items.get("Drive's position") or items.get("Drive's postion", ""))
    return other_labels(items, READ_OF_DISK) | without_none(
        {
            "drive_group": place[1] if place else None,
            "span": int(place[2]) if place else None,
            "arm": int(place[3]) if place else None,
            "firmware": items.get("Device Firmware Level"),
            **{
                label: size_of(match[0]) for name, label in _SIZES.items() if (match := sizes[name])
            },
            "state": state.lower() or None,
            "model": inquiry.partition("   ")[0].strip() or None,
            "inquiry_data": None if "Torn" in items else " ".join(inquiry.split()) or None,
            "spin_state": {"Spun Up": "up", "Spun down": "down", "Spun Down": "down"}.get(spun),
            "media": {"Hard": "HDD", "Solid": "SSD"}.get(media.partition(" ")[0]),
            "rotational": {"Hard": True, "Solid": False}.get(media.partition(" ")[0]),
            "transport": kind or None,
            "size": size_of(size[0]) if size else None,
            "logical_block_size": int(sector) or None if sector.isdecimal() else None,
            "media_errors": int(errors) if errors.isdecimal() else None,
            "other_errors": int(others) if others.isdecimal() else None,
            "predicted_failures": int(predicted) if predicted.isdecimal() else None,
            "temperature": int(heat[1]) if heat else None,
            "smart_alert": {"Yes": True, "No": False}.get(alert),
        }
    )
