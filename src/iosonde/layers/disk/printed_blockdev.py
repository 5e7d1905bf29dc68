"""`blockdev`, `sdparm` and `sg_get_lba_status`: sizes, mode pages and mapped blocks of a device.

Source: util-linux 2.38, disk-utils/blockdev.c (report_header(): "RO RA SSZ BSZ StartSec Size
Device", read-ahead and start in sectors of 512 bytes, size in bytes, in older ones BLKGETSIZE's
sectors; bdcms[]: what --getss, --getsz and the like print); sdparm 1.12, sdparm.c
(print_mode_items(): "  %-10s%5d [cha: %s, def: %d]"); sg3_utils 1.47, sg_get_lba_status.c
("descriptor LBA: 0x%016x  blocks: %u  mapped", "deallocated").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_rows, nearest
from iosonde.units import KIB, SECTOR

_HEAD = re.compile(r"\s*RO\s+RA\s+SSZ\s+BSZ\s+StartSec\s+Size\s+Device\s*$")
_ROW = re.compile(
    r"\s*(?P<mode>rw|ro)\s+(?P<ahead>\d{1,9})\s+(?P<sector>\d{1,7})\s+(?P<block>\d{1,9})\s+"
    r"(?P<start>\d{1,15}|N/A)\s+(?P<size>\d{1,19})\s+(?P<device>/dev/\S{1,100})\s*$"
)
_ASKED = re.compile(
    r"(?:^\s*|[#$>] *|sudo )(?:/\w{1,8}/)?(?:sbin/)?blockdev "
    r"(?P<options>(?:-{1,2}get[a-z0-9]{2,16} ){1,8})(?P<device>/dev/[\w./-]{1,100})\s*$"
)
_NUMBER = re.compile(r"\s*(?P<number>-?\d{1,19})\s*$")
_GET: dict[str, tuple[str, float]] = {
    "ss": ("logical_block_size", 1), "pbsz": ("physical_block_size", 1), "bsz": ("block_size", 1),
    "iomin": ("minimum_io_size", 1), "ioopt": ("optimal_io_size", 1), "ro": ("read_only", 0),
    "size": ("size", SECTOR), "sz": ("size", SECTOR), "size64": ("size", 1),
    "ra": ("read_ahead_kb", SECTOR / KIB), "fra": ("filesystem_read_ahead_kb", SECTOR / KIB),
    "alignoff": ("alignment_offset", 1), "maxsect": ("max_sectors", SECTOR),
    "discardzeroes": ("discard_zeroes_data", 0), "diskseq": ("diskseq", 1),
}  # fmt: skip
"""What blockdev is asked for → name, and bytes of one; 0: a flag."""
_SDPARM = re.compile(
    r"\s*(?P<device>/dev/[\w/-]{1,60}): (?P<vendor>[\w .-]{1,8}?)\s{1,9}"
    r"(?P<product>[\w./ -]{1,16}?)\s{1,17}(?P<revision>[\w.]{1,4})\s*(?:\[[^\]]{0,40}\])?\s*$"
)
_PAGE = re.compile(r"\s*(?P<page>[A-Z][\w ()/-]{3,70} mode page)(?:.{0,30})?:\s*$")
_ITEM = re.compile(
    r"\s*(?P<name>[A-Z][A-Z0-9_]{1,12})\s+(?P<value>-?\d{1,12}|0x[0-9a-f]{1,16})\s+"
    r"\[(?:cha: (?P<changeable>[yn]), )?(?:def:\s{0,3}(?P<default>-?\d{1,12}))?"
    r"(?:, sav:\s{0,3}(?P<saved>-?\d{1,12}))?\]"
)
_LBA = re.compile(
    r"\s*(?:descriptor |\[\d{1,6}\] )?(?:LBA|lba): ?(?P<lba>0x[0-9a-f]{1,16}),?\s+"
    r"(?:num_)?blocks: ?(?P<blocks>\d{1,12}|0x[0-9a-f]{1,8}),?\s+"
    r"(?P<state>mapped \(or unknown\)|mapped|deallocated|anchored)\b"
)
_MOST = 2000


class Blockdev(StateOutput):
    tool = "blockdev"
    anchors = ("StartSec", "blockdev --get", "blockdev -get")
    commands = ("blockdev",)
    reach = 3
    nothing = "no device follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line):
            return cursor.at
        if not _ASKED.search(line):
            return None
        below = (cursor.at + 1, cursor.at + 2)
        return next((row for row in below if _NUMBER.match(cursor.line(row))), None)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        if not _HEAD.match(cursor.line(first)):
            return _answers(cursor, first, prompt)
        rows, last = close_rows(cursor, first + 1, _ROW.match, _MOST)
        unit = _unit_of_sizes(rows)
        return last, [_reported(row, unit, prompt.host) for row in rows]


class Sdparm(StateOutput):
    tool = "sdparm"
    anchors = (" [cha: ", " [def: ", "mode page:")
    commands = ("sdparm",)
    reach = 3
    nothing = "no field follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _ITEM.match(line) and not _PAGE.match(line):
            return None
        return nearest(
            cursor, 40, _SDPARM.match, between=lambda line: _ITEM.match(line) or _PAGE.match(line)
        )

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _SDPARM.match(cursor.line(first))
        if head is None:
            raise Unreadable("its first line is broken", first)
        values: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            item = _ITEM.match(line)
            if index > last + 2 or (line and not item and not _PAGE.match(line)):
                break
            if item:
                values[item["name"].lower()] = int(item["value"], 0)
                if item["default"]:
                    values[f"{item['name'].lower()}_default"] = int(item["default"])
            last = index if line else last
        if not values:
            return last, []
        named = {"vendor": head["vendor"], "model": head["product"], "firmware": head["revision"]}
        name = head["device"].removeprefix("/dev/")
        return last, [PrintedSubject("disk", name, {**named, **values}, prompt.host)]


class LbaStatus(StateOutput):
    tool = "sg_get_lba_status"
    anchors = ("descriptor LBA: ", "] LBA: 0x")
    commands = ("sg_get_lba_status",)
    reach = 3
    beginning = _LBA

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        blocks: dict[str, int] = {}
        last, descriptors = first, 0
        for index, line in lines(cursor, first, _MOST):
            row = _LBA.match(line)
            if index > last + 2 or (line and row is None) or (index > first and prompt_in(line)):
                break
            if row is None:
                continue
            state = row["state"].partition(" ")[0]
            blocks[state] = blocks.get(state, 0) + int(row["blocks"], 0)
            descriptors += 1
            last = index
        values: dict[str, Json] = {"descriptors": descriptors}
        values |= {f"{state}_blocks": count for state, count in blocks.items()}
        device = re.search(r"/dev/([\w/]{1,60})", prompt.command)
        return last, [self.counted("disk", device[1] if device else "", values, prompt)]


def _unit_of_sizes(rows: Sequence[re.Match[str]]) -> int:
    """Bytes of one in the column of sizes, which older ones print in sectors.

    A size in bytes is a whole number of sectors, and no partition begins behind its disk's end.
    """
    sizes = {row["device"]: int(row["size"]) for row in rows}
    for row in rows:
        disk = re.sub(r"(?<=\D)\d+$|(?<=\d)p\d+$", "", row["device"])
        start = int(row["start"]) * SECTOR if row["start"] != "N/A" else 0
        if int(row["size"]) % SECTOR or (
            disk != row["device"] and start >= sizes.get(disk, 1 << 80)
        ):
            return SECTOR
    return 1


def _reported(row: re.Match[str], unit: int, host: str) -> PrintedSubject:
    """A row of `blockdev --report`."""
    ahead = int(row["ahead"]) * SECTOR
    values: dict[str, Scalar] = {
        "read_only": row["mode"] == "ro",
        "read_ahead_kb": ahead / KIB if ahead % KIB else ahead // KIB,
        "logical_block_size": int(row["sector"]), "block_size": int(row["block"]),
        "size": int(row["size"]) * unit,
    }  # fmt: skip
    if row["start"] != "N/A":
        values["start"] = int(row["start"]) * SECTOR
    return PrintedSubject("disk", row["device"].removeprefix("/dev/"), values, host)


def _answers(cursor: TextCursor, first: int, prompt: Prompt) -> Items:
    """One number in each line, in the order in which they were asked for.

    Raises:
        Unreadable: there are fewer numbers than questions, or one that is not known.
    """
    asked = _ASKED.search(cursor.line(first - 1)) or _ASKED.search(cursor.line(first - 2))
    if asked is None:
        raise Unreadable("its command is not above it", first)
    values: dict[str, Scalar] = {}
    index = first
    for option in fields(asked["options"]):
        name, unit = _GET.get(option.lstrip("-").removeprefix("get"), ("", 1))
        number = _NUMBER.match(cursor.line(index))
        if not name or number is None:
            raise Unreadable(f"no number for {option}", index)
        values[name] = bool(int(number["number"])) if not unit else int(number["number"]) * unit
        index += 1
    device = asked["device"].removeprefix("/dev/")
    return index - 1, [PrintedSubject("disk", device, values, prompt.host)]
