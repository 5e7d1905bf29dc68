"""smartctl and nvme smart-log: a drive's log of its own health, as text or as JSON.

Source: smartmontools 7.3, nvmeprint.cpp (print_smart_log) and ataprint.cpp; nvme-cli 1.16 and 2.3,
nvme-print-stdout.c (stdout_smart_log). The JSON of nvme-cli does not name the drive: the command
before it does, if it is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from iosonde.layers.disk.facts_health import health_of_log, health_of_table
from iosonde.layers.disk.facts_nvme_log import facts_of_nvme_log
from iosonde.layers.disk.facts_smart_tables import tables_of_text
from iosonde.layers.disk.facts_smart_tree import (
    drives_of_scan,
    facts_of_tree,
    says_nothing,
    tables_of_tree,
)
from iosonde.layers.disk.facts_smartctl import ATTRIBUTE, OTHER_RAW, drive_facts
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    Unreadable,
)
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import (
    REACH,
    TextCursor,
    command_before,
    compact,
    joined,
    lines,
    prompt_in,
)
from iosonde.text.headings import is_section
from iosonde.text.json_output import object_at, object_with
from iosonde.text.kernel_lines import is_kernel_line
from iosonde.text.prose import is_sentence
from iosonde.text.reader import start_of
from iosonde.text.shell import called

_DRIVE = re.compile(r"/dev/((?:nvme\d+n?|sd|hd|sg|(?:a?da|nda|nvd)\d)\w{0,8})\b")
_FIGURE = re.compile(r"0x[0-9a-f]{1,4}|\d[\d,.]{0,30}")
# Label in smartctl's text → the name that its JSON has; blanks left out.
_SMARTCTL: Mapping[str, str] = {
    "CriticalWarning": "critical_warning", "Temperature": "temperature",
    "AvailableSpare": "available_spare", "AvailableSpareThreshold": "available_spare_threshold",
    "PercentageUsed": "percentage_used", "Percentageusedenduranceindicator": "percentage_used",
    "DataUnitsRead": "data_units_read",
    "DataUnitsWritten": "data_units_written", "PowerCycles": "power_cycles",
    "PowerOnHours": "power_on_hours", "UnsafeShutdowns": "unsafe_shutdowns",
    "MediaandDataIntegrityErrors": "media_errors",
    "ErrorInformationLogEntries": "num_err_log_entries",
    "WarningComp.TemperatureTime": "warning_temp_time",
    "CriticalComp.TemperatureTime": "critical_comp_time",
    "ThermalTemp.1TransitionCount": "thm_temp1_trans_count",
    "ThermalTemp.2TransitionCount": "thm_temp2_trans_count",
    "ThermalTemp.1TotalTime": "thm_temp1_total_time",
    "ThermalTemp.2TotalTime": "thm_temp2_total_time",
}  # fmt: skip
NVME_LABELS: Mapping[str, str] = {
    name: name for name in (
        "critical_warning", "temperature", "available_spare", "available_spare_threshold",
        "percentage_used", "power_cycles", "power_on_hours", "unsafe_shutdowns", "media_errors",
        "num_err_log_entries",
    )
} | {
    "data_units_read": "data_units_read", "DataUnitsRead": "data_units_read",
    "data_units_written": "data_units_written", "DataUnitsWritten": "data_units_written",
    "WarningTemperatureTime": "warning_temp_time",
    "CriticalCompositeTemperatureTime": "critical_comp_time",
    "ThermalManagementT1TransCount": "thm_temp1_trans_count",
    "ThermalManagementT2TransCount": "thm_temp2_trans_count",
    "ThermalManagementT1TotalTime": "thm_temp1_total_time",
    "ThermalManagementT2TotalTime": "thm_temp2_total_time",
}  # fmt: skip
_PASSED = re.compile(
    r"(?:self-assessmenttestresult|SMARTHealthStatus):(PASSED|OK|FAIL|[A-Z]+\[asc=)"
)
_HEAD = re.compile(
    r"^\s*smartctl \d|^\s*=== START OF |^\s*ID# ATTRIBUTE_NAME\s|^\s*Pending Defects log \(GP Log"
    r"|^\s*SMART/Health Information \(NVMe Log 0x02|^\s*Error counter log:\s*$"
)
_NEXT = re.compile(r"\s*(?:smartctl \d\.\d|=== START OF INFORMATION SECTION ===)")
"""Where the output about another drive begins."""
_OTHER = re.compile(r"\s*(?:[\"'`\u201c\u201d]{1,3}|/dev/md[\w/.-]{1,40}:)\s*$")
"""What stands above an output of another tool: a mark of quotation, an array of mdadm."""
_NO_PROMPT = re.compile(
    r"\s*# ?(?:\d+ +(?:Short|Extended|Conveyance|Selective|Background|Offline|Foreground|Vendor)"
    r"| when {2,}lba)"
)
"""Lines that begin like a prompt of root."""
_SENTENCE = re.compile(
    r"\s*(?:==> |A mandatory|After (?:command|scanning)|Commands leading|Drive failure|Error \d"
    r"|If Selective|Note: selective|Please (?:note|specify)|Powered_Up_Time|Probable ATA|Try an? "
    r"|Unable to|See vendor|Selective |SMART |The above only"
    r"|Use smartctl|WARNING|Warning|When the command)"
)
"""How sentences begin that smartctl prints below a blank line (ataprint.cpp, nvmeprint.cpp)."""
_ASKED = re.compile(r"(?:sudo {1,3})?[a-z][\w./+-]{1,30} {1,3}\S.{0,160}:$")
"""A command without a prompt that somebody wrote above its output: `btrfs --version:`."""
_REMARK = re.compile(
    r"(?:[-*•] |(?:update|edit(?:ed)?|results?|ps|p\.s\.|upd)\b ?:|thank|thx|cheers|regards|any )"
    r"|[^\s=|:][^=|:\t]{1,200}[?!]$"
    r"|(?!.*(?:SMART|[Ll]og\b|[Ee]rror|[Ss]elf-test|Values|information|capabilities))"
    r"[A-Z][\w ',-]{3,60}:$",
    re.IGNORECASE,
)
"""What else a person writes right below an output, beside sentences."""
_GOES_ON = re.compile(r"[a-z][\w ,.'()/-]{0,120}")
"""The rest of a sentence that was wrapped."""
_REMARKS = 40  # lines
_COLOUR = re.compile(r"\[/?COLOR[^\]\n]{0,20}\]")
_ROWS = ("Reallocated_Sector_Ct ", "Reported_Uncorrect ", "Current_Pending_Sector ",
         "Offline_Uncorrectable ", "UDMA_CRC_Error_Count ", "Power_On_", "Command_Timeout ",
         "Temperature_Cel", "_Leveling_Count ", "Wearout_Indicator ", "Total_LBAs_",
         " Pre-fail ", " Old_age ")  # fmt: skip
_DATABASE = re.compile(r"\s*Device is: {1,10}(?:Not in|In) smartctl database\b")
_LABEL = re.compile(
    r"\s*(?:Model Family|Device Model|Serial Number|LU WWN Device Id|Add\. Product Id|User Capacity"
    r"|Firmware Version|Sector Sizes?|Rotation Rate|Form Factor|TRIM Command): {1,12}\S"
)
_KEY = re.compile(r'"json_format_version"|"smartctl"\s*:|"ata_smart_attributes"\s*:')
_OBJECT = re.compile(r"\{")
_NVME_HEAD = re.compile(r"Smart Log for NVME device\s*:\s*(?:/dev/)?(?P<drive>nvme\w{1,12})")
_NVME_KEY = re.compile(r'"critical_warning"\s*:')
_NVME_OBJECT = object_with("critical_warning")
_LONGEST = 1200


class Smartctl:
    tool: ClassVar[str] = "smartctl"
    anchors: ClassVar[tuple[str, ...]] = (
        "smartctl 7", "smartctl 6", "smartctl 5", "=== START OF ", '"json_format_version"',
        '"smartctl"', '"ata_smart_attributes"', "ID# ATTRIBUTE_NAME", "Pending Defects log",
        "(NVMe Log 0x02",
        "Error counter log:", "n smartctl database", *_ROWS,
    )  # fmt: skip

    def begin(self, cursor: TextCursor) -> int | None:
        """See `Output.begin`."""
        line = cursor.line(cursor.at)
        if _KEY.search(line):
            return _opened(cursor)
        if _DATABASE.match(line):
            return start_of(cursor, _LABEL.match, most=20)
        if not _HEAD.match(line):
            return start_of(cursor, _row, most=40) if _row(line) else None
        for index in range(cursor.at - 1, max(cursor.at - 6, -1), -1):
            if prompt_in(cursor.line(index)):
                break
            if cursor.line(index).lstrip().startswith("smartctl "):
                return index
        return cursor.at

    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        """See `Output.read`."""
        begin, (command, host) = command_before(cursor, first, ("smartctl",), reach=3)
        if "{" in cursor.line(first):
            tree, last = object_at(cursor, first, _OBJECT)
            if scanned := [*drives_of_scan(tree)]:
                drives = tuple(PrintedSubject("disk", *drive, host) for drive in scanned)
                state = PrintedState(self.tool, drives, host, command)
                return OutputReading(begin, last, states=(state,))
            values, tables = facts_of_tree(tree), tables_of_tree(tree)
            values = {} if says_nothing(values) and "smart_problem" not in values else values
            device = tree.get("device")
            named = str(device.get("name")) if isinstance(device, dict) else command
        else:
            last = _end_of_rows(cursor, first) or _end_of_text(cursor, first)
            values = facts_of_lines(cursor, first, last)
            tables = tables_of_text(cursor.block(first, last - first + 1))
            named = command
        about = _About(self.tool, named, host, command)
        return _reading(about, begin, last, values, tables)


class NvmeSmartLog:
    tool: ClassVar[str] = "nvme smart-log"
    anchors: ClassVar[tuple[str, ...]] = ("Smart Log for NVME", '"critical_warning"')

    def begin(self, cursor: TextCursor) -> int | None:
        """See `Output.begin`; what smartctl's JSON holds is smartctl's."""
        line = cursor.line(cursor.at)
        if _NVME_HEAD.search(line):
            return cursor.at
        return _opened(cursor) if _NVME_KEY.search(line) else None

    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        """See `Output.read`."""
        begin, (command, host) = command_before(cursor, first, ("nvme",), reach=3)
        line = cursor.line(first)
        if head := _NVME_HEAD.search(line):
            last = _end_of_text(cursor, first)
            log = figures_of(compact(cursor, first, last), NVME_LABELS)
            values, named = health_of_log(log, kelvin=False), f"/dev/{head['drive']}"
        else:
            log, last = object_at(cursor, first, _NVME_OBJECT)
            values, named = facts_of_nvme_log(log), command
        return _reading(_About(self.tool, named, host, command), begin, last, values, {})


def _opened(cursor: TextCursor) -> int | None:
    """Index of the line that opens the object that holds the anchor's key; None if it is far above.

    The keys may be sorted (`jq -S`), so that others with objects of their own stand before it.
    """
    if cursor.line(cursor.at).lstrip().startswith("{"):
        return cursor.at
    depth = 0
    for index in range(cursor.at - 1, max(cursor.at - REACH, 0) - 1, -1):
        line = cursor.line(index)
        depth += line.count("{") - line.count("}")
        if depth > 0:
            return index if line.lstrip().startswith("{") else None
    return None


class _About(NamedTuple):
    """What printed an output, and of which drive, as far as something names it."""

    tool: str
    named: str
    host: str
    command: str


def _reading(
    about: _About, first: int, last: int, values: Mapping[str, Scalar], tables: Mapping[str, Json]
) -> OutputReading:
    if not values:
        raise Unreadable("it says nothing of the drive and its health")
    drive = _DRIVE.search(about.named)
    name = drive[1] if drive else ""
    subject = PrintedSubject("disk", name, values, about.host)
    state = PrintedState(about.tool, (subject,), about.host, about.command)
    counted = PrintedCounters(about.tool, "disk", name, tables, about.host, about.command)
    return OutputReading(first, last, states=(state,), counters=(counted,) if tables else ())


def facts_of_lines(cursor: TextCursor, first: int, last: int) -> dict[str, Scalar]:
    """What some lines of smartctl say of a drive and its health."""
    text = compact(cursor, first, last)
    values = health_of_log(figures_of(text, _SMARTCTL), kelvin=False)
    text_lines = _COLOUR.sub("", joined(cursor, first, last))
    values |= health_of_table(
        (int(row["number"]), row["name"], int(row["raw"]))
        for row in ATTRIBUTE.finditer(" ".join(text_lines.split()))
    )
    values = drive_facts(text_lines) | values
    if passed := _PASSED.search(text):
        values["health_passed"] = passed[1] in {"PASSED", "OK"}
    return values


def figures_of(text: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """The whole numbers behind some labels, in a text without blanks."""
    figures: dict[str, Any] = {}
    for label, name in labels.items():
        at = text.find(f"{label}:")
        if text.endswith("DriveTrip", 0, max(at, 0)):  # the temperature at which it stops
            at = text.find(f"{label}:", at + 1)
        figure = _FIGURE.match(text, at + len(label) + 1) if at >= 0 else None
        if figure:
            digits = re.sub(r"[,.]", "", figure[0])
            figures[name] = int(digits, 16) if digits.startswith("0x") else int(digits)
    return figures


def _row(line: str) -> re.Match[str] | None:
    """A row of the table of attributes that makes up the whole line."""
    plain = _COLOUR.sub("", line)
    return ATTRIBUTE.match(" ".join(plain.split())) or OTHER_RAW.match(plain)


def _end_of_rows(cursor: TextCursor, first: int) -> int | None:
    """Index of the last of the rows that stand without a head; None where a head is first."""
    if not _row(cursor.line(first)):
        return None
    last = first
    while _row(cursor.line(last + 1)):
        last += 1
    return last


def _end_of_text(cursor: TextCursor, first: int) -> int:
    """Index of the last line before the next prompt, what somebody says of it, or a longer gap."""
    last = first
    for index, line in lines(cursor, first, _LONGEST):
        prompt = not _NO_PROMPT.match(line) and prompt_in(line)
        if index > first and (prompt or index > last + 3 or _NVME_HEAD.search(line)):
            break
        ends = is_section(line) or is_kernel_line(line) or (index > first and called(line))
        ends = ends or (index > last + 1 and _OTHER.match(line) is not None)
        if ends or (index > first + 5 and _NEXT.match(line)):
            break
        if index > last + 1 and is_sentence(line) and not _SENTENCE.match(line):
            break
        if index > last + 1 and _ASKED.match(line):
            break
        if line:
            last = index
    return _without_remarks(cursor, first, last)


def _without_remarks(cursor: TextCursor, first: int, last: int) -> int:
    """Index of the last line that is not what somebody wrote right below the output."""
    end = last
    for index in range(last, max(first, last - _REMARKS), -1):
        line = cursor.line(index)
        if _is_remark(line):
            end = index - 1
        elif line and not _GOES_ON.fullmatch(line):
            break
    while end > first and not cursor.line(end):
        end -= 1
    return end


def _is_remark(line: str) -> bool:
    """Whether a person wrote a line, and not smartctl."""
    if _SENTENCE.match(line) or _row(line):
        return False
    return _REMARK.match(line) is not None or (is_sentence(line) and "  " not in line.strip())
