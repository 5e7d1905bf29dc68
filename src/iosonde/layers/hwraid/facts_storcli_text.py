"""What storcli and perccli print as text: rows of tables and `Name = value`, by thing.

Source: as `iosonde.layers.hwraid.facts_storcli`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from iosonde.kerneltext import fields

_SIZE = r"(?P<size>[\d.]+ [KMGTP]B)"
VIRTUAL = re.compile(
    r"(?<![\w/])(?P<dg>\d{1,4}|-)/(?P<vd>\d{1,4}) (?P<type>(?:RAID|Cac|raid)\d{1,2}) "
    r"(?P<state>[A-Za-z]{2,8}) (?P<access>\w{1,6}) (?P<consist>Yes|No|-) (?P<cache>[A-Z]{3,6}|-) "
    rf"(?:[\w-]{{1,4}} )??(?P<scc>[\w-]{{1,4}}) {_SIZE}"
)
PHYSICAL = re.compile(
    r"(?<![\w:/])(?P<eid>\d{1,5}|)\s?:(?P<slot>\d{1,4}) (?P<did>\d{1,5}) (?P<state>[A-Za-z]{2,7}|-)"
    rf" (?P<dg>\d{{1,4}}|-|F) {_SIZE} (?P<intf>SAS|SATA|NVMe|PCIe|FC|-) (?P<med>HDD|SSD|-)"
    r" (?P<sed>[YN-]) (?P<pi>[YN-]) (?P<sesz>\d{3,5}B|\d{1,2} ?[kK]B?)"
    r" (?P<model>\S.{0,48}?) (?P<sp>[UDTF])(?=\s|$)"
)
_BATTERY = re.compile(
    r"(?:Cachevault_Info|BBU_Info)\b[^A-Za-z]{0,240}"
    r"(?:Model State [A-Za-z ]{4,80}[- ]{3,120}[\w-]+|Property Value\b.{0,200}? State) "
    r"(?P<state>[A-Za-z]+(?: ?\([^)]{1,40}\))?)"
)
LEARNS = re.compile(r'Learn Cycle Active(?:", ?"Value" ?: ?"| )Yes')
_BATTERY_ROW = re.compile(
    r"Model State (?:RetentionTime )?Temp Mode MfgDate(?: Next Learn)?[- ]{3,120}(?P<model>\w+) "
    r"[A-Za-z]+(?: ?\([^)]{1,40}\))? (?P<retention>\d{1,4} hour\(s\)\+? )?"
    r"(?P<temperature>\d{1,3}C)\b"
)
BATTERY_SECTIONS = frozenset({
    "Cachevault_Info", "BBU_Info", "Firmware_Status", "BBU_Firmware_Status", "GasGaugeStatus",
    "GasGauge_Status", "Design_Info", "BBU_Design_Info", "Properties", "BBU_Properties",
    "BBU_Capacity_Info",
})  # fmt: skip
_BATTERY_LABELS = frozenset({"Type", "Temperature", "Voltage", "Current", "State"})
"""Labels that are also of other things."""
_POLICY_ROW = re.compile(
    r"\s*+(?P<name>[A-Z][A-Za-z ]{2,40}?)(?: {1,40}(?=\d)| {2,40})"
    r"(?P<value>\S{1,20}(?: (?:sec|us|%))?)"
    r"(?:\s{1,40}\S{1,20})?\s*"
)
_BATTERY_PROPERTY = re.compile(
    r"\s*+(?P<name>[A-Z]\S{1,24}(?: \S{1,24}){0,5}?)(?: {2,60}| (?=-?\d{1,3} ?C\s*$))"
    r"(?P<value>\S{1,60}(?: \S{1,24}){0,6})\s*"
)
_OVERVIEW = re.compile(
    r"(?<![\w/])(?P<ctl>\d{1,3}) (?P<model>[A-Z][\w.()-]{1,40}(?: [\w.()-]{1,40}){0,6}?) "
    r"(?P<ports>\d+) (?P<pds>\d+) (?P<dgs>\d+) (?P<dnopt>\d+) (?P<vds>\d+) (?P<vnopt>\d+) "
    r"(?P<bbu>[A-Z][A-Za-z/]{1,8}|-) (?P<spr>On|Off|-) \S+ (?P<ehs>[YN-]) \d+ (?P<health>\S+)"
)
OVERVIEW_COLUMNS = {
    "ports": "Ports", "pds": "Physical Drives", "dgs": "Drive Groups",
    "dnopt": "Drive Groups not optimal", "vds": "Virtual Drives",
    "vnopt": "Virtual Drives not optimal", "spr": "Scheduled Patrol Read",
    "ehs": "Emergency Spare", "health": "Health",
}  # fmt: skip
_TOPOLOGY = re.compile(
    r"(?<![\w/])(?P<dg>\d{1,4}) - - - - (?P<type>RAID\d{1,2}) (?P<state>[A-Za-z]{2,8}) [YN-] "
    rf"{_SIZE} (?P<pdc>dflt|dsbl|enbl)"
)
_MEMBER = re.compile(
    r"(?<![\w/])(?P<dg>\d{1,4}) \d{1,4} \d{1,4} (?:(?P<eid>\d{1,5}|):(?P<slot>\d{1,4})|-) "
    rf"(?:\d{{1,5}}|-) DRIVE (?P<state>[A-Za-z]{{2,7}}) [YN-] {_SIZE} (?:dflt|dsbl|enbl|-) "
)
"""A member in the topology of a controller, or what is left of one that is missing."""
_REFUSED = re.compile(
    r"Status ErrCd ErrMsg[- ]{10,160}\S{1,30} (?:Failed|Failure) (?P<code>\d{1,5}) "
    r"(?P<error>[A-Za-z][^\n-]{2,120}?) -{5}"
)
"""The table below an answer that is a failure."""
_PROPERTY = re.compile(r"\s*(?P<name>[A-Z][\w /()&.'-]{1,48}?)\s*=(?:\s+(?P<value>\S.*))?\s*")
_SECTION = re.compile(r"\s*(?P<name>\S[\w/ -]{1,60}?)\s*:\s*")
PLACE = re.compile(r"/c(?P<c>\d+)(?:/e(?P<e>\d+))?(?:/(?P<kind>[vs])(?P<n>\d+))?")
VOLUME = re.compile(r"(?:VD ?(?P<vd>\d+) Properties|/c\d+/v(?P<v>\d+))")
_JOINED = 1 << 16
"""Characters of a text made one line: many patterns take the square of it in time."""


@dataclass(slots=True)
class PrintedController:
    """One controller as printed: rows of tables by column, properties by section."""

    number: int
    properties: dict[str, Any] = field(default_factory=dict)
    volumes: dict[str, dict[str, Any]] = field(default_factory=dict)
    drives: dict[str, dict[str, Any]] = field(default_factory=dict)
    battery: str = ""
    caches: dict[str, str] = field(default_factory=dict)  # drive group → cache of its drives
    members: dict[str, int] = field(default_factory=dict)  # drive group → all that it is made of
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)  # the topology's, by number


def rows_of_text(text: str) -> list[PrintedController]:
    """The controllers in a text."""
    joined = " ".join(fields(text[:_JOINED].replace("\n", " ")))
    pieces = re.split(r"(?:^|\s)Controller = (\d{1,3})(?=\s)", joined)
    parts = [(int(n), part) for n, part in zip(pieces[1::2], pieces[2::2], strict=True)]
    named = PLACE.search(joined)
    lead = parts[0][0] if parts else int(named["c"]) if named else 0
    controllers: dict[int, PrintedController] = {}
    for number, part in [(lead, pieces[0]), *parts]:
        controller = controllers.setdefault(number, PrintedController(number))
        _tables(part, controller)
    for overview in _OVERVIEW.finditer(joined):
        controller = controllers.setdefault(
            int(overview["ctl"]), PrintedController(int(overview["ctl"]))
        )
        controller.properties.setdefault("Model", overview["model"])
        controller.battery = controller.battery or overview["bbu"]
        for group, label in OVERVIEW_COLUMNS.items():
            controller.properties.setdefault(label, overview[group])
    _properties(text, controllers, lead)
    return list(controllers.values())


def _tables(joined: str, controller: PrintedController) -> None:
    for row in VIRTUAL.finditer(joined):
        columns = {"TYPE": row["type"], "State": row["state"], "Access": row["access"],
                   "Cache": row["cache"], "Size": row["size"], "DG": row["dg"],
                   "Consist": row["consist"], "sCC": row["scc"]}  # fmt: skip
        controller.volumes.setdefault(row["vd"], {}).update(columns)
    for row in PHYSICAL.finditer(joined):
        columns = {"DID": row["did"], "State": row["state"], "DG": row["dg"], "Size": row["size"],
                   "Intf": row["intf"], "Med": row["med"], "SeSz": row["sesz"],
                   "Model": row["model"].strip(), "SED": row["sed"], "PI": row["pi"],
                   "Sp": row["sp"]}  # fmt: skip
        controller.drives.setdefault(place_of_drive(row["eid"], row["slot"]), {}).update(columns)
    for row in _MEMBER.finditer(joined):
        controller.members[row["dg"]] = controller.members.get(row["dg"], 0) + 1
        if row["slot"] is None:
            continue
        drive = controller.drives.setdefault(place_of_drive(row["eid"], row["slot"]), {})
        for name, text in (("State", row["state"]), ("DG", row["dg"]), ("Size", row["size"])):
            drive.setdefault(name, text)
    for row in _TOPOLOGY.finditer(joined):
        controller.caches[row["dg"]] = row["pdc"]
        controller.groups[row["dg"]] = {
            "TYPE": row["type"], "State": row["state"], "Size": row["size"], "DG": row["dg"],
        }  # fmt: skip
    _battery_and_answer(joined, controller)


def _battery_and_answer(joined: str, controller: PrintedController) -> None:
    """The row of what keeps the cache, and what is said where a command failed."""
    battery, heat = _BATTERY.search(joined), _BATTERY_ROW.search(joined)
    if heat:
        controller.properties.setdefault("Battery Model", heat["model"])
        controller.properties.setdefault("Battery Temperature", heat["temperature"])
        controller.properties.setdefault("Battery Retention Time", heat["retention"] or "")
    if battery:
        controller.battery = battery["state"]
    if LEARNS.search(joined):
        controller.battery = "learning"
    if refused := _REFUSED.search(joined):
        controller.properties.setdefault("ErrCd", refused["code"])
        controller.properties.setdefault("ErrMsg", refused["error"])


def place_of_drive(enclosure: str, slot: str) -> str:
    """A drive's place on its controller: "e252/s8", "s8" where it is in no enclosure."""
    return f"e{enclosure}/s{slot}" if enclosure.strip() else f"s{slot}"


def _properties(text: str, controllers: dict[int, PrintedController], number: int) -> None:
    """Files every `Name = value` under the thing that the section above it is about."""
    where = controllers[number].properties
    title = ""
    for line in text.split("\n"):
        section = _SECTION.fullmatch(line)
        if section:
            title = section["name"]
            place, volume = PLACE.search(section["name"]), VOLUME.search(section["name"])
            if place and int(place["c"]) in controllers:
                number = int(place["c"])
            if volume:
                name = volume["vd"] or volume["v"]
                where = controllers[number].volumes.setdefault(name, {})
            elif place and place["kind"] == "s":
                name = place_of_drive(place["e"] or "", place["n"])
                where = controllers[number].drives.setdefault(name, {})
            elif section["name"] != "Inquiry Data":
                where = controllers[number].properties
            continue
        pair = _PROPERTY.fullmatch(line)
        if pair is None:
            _row(line, title, controllers[number])
            continue
        if pair["name"] == "Controller" and (pair["value"] or "").isdecimal():
            number = int(pair["value"])
            where = controllers[number].properties
        elif pair["value"] and "|" not in line:
            where.setdefault(pair["name"].strip(), pair["value"].strip())


def _row(line: str, section: str, controller: PrintedController) -> None:
    """Files a row of a table of two columns, and the name at the end of a volume's row."""
    if section == "Policies Table" and (policy := _POLICY_ROW.fullmatch(line)):
        if policy["name"] != "Policy":
            controller.properties.setdefault(policy["name"], policy["value"])
    elif section in BATTERY_SECTIONS and (row := _BATTERY_PROPERTY.fullmatch(line)):
        file_of_battery(controller, row["name"], row["value"])
    elif volume := VIRTUAL.match(flat := " ".join(fields(line))):
        name = flat[volume.end() :].strip()
        if name and len(name) <= _LONGEST_NAME:
            controller.volumes.setdefault(volume["vd"], {})["Name"] = name


_LONGEST_NAME = 15
"""Characters that a virtual drive's name may have."""


def file_of_battery(controller: PrintedController, label: str, value: str) -> None:
    """Files a property of the battery or capacitor as one of its controller.

    Args:
        controller: gets it.
        label: as printed.
        value: as printed.
    """
    name = f"Battery {label}" if label in _BATTERY_LABELS else label
    if label not in {"Property", "Model State"}:
        controller.properties.setdefault(name, value)
