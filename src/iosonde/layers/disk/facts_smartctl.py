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
from iosonde.layers.disk.facts_health import health_of_statistics
from iosonde.layers.disk.facts_smart_values import as_numbers, values_of_text
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
OTHER_RAW = re.compile(
    r"\s*\d{1,3} +(?P<name>[A-Z][\w-]{2,40}) +"
    r"(?:0x[0-9a-f]{4} .{16,60}?|[P-][O-][S-][R-][C-][K-] .{10,20}?) "
    r"(?:-|FAILING_NOW|In_the_past|NOW|Past) +(?P<raw>\d[\w+.:/%]{1,40})(?: |$)"
)
"""A row whose raw value is no number: `6206h+47m+20.770s`. Lines that were not wrapped alone."""
_PROSE = frozenset({
    "Copyright", "Warning", "Note", "NOTE", "Error", "General SMART Values", "SMART capabilities",
    "A mandatory SMART command failed", "Smartctl open device", "Sending command",
    "Estimated completion time",
    "Number of background scans performed", "Number of background medium scans performed",
})  # fmt: skip
_LABELS = {
    "Device Model": "model", "Model Number": "model", "Product": "model", "Vendor": "vendor",
    "Firmware Version": "firmware", "Revision": "firmware", "Sector Sizes": "sector_sizes",
    "Sector Size": "sector_sizes", "SATA Version is": "sata_version", "Form Factor": "form_factor",
    "Read Cache is": "read_cache", "Writeback Cache is": "write_cache",
    "SMART overall-health self-assessment test result": "health", "SMART Health Status": "health",
}  # fmt: skip
_PAIR = re.compile(r"^\s*(?P<label>[A-Z][\w-]*(?: {1,2}[\w./()-]+){0,9}):\s+(?P<value>\S.*?)\s*$")
_BYTES = re.compile(r"(\d[\d,.\u202f' ]{3,30}\d) (?:bytes )?\[")
_COUNTS = {
    "Elements in grown defect list": "reallocated_sectors",
    "ATA Error Count": "ata_errors",
    "Device Error Count": "ata_errors",
    "Current Drive Temperature": "temperature",
    "Rotation Rate": "rotation_rate",
    "Logical block size": "logical_block_size",
    "Physical block size": "physical_block_size",
}
_SIZES = {"User Capacity", "Total NVM Capacity", "Namespace 1 Size/Capacity"}
_FIRST = re.compile(r"(\d{1,15})(?:$| )")
SCT_LIMIT = re.compile(r"^\s*(Read|Write):\s+(?:\d+ \((\d+(?:\.\d+)?) seconds\)|(Disabled))\s*$")
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
STATISTIC = re.compile(
    r"\s*(?:0x[0-9a-f]{2}|\d) {1,3}0x[0-9a-f]{3} {1,3}[1-8] {1,20}(?P<figure>-?\d{1,20}|-)"
    r"(?:~| {1,3}[N-][D-][C-][ R+-]?)? {1,3}(?P<name>[A-Z][\w ./()-]{3,60}?)(?: \[.{1,30}\])?\s*$"
)
"""A row of the statistics of a drive: page, offset, size, value, flags (since 6.5), description."""
PHY_EVENT = re.compile(
    r"\s*0x[0-9a-f]{4} {1,3}[248] {1,20}(?P<figure>\d{1,20})(?P<more>\+)? {1,3}"
    r"(?P<name>[A-Z][\w /&,-]{3,90}?)\s*$"
)
"""A row of the counters of a SATA link; a plus sign: the counter is at its maximum."""
SCSI_FIGURE = re.compile(
    r"\s*(?P<name>[Nn]umber of hours powered up|number of minutes until next internal SMART test"
    r"|Blocks sent to initiator|Blocks received from initiator"
    r"|Blocks read from cache and sent to initiator|Grown defects during certification"
    r"|Total blocks reassigned during format|Total new blocks reassigned"
    r"|Power on minutes since format"
    r"|Number of read and write commands whose size (?:<=|>) segment size"
    r") {1,3}= {1,3}(?P<figure>\d{1,20}(?:\.\d\d)?)\s*$"
)
"""What makers of SCSI drives log besides: the tool prints an equals sign here."""
POWERED = re.compile(
    r"\s*Accumulated power on time, hours:minutes (?P<hours>\d{1,9}):(?P<minutes>\d\d)\b"
)
SCANS = re.compile(
    r"\s*(?:Number of background scans performed: (?P<scans>\d{1,9}), {1,3}"
    r"scan progress: (?P<progress>\d{1,3}\.\d\d)%"
    r"|Number of background medium scans performed: (?P<medium>\d{1,9}))\s*$"
)
_TIME = re.compile(r"(?P<hours>\d{1,9})h\+(?P<minutes>\d\d)m(?:\+(?P<seconds>\d\d)\.\d{3}s)?")
"""A raw value of hours that the drive counts finer (atacmds.cpp, ata_format_attr_raw_value)."""
_PROBLEM = re.compile(
    r"^\s*(Short INQUIRY response, skip product id"
    r"|Standard Inquiry \(\d{1,3} bytes\) failed \[[^\]\n]{1,80}\]"
    r"|Read Device Identity (?:command )?failed: [^\n]{3,100}"
    r"|Smartctl open device: [^\n]{3,160}? failed: [^\n]{3,80}"
    r"|/dev/\S{2,60}(?: \[[^\]\n]{1,40}\])?: "
    r"(?:Unable to detect device type|Unknown USB bridge [^\n]{3,60})"
    r"|A mandatory SMART command failed)",
    re.MULTILINE,
)
"""Why a drive says nothing: scsiprint.cpp, ataprint.cpp, smartctl.cpp."""
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
    if problems := _PROBLEM.findall(text):
        facts["smart_problem"] = "; ".join(dict.fromkeys(map(str.rstrip, problems)))
    facts |= _scsi_figures(lines)
    for match in filter(None, map(SCT_LIMIT.match, lines)):
        limit: Scalar = "disabled" if match[3] else float(match[2])
        facts.setdefault(f"{match[1].lower()}_recovery_limit", limit)
    flowing = " ".join(kerneltext.fields(text.replace("\n", " ")))
    if error := _ERROR.search(flowing):
        facts["last_error"] = error["error"]
    if test := _SELF_TEST.search(flowing):
        lba = test["lba"]
        facts |= {"self_test": test["result"], "self_test_lba": None if lba == "-" else int(lba)}
    for name, figure in _rows(flowing, lines):
        facts.setdefault(name, figure)
    facts |= _scsi_counters(lines)
    named = as_numbers(as_labelled(others, _PROSE))
    return without_none(named | values_of_text(lines) | facts | _defects(lines))


def _rows(flowing: str, lines: list[str]) -> Iterator[tuple[str, Scalar]]:
    """What the rows of tables say, by name: attributes first, then statistics and counters."""
    yield from _attributes(flowing)
    for row in filter(None, map(OTHER_RAW.match, lines)):
        yield row["name"].lower(), row["raw"]
        if row["name"].startswith("Power_On_") and (time := _TIME.match(row["raw"])):
            yield "power_on_time", _seconds(time)
    logged = _rows_of_logs(lines)
    yield from health_of_statistics(logged).items()
    yield from as_labelled(logged).items()


def _rows_of_logs(lines: list[str]) -> dict[str, str]:
    """The statistics of an ATA drive and the counters of its link, by their descriptions."""
    rows = (STATISTIC.match(line) or PHY_EVENT.match(line) for line in lines)
    return {
        row["name"]: row["figure"]
        for row in reversed([*filter(None, rows)])
        if row["figure"] != "-"
    }


def _seconds(time: re.Match[str]) -> int:
    parts = time.groupdict()
    return (int(time["hours"]) * 60 + int(time["minutes"])) * 60 + int(parts.get("seconds") or 0)


def _scsi_figures(lines: list[str]) -> dict[str, Scalar]:
    """What a SCSI drive logs behind an equals sign, and its scans of its own medium.

    Source: smartmontools 7.3, scsiprint.cpp: scsiPrintFactoryLPage(), scsiPrintSeagateCacheLPage(),
    scsiPrintFormatStatusLPage(), scsiPrintBackgroundResults().
    """
    facts: dict[str, Scalar] = {}
    for line in lines:
        if figure := SCSI_FIGURE.match(line):
            name = figure["name"].replace("<=", "up to").replace(">", "above")
            hours = "hours powered" in name
            seconds = round(float(figure["figure"]) * 3600)
            facts |= {"power_on_time": seconds} if hours else as_labelled({name: figure["figure"]})
        elif powered := POWERED.match(line):
            facts["power_on_time"] = _seconds(powered)
        elif scans := SCANS.match(line):
            facts |= _of_scans(scans)
    return facts


def _of_scans(scans: re.Match[str]) -> dict[str, Scalar]:
    if scans["medium"]:
        return {"background_medium_scans": int(scans["medium"])}
    progress = round(float(scans["progress"]) / 100, 4)
    return {"background_scans": int(scans["scans"]), "background_scan_progress": progress}


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
