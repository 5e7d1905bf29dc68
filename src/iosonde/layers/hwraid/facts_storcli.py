"""storcli and perccli: controllers, their virtual and physical drives, as text or JSON (J).

The tool prints sections of `Name = value` and tables; which ones depends on the command and on the
version. Text and JSON name columns and properties alike, so both are brought into the same rows.

Source: outputs of storcli 1.x and 7.x and perccli 7.x; Broadcom's StorCLI reference manual, chapter
"StorCLI commands" (abbreviations below each table). Sizes are of 1024: "Number of Blocks" × 512, or
× 4096 on drives with such sectors ("4 KB"), gives "Size" so. Cache "NRWBD" is read-ahead (R, NR),
write policy (WT, WB, AWB), I/O policy (C, D).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from iosonde import units
from iosonde.layers.hwraid.facts import (
    battery_state,
    data_disks,
    identifier_of,
    other_labels,
    size_of,
)
from iosonde.layers.hwraid.facts_storcli_text import (
    BATTERY_SECTIONS,
    LEARNS,
    OVERVIEW_COLUMNS,
    PLACE,
    VOLUME,
    PrintedController,
    file_of_battery,
    place_of_drive,
    rows_of_text,
)
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.json_output import document_in, object_with

STORCLI = ("storcli64", "storcli", "perccli64", "perccli", "storcli2", "perccli2")
"""Names of the command."""
_READ_OF_CONTROLLER = frozenset({
    "Controller", "Product Name", "Model", "Firmware Version", "FW Version", "Serial Number",
    "On Board Memory Size", "CLI Version", "Operating system", "Operating System", "Status",
    "Description", "Status Code", "ErrCd", "ErrMsg", "Host Name", "Number of Controllers",
    "Command", "Battery State",
})  # fmt: skip
_READ_OF_VOLUME = frozenset({
    "DG", "DG/VD", "TYPE", "State", "Cache", "Size", "Strip Size",
    "Write Cache(initial setting)", "Disk Cache Policy", "Encryption", "Active Operations",
    "Emulation type", "SCSI NAA Id", "sCC", "Consist",
})  # fmt: skip
_OF_GROUP = (
    "drive_group", "raid_level", "state", "size", "disks", "data_disks", "disk_cache",
)  # fmt: skip
_READ_OF_DRIVE = frozenset({
    "EID:Slt", "DG", "DID", "State", "Model", "Model Number", "SN", "Firmware Revision", "Med",
    "Intf", "Size", "SeSz", "Write Cache", "Media Error Count", "Other Error Count",
    "Predictive Failure Count", "Drive Temperature", "S.M.A.R.T alert flagged by drive", "Sp",
})  # fmt: skip
_SPUN = {"U": "up", "D": "down", "T": "transition"}
_YES_NO = {"Yes": True, "No": False}
_OVERVIEW_JSON = {
    "Ports": "ports", "PDs": "pds", "DGs": "dgs", "DNOpt": "dnopt", "VDs": "vds",
    "VNOpt": "vnopt", "sPR": "spr", "EHS": "ehs", "Hlth": "health",
}  # fmt: skip
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

_NUMBERED = re.compile(r"^\s*Controller = \d", re.MULTILINE)

Row = Mapping[str, Any]


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
        else [controller for part in _PARTS.split(text) for controller in rows_of_text(part)]
    )
    for controller in printed:
        yield from _subjects(controller, where)


def parse_answer(text: str, host: str = "") -> Iterator[PrintedSubject]:
    """How commands ended that show nothing else: `Status = Success`, and what is said of it.

    Args:
        text: with the number of each controller.
        host: where the text does not tell it.
    """
    for part in _PARTS.split(text):
        for printed in rows_of_text(part) if _NUMBERED.search(part) else ():
            properties = printed.properties
            description = _text(properties, "Description")
            said = without_none({
                "answer": _text(properties, "Status"),
                "description": None if description == "None" else description,
                "error_code": _number(properties.get("ErrCd")),
                "error": _text(properties, "ErrMsg"),
                "cli_version": _text(properties, "CLI Version"),
                "operating_system": _text(properties, "Operating system", "Operating System"),
            })  # fmt: skip
            if "answer" in said:
                yield PrintedSubject("controller", f"c{printed.number}", said, host)


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────


def _of_json(text: str) -> list[PrintedController]:
    controllers: list[PrintedController] = []
    for answer in document_in(text, object_with("Controllers"))["Controllers"]:
        status, said = answer["Command Status"], answer.get("Response Data", {})
        controller = PrintedController(int(status.get("Controller", 0)))
        for section, content in said.items():
            _section(controller, section, content)
        if LEARNS.search(" ".join(text.split())):
            controller.battery = "learning"
        for row in said.get("System Overview", []):
            other = PrintedController(int(row["Ctl"]), {"Model": row.get("Model", "")})
            other.battery = str(row.get("BBU", ""))
            other.properties |= {
                OVERVIEW_COLUMNS[group]: row[name]
                for name, group in _OVERVIEW_JSON.items()
                if name in row
            }
            controllers.append(other)
        controllers.append(controller)
    return controllers


def _section(controller: PrintedController, section: str, content: Any) -> None:
    """Files one section of the answer."""
    volume, place = VOLUME.search(section), PLACE.search(section)
    rows = [row for row in content if isinstance(row, dict)] if isinstance(content, list) else []
    for row in rows:
        _json_row(controller, section, row)
    if isinstance(content, dict):
        if volume:
            name = volume["vd"] or volume["v"]
            controller.volumes.setdefault(name, {}).update(content)
        elif place and place["kind"] == "s":
            _details(
                controller.drives.setdefault(place_of_drive(place["e"] or "", place["n"]), {}),
                content,
            )
        else:
            controller.properties.update(content)
    elif not isinstance(content, list):
        controller.properties[section] = content


def _json_row(controller: PrintedController, section: str, row: Row) -> None:
    """Files a row of a table."""
    if "DG/VD" in row:
        group, _, number = str(row["DG/VD"]).partition("/")
        controller.volumes.setdefault(number, {}).update(row, DG=group)
    elif "EID:Slt" in row:
        name = place_of_drive(*str(row["EID:Slt"]).partition(":")[::2])
        controller.drives.setdefault(name, {}).update(row)
    elif "PDC" in row and row.get("Arr") == "-":
        controller.caches[str(row["DG"])] = str(row["PDC"])
        if str(row.get("Type", "")).startswith("RAID"):
            controller.groups[str(row["DG"])] = {**row, "TYPE": row["Type"]}
    elif row.get("Type") == "DRIVE" and row.get("Row") != "-":
        group = str(row.get("DG"))
        controller.members[group] = controller.members.get(group, 0) + 1
    elif section in BATTERY_SECTIONS and "Property" in row and row["Property"] != "State":
        file_of_battery(controller, str(row["Property"]), str(row.get("Value", "")))
    elif section in {"Cachevault_Info", "BBU_Info"} and row.get("Property", "State") == "State":
        controller.battery = str(row.get("State") or row.get("Value", ""))
        if "Temp" in row:
            file_of_battery(controller, "Temperature", str(row["Temp"]))


def _details(drive: dict[str, Any], content: Mapping[str, Any]) -> None:
    """Properties of a drive, which are nested once."""
    for name, value in content.items():
        if isinstance(value, dict):
            drive.update(value)
        elif not isinstance(value, list):
            drive[name] = value


# ── what they say ─────────────────────────────────────────────────────────────────────────────


def _subjects(printed: PrintedController, host: str) -> Iterator[PrintedSubject]:
    name = f"c{printed.number}"
    facts = _rest(printed.properties, _READ_OF_CONTROLLER) | without_none(
        {
            "model": _text(printed.properties, "Product Name", "Model"),
            "serial": _text(printed.properties, "Serial Number"),
            "firmware": _text(
                printed.properties, "Firmware Version", "FW Version", "FW Package Build"
            ),
            "cache_size": size_of(_text(printed.properties, "On Board Memory Size")),
            "battery": _battery(printed),
        }
    )
    if facts:
        yield PrintedSubject("controller", name, facts, host)
    for number, row in printed.volumes.items():
        values = _volume(printed, row)
        if values:
            device = _text(row, "OS Drive Name") or ""
            title = (
                device.removeprefix("/dev/") if device.startswith("/dev/") else f"{name}/v{number}"
            )
            own: dict[str, Scalar] = {"controller": name, "volume": f"{name}/v{number}"}
            yield PrintedSubject("hwraid", title, own | values, host)
    yield from _groups(printed, name, host)
    for place, row in printed.drives.items():
        values = drive_of(row)
        if values:
            yield PrintedSubject("disk", f"{name}/{place}", values, host)


def _groups(printed: PrintedController, name: str, host: str) -> Iterator[PrintedSubject]:
    """The drive groups of a topology of which no virtual drive is shown."""
    shown = {str(row.get("DG")) for row in printed.volumes.values()}
    for group, row in printed.groups.items():
        if group not in shown and (values := _volume(printed, row)):
            own: dict[str, Scalar] = {"controller": name, "volume": f"{name}/dg{group}"}
            facts = {label: values[label] for label in _OF_GROUP if label in values}
            yield PrintedSubject("hwraid", f"{name}/dg{group}", own | facts, host)


def _rest(row: Row, read: Collection[str]) -> dict[str, Scalar]:
    """What has no name of the records: columns and properties of one line each."""
    texts = {label: str(text) for label, text in row.items() if isinstance(text, (str, int))}
    return other_labels(texts, read)


def _members(printed: PrintedController, volume: Row) -> int | None:
    """Drives of a volume's group: as its topology lists them, or those shown, if it is whole."""
    group = str(volume.get("DG"))
    shown = sum(
        str(drive.get("DG")) == group and _state(drive) != "hot spare"
        for drive in printed.drives.values()
    )
    listed = printed.members.get(group, 0)
    return max(listed, shown) or None if listed or _state(volume) == "optimal" else None


def _volume(printed: PrintedController, row: Row) -> dict[str, Scalar]:
    level = str(row.get("TYPE", "")).lower() or None
    spans = _number(row.get("Span Depth"))
    each = _number(row.get("Number of Drives Per Span"))
    disks = each * spans if each and spans else _members(printed, row)
    cache = _CACHE.fullmatch(str(row.get("Cache", "")))
    initial = str(row.get("Write Cache(initial setting)", "")).replace(" ", "")
    drives = str(row.get("Disk Cache Policy") or printed.caches.get(str(row.get("DG")), ""))
    operations = row.get("Active Operations")
    return _rest(row, _READ_OF_VOLUME) | without_none(
        {
            "consistent": _YES_NO.get(str(row.get("Consist"))),
            "scheduled_consistency_check": {"ON": True, "OFF": False}.get(str(row.get("sCC"))),
            "drive_group": _group(row),
            "raid_level": level,
            "state": _state(row),
            "size": _size_of_volume(row),
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


def _size_of_volume(row: Row) -> int | None:
    """Bytes: exact ones by the blocks whose size fits the rounded size beside them, else that."""
    blocks, rounded = _number(row.get("Number of Blocks")), size_of(_text(row, "Size"))
    if not blocks:
        return rounded
    exact = (blocks * sector for sector in (units.SECTOR, 4 * units.KIB))
    fitting = (size for size in exact if rounded and abs(size / rounded - 1) < _ROUNDED)
    return next(fitting, rounded)


_ROUNDED = 0.01
"""By what share of it a printed size may be off."""


def drive_of(row: Row) -> dict[str, Scalar]:
    """What a physical drive is, by its columns and properties."""
    heat = re.match(r"(\d{1,3}) ?C\b", str(row.get("Drive Temperature", "")).strip())
    media = {"HDD": True, "SSD": False}.get(str(row.get("Med")))
    transport = str(row.get("Intf", "-")).lower()
    cache = str(row.get("Write Cache", "")).lower()
    sector = str(row.get("SeSz", ""))
    return _rest(row, _READ_OF_DRIVE) | without_none(
        {
            "spin_state": _SPUN.get(str(row.get("Sp"))),
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


def _battery(printed: PrintedController) -> str | None:
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
