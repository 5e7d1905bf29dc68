"""What smartctl's text says of a drive besides the figures of its health: what it is, its logs.

Attributes keep the name that smartctl prints, in lower case, with their raw value.

Source: smartmontools 7.3, ataprint.cpp (print_drive_info, PrintSmartAttribWithThres with its brief
and old formats, PrintSmartErrorlog, ataPrintSmartSelfTestEntry, ataPrintSCTErrorRecoveryControl,
print_pending_defects_log), scsiprint.cpp and nvmeprint.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iosonde import kerneltext
from iosonde.records.printed import without_none
from iosonde.records.stack import Scalar
from iosonde.text.labels import as_labelled

ATTRIBUTE = re.compile(
    r"(?<!\S)(?P<number>\d{1,3}) (?P<name>[A-Z][\w-]{2,40}) "
    r"(?:0x[0-9a-f]{3,4} (?:\d{3}|---) (?:\d{3}|---) (?:\d{3}|---) (?:Pre-fail|Old_age) "
    r"(?:Always|Offline) (?:-|(?P<failed>FAILING_NOW|In_the_past))"
    r"|[P-][O-][S-][R-][C-][K-] (?:\d{3}|---) (?:\d{3}|---) (?:\d{3}|---) "
    r"(?:-|(?P<failed_brief>NOW|Past))) "
    r"\**(?P<raw>\d{1,19})\b(?!\.)"
)
"""A row of the table of attributes, with single blanks."""
_OTHER_RAW = re.compile(
    r"\s*\d{1,3} +(?P<name>[A-Z][\w-]{2,40}) +"
    r"(?:0x[0-9a-f]{4} .{16,60}?|[P-][O-][S-][R-][C-][K-] .{10,20}?) "
    r"(?:-|FAILING_NOW|In_the_past|NOW|Past) +(?P<raw>\d[\w+.:/%]{1,40})(?: |$)"
)
"""A row whose raw value is no number: `6206h+47m+20.770s`. Lines that were not wrapped alone."""
_PROSE = frozenset({
    "Copyright", "Warning", "Note", "NOTE", "Error", "General SMART Values", "SMART capabilities",
})  # fmt: skip
_LABELS = {
    "Device Model": "model", "Model Number": "model", "Product": "model", "Vendor": "vendor",
    "Firmware Version": "firmware", "Revision": "firmware", "Sector Sizes": "sector_sizes",
    "Sector Size": "sector_sizes", "SATA Version is": "sata_version", "Form Factor": "form_factor",
    "Read Cache is": "read_cache", "Writeback Cache is": "write_cache",
    "SMART overall-health self-assessment test result": "health", "SMART Health Status": "health",
}  # fmt: skip
_PAIR = re.compile(r"^\s*(?P<label>[A-Z][\w-]*(?: [\w-]+){0,4}):\s+(?P<value>\S.*?)\s*$")
_BYTES = re.compile(r"(\d[\d,.\u202f' ]{3,30}\d) (?:bytes )?\[")
_COUNTS = {
    "Elements in grown defect list": "reallocated_sectors",
    "ATA Error Count": "ata_errors",
    "Current Drive Temperature": "temperature",
    "Rotation Rate": "rotation_rate",
    "Logical block size": "logical_block_size",
    "Physical block size": "physical_block_size",
}
_SIZES = {"User Capacity", "Total NVM Capacity", "Namespace 1 Size/Capacity"}
_FIRST = re.compile(r"(\d{1,15})(?:$| )")
_SCT = re.compile(r"^\s*(Read|Write):\s+(?:\d+ \((\d+(?:\.\d+)?) seconds\)|(Disabled))\s*$")
_ERROR = re.compile(r"\bError: (?P<error>[A-Z]{2,5}(?: \d+ sectors)? at LBA = 0x[0-9a-f]+ = \d+)")
_SELF_TEST = re.compile(
    r"# ?1 (?:Short|Extended|Conveyance|Selective|Background)\b[\w ]{0,20}? "
    r"(?P<result>Completed(?:: [a-z]+ failure| without error)?"
    r"|Aborted by host|Interrupted[\w ()]{0,20}) "
    r"\d\d% (?P<hours>\d{1,7}) (?P<lba>\d{1,18}|-)(?!\S)"
)
_COUNTER_ROW = re.compile(
    r"\s*(?P<way>read|write|verify): {1,12}(?P<figures>\d{1,20}(?: {1,14}\d{1,20}){4}) {1,14}"
    r"(?P<processed>\d{1,12}\.\d{3}) {1,14}(?P<uncorrected>\d{1,20})\s*$"
)
"""A row of a SCSI drive's counters of errors; the tool prints processed units of 10^9 bytes."""
_COUNTERS = ("corrected_fast", "corrected_delayed", "repeated", "corrected",
             "correction_invocations")  # fmt: skip
_DEFECT = re.compile(r"^\s*\d{1,6}\s+(\d{1,18})\s+(\d{1,7})\s*$")


def drive_facts(text: str) -> dict[str, Scalar]:
    """What a text of smartctl says a drive is, and what its logs hold.

    Args:
        text: its lines.
    """
    facts: dict[str, Scalar] = {}
    lines = kerneltext.lines(text)
    others: dict[str, str] = {}
    for label, value in _pairs(lines):
        if label in _LABELS:
            facts.setdefault(_LABELS[label], value)
        elif label in _COUNTS and (count := _FIRST.match(value)):
            facts.setdefault(_COUNTS[label], int(count[1]))
        elif label in _SIZES and (size := _BYTES.match(value)):
            facts.setdefault("size", int(re.sub(r"\D", "", size[1])))
        else:
            others.setdefault(label, value)
    for match in filter(None, map(_SCT.match, lines)):
        limit: Scalar = "disabled" if match[3] else float(match[2])
        facts.setdefault(f"{match[1].lower()}_recovery_limit", limit)
    flowing = " ".join(kerneltext.fields(text.replace("\n", " ")))
    if error := _ERROR.search(flowing):
        facts["last_error"] = error["error"]
    if test := _SELF_TEST.search(flowing):
        lba = test["lba"]
        facts |= {"self_test": test["result"], "self_test_lba": None if lba == "-" else int(lba)}
    for name, figure in _attributes(flowing):
        facts.setdefault(name, figure)
    for row in filter(None, map(_OTHER_RAW.match, lines)):
        facts.setdefault(row["name"].lower(), row["raw"])
    facts |= _scsi_counters(lines)
    return as_labelled(others, _PROSE) | without_none(facts | _defects(lines))


def _scsi_counters(lines: list[str]) -> dict[str, Scalar]:
    """The rows of "Error counter log:": errors in reading, writing and verifying.

    Source: smartmontools 7.3, scsiprint.cpp, scsiPrintErrorCounterLog().
    """
    facts: dict[str, Scalar] = {}
    for row in filter(None, map(_COUNTER_ROW.match, lines)):
        way = row["way"]
        figures = map(int, kerneltext.fields(row["figures"]))
        facts |= {f"{way}_{name}": figure for name, figure in zip(_COUNTERS, figures, strict=True)}
        facts[f"{way}_processed"] = int(row["processed"].replace(".", "")) * 10**6
        facts[f"{way}_uncorrected"] = int(row["uncorrected"])
    return facts


def _attributes(flowing: str) -> Iterator[tuple[str, Scalar]]:
    """Raw values by their names, and when one was below its threshold: FAILING_NOW, Past."""
    for row in ATTRIBUTE.finditer(flowing):
        name = row["name"].lower()
        yield name, int(row["raw"])
        if failed := row["failed"] or row["failed_brief"]:
            yield f"{name}_failed", failed


def _pairs(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if match := _PAIR.match(line):
            yield match["label"], match["value"]


def _defects(lines: list[str]) -> dict[str, Scalar]:
    """The sectors of the log of pending defects, of which the first may stand for all."""
    start = next((at for at, line in enumerate(lines) if "Pending Defects log" in line), None)
    if start is None:
        return {}
    rows: list[tuple[int, int]] = []
    for line in lines[start + 1 :]:
        if match := _DEFECT.match(line):
            rows.append((int(match[1]), int(match[2])))
        elif rows:
            break
    if not rows:
        return {}
    return {
        "pending_defects": len(rows), "first_pending_defect": rows[0][0],
        "first_pending_defect_hours": rows[0][1],
    }  # fmt: skip
