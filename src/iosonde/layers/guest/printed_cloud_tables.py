"""Volumes of clouds as tables for people: gcloud, `az disk list -o table`, `aws --output table`.

They are named as in the JSON of the same commands (printed_cloud_volumes.py), as far as they have
columns for it.

Source: Google Cloud SDK, `gcloud compute disks list` (NAME, LOCATION or ZONE, SIZE_GB, TYPE,
STATUS: GB of 2^30 bytes); Azure CLI 2, `disk list` with -o table (commands of module vm,
transform_disk_create_table_output(); a line of dashes below the names); AWS CLI 2,
awscli/table.py (a title, and columns by the keys of the query, which people choose).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows

_KIND = "cloud_volume"
_GOOGLE_HEAD = re.compile(r"\s*NAME +(?:LOCATION +LOCATION_SCOPE|ZONE) +SIZE_GB +TYPE +STATUS\s*$")
_GOOGLE_ROW = re.compile(
    r"\s*(?P<name>[a-z][a-z0-9-]{0,62}) +(?P<zone>[a-z]{2,20}-[a-z]+\d{1,2}(?:-[a-z])?)"
    r"(?: +(?:zone|region))? +(?P<size>\d{1,9}) +(?P<type>[a-z][a-z0-9-]{1,40}) +"
    r"(?P<state>[A-Z]{4,12})\s*$"
)


class GoogleDiskTable(StateOutput):
    tool = "gcloud compute disks"
    anchors = ("SIZE_GB", "SIZE\\_GB")
    commands = ("gcloud",)
    reach = 4
    beginning = _GOOGLE_HEAD
    nothing = "no disk follows"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first + 1, _GOOGLE_ROW.match)
        return last, [
            PrintedSubject(_KIND, row["name"], {
                "size": int(row["size"]) * units.GIB, "volume_type": row["type"],
                "state": row["state"], "zone": row["zone"],
            }, prompt.host)
            for row in rows
        ]  # fmt: skip


_RULE = re.compile(r"\s*-{2,80}(?:  -{2,80}){3,12}\s*$")
_AZURE_NAMES = {"Sku": "volume_type", "Zones": "zone", "OsType": "os"}


class AzureDiskTable(StateOutput):
    tool = "az disk"
    anchors = ("SizeGb",)
    commands = ("az",)
    reach = 4
    nothing = "no disk follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        head = set(fields(cursor.line(cursor.at)))
        ruled = _RULE.match(cursor.line(cursor.at + 1)) or _RULE.match(cursor.line(cursor.at + 2))
        return cursor.at if ruled and head >= {"Name", "SizeGb"} else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        below = close_lines(cursor, first + 1)
        last, rule = next(below)
        spans = [match.span() for match in re.finditer(r"-+", rule)]
        starts = [start for start, _ in spans]
        cut = [slice(start, end) for start, end in zip(starts, [*starts[1:], None], strict=True)]
        head = [cursor.line(first)[part].strip() for part in cut]
        subjects = list[PrintedSubject]()
        for index, line in below:
            row = {name: line[part].strip() for name, part in zip(head, cut, strict=True)}
            if not row.get("Name") or not row.get("SizeGb", "").isdecimal():
                break
            if any(start and line[start - 1 : start].strip() for start in starts[1:]):
                break  # its cells stand elsewhere
            values: dict[str, Scalar] = {"size": int(row["SizeGb"]) * units.GIB}
            values |= {fact: row[name] for name, fact in _AZURE_NAMES.items() if row.get(name)}
            subjects.append(PrintedSubject(_KIND, row["Name"], values, prompt.host))
            last = index
        return last, subjects


_DRAWN = re.compile(r"\s*\+(?:-{2,120}\+){2,12}\s*$")
_TITLE = re.compile(r"\s*\| +DescribeVolumes +\|\s*$")
_CELLS = re.compile(r"\s*\|(?:[^|]{1,200}\|){2,12}\s*$")
_AWS_IDS = frozenset({"VolumeId", "ID", "Id", "VolumeID", "Volume"})
_AWS_SIZES = {"Size": ("size", units.GIB), "Throughput": ("provisioned_bandwidth", units.MIB),
              "Iops": ("provisioned_iops", 1), "IOPS": ("provisioned_iops", 1)}  # fmt: skip
_AWS_TEXTS = {"VolumeType": "volume_type", "Type": "volume_type", "State": "state",
              "AvailabilityZone": "zone", "AZ": "zone"}  # fmt: skip
_VOLUME = re.compile(r"vol-[0-9a-f]{8,17}")


class AwsVolumeTable(StateOutput):
    tool = "aws ec2 describe-volumes"
    anchors = ("DescribeVolumes",)
    commands = ("aws",)
    reach = 4
    beginning = _TITLE
    nothing = "no volume follows that has an identity and a size"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table, last = list[list[str]](), first
        for index, line in close_lines(cursor, first + 1):
            if _CELLS.match(line):
                table.append([cell.strip() for cell in line.strip().strip("|").split("|")])
            elif not _DRAWN.match(line):
                break
            last = index
        rows = [
            dict(zip(table[0], row, strict=True)) for row in table[1:] if len(row) == len(table[0])
        ]
        return last, list(_aws(table[0] if table else [], rows, prompt.host))


def _aws(
    head: Sequence[str], rows: Sequence[Mapping[str, str]], host: str
) -> Iterator[PrintedSubject]:
    key = next((name for name in head if name in _AWS_IDS), "")
    for row in rows:
        if not _VOLUME.fullmatch(row.get(key, "")) or not row.get("Size", "").isdecimal():
            continue
        values: dict[str, Scalar] = {
            fact: int(row[name]) * scale
            for name, (fact, scale) in _AWS_SIZES.items() if row.get(name, "").isdecimal()
        }  # fmt: skip
        values |= {
            fact: row[name] for name, fact in _AWS_TEXTS.items()
            if row.get(name) and row[name] != "None"
        }  # fmt: skip
        yield PrintedSubject(_KIND, row[key], values, host)
