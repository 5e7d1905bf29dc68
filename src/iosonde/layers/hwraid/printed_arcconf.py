"""`arcconf getconfig`, `getstatus`: Adaptec's controllers with their volumes and drives.

Source: outputs of arcconf 6 to 26 and IBM's ServeRAID tool of that name; Microsemi, ARCCONF Command
Line Utility User Guide, GETCONFIG, GETSTATUS and SETCACHE (wb: write-back; wbb: write-back while
the battery or the zero-maintenance module protects it). MB are of 1024, as the disks' blocks show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde.layers.hwraid.facts import battery_state, data_disks, size_of
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.labels import as_labelled, is_apart
from iosonde.text.reader import HeadedOutput, nearest

_HEAD = re.compile(
    r"\s*+(?:Controllers found: (?P<count>\d{1,3})|(?P<controller>Controller information)"
    r"|Logical (?:device|drive) number (?P<volume>\d{1,4})|Array number (?P<array>\d{1,4})"
    r"|(?:maxCache|logical) device number (?P<cache>\d{1,4})"
    r"|Logical (?:device|drive) (?P<task>Task):|Device #(?P<disk>\d{1,4}))\s*$",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"\s*+(?P<label>[A-Z0-9](?:[\w.,/# &-]|\([^()]{1,40}\)){0,41}|[a-z(][\w.,/() ]{3,40}(?= :))"
    r"\s*+:+(?: |$)(?P<value>.{0,400})$"
)
_TITLE = re.compile(r"\s*(?:-{10,}|[A-Za-z][\w. /#:()-]{2,60})\s*$")
_SAID = re.compile(r"\s*(?:Device is an? |No logical |No physical |Command completed|Command abor)")
_REST = re.compile(r"\s*\((?:Controller|Connector|Enclosure|\d+MB|\d+,\d+)")
"""What a mail broke off of a segment's line."""
_SEGMENT = re.compile(r"(?:Group (?P<group>\d{1,3}), )?(?:Segment|Device) \d{1,4}$")
_PLACE = re.compile(r"Enclosure:(\d{1,4}), ?Slot:(\d{1,4})\)")
_LOCATION = re.compile(r"Enclosure (?P<enclosure>\d{1,4}), Slot (?P<slot>\d{1,4})")
_LEVEL = re.compile(r"(?:RAID ?)?(?P<level>[0156]|[1-6]0|1E|5EE)(?: .*)?$")
_NUMBER = re.compile(r"(?i)\barcconf\d?\s+get\w+\s+(\d{1,3})\b")
_TEMPERATURE = re.compile(r"(-?\d{1,3}) ?(?:C\b|deg C)")
_POWERED = ("battery", "backup", "zmm", "cache backup")
_SENTENCE = re.compile(r"[a-z]{3} [a-z]{2,9} [a-z]{2,12}[,.]")
_FULL = 60
"""Characters of a line from which on a mail may have broken it."""


class Arcconf(HeadedOutput):
    tool = "arcconf"
    anchors = (
        "Controllers found: ", "Controllers Found: ", "Status of logical d", "Status of Logical D",
        "Controller Status     ", "Logical device Task:", "Logical Device Task:",
        "Reported Channel,Device", "Device is a Hard drive", "Device is a Solid",
        "Logical devices/Failed", "Logical Devices/Failed", "Array Utilization  ",
    )  # fmt: skip
    commands = ("arcconf", "arcconf64", "ARCCONF")
    reach = 6
    gap = 6
    beginning = _HEAD
    nothing = "nothing is said of a controller, a volume or a drive"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = nearest(cursor, 12, self.is_head)
        if first is None:
            line = cursor.line(cursor.at)
            return cursor.at if "  :" in line and _PAIR.match(line) else None
        below = "".join(cursor.block(first + 1, 2))
        return None if "ControllerLog" in below or _SENTENCE.search(below) else first

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        if _PAIR.match(line):
            return not is_apart(line, above[1:])
        if _TITLE.match(line) or _SAID.match(line) or _REST.match(line):
            return True
        if line.lstrip().startswith("#"):  # a heading of the page that shows it
            return False
        return bool(above) and len(above[-1]) >= _FULL and not line.rstrip().endswith(".")

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        first, *rest = text.split("\n")
        head = _HEAD.match(first)
        pairs, powered = _pairs(rest if head else [first, *rest])
        number = _NUMBER.search(prompt.command)
        owner = f"c{number[1]}" if number else ""
        if not pairs or (head and head["cache"]):
            return
        if head and head["volume"]:
            yield _of_volume(head["volume"], pairs, owner, prompt.host)
        elif head and head["disk"]:
            yield _of_drive(head["disk"], pairs, owner, prompt.host)
        elif head and head["array"]:
            name = f"{owner}/a{head['array']}".lstrip("/")
            yield PrintedSubject("drive_group", name, _sized(pairs), prompt.host)
        elif head and head["task"]:
            name = f"{owner}/v{_value(pairs, 'logical device', 'logical drive')}".lstrip("/")
            yield PrintedSubject("hwraid", name, as_labelled(pairs), prompt.host)
        elif "Controller Model" in pairs or "Current operation" in pairs or head is not None:
            name = owner or pairs.get("Controller Model", "").strip()
            yield PrintedSubject("controller", name, _of_controller(pairs, powered), prompt.host)
        else:
            yield _of_volume("", pairs, owner, prompt.host)


def _pairs(rows: list[str]) -> tuple[dict[str, str], str]:
    """Labels and values, and what is said of the battery or capacitor behind the cache."""
    pairs: dict[str, str] = {}
    powered = title = label = ""
    for above, row in zip(["", *rows], rows, strict=False):
        pair = _PAIR.match(row)
        is_rest = len(above) >= _FULL or _REST.match(row)
        if pair is None and label and is_rest and "--" not in row:
            pairs[label] += f" {row.strip()}"  # which a mail or a terminal broke off
            continue
        if pair is None:
            said = re.match(r"\s*Device is an? (?P<what>[\w ]{3,40})\s*$", row)
            pairs |= {"Device": said["what"].strip()} if said else {}
            title = row.strip().lower() if _TITLE.match(row) and "--" not in row else title
            label = ""
            continue
        label, value = pair["label"].strip(), pair["value"].strip()
        if any(part in title for part in _POWERED) and (
            label in {"Status", "Overall Backup Unit Status", "Backup Power Status"}
        ):
            powered = powered or value
        pairs.setdefault(label, value)
    return {label: value for label, value in pairs.items() if value}, powered


def _value(pairs: Mapping[str, str], *labels: str) -> str:
    """The first of some labels' values, whatever their capitals."""
    lowered = {label.lower(): value for label, value in pairs.items()}
    return next((lowered[label] for label in labels if label in lowered), "")


def _of_controller(pairs: Mapping[str, str], powered: str) -> dict[str, Scalar]:
    heat = _TEMPERATURE.match(_value(pairs, "temperature"))
    return as_labelled(pairs, {"Temperature", "Status"}) | without_none(
        {
            "model": _value(pairs, "controller model") or None,
            "firmware": _value(pairs, "firmware") or None,
            "state": _value(pairs, "controller status").lower() or None,
            "cache_size": size_of(_value(pairs, "installed memory", "cache memory") or None),
            "battery": battery_state(powered.lower().replace("not installed", "absent")),
            "temperature": int(heat[1]) if heat else None,
        }
    )


def _of_volume(number: str, pairs: Mapping[str, str], owner: str, host: str) -> PrintedSubject:
    segments = {label: value for label, value in pairs.items() if _SEGMENT.match(label)}
    groups = {_SEGMENT.sub(r"\g<group>", label) for label in segments if "Group" in label}
    level = _LEVEL.match(_value(pairs, "raid level"))
    raid = f"raid{level['level'].lower()}" if level else None
    spans = len(groups) or None
    if raid in {"raid1", "raid5", "raid6"} and spans and spans > 1:
        raid = f"{raid}0"
    disks = len(segments) or None
    device = _value(pairs, "disk name")
    name = f"{owner}/v{number}".lstrip("/") if number else ""
    strip = _value(pairs, "stripe-unit size", "stripe-unit", "stripe size")
    absent = [value.split()[0] for value in segments.values() if not value.startswith("Present")]
    values = as_labelled({k: v for k, v in pairs.items() if k not in segments}, {"Size"})
    values |= without_none(
        {
            "controller": owner or None,
            "volume": name or None,
            "raid_level": raid,
            "state": _value(pairs, "status of logical device", "status of logical drive").lower()
            or None,
            "size": size_of(_value(pairs, "size") or None),
            "disks": disks,
            "missing_disks": len(absent) if disks else None,
            "segment_states": "; ".join(map(_segment, segments.items())) or None,
            "data_disks": data_disks(raid, disks, spans),
            "strip_size": size_of(strip or None),
            **_policies(pairs),
        }
    )
    title = device.removeprefix("/dev/") if re.fullmatch(r"/dev/\w+", device) else name
    return PrintedSubject("hwraid", title, values, host)


def _segment(segment: tuple[str, str]) -> str:
    """A segment, its state and the place of its drive: "Segment 0 present e0/s3"."""
    label, value = segment
    place = _PLACE.search(value)
    where = f" e{place[1]}/s{place[2]}" if place else ""
    return f"{label} {value.split()[0].lower()}{where}"


def _policies(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """Whether writes are acknowledged from the cache, as it is now and as it was set."""
    text = _value(pairs, "write-cache setting", "write-cache mode").lower()
    status = _value(pairs, "write-cache status").lower()
    if text.startswith("disabled") or "write-through" in text:
        setting = "write_through"
    elif "protected" in text.replace(" ", ""):
        setting = "write_back"
    elif text.startswith("enabled"):
        setting = "write_back_always"
    else:
        return {}
    now = "write_through" if status == "off" else setting
    return {"write_policy": now, "write_policy_initial": setting}


def _of_drive(number: str, pairs: Mapping[str, str], owner: str, host: str) -> PrintedSubject:
    place = _LOCATION.match(_value(pairs, "reported location"))
    cache = _value(pairs, "write cache").lower()
    solid = _value(pairs, "ssd")
    name = f"e{place['enclosure']}/s{place['slot']}" if place else f"d{number}"
    sector = re.match(r"(\d{3,5}) Bytes", _value(pairs, "block size"))
    speed = re.match(r"(SAS|SATA|NVMe|PCIe)", _value(pairs, "transfer speed"))
    heat = _TEMPERATURE.match(_value(pairs, "current temperature", "temperature"))
    warnings = _value(pairs, "s.m.a.r.t. warnings")
    values = _sized(pairs, {"Size", "Total Size", "Write Cache", "SSD", "Temperature"})
    values |= without_none(
        {
            "number": int(number),
            "state": _value(pairs, "state").lower() or None,
            "serial": _value(pairs, "serial number") or None,
            "rotational": {"yes": False, "no": True}.get(solid.lower()),
            "transport": speed[1].lower() if speed else None,
            "logical_block_size": int(sector[1]) if sector else None,
            "write_cache": {"enabled": "write back", "disabled": "write through"}.get(
                cache.partition(" ")[0]
            ),
            "temperature": int(heat[1]) if heat else None,
            "smart_warnings": int(warnings) if warnings.isdecimal() else None,
        }
    )
    kind = "enclosure" if "nclosure" in pairs.get("Device", "") else "disk"
    return PrintedSubject(kind, f"{owner}/{name}".lstrip("/"), values, host)


def _sized(pairs: Mapping[str, str], read: set[str] | None = None) -> dict[str, Scalar]:
    """What stands there, with the size in bytes."""
    values = as_labelled(pairs, read or {"Total Size"})
    size = size_of(_value(pairs, "total size", "size") or None)
    return values | ({"size": size} if size else {})
