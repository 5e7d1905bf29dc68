"""rclone's statistics, as -P and --stats print them: what was moved, checked and failed until then.

Its rate is an average of the last moments, not the bytes over the time. Sizes and rates are of
1024, also those that releases before 1.57 called GBytes; rates in bits are left out.

Source: rclone 1.57 and 1.63, fs/accounting/stats.go, String(): lines of what is 0 are left out;
fs/sizesuffix.go, ByteUnit().
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_SIZE = r"(?P<{0}>\d{{1,12}}(?:\.\d{{1,6}})?)\s?(?P<{0}_unit>[kKMGTPE]?)"
_BYTES = re.compile(
    rf"^\s*Transferred:\s+{_SIZE.format('bytes')}(?:i?B|Bytes)? / "
    rf"{_SIZE.format('total')}(?:i?B|Bytes?), (?:\d{{1,3}}%|-), "
    rf"{_SIZE.format('rate')}(?P<what>i?B|Bytes?|i?bit|Bits?)/s, ETA \S"
)
_COUNTS = re.compile(
    r"^\s*(?P<name>Errors|Checks|Deleted|Renamed|Transferred):\s+(?P<count>\d{1,12})"
    r"(?: / (?P<total>\d{1,12}), (?:\d{1,3}%|-)(?:, Listed \d{1,12})?"
    r"| \(files\), (?P<dirs>\d{1,12}) \(dirs\)(?:, .{1,40})?| \((?P<remark>[a-z ]{5,40})\))?\s*$"
)
_ELAPSED = re.compile(
    r"^\s*Elapsed time:\s+(?:(?P<d>\d{1,5})d)?(?:(?P<h>\d{1,2})h)?(?:(?P<m>\d{1,2})m)?"
    r"(?P<s>\d{1,2}\.\d)s\s*$"
)
_NAMES = {"Errors": "errors", "Checks": "checks", "Deleted": "deleted_files",
          "Renamed": "renamed", "Transferred": "transfers"}  # fmt: skip
_POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}


class Rclone(StateOutput):
    tool = "rclone"
    anchors = ("Transferred:  ",)
    commands = ("rclone",)
    nothing = "no amount follows"
    beginning = _BYTES

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        match = _BYTES.match(cursor.line(first))
        values: dict[str, Json] = {}
        for group, name in (("bytes", "bytes"), ("total", "total_bytes"), ("rate", "bandwidth")):
            if match and (group != "rate" or "bit" not in match["what"].lower()):
                power = _POWERS[match[f"{group}_unit"]]
                values[name] = float(f"{float(match[group]) * 1024**power:.12g}")
        last = first
        for index, line in close_lines(cursor, first + 1, 12, gap=1):
            elapsed = _ELAPSED.match(line)
            if counts := _COUNTS.match(line):
                values |= _counted(counts)
            elif not elapsed:
                break
            last = index
            if elapsed:
                values["elapsed"] = _seconds(elapsed)
                break
        return last, [self.counted("transfer", "", values, prompt)] if values else []


def _counted(match: re.Match[str]) -> dict[str, Json]:
    """A line of counts: how many were done, and of how many."""
    name = _NAMES[match["name"]]
    values: dict[str, Json] = {name: int(match["count"])}
    if match["total"]:
        values[f"total_{name}"] = int(match["total"])
    if match["dirs"]:
        values["deleted_directories"] = int(match["dirs"])
    if match["remark"]:
        values["errors_remark"] = match["remark"]
    return values


def _seconds(match: re.Match[str]) -> float:
    days, hours, minutes = (int(match[name] or 0) for name in "dhm")
    return round(((days * 24 + hours) * 60 + minutes) * 60 + float(match["s"]), 3)
