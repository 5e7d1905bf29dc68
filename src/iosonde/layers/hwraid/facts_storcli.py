"""storcli and perccli: controllers, their virtual and physical drives, as text or JSON (J).

The tool prints sections of `Name = value` and tables; which ones depends on the command and on the
version. Text and JSON name columns and properties alike, so both are brought into the same rows.

Source: outputs of storcli 1.x and 7.x and perccli 7.x; Broadcom's StorCLI reference manual, chapter
"StorCLI commands" (abbreviations below each table). Sizes are of 1024: "Number of Blocks" × 512
gives "Size" so. Cache "NRWBD" is read-ahead (R, NR), write policy (WT, WB, AWB), I/O policy (C, D).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from iosonde import units
from iosonde.layers.hwraid.facts import battery_state, data_disks, identifier_of, size_of
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.json_output import document_in, object_with

STORCLI = ("storcli64", "storcli", "perccli64", "perccli", "storcli2", "perccli2")
"""Names of the command."""
_SIZE = r"(?P<size>[\d.]+ [KMGTP]B)"
VIRTUAL = re.compile(
    r"(?<![\w/])(?P<dg>\d{1,4}|-)/(?P<vd>\d{1,4}) (?P<type>(?:RAID|Cac|raid)\d{1,2}) "
    r"(?P<state>[A-Za-z]{2,8}) (?P<access>\w{1,6}) (?P<consist>Yes|No|-) (?P<cache>[A-Z]{3,6}|-) "
    rf"(?:[\w-]{{1,4}} ){{1,2}}{_SIZE}"
)
PHYSICAL = re.compile(
    r"(?<![\w:/])(?P<eid>\d{1,5}|)\s?:(?P<slot>\d{1,4}) (?P<did>\d{1,5}) (?P<state>[A-Za-z]{2,7}|-)"
    rf" (?P<dg>\d{{1,4}}|-|F) {_SIZE} (?P<intf>SAS|SATA|NVMe|PCIe|FC|-) (?P<med>HDD|SSD|-)"
    r" [YN-] [YN-] (?P<sesz>\d{3,5}B|\d{1,2}[kK]B?) (?P<model>\S.{0,48}?) (?P<sp>[UDTF])(?=\s|$)"
)
_BATTERY = re.compile(
    r"(?:Cachevault_Info|BBU_Info)\b[^A-Za-z]{0,80}"
    r"(?:Model State [A-Za-z ]{4,80}[- ]{3,120}[\w-]+|Property Value\b.{0,200}? State) "
    r"(?P<state>[A-Za-z]+(?: ?\([^)]{1,40}\))?)"
)
_LEARNS = re.compile(r'Learn Cycle Active(?:", ?"Value" ?: ?"| )Yes')
_OVERVIEW = re.compile(
    r"(?<![\w/])(?P<ctl>\d{1,3}) (?P<model>[A-Z][\w.-]{1,40}(?: [\w.()-]{1,40}){0,6}?)(?: \d+){6} "
    r"(?P<bbu>[A-Z][A-Za-z/]{1,8}|-) (?:On|Off|-) \S+ [YN-] \d+ \S+"
)
_TOPOLOGY = re.compile(
    r"(?<![\w/])(?P<dg>\d{1,4}) - - - - (?P<type>RAID\d{1,2}) [A-Za-z]+ [YN-] "
    rf"{_SIZE} (?P<pdc>dflt|dsbl|enbl)"
)
_MEMBER = re.compile(
    r"(?<![\w/])(?P<dg>\d{1,4}) \d{1,4} \d{1,4} (?P<eid>\d{1,5}|):(?P<slot>\d{1,4}) \d{1,5} DRIVE "
    rf"(?P<state>[A-Za-z]{{2,7}}) [YN-] {_SIZE} (?:dflt|dsbl|enbl) "
)
"""A drive in the topology of a controller."""
_PROPERTY = re.compile(r"\s*(?P<name>[A-Z][\w /()&.'-]{1,48}?)\s*=(?:\s+(?P<value>\S.*))?\s*")
_SECTION = re.compile(r"\s*(?P<name>\S[\w/ -]{1,60}?)\s*:\s*")
_PLACE = re.compile(r"/c(?P<c>\d+)(?:/e(?P<e>\d+))?(?:/(?P<kind>[vs])(?P<n>\d+))?")
_VOLUME = re.compile(r"(?:VD ?(?P<vd>\d+) Properties|/c\d+/v(?P<v>\d+))")
_JSON = re.compile(r'"Controllers"\s*:\s*\[')
_CACHE = re.compile(r"(?P<ahead>NR|R)(?P<write>AWB|WB|WT|FWB)(?P<io>[CD])?")
_WRITE = {"WB": "write_back", "AWB": "write_back_always", "FWB": "write_back_always",
          "WT": "write_through"}  # fmt: skip
_STATES = {
    "optl": "optimal", "dgrd": "degraded", "pdgd": "partially degraded", "ofln": "offline",
    "rec": "recovery", "onln": "online", "offln": "offline", "rbld": "rebuild", "msng": "missing",
    "ugood": "unconfigured good", "ubad": "unconfigured bad", "ghs": "hot spare",
    "dhs": "hot spare", "failed": "failed", "cpybck": "copyback",
}  # fmt: skip
_DISK_CACHE = {"disk's default": "default", "enabled": "enabled", "disabled": "disabled",
               "dflt": "default", "dsbl": "disabled", "enbl": "enabled"}  # fmt: skip
_PARTS = re.compile(r"^(?=CLI Version = |Generating detailed summary)", re.MULTILINE)
_JOINED = 1 << 16
"""Characters of a text made one line: many patterns take the square of it in time."""

Row = Mapping[str, Any]


@dataclass(slots=True)
class _Printed:
    """One controller as printed: rows of tables by column, properties by section."""

    number: int
    properties: dict[str, Any] = field(default_factory=dict)
    volumes: dict[str, dict[str, Any]] = field(default_factory=dict)
    drives: dict[str, dict[str, Any]] = field(default_factory=dict)
    battery: str = ""
    caches: dict[str, str] = field(default_factory=dict)  # drive group → cache of its drives


def parse_storcli(text: str, host: str = "") -> Iterator[PrintedSubject]:
    """The controllers, virtual and physical drives that storcli or perccli names.

    Args:
        text: of one or several controllers, or in JSON.
        host: where the text does not tell it.
    """
    named = re.search(r"^[^\S\n]*Host Name = (\S+)", text, re.MULTILINE)
    where = host or (named[1] if named else "")
    printed = (
        _of_json(text)
        if _JSON.search(text)
        else [controller for part in _PARTS.split(text) for controller in _of_text(part)]
    )
    for controller in printed:
        yield from _subjects(controller, where)


# ── text ──────────────────────────────────────────────────────────────────────────────────────


def _of_text(text: str) -> list[_Printed]:
    """The controllers in a text."""
    joined = " ".join(text[:_JOINED].split())
    pieces = re.split(r"(?:^|\s)Controller = (\d{1,3})(?=\s)", joined)
    parts = [(int(n), part) for n, part in zip(pieces[1::2], pieces[2::2], strict=True)]
    named = _PLACE.search(joined)
    lead = parts[0][0] if parts else int(named["c"]) if named else 0
    controllers: dict[int, _Printed] = {}
    for number, part in [(lead, pieces[0]), *parts]:
        controller = controllers.setdefault(number, _Printed(number))
        _tables(part, controller)
    for overview in _OVERVIEW.finditer(joined):
        controller = controllers.setdefault(int(overview["ctl"]), _Printed(int(overview["ctl"])))
        controller.properties.setdefault("Model", overview["model"])
        controller.battery = controller.battery or overview["bbu"]
    _properties(text, controllers, lead)
    return list(controllers.values())


def _tables(joined: str, controller: _Printed) -> None:
    for row in VIRTUAL.finditer(joined):
        columns = {"TYPE": row["type"], "State": row["state"], "Access": row["access"],
                   "Cache": row["cache"], "Size": row["size"], "DG": row["dg"]}  # fmt: skip
        controller.volumes.setdefault(row["vd"], {}).update(columns)
    for row in PHYSICAL.finditer(joined):
        columns = {"DID": row["did"], "State": row["state"], "DG": row["dg"], "Size": row["size"],
                   "Intf": row["intf"], "Med": row["med"], "SeSz": row["sesz"],
                   "Model": row["model"].strip()}  # fmt: skip
        controller.drives.setdefault(_drive(row["eid"], row["slot"]), {}).update(columns)
    for row in _MEMBER.finditer(joined):
        drive = controller.drives.setdefault(_drive(row["eid"], row["slot"]), {})
        for name, text in (("State", row["state"]), ("DG", row["dg"]), ("Size", row["size"])):
            drive.setdefault(name, text)
    for row in _TOPOLOGY.finditer(joined):
        controller.caches[row["dg"]] = row["pdc"]
    battery = _BATTERY.search(joined)
    if battery:
        controller.battery = battery["state"]
    if _LEARNS.search(joined):
        controller.battery = "learning"


def _drive(enclosure: str, slot: str) -> str:
    return f"e{enclosure}/s{slot}" if enclosure.strip() else f"s{slot}"


def _properties(text: str, controllers: dict[int, _Printed], number: int) -> None:
    """Files every `Name = value` under the thing that the section above it is about."""
    where = controllers[number].properties
    for line in text.split("\n"):
        section = _SECTION.fullmatch(line)
        if section:
            place, volume = _PLACE.search(section["name"]), _VOLUME.search(section["name"])
            if place and int(place["c"]) in controllers:
                number = int(place["c"])
            if volume:
                name = volume["vd"] or volume["v"]
                where = controllers[number].volumes.setdefault(name, {})
            elif place and place["kind"] == "s":
                name = _drive(place["e"] or "", place["n"])
                where = controllers[number].drives.setdefault(name, {})
            elif section["name"] != "Inquiry Data":
                where = controllers[number].properties
            continue
        pair = _PROPERTY.fullmatch(line)
        if pair is None:
            continue
        if pair["name"] == "Controller" and (pair["value"] or "").isdecimal():
            number = int(pair["value"])
            where = controllers[number].properties
        elif pair["value"] and "|" not in line:
            where.setdefault(pair["name"].strip(), pair["value"].strip())


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────


def _of_json(text: str) -> list[_Printed]:
    controllers: list[_Printed] = []
    for answer in document_in(text, object_with("Controllers"))["Controllers"]:
        status, said = answer["Command Status"], answer.get("Response Data", {})
        controller = _Printed(int(status.get("Controller", 0)))
        for section, content in said.items():
            _section(controller, section, content)
        if _LEARNS.search(" ".join(text.split())):
            controller.battery = "learning"
        for row in said.get("System Overview", []):
            other = _Printed(int(row["Ctl"]), {"Model": row.get("Model", "")})
            other.battery = str(row.get("BBU", ""))
            controllers.append(other)
        controllers.append(controller)
    return controllers


def _section(controller: _Printed, section: str, content: Any) -> None:
    """Files one section of the answer."""
    volume, place = _VOLUME.search(section), _PLACE.search(section)
    rows = [row for row in content if isinstance(row, dict)] if isinstance(content, list) else []
    for row in rows:
        if "DG/VD" in row:
            group, _, number = str(row["DG/VD"]).partition("/")
            controller.volumes.setdefault(number, {}).update(row, DG=group)
        elif "EID:Slt" in row:
            name = _drive(*str(row["EID:Slt"]).partition(":")[::2])
            controller.drives.setdefault(name, {}).update(row)
        elif "PDC" in row and row.get("Arr") == "-":
            controller.caches[str(row["DG"])] = str(row["PDC"])
        elif section in {"Cachevault_Info", "BBU_Info"} and row.get("Property", "State") == "State":
            controller.battery = str(row.get("State") or row.get("Value", ""))
    if isinstance(content, dict):
        if volume:
            name = volume["vd"] or volume["v"]
            controller.volumes.setdefault(name, {}).update(content)
        elif place and place["kind"] == "s":
            _details(
                controller.drives.setdefault(_drive(place["e"] or "", place["n"]), {}), content
            )
        else:
            controller.properties.update(content)
    elif not isinstance(content, list):
        controller.properties[section] = content


def _details(drive: dict[str, Any], content: Mapping[str, Any]) -> None:
    """Properties of a drive, which are nested once."""
    for name, value in content.items():
        if isinstance(value, dict):
            drive.update(value)
        elif not isinstance(value, list):
            drive[name] = value


# ── what they say ─────────────────────────────────────────────────────────────────────────────


def _subjects(printed: _Printed, host: str) -> Iterator[PrintedSubject]:
    name = f"c{printed.number}"
    facts = without_none(
        {
            "model": _text(printed.properties, "Product Name", "Model"),
            "firmware": _text(
                printed.properties, "Firmware Version", "FW Version", "FW Package Build"
            ),
            "cache_size": size_of(_text(printed.properties, "On Board Memory Size")),
            "battery": _battery(printed),
        }
    )
    if facts:
        yield PrintedSubject("controller", name, facts, host)
    members: dict[str, int] = {}
    for row in printed.drives.values():
        members[str(row.get("DG"))] = members.get(str(row.get("DG")), 0) + 1
    for number, row in printed.volumes.items():
        values = _volume(printed, row, members)
        if values:
            device = _text(row, "OS Drive Name") or ""
            title = (
                device.removeprefix("/dev/") if device.startswith("/dev/") else f"{name}/v{number}"
            )
            own: dict[str, Scalar] = {"controller": name, "volume": f"{name}/v{number}"}
            yield PrintedSubject("hwraid", title, own | values, host)
    for place, row in printed.drives.items():
        values = drive_of(row)
        if values:
            yield PrintedSubject("disk", f"{name}/{place}", values, host)


def _volume(printed: _Printed, row: Row, members: Mapping[str, int]) -> dict[str, Scalar]:
    level = str(row.get("TYPE", "")).lower() or None
    spans = _number(row.get("Span Depth"))
    each = _number(row.get("Number of Drives Per Span"))
    disks = each * spans if each and spans else members.get(str(row.get("DG")))
    cache = _CACHE.fullmatch(str(row.get("Cache", "")))
    initial = str(row.get("Write Cache(initial setting)", "")).replace(" ", "")
    drives = str(row.get("Disk Cache Policy") or printed.caches.get(str(row.get("DG")), ""))
    operations = row.get("Active Operations")
    blocks = _number(row.get("Number of Blocks"))
    return without_none(
        {
            "drive_group": _group(row),
            "raid_level": level,
            "state": _state(row),
            "size": blocks * units.SECTOR if blocks else size_of(_text(row, "Size")),
            "disks": disks,
            "data_disks": data_disks(level, disks, spans),
            "strip_size": size_of(_text(row, "Strip Size")),
            "write_policy": _WRITE[cache["write"]] if cache else None,
            "write_policy_initial": {"WriteBack": "write_back", "WriteThrough": "write_through",
                                     "AlwaysWriteBack": "write_back_always"}.get(initial),
            "read_ahead": cache["ahead"] == "R" if cache else None,
            "cache_policy": cache[0] if cache else None,
            "io_policy": {"C": "cached", "D": "direct"}.get(cache["io"] or "") if cache else None,
            "disk_cache": _DISK_CACHE.get(drives.replace("’", "'").lower()),
            "encryption": _text(row, "Encryption"),
            "active_operations": None if operations is None else str(operations),
            "emulation": _text(row, "Emulation type"),
            "identifier": identifier_of(row.get("SCSI NAA Id")),
        }
    )  # fmt: skip


def drive_of(row: Row) -> dict[str, Scalar]:
    """What a physical drive is, by its columns and properties."""
    heat = re.match(r"(\d{1,3}) ?C\b", str(row.get("Drive Temperature", "")).strip())
    media = {"HDD": True, "SSD": False}.get(str(row.get("Med")))
    transport = str(row.get("Intf", "-")).lower()
    cache = str(row.get("Write Cache", "")).lower()
    sector = str(row.get("SeSz", ""))
    return without_none(
        {
            "drive_group": _group(row),
            "device_id": _number(row.get("DID")),
            "state": _state(row),
            "model": _text(row, "Model", "Model Number"),
            "serial": _text(row, "SN"),
            "firmware": _text(row, "Firmware Revision"),
            "media": _text(row, "Med"),
            "rotational": media,
            "transport": None if transport == "-" else transport,
            "size": size_of(_text(row, "Size")),
            "logical_block_size": size_of(sector) if sector else None,
            "write_cache": {"enabled": "write back", "disabled": "write through"}.get(cache),
            "media_errors": _number(row.get("Media Error Count")),
            "other_errors": _number(row.get("Other Error Count")),
            "predicted_failures": _number(row.get("Predictive Failure Count")),
            "temperature": int(heat[1]) if heat else None,
            "smart_alert": {"Yes": True, "No": False}.get(
                str(row.get("S.M.A.R.T alert flagged by drive", "")).strip()
            ),
        }
    )


def _state(row: Row) -> str | None:
    word = _text(row, "State")
    return None if word is None or word == "-" else _STATES.get(word.lower(), word)


def _group(row: Row) -> str | None:
    group = str(row.get("DG", ""))
    return group if group.isdecimal() else None


def _battery(printed: _Printed) -> str | None:
    """What protects the cache: the battery's or the capacitor's state in one word."""
    text = printed.battery or ""
    if printed.properties.get("BBU") in {"Absent", "No"} and not text:
        return "missing"
    return battery_state(text)


def _text(row: Row, *names: str) -> str | None:
    for name in names:
        value = row.get(name)
        if isinstance(value, str) and value.strip() not in {"", "N/A"}:
            return value.strip()
    return None


def _number(value: object) -> int | None:
    return int(str(value)) if str(value).strip().isdecimal() else None
