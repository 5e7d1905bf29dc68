"""What properties of Windows' storage objects say, by the names that discovery gives them.

Source: Microsoft, Storage Management API classes MSFT_PhysicalDisk, MSFT_Disk, MSFT_Volume,
MSFT_StoragePool, MSFT_VirtualDisk, MSFT_StorageJob and MSFT_StorageReliabilityCounter (sizes in
bytes; Wear in percent; OperationalStatus "Predictive Failure": the drive's SMART says so);
Storage.format.ps1xml: GB, TB are powers of 1024.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from iosonde import units
from iosonde.records.stack import Scalar

AMOUNT = r"\d{1,19}(?:[.,]\d{1,3})?(?: ?(?:[KMGTP]?B|Bytes))?"
_SIZE = re.compile(r"(?P<figure>\d{1,19}(?:[.,]\d{1,3})?)(?: ?(?P<unit>[KMGTP]?B|Bytes))?")
_SHARE = re.compile(r"(\d{1,3}(?:[.,]\d{1,3})?) ?%")
_WHOLE = re.compile(r"-?\d{1,18}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LONGEST = 200
_SIZES = frozenset({
    "Size", "Total Size", "TotalSize", "AllocatedSize", "FootprintOnPool", "SizeRemaining",
    "LogicalSectorSize", "PhysicalSectorSize", "BytesProcessed", "BytesTotal",
    "VirtualDiskFootprint", "LargestFreeExtent", "AllocationUnitSize", "Interleave",
})  # fmt: skip
_NAMES = {
    "Number": "number", "DeviceId": "number", "DeviceID": "number", "FriendlyName": "model",
    "Friendly Name": "model", "SerialNumber": "serial", "Serial Number": "serial",
    "SizeRemaining": "available", "FileSystemType": "type", "FileSystem": "type",
    "FirmwareVersion": "firmware", "Manufacturer": "vendor", "Total Size": "size",
    "LogicalSectorSize": "logical_block_size", "PhysicalSectorSize": "physical_block_size",
    "Partition Style": "partition_style", "FileSystemLabel": "label",
}  # fmt: skip
_TEXTS = frozenset({
    "SerialNumber", "Serial Number", "FriendlyName", "Friendly Name", "FirmwareVersion",
    "UniqueId", "FirmwareRevision", "PartNumber", "AdapterSerialNumber",
})  # fmt: skip
_KINDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("storage_job", frozenset({"JobState", "PercentComplete"})),
    ("disk_counter", frozenset({"Wear", "ReadErrorsUncorrected", "ReadErrorsTotal"})),
    ("storage_space", frozenset({"ResiliencySettingName", "FootprintOnPool", "IsManualAttach",
                                 "DetachedReason"})),
    ("storage_pool", frozenset({"IsPrimordial", "ReadOnlyReason"})),
    ("mount", frozenset({"DriveLetter", "SizeRemaining"})),
    ("disk", frozenset({"MediaType", "CanPool", "Usage", "Total Size", "PartitionStyle",
                        "Partition Style", "SpindleSpeed"})),
)  # fmt: skip
_NUMBERS = frozenset({"Number", "DeviceId", "DeviceID"})
_OF_DISK = frozenset({"FriendlyName", "Friendly Name", "Model", "SerialNumber"})
_DRIVE = re.compile(r"\d{1,4}")


def kind_of(names: Collection[str]) -> str:
    """What an object is by the names of its properties; empty where these do not tell."""
    own = set(names)
    kind = next((kind for kind, telling in _KINDS if own & telling), "")
    return kind or ("disk" if own & _NUMBERS and own & _OF_DISK and "Size" in own else "")


def name_of(kind: str, row: Mapping[str, str]) -> str:
    """The name of an object: of a drive by its number, of a volume by its letter."""
    number = row.get("Number") or row.get("DeviceId") or row.get("DeviceID") or ""
    if kind.startswith("disk") and _DRIVE.fullmatch(number):
        return f"PhysicalDrive{number}"
    if kind == "mount" and row.get("DriveLetter"):
        return f"{row['DriveLetter'].rstrip(':')}:"
    for name in ("FriendlyName", "Friendly Name", "Name", "FileSystemLabel", "UniqueId"):
        if row.get(name):
            return row[name]
    return number


def facts_of(kind: str, row: Mapping[str, str]) -> dict[str, Scalar]:
    """The properties of an object that hold something."""
    values: dict[str, Scalar] = {}
    for name, text in row.items():
        value = text.strip()
        if value and value not in {"{}", "N/A"}:
            values[_named(kind, name)] = _value(name, value)
    media = values.get("media_type")
    if kind == "disk" and media in {"HDD", "SSD"}:
        values["rotational"] = media == "HDD"
    if kind == "disk" and "Predictive Failure" in row.get("OperationalStatus", ""):
        values["health_passed"] = False
    if kind == "disk_counter":
        values |= _counted(values)
    return values


def _named(kind: str, name: str) -> str:
    if kind not in {"disk", "mount"} and name in {"FriendlyName", "Friendly Name"}:
        return "name"
    if kind == "mount" and name == "FriendlyName":
        return "label"
    return _NAMES.get(name) or _HUMP.sub("_", name.replace(" ", "")).lower()


def _value(name: str, text: str) -> Scalar:
    size = _SIZE.fullmatch(text) if name in _SIZES else None
    if size:
        figure = size["figure"].replace(",", ".")
        unit = (size["unit"] or "B").replace("Bytes", "B")
        return round(units.printed(figure + unit, binary=True)[0])
    if share := _SHARE.fullmatch(text):
        return float(share[1].replace(",", ".")) / 100
    if text in {"True", "False"}:
        return text == "True"
    if _WHOLE.fullmatch(text) and name not in _TEXTS:
        return int(text)
    return text[:_LONGEST]


def _counted(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    counted: dict[str, Scalar] = {}
    wear, errors, hours = (
        values.get(name) for name in ("wear", "read_errors_uncorrected", "power_on_hours")
    )
    if isinstance(wear, int):
        counted["media_wear"] = wear / 100
    if isinstance(errors, int):
        counted["media_errors"] = errors
    if isinstance(hours, int):
        counted["power_on_time"] = hours * 3600
    return counted
