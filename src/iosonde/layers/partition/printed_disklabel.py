"""`disklabel` of the BSDs, and OpenBSD's `bioctl` of softraid and of RAID controllers.

Sizes of a label are in sectors, whose size it says itself; a part of it without that is not read.
The whole disk (c, on some machines d) is no partition.

Source: OpenBSD 7, sbin/disklabel/editor.c and disklabel.c, display() ("bytes/sector: %u", "total
sectors: %llu", display_partition(): "  %c: %16s %16s" and the type), NetBSD 10, sbin/disklabel
(main(), the same with widths of 9); FreeBSD 14, sbin/bsdlabel, display(); OpenBSD 7,
sbin/bioctl/bioctl.c, bio_inq() ("%-11s %-10s %14s %-8s": volumes and, further in, chunks).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_DEVICE = re.compile(r"\s*# /dev/r?(?P<disk>[a-z]{2,5}\d{1,3})[a-p]?:?\s*$")
_LABEL = re.compile(
    r"\s*(?P<name>type|disk|label|duid|flags|bytes/sector|sectors/track|tracks/cylinder"
    r"|sectors/cylinder|cylinders|total sectors|sectors/unit|boundstart|boundend|drivedata|rpm"
    r"|interleave|trackskew|cylinderskew|headswitch|track-to-track seek|OpenBSD area):"
    r"(?:\s+(?P<value>\S.{0,120}?))?\s*$"
)
_COUNT = re.compile(r"\s*\d{1,3} partitions:\s*$")
_HEAD = re.compile(r"\s*#\s+size\s+offset\s+fstype\s")
_PARTITION = re.compile(
    r"\s*(?P<letter>[a-p]): +(?P<size>\d{1,18}) +(?P<offset>\d{1,18}) +(?P<type>\S{2,20})"
    r"(?P<rest>.{0,120}?)(?:# (?P<mount>/\S{0,200}|none).{0,80})?\s*$"
)
_ASKED = re.compile(
    r"\b(?:disklabel|bsdlabel) (?:-\S{1,12} )*(?:/dev/)?r?"
    r"(?P<disk>[a-z]{2,5}\d{1,3}(?:s\d)?)[a-p]?$"
)
_MOST = 120


class Disklabel(StateOutput):
    tool = "disklabel"
    anchors = ("bytes/sector: ",)
    commands = ("disklabel", "bsdlabel")
    reach = 3
    nothing = "it names no disk"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _LABEL.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, lambda line: _LABEL.match(line) or _DEVICE.match(line))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        labels, rows, last = dict[str, str](), list[re.Match[str]](), first
        asked = _ASKED.search(prompt.command)
        disk = asked["disk"] if asked else ""
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            if device := _DEVICE.match(line):
                disk = device["disk"]
            elif label := _LABEL.match(line):
                if label["name"] in labels:
                    break
                labels[label["name"]] = label["value"] or ""
            elif row := _PARTITION.match(line):
                rows.append(row)
            elif not _HEAD.match(line) and (prompt_in(line) or not _COUNT.match(line)):
                break
            last = index
        sector = labels.get("bytes/sector", "")
        if not sector.isdecimal():
            raise Unreadable("the size of its sectors is cut off", last)
        return last, list(_label(disk, labels, rows, prompt.host)) if disk else []


def _label(
    disk: str, labels: dict[str, str], rows: list[re.Match[str]], host: str
) -> Iterator[PrintedSubject]:
    sector = int(labels["bytes/sector"])
    values: dict[str, Scalar] = {"logical_block_size": sector, "partition_table": "bsd"}
    total = labels.get("total sectors") or labels.get("sectors/unit") or ""
    if total.isdecimal():
        values["size"] = int(total) * sector
    if labels.get("label") and labels["label"] != "fictitious":
        values["model"] = labels["label"]
    yield PrintedSubject("disk", disk, values, host)
    for row in rows:
        size, start = int(row["size"]) * sector, int(row["offset"]) * sector
        if row["type"] == "unused" and start == 0:
            continue  # the whole disk
        facts: dict[str, Scalar] = {
            "size": size, "start": start, "fstype": row["type"], "disk": disk,
        }  # fmt: skip
        if row["mount"] and row["mount"] != "none":
            facts["mount_point"] = row["mount"]
        yield PrintedSubject("partition", f"{disk}{row['letter']}", facts, host)


_BIO_HEAD = re.compile(r"\s*Volume +Status +Size +Device\s*$")
_STATUS = (
    r"(?:Online|Offline|Degraded|Failed|Building|Rebuild|Scrubbing|Unused|Hot spare|Unknown"
    r"|Invalid)"
)
_VOLUME = re.compile(
    rf"\s*(?P<controller>[a-z]{{2,10}}\d{{1,3}}) +(?P<volume>\d{{1,3}}) (?P<state>{_STATUS}) +"
    r"(?P<size>\d{1,18}) (?P<name>[a-z]{2,4}\d{1,3}) +(?P<level>RAID\w{1,3}|CRYPTO|CONCAT|RAID1C)"
    r"(?: +(?P<done>\d{1,3})% done(?: \d{1,9} seconds)?)?(?: (?:WB|WT))?\s*$"
)
_CHUNK = re.compile(
    rf"\s+(?P<chunk>\d{{1,3}}) (?P<state>{_STATUS}) +(?P<size>\d{{1,18}}) \S{{3,12}} +\S{{1,20}} +"
    r"<(?P<what>[^<>]{1,80})>(?: (?P<serial>\S.{0,60}?))?\s*$"
)


class Bioctl(StateOutput):
    tool = "bioctl"
    anchors = ("Volume      Status", "softraid0 ")
    commands = ("bioctl",)
    reach = 3
    nothing = "no volume follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _BIO_HEAD.match(line):
            return cursor.at
        head = _BIO_HEAD.match(cursor.line(cursor.at - 1))
        return cursor.at if _VOLUME.match(line) and not head else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects, volume, last = list[PrintedSubject](), "", first
        for index, line in close_lines(cursor, first, _MOST):
            if row := _VOLUME.match(line):
                volume = row["name"]
                subjects.append(PrintedSubject("softraid", volume, _volume(row), prompt.host))
            elif (row := _CHUNK.match(line)) and volume:
                values: dict[str, Scalar] = {
                    "size": int(row["size"]), "state": row["state"].lower(), "part_of": volume,
                }  # fmt: skip
                subjects.append(PrintedSubject("softraid_chunk", row["what"], values, prompt.host))
            elif not _BIO_HEAD.match(line) or index > first:
                break
            last = index
        return last, subjects


def _volume(row: re.Match[str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "size": int(row["size"]), "state": row["state"].lower(), "raid_level": row["level"].lower(),
        "controller": row["controller"],
    }  # fmt: skip
    return values | ({"progress": int(row["done"]) / 100} if row["done"] else {})
