"""Windows' storage cmdlets: Get-PhysicalDisk, -Disk, -StoragePool, -VirtualDisk, -Volume ….

PowerShell prints objects as a table, whose names are underlined by dashes, or with Format-List one
property in a line.

Source: Windows Server 2012 R2 to 2022, Storage.format.ps1xml (columns of each view); Microsoft,
about_Format.ps1xml.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from typing_extensions import override

from iosonde.layers.disk.facts_windows import AMOUNT, facts_of, kind_of, name_of
from iosonde.records.printed import PrintedSubject
from iosonde.text.cells import CellRow, Column, Head, rows
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of
from iosonde.text.ruled import ruled_head

_TEXT = re.compile(r"[^\s:-](?:[^:]{0,118}[^\s:])?")
_WORD = re.compile(r"[^\s:-]\S{0,79}")
_SWITCH = re.compile(r"True|False")
_COUNT = re.compile(r"\d{1,19}")
_SIZE = re.compile(AMOUNT)
_STATUS = re.compile(r"[^\W\d_][^\d:]{0,60}|\{[^{}\d:]{2,80}\}?")
_HEALTH = re.compile(r"[^\W\d_]{2,24}")
_FORMS: tuple[tuple[re.Pattern[str], bool, bool, tuple[str, ...]], ...] = (
    (_TEXT, True, True, ("FriendlyName", "Friendly Name", "FileSystemLabel", "Name", "Model")),
    (_STATUS, False, True, ("OperationalStatus", "Usage", "JobState")),
    (_HEALTH, False, False, ("HealthStatus", "DriveType")),
    (re.compile(r"SSD|HDD|SCM|Un[Ss]pecified"), False, False, ("MediaType",)),
    (re.compile(r"[A-Z][A-Za-z]{1,24}(?: [A-Za-z]{1,16}){0,3}"), True, True, (
        "DetachedReason", "ReadOnlyReason", "CannotPoolReason",
    )),
    (re.compile(r"[A-Z]:?"), True, False, ("DriveLetter",)),
    (_HEALTH, True, False, ("ResiliencySettingName", "ProvisioningType", "BusType")),
    (re.compile(r"GPT|MBR|RAW"), False, False, ("Partition", "PartitionStyle")),
    (re.compile(r"[\d.,]{1,9} ?%"), True, True, ("StorageEfficiency",)),
    (re.compile(r"(?:\d{1,4}\.)?\d\d:\d\d:\d\d"), True, False, ("ElapsedTime",)),
    (_WORD, True, False, (
        "SerialNumber", "Serial Number", "Manufacturer", "FileSystemType", "FileSystem",
        "FirmwareVersion", "UniqueId", "SlotNumber",
    )),
    (_SWITCH, False, False, (
        "CanPool", "IsPrimordial", "IsReadOnly", "IsManualAttach", "IsBackgroundTask",
        "IsClustered", "IsBoot", "IsSystem", "IsOffline",
    )),
    (_COUNT, False, False, ("DeviceId", "DeviceID", "PercentComplete", "Number")),
    (_COUNT, True, False, (
        "Temperature", "Wear", "PowerOnHours", "ReadErrorsUncorrected", "ReadErrorsTotal",
        "ReadErrorsCorrected", "WriteErrorsTotal", "WriteErrorsUncorrected", "TemperatureMax",
        "FaultDomainRedundancy", "NumberOfColumns", "NumberOfDataCopies", "WriteLatencyMax",
        "PhysicalDiskRedundancy", "SpindleSpeed", "ReadLatencyMax",
    )),
    (_SIZE, False, True, ("Size", "Total Size", "SizeRemaining")),
    (_SIZE, True, True, (
        "AllocatedSize", "FootprintOnPool", "BytesProcessed", "BytesTotal", "LogicalSectorSize",
        "PhysicalSectorSize",
    )),
)  # fmt: skip
"""What cells look like, whether they may be empty, whether they hold blanks, and their columns."""
_COLUMNS: Mapping[str, Column] = {
    name: Column(name, cell, empty, blanks)
    for cell, empty, blanks, names in _FORMS
    for name in names
}
_STATES = (
    r"(?:OK|Online|Offline|Degraded|Stressed|Predictive Failure|(?:Non-Recoverable |Transient |IO |"
    r"Device Hardware )?Error|Starting|Stopp(?:ing|ed)|In Service|In Maintenance Mode|No Contact|"
    r"Lost Communication|Aborted|Dormant|Supporting Entity in Error|Completed|Power Mode|"
    r"Relocating|Unknown|Detached|Incomplete|Not (?:Ready|Usable)|Split|Removing From Pool|"
    r"Suboptimal|(?:Full Repair|Scan|Spot Fix) Needed|Unrecognized Metadata|Failed Media|"
    r"Threshold Exceeded|Abnormal Latency|Read-only|No Redundancy|No Media)"
)
_STRICT: Mapping[str, Column] = {**_COLUMNS, **{
    name: Column(name, re.compile(cell), empty, blanks)
    for name, cell, empty, blanks in (
        ("OperationalStatus", rf"{_STATES}|\{{{_STATES}(?:, {_STATES}){{0,3}}\}}", False, True),
        ("HealthStatus", r"Healthy|Warning|Unhealthy|Unknown", False, False),
        ("Usage", r"(?:Auto|Manual)-Select|Hot Spare|Retired|Journal|Unknown", False, True),
        ("FileSystemType", r"(?:CSVFS_)?(?:NTFS|ReFS)|(?:ex)?FAT(?:32)?|Unknown|RAW|CDFS|UDF",
         False, False),
        ("DriveType", r"Fixed|Removable|CD-ROM|Network|Unknown", False, False),
        ("JobState", r"[A-Z][a-z]{3,14}(?: [a-z]{3,10})?", False, True),
        ("DriveLetter", r"[A-Z]:?", False, False),
        ("Name", r"[^\s:-][^:]{0,80}", False, True),
        ("FriendlyName", r"[^\s:-][^:]{0,80}", False, True),
        ("Friendly Name", r"[^\s:-][^:]{0,80}", False, True),
        ("SerialNumber", r"(?=\S{0,60}\d)[^\s:-]\S{4,60}", False, False),
        ("Serial Number", r"(?=\S{0,60}\d)[^\s:-]\S{4,60}", False, False),
        ("ResiliencySettingName", r"Mirror|Parity|Simple", False, False),
        *((name, r"\d{1,9}(?:[.,]\d{1,3})? (?:[KMGTP]?B|Bytes)", False, True)
          for name in ("Size", "Total Size", "SizeRemaining", "AllocatedSize",
                       "FootprintOnPool")),
    )
}}  # fmt: skip
"""Cells of a table that a mail broke: told apart by what they are, not by where they stand."""
_SECOND = ("Style",)
"""Second words of names that Get-Disk prints in two lines."""
_PAIR = re.compile(r"\s*(?P<name>[A-Z][A-Za-z]{2,40})\s{0,40}: ?(?P<value>\S.{0,400}?)?\s*$")
_REST = re.compile(r"\s{6,}\S")
_LEAST = 2
_MOST = 6000


class WindowsTable(StateOutput):
    tool = "PowerShell storage"
    anchors = (
        " OperationalStatus ", " HealthStatus ", " ResiliencySettingName", " PercentComplete ",
        " ReadErrors", " SizeRemaining ", " MediaType ", " CanPool ",
        "Number FriendlyName ", "DeviceId FriendlyName ", "DeviceID FriendlyName ",
        "FriendlyName SerialNumber ",
    )  # fmt: skip
    commands = (
        "Get-PhysicalDisk", "Get-Disk", "Get-StoragePool", "Get-VirtualDisk", "Get-Volume",
        "Get-StorageJob", "Get-StorageReliabilityCounter",
    )  # fmt: skip
    reach = 4
    nothing = "its first row is not whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for first in range(max(cursor.at - 3, 0), cursor.at + 1):
            head = _head(cursor, first)
            if head and head.last > cursor.at and kind_of([each.name for each in head.columns]):
                return first
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _head(cursor, first)
        if head is None:
            return first, ()
        last, objects = head.last, list[dict[str, str]]()
        volumes = any(column.name == "DriveLetter" for column in head.columns)
        strict = replace(head, columns=tuple(
            replace(_STRICT[column.name], empty=True)
            if volumes and column.name == "FriendlyName" else _STRICT[column.name]
            for column in head.columns
        ))  # fmt: skip
        for row in _rows(cursor, head, strict):
            cells = {name: text for name, text in row.cells.items() if text}
            if "Partition" in cells:
                cells["Partition Style"] = cells.pop("Partition")
            objects.append(cells)
            last = row.last
        return last, _subjects(kind_of([column.name for column in head.columns]), objects, prompt)


def _head(cursor: TextCursor, first: int) -> Head | None:
    return ruled_head(cursor, first, _COLUMNS, second=_SECOND)


def _rows(cursor: TextCursor, head: Head, strict: Head) -> list[CellRow]:
    """The rows: of a broken table by what its cells are, else by where these stand."""
    if head.broken:
        return list(rows(cursor, strict))
    read: list[CellRow] = []
    last = head.last
    for row in rows(cursor, head):
        if sum(map(bool, cursor.block(last + 1, row.last - last))) > 1:
            break  # its last column is broken off
        read.append(row)
        last = row.last
    return read or list(rows(cursor, strict))


def _subjects(
    kind: str, objects: Sequence[Mapping[str, str]], prompt: Prompt
) -> list[PrintedSubject]:
    """The objects; those of one name get their serial numbers, too, or are counted."""
    names = [name_of(kind, each) for each in objects]
    subjects: list[PrintedSubject] = []
    for at, (name, each) in enumerate(zip(names, objects, strict=True)):
        own = name
        if names.count(name) > 1:
            serial = each.get("SerialNumber") or each.get("Serial Number") or each.get("UniqueId")
            own = f"{name} {serial or names[: at + 1].count(name)}"
        subjects.append(
            PrintedSubject("disk" if kind == "disk_counter" else kind, own, facts_of(kind, each),
                           prompt.host)
        )  # fmt: skip
    return subjects


class WindowsList(StateOutput):
    tool = "PowerShell storage list"
    anchors = (
        "HealthStatus  ", "HealthStatus :", "OperationalStatus  ", "OperationalStatus :",
        "ReadErrorsTotal  ", "JobState  ", "JobState :", "ResiliencySettingName  ",
        "PartitionStyle  ", "PartitionStyle :",
    )  # fmt: skip
    commands = WindowsTable.commands
    reach = 4
    nothing = "its properties do not say what it is"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _PAIR.match(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, lambda line: _PAIR.match(line) or _REST.match(line))
        while first < cursor.at and not _PAIR.match(cursor.line(first)):
            first += 1
        names = [pair["name"] for line in cursor.block(first, 80) if (pair := _PAIR.match(line))]
        return first if len(names) >= _LEAST and kind_of(names) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        objects: list[dict[str, str]] = [{}]
        last, label = first, ""
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            pair = _PAIR.match(line)
            if index > first and prompt_in(line):
                break
            if pair:
                if pair["name"] in objects[-1]:
                    objects.append({})
                label = pair["name"]
                objects[-1][label] = pair["value"] or ""
            elif label and _REST.match(line) and index == last + 1:
                objects[-1][label] += f" {line.strip()}"
            else:
                break
            last = index
        subjects: list[PrintedSubject] = []
        for kind in dict.fromkeys(map(kind_of, objects)):
            own = [each for each in objects if kind_of(each) == kind]
            subjects += _subjects(kind, own, prompt) if kind else []
        return last, subjects
