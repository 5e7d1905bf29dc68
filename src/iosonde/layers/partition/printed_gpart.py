"""`gpart show` of FreeBSD: tables of partitions, also with labels (-l) or names of devices (-p).

Source: FreeBSD 14, lib/geom/part/geom_part.c, gpart_show_geom(): `=>  START  SECTORS  NAME  SCHEME
(SIZE)`, then a line for each partition and each gap; -l prints labels in place of types, which may
hold blanks, -r types as they are stored; sectors are those of the device, whose size is not
printed; sizes in brackets are rounded (libxo's {h:}, K of 1024; before FreeBSD 8.1 a small k).
Pages make typographic dashes of those around "free".
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_SIZE = r"\((?P<size>\d{1,4}(?:\.\d)?[BKkMGTPE]?)\)"
_HEAD = re.compile(
    r"\s*=>\s{0,20}(?P<start>\d{1,19})\s+(?P<sectors>\d{1,19})\s+(?P<name>[\w./%-]{2,100})\s+"
    rf"(?P<scheme>GPT|MBR|EBR|BSD|BSD64|APM|LDM|VTOC8|PC98)\s+{_SIZE}(?P<corrupt> \[CORRUPT\])?\s*$"
)
_ROW = re.compile(
    r"\s*(?P<start>\d{1,19})\s+(?P<sectors>\d{1,19})\s+(?![-–—] free [-–—])"
    r"(?P<index>[\w./%-]{1,100})\s+"
    rf"(?P<type>\S(?:.{{0,98}}?\S)?)(?:\s+\[(?P<attributes>[a-z,]{{3,40}})\])?\s+{_SIZE}\s*$"
)
_FREE = re.compile(
    rf"\s*(?P<start>\d{{1,19}})\s+(?P<sectors>\d{{1,19}})\s+[-–—] free [-–—]\s+{_SIZE}\s*$"
)
_OPTIONS = re.compile(r"\bshow (?:-p )?-p?([lr])")
_INFIX = {"GPT": "p", "APM": "s", "MBR": "s", "EBR": "s", "LDM": "s"}
_LETTERS = frozenset({"BSD", "BSD64", "VTOC8"})
_MOST = 4000


class GpartShow(StateOutput):
    tool = "gpart show"
    anchors = (
        "  GPT  (", "  MBR  (", "  BSD  (", "  APM  (", "  EBR  (", "GPT (", "MBR (", "BSD (",
    )  # fmt: skip
    holds: ClassVar[re.Pattern[bytes]] = re.compile(rb"=>|&gt;")
    commands = ("gpart",)
    reach = 3
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        table: re.Match[str] | None = None
        gaps: list[tuple[int, str]] = []
        last, head_at = first, 0
        options = _OPTIONS.search(prompt.command)
        key = {"l": "label", "r": "raw_type"}.get(options[1] if options else "", "type")
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            if head := _HEAD.match(line):
                table, head_at, gaps = head, len(subjects), []
                subjects.append(PrintedSubject("disk", head["name"], _table(head), prompt.host))
            elif table and (row := _ROW.match(line)) and _fits(table, row):
                subjects.append(
                    PrintedSubject("partition", _name(table, row["index"]), _facts(row, key),
                                   prompt.host)
                )  # fmt: skip
            elif table and (free := _FREE.match(line)) and _fits(table, free):
                gaps.append((int(free["sectors"]), free["size"]))
                largest, printed = max(gaps)
                subjects[head_at] = replace(
                    subjects[head_at],
                    values={**_table(table), "free_areas": len(gaps),
                            "free_sectors": sum(sectors for sectors, _ in gaps),
                            "largest_free_sectors": largest, "largest_free_printed": printed},
                )  # fmt: skip
            else:
                break
            last = index
        return last, subjects


def _table(head: re.Match[str]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "partition_table": head["scheme"].lower(), "first_usable_sector": int(head["start"]),
        "usable_sectors": int(head["sectors"]), "printed_size": head["size"],
    }  # fmt: skip
    if head["corrupt"]:
        values["partition_table_state"] = "corrupt"
    return values


def _fits(table: re.Match[str], row: re.Match[str]) -> bool:
    """Whether a partition lies within the table's sectors."""
    start, sectors = int(row["start"]), int(row["sectors"])
    end = int(table["start"]) + int(table["sectors"])
    return int(table["start"]) <= start and start + sectors <= end


def _facts(row: re.Match[str], key: str) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {
        "first_sector": int(row["start"]), "sectors": int(row["sectors"]), key: row["type"],
        "printed_size": row["size"],
    }  # fmt: skip
    if row["attributes"]:
        values["attributes"] = row["attributes"]
    return values


def _name(table: re.Match[str], index: str) -> str:
    """A partition's name as the kernel forms it of the table's and its index, or as -p prints it.

    Source: FreeBSD 14, sys/geom/part: g_part_gpt_name() and its like.
    """
    if not index.isdecimal():
        return index
    number = int(index)
    if table["scheme"] in _LETTERS and 1 <= number <= 20:
        return f"{table['name']}{chr(ord('a') + number - 1)}"
    return f"{table['name']}{_INFIX.get(table['scheme'], 'p')}{number}"
