"""Rows and lines of storcli, perccli and ssacli that stand without the controller above them.

Source: outputs of storcli 1.x and 7.x; Broadcom's StorCLI reference manual ("show rebuild", "show
cc": Progress%, Status, Estimated Time Left); outputs of hpacucli 9 to ssacli 6 (`pd all show`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from typing_extensions import override

from iosonde import kerneltext
from iosonde.layers.hwraid.facts_ssacli import SSACLI, parse_ssacli
from iosonde.layers.hwraid.facts_storcli import STORCLI, drive_of, parse_storcli
from iosonde.layers.hwraid.facts_storcli_text import PHYSICAL, VIRTUAL
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined
from iosonde.text.reader import Items, StateOutput, close_lines, end_of, start_of, top_of

_START = re.compile(
    r"\s*(?:\d{1,4}|-)/\d{1,4} +(?:RAID|raid|Cac)\d{1,2} +[A-Z]\w{2,6} "
    r"|\s*\d{0,5}:\d{1,4} +\d{1,5} +[A-Z]\w{2,6} +(?:\d{1,4}|-|F) "
)
_PROPERTY = re.compile(
    r"\s*(?P<name>Shield Counter|(?:Media|Other) Error Count|BBM Error Count|Drive Temperature"
    r"|Predictive Failure Count|S\.M\.A\.R\.T alert flagged by drive) = {0,2}"
    r"(?P<value>\S.{0,20}?)\s*$"
)
_RULE = re.compile(r"\s*-{20,}\s*$")


def _is_row(line: str) -> bool:
    text = " ".join(kerneltext.fields(line))
    return bool(VIRTUAL.match(text) or PHYSICAL.match(text))


class StorcliRows(StateOutput):
    tool = "storcli rows"
    anchors = (
        "Optl ", "Dgrd ", "Pdgd ", "OfLn ", "Onln ", "UGood ", "UBad ", "Rbld ", "Offln ", " GHS ",
        " DHS ", "Media Error Count =", "Other Error Count =", "Predictive Failure Count =",
        "alert flagged by drive =",
    )  # fmt: skip
    commands = STORCLI
    reach = 4
    nothing = "its row is cut"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _PROPERTY.match(line):
            return top_of(cursor, _PROPERTY.match, most=12)
        return start_of(cursor, _is_row, most=60) if _START.match(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        if _PROPERTY.match(cursor.line(first)):
            last = end_of(cursor, first, _PROPERTY.match, gap=2, most=20)
            pairs = map(_PROPERTY.match, joined(cursor, first, last).split("\n"))
            values = drive_of({pair["name"]: pair["value"] for pair in pairs if pair})
            return last, [PrintedSubject("disk", "", values, prompt.host)] if values else []
        last, above = first - 1, ""
        for index, line in close_lines(cursor, first, 1000, gap=2):
            begins = _START.match(line)
            torn = above and not _is_row(above) and len(line) < 40
            if not (begins or torn or _RULE.match(line)):
                break
            if begins or torn:
                above, last = line if begins else f"{above} {line}", index
        return last, _uncounted(parse_storcli(joined(cursor, first, last), prompt.host))


def _uncounted(subjects: Iterable[PrintedSubject]) -> Iterator[PrintedSubject]:
    """Without the members of a volume as counted from rows, which need not be all."""
    for subject in subjects:
        partial = {"disks", "data_disks"} if "disks" in subject.values else set[str]()
        values = {name: value for name, value in subject.values.items() if name not in partial}
        yield replace(subject, values=values)


_PROGRESS = re.compile(
    r"\s*(?:(?P<drive>/c\d{1,3}/(?:e\d{1,5}/)?s\d{1,4})"
    r"|(?P<volume>\d{1,4}) +(?P<what>[A-Z][A-Za-z]{1,12}))"
    r" +(?P<percent>\d{1,3}|-) +(?P<status>In progress|Not in progress|Paused)"
    r"(?: +(?P<left>-|\d{1,6} [DHMS][a-z]{3,6}(?: \d{1,3} [HMS][a-z]{3,6}){0,3}))?\s*$"
)
_PART = re.compile(r"(\d{1,6}) ([DHMS])")
_SECONDS = {"D": 86400, "H": 3600, "M": 60, "S": 1}


class StorcliProgress(StateOutput):
    tool = "storcli progress"
    anchors = ("In progress", "Not in progress")
    commands = STORCLI
    beginning = _PROGRESS

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _PROGRESS.match, gap=2)
        rows = map(_PROGRESS.match, joined(cursor, first, last).split("\n"))
        return last, [_progress(row, prompt) for row in rows if row]


def _progress(row: re.Match[str], prompt: Prompt) -> PrintedSubject:
    values: dict[str, Scalar] = {"status": row["status"].lower()}
    if row["what"]:
        values["operation"] = row["what"].lower()
    elif "rebuild" in prompt.command:
        values["operation"] = "rebuild"
    if row["percent"] != "-":
        values["progress"] = int(row["percent"]) / 100
    if parts := _PART.findall(row["left"] or ""):
        values["time_left"] = sum(int(number) * _SECONDS[unit] for number, unit in parts)
    if row["drive"]:
        return PrintedSubject("disk", row["drive"].removeprefix("/"), values, prompt.host)
    return PrintedSubject("hwraid", f"v{row['volume']}", values, prompt.host)


_LABELS: Mapping[str, tuple[str, ...]] = {
    "sure": (
        "Cache Ratio", "Accelerator Ratio", "No-Battery Write Cache", "Battery/Capacitor Status",
        "Total Cache Size", "Drive Write Cache", "Controller Status", "Cache Status",
        "Full Stripe Size", "Fault Tolerance", "Array Accelerator",
    ),
    "other": (
        "Port", "Box", "Bay", "Status", "Drive Type", "Interface Type", "Size", "Firmware Revision",
        "Firmware Version", "Rotational Speed", "Serial Number", "Model", "Caching", "Strip Size",
        "Current Temperature (C)", "Maximum Temperature (C)", "Native Block Size", "Disk Name",
        "Logical/Physical Block Size", "Total Cache Memory Available", "Cache Board Present",
        "Rebuild Priority", "Expand Priority", "Battery/Capacitor Count", "Heads", "Cylinders",
        "Sectors Per Track", "Unique Identifier", "Mount Points", "PHY Count", "PHY Transfer Rate",
        "Stripe Size", "Parity Initialization Status", "Logical Drive Label", "Disk Partition Info",
        "SMART Trip Exhausted", "Drive Authentication Status", "Carrier Application Version",
        "Carrier Bootloader Version", "Exposed to OS", "WWID", "Array", "Multi-Domain Status",
        "Drive exposed to OS", "Usage remaining",
        "Power On Hours", "SSD Smart Trip Wearout", "Boot Volume", "OS Status",
    ),
}  # fmt: skip
_SURE = re.compile(rf"\s*(?:{'|'.join(map(re.escape, _LABELS['sure']))}): +\S.{{0,80}}$")
_LABEL = re.compile(
    rf"\s*(?:{'|'.join(map(re.escape, (*_LABELS['sure'], *_LABELS['other'])))}): *(?:\S.{{0,90}})?$"
)
_HEAD = re.compile(
    r"\s*(?:physicaldrive \w{1,3}:\w{1,3}(?::\w{1,3})?(?: \(port .{8,120})?\s*$"
    r"|logicaldrive \d{1,3} \([\d.]+ [KMGTP]B, RAID .{4,60}|Logical Drive: \d{1,3}\s*$"
    r"|array [A-Z]{1,2} \([A-Z].{4,80}\)\s*$)"
)


def _of_ssacli(line: str) -> bool:
    return bool(_HEAD.match(line) or _LABEL.match(line))


class SsacliLines(StateOutput):
    tool = "ssacli lines"
    anchors = (
        "physicaldrive ",
        "logicaldrive ",
        "Logical Drive: ",
        *(f"{name}: " for name in _LABELS["sure"]),
    )
    commands = SSACLI
    reach = 4
    nothing = "it says nothing of a drive"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_HEAD.match(line) or _SURE.match(line)):
            return None
        return top_of(cursor, _of_ssacli, most=40)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = first
        for index, line in close_lines(cursor, first, 1000, gap=3):
            torn = _HEAD.match(cursor.line(index - 1)) and line.rstrip().endswith(")")
            if not (_of_ssacli(line) or torn):
                break
            last = index
        parsed = parse_ssacli(joined(cursor, first, last), prompt.host, headless=True)
        return last, _uncounted(parsed)
