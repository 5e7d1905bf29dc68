"""Volumes of clouds: JSON of AWS, Azure and Google, and the drawn tables of OpenStack.

Each is kind `cloud_volume`, with its size in bytes, its type and state, and what was provisioned of
I/Os and bytes a second; that is what the provider promises, no figure that was measured. A type
that bursts gives more than that for a time.

Source: Amazon EC2 API Reference, Volume (size in GiB, throughput in MiB/s); Microsoft, Disks - Get
(diskSizeGB and diskSizeBytes: GiB; diskMBpsReadWrite: millions of bytes a second); Google, Compute
Engine API, disks (sizeGb: of 2^30 bytes; provisionedThroughput in MB/s); python-openstackclient
and python-cinderclient (prettytable: size in GiB).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters, PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.json_output import JsonOutput, number, objects, part
from iosonde.text.reader import Items, StateOutput, close_lines

_KIND = "cloud_volume"


def _whole(value: object) -> int | None:
    """A count, also one that is a text, as Google's 64-bit ones are."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 19:
        return int(value)
    count = number(value)
    return int(count) if count is not None else None


def _scaled(value: object, unit: int) -> int | None:
    count = _whole(value)
    return None if count is None else count * unit


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


class AwsVolumes(JsonOutput):
    tool = "aws ec2 describe-volumes"
    anchors = ('"Volumes":',)
    commands = ("aws",)
    reach = 3
    nothing = "it has no volume"
    head = re.compile(r'\{\s*"Volumes"\s*:\s*\[\s*\{(?=.{0,1500}?"VolumeId")', re.DOTALL)

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        for volume in objects(value.get("Volumes")):
            name, attached = _text(volume.get("VolumeId")), objects(volume.get("Attachments"))
            if name is None or _whole(volume.get("Size")) is None:
                continue
            values = without_none({
                "size": _scaled(volume.get("Size"), units.GIB),
                "volume_type": _text(volume.get("VolumeType")),
                "state": _text(volume.get("State")),
                "provisioned_iops": _whole(volume.get("Iops")),
                "provisioned_bandwidth": _scaled(volume.get("Throughput"), units.MIB),
                "device": _text(attached[0].get("Device")) if len(attached) == 1 else None,
                "machine": _text(attached[0].get("InstanceId")) if len(attached) == 1 else None,
                "zone": _text(volume.get("AvailabilityZone")),
            })  # fmt: skip
            for key in ("Encrypted", "MultiAttachEnabled"):
                if isinstance(volume.get(key), bool):
                    values["multi_attach" if key[0] == "M" else "encrypted"] = volume[key]
            yield PrintedSubject(_KIND, name, values, prompt.host)


class AzureDisks(JsonOutput):
    tool = "az disk"
    anchors = ('"creationData":',)
    commands = ("az",)
    reach = 3
    nothing = "it has no disk"
    head = re.compile(r'(?:\[\s*)?\{(?=[^{]{0,900}?"creationData"\s*:)')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        for disk in [value] if isinstance(value, dict) else objects(value):
            name, size = _text(disk.get("name")), _whole(disk.get("diskSizeBytes"))
            if name is None or size is None or "diskIOPSReadWrite" not in disk:  # a snapshot
                continue
            values = without_none({
                "size": size, "volume_type": _text(part(disk, "sku").get("name")),
                "state": _text(disk.get("diskState")), "tier": _text(disk.get("tier")),
                "provisioned_iops": _whole(disk.get("diskIOPSReadWrite")),
                "provisioned_bandwidth": _scaled(disk.get("diskMBpsReadWrite"), 1_000_000),
                "logical_block_size": _whole(part(disk, "creationData").get("logicalSectorSize")),
            })  # fmt: skip
            if isinstance(disk.get("burstingEnabled"), bool):
                values["bursting"] = disk["burstingEnabled"]
            yield PrintedSubject(_KIND, name, values, prompt.host)


class GoogleDisks(JsonOutput):
    tool = "gcloud compute disks"
    anchors = ('"compute#disk"',)
    commands = ("gcloud",)
    reach = 3
    nothing = "it has no disk"
    head = re.compile(r'(?:\[\s*)?\{(?=[^{]{0,900}?"kind"\s*:\s*"compute#disk")')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        for disk in [value] if isinstance(value, dict) else objects(value):
            name, size = _text(disk.get("name")), _scaled(disk.get("sizeGb"), units.GIB)
            if name is None or size is None:
                continue
            kind = (_text(disk.get("type")) or "").rpartition("/")[2]
            values = without_none({
                "size": size, "volume_type": kind or None, "state": _text(disk.get("status")),
                "provisioned_iops": _whole(disk.get("provisionedIops")),
                "provisioned_bandwidth": _scaled(disk.get("provisionedThroughput"), 1_000_000),
                "physical_block_size": _whole(disk.get("physicalBlockSizeBytes")),
            })  # fmt: skip
            yield PrintedSubject(_KIND, name, values, prompt.host)


# ── OpenStack ───────────────────────────────────────────────────────────────────────────────────

_RULE = re.compile(r"\s*\+(?:-{3,120}\+){2,12}\s*$")
_ROW = re.compile(r"\s*\|(?: [^|]{0,400}\|){2,12}\s*$")
_LIST = frozenset({"ID", "Status", "Size"})
_PAIRS = (["Field", "Value"], ["Property", "Value"])
_NAMES = {"Volume Type": "volume_type", "type": "volume_type", "volume_type": "volume_type",
          "Status": "state", "status": "state"}  # fmt: skip
_KEPT = frozenset({"multiattach", "encrypted", "bootable", "availability_zone", "Attached to"})


class OpenstackVolumes(StateOutput):
    """`openstack volume list|show`, `cinder list|show`."""

    tool = "openstack volume"
    anchors = ("| Size ", "| size ")
    commands = ("openstack", "cinder")
    reach = 4
    nothing = "it has no volume"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _ROW.match(cursor.line(cursor.at)):
            return None
        for index in range(cursor.at, max(cursor.at - 60, -1), -1):
            line = cursor.line(index)
            if _RULE.match(line) and _ROW.match(cursor.line(index + 1)):
                cells = _cells(cursor.line(index + 1))
                if cells in _PAIRS or set(cells) >= _LIST:
                    return index
            elif line and not _ROW.match(line):
                break
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, drawn, table = first, 0, list[list[str]]()
        for index, line in close_lines(cursor, first):
            if _RULE.match(line):
                drawn += 1
            elif not _ROW.match(line) or drawn > 2:
                break
            else:
                table.append(_cells(line))
            last = index
            if drawn == 3:
                break
        whole = [row for row in table[1:] if len(row) == len(table[0])]
        return last, list(_openstack(table[0], whole, prompt)) if table else []


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _openstack(
    head: Sequence[str], table: Iterable[Sequence[str]], prompt: Prompt
) -> Iterator[PrintedSubject]:
    """The volumes of a list, or the one that a list of properties is of."""
    rows = [dict(zip(head, row, strict=True)) for row in table]
    if list(head) in _PAIRS:
        rows = [{row[head[0]]: row["Value"] for row in rows if row[head[0]]}]
    for row in rows:
        size = row.get("Size") or row.get("size") or ""
        name = row.get("Name") or row.get("Display Name") or row.get("name")
        name = name or row.get("ID") or row.get("id")
        if name and size.isdecimal():
            values: dict[str, Scalar] = {"size": int(size) * units.GIB, **_said(row)}
            yield PrintedSubject(_KIND, name, values, prompt.host)


def _said(row: Mapping[str, str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for label, text in row.items():
        name = _NAMES.get(label, label.lower().replace(" ", "_"))
        if text in {"", "None"} or not (label in _NAMES or label in _KEPT):
            continue
        lower = text.lower()
        values[name] = lower == "true" if lower in {"true", "false"} else text
    return values
