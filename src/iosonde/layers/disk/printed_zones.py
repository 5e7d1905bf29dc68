"""`blkzone report` and `nvme zns report-zones`: zones of a disk; `nvme zns id-ns`: its limits.

Source:
    util-linux 2.38, sys-utils/blkzone.c (blkzone_report(): in sectors of 512 bytes, the write
    pointer from the zone's start on; "cap" since 2.37).
    nvme-cli 2.3, nvme-print.c (nvme_show_zns_report_zones(): in logical blocks, the write pointer
    from the namespace's start on; nvme_show_zns_id_ns()).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, close_lines, nearest, top_of

_HEX = r"0x[0-9a-f]{1,16}"
_BLKZONE = re.compile(
    rf"\s*start: (?P<start>{_HEX}), len (?P<length>{_HEX})(?:, cap (?P<capacity>{_HEX}))?, wptr "
    rf"(?P<pointer>{_HEX}) reset:(?P<reset>[01]) non-seq:(?P<non_seq>[01]), "
    r"zcond: ?(?P<code>\d{1,2})\((?P<condition>\w\w)\) "
    r"\[type: (?P<type_code>\d)\((?P<type>[A-Z_]{3,30})\)\]\s*$"
)
_NVME = re.compile(
    rf"\s*SLBA: (?P<start>{_HEX})\s+WP: (?P<pointer>{_HEX})\s+Cap: (?P<capacity>{_HEX})\s+State: "
    rf"(?P<condition>[A-Z_ ]{{3,16}}?)\s+Type: (?P<type>[A-Z_]{{3,20}})\s+"
    rf"Attrs: (?P<attributes>{_HEX})\s*$"
)
_BEGUN = re.compile(r"\s*(?:start|SLBA): 0x[0-9a-f]")
_COUNT = re.compile(r"\s*nr_zones: ?(?P<count>\d{1,9})\s*$")
_ID_HEAD = re.compile(r"\s*ZNS Command Set Identify Namespace:?\s*$")
_FIELD = re.compile(r"\s*(?P<name>zoc|ozcs|mar|mor|rrl|frl|rrl[1-3]|frl[1-3]|numzrwa|zrwafg|zrwasz|"
                    rf"zrwacap)\s*: (?P<value>{_HEX}|\d{{1,10}}|No limit)\b.{{0,60}}$")  # fmt: skip
_FORMAT = re.compile(
    rf"\s*lbafe\s+(?P<number>\d{{1,2}}): ?zsze: ?(?P<size>{_HEX}) zdes: ?(?P<extension>\d{{1,5}})"
    r"(?P<in_use> \(in use\))?\s*$"
)
_BITS = re.compile(r"\s*\[\d{1,2}:\d{1,2}\]\s*: ?0x[0-9a-f]")
_DEVICE = re.compile(r"(?:^|\s)/dev/(?P<name>[\w/-]{1,60})")
_LISTED = 2000
_MOST = 300_000


class Zones(StateOutput):
    tool = "zones"
    anchors = (", wptr 0x", "SLBA: 0x")
    commands = ("blkzone", "nvme")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = nearest(cursor, 2, _BEGUN.match)
        if first is None or not _zone(cursor, first)[0]:
            return None
        above = top_of(cursor, lambda line: _BEGUN.match(line) or _COUNT.match(line))
        return above if first == cursor.at else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows: list[Json] = []
        values: dict[str, Json] = {}
        by_condition: dict[str, Json] = {}
        by_type: dict[str, Json] = {}
        zones, last = 0, first - 1
        for index, line in lines(cursor, first, _MOST):
            if index <= last or (not line and index == last + 1):
                continue
            zone, end = _zone(cursor, index)
            if zone:
                zones += 1
                for counts, name in ((by_condition, "condition"), (by_type, "type")):
                    counts[str(zone[name])] = int(str(counts.get(str(zone[name]), 0))) + 1
                if zones <= _LISTED:
                    rows.append({**zone})
            elif count := _COUNT.match(line):
                values["zones_said"] = int(count["count"])
            else:
                break
            last = end
        values |= {"zones": zones, "by_condition": by_condition, "by_type": by_type, "list": rows}
        device = _DEVICE.search(prompt.command)
        return last, [self.counted("disk", device["name"] if device else "", values, prompt)]


def _zone(cursor: TextCursor, index: int) -> tuple[Mapping[str, Json], int]:
    """What the zone of a line is, with what a mail broke off it, and its last line."""
    text = cursor.line(index)
    if not _BEGUN.match(text):
        return {}, index
    for last in range(index, index + 3):
        if zone := _zone_of(text):
            return zone, last
        text += f" {cursor.line(last + 1).strip()}"
    return {}, index


def _zone_of(text: str) -> Mapping[str, Json]:
    """What a text says of a zone: blkzone in bytes, nvme in blocks; empty where it is none."""
    if match := _BLKZONE.match(text):
        zone: dict[str, Json] = {
            name: int(match[name], 16) * units.SECTOR
            for name in ("start", "length", "capacity", "pointer") if match[name]
        }  # fmt: skip
        return {
            **zone, "reset": int(match["reset"]), "non_seq": int(match["non_seq"]),
            "condition": match["condition"], "type": match["type"],
        }  # fmt: skip
    if match := _NVME.match(text):
        return {
            "start_block": int(match["start"], 16), "pointer_block": int(match["pointer"], 16),
            "capacity_blocks": int(match["capacity"], 16), "condition": match["condition"].strip(),
            "type": match["type"], "attributes": int(match["attributes"], 16),
        }  # fmt: skip
    return {}


class NvmeZoneLimits(StateOutput):
    tool = "nvme zns id-ns"
    anchors = ("ZNS Command Set Identify Namespace",)
    commands = ("nvme",)
    reach = 3
    beginning = _ID_HEAD
    nothing = "no field follows"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last = first
        for index, line in close_lines(cursor, first + 1, 200):
            if field := _FIELD.match(line):
                text = field["value"]
                values[field["name"]] = text if text == "No limit" else int(text, 0)
            elif form := _FORMAT.match(line):
                values[f"lbafe_{form['number']}_zsze"] = int(form["size"], 16)
                values[f"lbafe_{form['number']}_zdes"] = int(form["extension"])
                if form["in_use"]:
                    values["zone_size_blocks"] = int(form["size"], 16)
            elif not _BITS.match(line):
                break
            last = index
        device = _DEVICE.search(prompt.command)
        name = device["name"] if device else ""
        return last, [PrintedSubject("disk", name, values, prompt.host)] if values else []
