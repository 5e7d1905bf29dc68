"""Lines of smartctl that somebody shows without the head above them and the sections around them.

Read are labels of the summary, of SCSI's and NVMe's log pages, the limits of error recovery (`-l
scterc`), the counters of a SATA link (`-l sataphy`), statistics (`-l devstat`) and NVMe's errors.

Source: smartmontools 7.3, ataprint.cpp (print_device_statistics_page, PrintSataPhyEventCounters,
ataPrintSCTErrorRecoveryControl), scsiprint.cpp (scsiPrintGrownDefectListLen, scsiPrintSSMedia,
scsiPrintBackgroundResults, PrintTemperature) and nvmeprint.cpp (print_smart_log, print_error_log).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.disk.facts_health import health_of_log
from iosonde.layers.disk.facts_smartctl import (
    PHY_EVENT,
    POWERED,
    SCANS,
    SCSI_FIGURE,
    SCT_LIMIT,
    STATISTIC,
)
from iosonde.layers.disk.printed_health import NVME_LABELS, facts_of_lines, figures_of
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, compact, lines
from iosonde.text.reader import Items, StateOutput, end_of, top_of_own

_VERDICTS = ("SMART overall-health self-assessment test result", "SMART Health Status")
_SCSI = (
    "Percentage used endurance indicator", "Current Drive Temperature", "Drive Trip Temperature",
    "Specified cycle count over device lifetime", "Accumulated start-stop cycles",
    "Specified load-unload count over device lifetime", "Accumulated load-unload cycles",
    "Elements in grown defect list", "Non-medium error count", "ATA Error Count",
)  # fmt: skip
_NVME = (
    "Critical Warning", "Temperature", "Available Spare", "Available Spare Threshold",
    "Percentage Used", "Data Units Read", "Data Units Written", "Host Read Commands",
    "Host Write Commands", "Controller Busy Time", "Power Cycles", "Power On Hours",
    "Unsafe Shutdowns", "Media and Data Integrity Errors", "Error Information Log Entries",
)  # fmt: skip
_FIGURE = re.compile(
    rf"\s*(?:{'|'.join(map(re.escape, _SCSI + _NVME))}|(?:Warning|Critical) {{1,2}}Comp\. "
    r"Temperature Time|Temperature Sensor \d|Thermal Temp\. \d T\w{4,10}(?: Count| Time)): {0,40}"
    r"(?:0x[0-9a-f]{2}|\d[\d,.]{0,30})(?:%| C| Celsius)?(?: \[[\d.,]{1,12} [KMGTPE]?B\])?"
    r"(?: \(device log contains .{0,80})?\s*$"
)
_VERDICT = re.compile(
    rf"\s*(?:{'|'.join(_VERDICTS)}): (?:PASSED|OK|FAIL|[A-Z][A-Z ]{{8,60}}\[asc=).{{0,60}}$"
)
_TITLE = re.compile(
    r"\s*(?:SCT Error Recovery Control:|SATA Phy Event Counters \(GP Log 0x11\)"
    r"|ID {1,8}Size {1,8}Value {1,4}Description|Background scan results log"
    r"|Status: (?:waiting until|scan is active|no scans active|halted)\b.{0,80}"
    r"|Page {1,2}Offset Size {1,12}Value (?:Flags )?Description"
    r"|0x[0-9a-f]{2} {1,3}={5}.{0,80}== .{3,60}|Vendor \(.{3,24}\) (?:cache )?information"
    r"|Manufactured in week .{4,24}|Drive failure expected in less than 24 hours.{0,40})\s*$"
)
_OWN = (_FIGURE, _VERDICT, SCT_LIMIT, PHY_EVENT, STATISTIC, SCSI_FIGURE, POWERED, SCANS)
_ERRORS = re.compile(r"\s*Error Information \(NVMe Log 0x01, ")
_ERRORS_HEAD = re.compile(r"\s*Num {1,6}ErrCount {1,4}SQId ")
_ERROR = re.compile(
    r"\s*\d{1,3} {1,12}(?P<count>\d{1,20}) {1,8}(?P<queue>\d{1,5}|-) {1,8}"
    r"(?P<command>0x\w{4}|-) {1,4}(?P<status>0x\w{4}|-) {1,4}(?:0x\w{3}|-) {1,20}"
    r"(?P<lba>\d{1,20}|-) {1,8}(?P<nsid>\d{1,10}|-)"
    r"(?: {1,8}(?:0x\w{2}|-)(?: {1,8}(?P<message>\S.{0,80}))?)?\s*$"
)


def _is_own(line: str) -> bool:
    return any(pattern.match(line) for pattern in _OWN)


def _belongs(line: str) -> bool:
    return _is_own(line) or bool(_TITLE.match(line))


class SmartLines(StateOutput):
    tool = "smartctl lines"
    anchors = (
        *(f"{name}:" for name in _VERDICTS), *(f"{name}:" for name in _SCSI),
        "SCT Error Recovery Control:", "SATA Phy Event Counters", "R_ERR response for ",
        "failed due to ICRC", "  ---  ", "  N--  ", "hours powered up", "internal SMART test",
        "sent to initiator", "received from initiator", "new blocks reassigned =",
        "minutes since format =", "Accumulated power on time", "background scans performed",
        "background medium scans", "Percentage Used: ",
        "Available Spare: ", "Data Units Read: ", "Data Units Written: ", "Power On Hours: ",
        "Unsafe Shutdowns: ", "Media and Data Integrity", "Error Information Log Entr",
    )  # fmt: skip
    commands = ("smartctl",)
    reach = 4
    nothing = "it says nothing of the drive"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _belongs, most=60)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _belongs, gap=2, most=200)
        facts = facts_of_lines(cursor, first, last)
        facts.pop("status", None)
        return last, [PrintedSubject("disk", prompt.path, facts, prompt.host)] if facts else []


_NVME_LINE = re.compile(
    r"\s*(?:critical_warning|temperature|available_spare(?:_threshold)?|percentage_used"
    r"|data_units_(?:read|written)|(?:host_read|host_write)_commands|controller_busy_time"
    r"|power_cycles|power_on_hours|unsafe_shutdowns|media_errors|num_err_log_entries"
    r"|endurance group critical warning summary|Data Units (?:Read|Written)"
    r"|(?:Warning|Critical Composite) Temperature Time|Temperature Sensor \d"
    r"|Thermal Management T\d T\w{4,6} (?:Count|Time)) {1,40}: {0,2}(?:0x[0-9a-f]{1,4}|\d)"
    r".{0,60}$"
)


class NvmeSmartLines(StateOutput):
    tool = "nvme smart-log lines"
    anchors = (
        "percentage_used  ", "data_units_written  ", "data_units_read  ", "media_errors  ",
        "available_spare  ", "critical_warning  ", "num_err_log_entries  ",
        "used                     :", "written                  :", "hours                      :",
        "shutdowns                    :", "errors                        :",
    )  # fmt: skip
    commands = ("nvme",)
    reach = 3
    nothing = "it holds no figure of a drive's health"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _NVME_LINE.match, most=30)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(cursor, first, _NVME_LINE.match, gap=2, most=60)
        figures = figures_of(compact(cursor, first, last), NVME_LABELS)
        facts = health_of_log(figures, kelvin=False)
        return last, [PrintedSubject("disk", prompt.path, facts, prompt.host)] if facts else []


class SmartNvmeErrors(StateOutput):
    tool = "smartctl errors of NVMe"
    anchors = ("Error Information (NVMe Log", "ErrCount ")
    commands = ("smartctl",)
    beginning = re.compile(f"{_ERRORS.pattern}|{_ERRORS_HEAD.pattern}")
    nothing = "it holds no error"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        columns: dict[str, list[Json]] = {}
        last = first
        for index, line in lines(cursor, first, 400):
            row = _ERROR.match(line)
            if row:
                for name, text in row.groupdict().items():
                    number = int(text) if text and text.isdecimal() else text
                    columns.setdefault(f"error_{name}", []).append(None if text == "-" else number)
            elif line and not (_ERRORS.match(line) or _ERRORS_HEAD.match(line)):
                break
            last = index if line else last
        values = {
            name: column for name, column in columns.items() if any(v is not None for v in column)
        }
        return last, [self.counted("disk", prompt.path, values, prompt)] if values else []
