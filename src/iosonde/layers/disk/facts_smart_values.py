"""What smartctl's text says over several lines, or with more than one figure in a line.

Names are those that smartctl's JSON gives these values.

Source: smartmontools 7.5, ataprint.cpp (PrintGeneralSmartValues and the functions that it calls,
ataPrintSCTStatus, ataPrintSelectiveSelfTestLog, sata_speed in print_drive_info, ataPrintMain: what
it says where it begins a test), atacmds.cpp (ataSmartTest), scsiprint.cpp
(scsiPrintStartStopCounters, scsiPrintSelfTest, scsiPrintMain) and smartctl.cpp (the first line;
5.x: "smartctl version 5.38").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from iosonde.kerneltext import fields
from iosonde.records.stack import Scalar

_STATUS = "ata_smart_data_"
_VALUES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (f"{_STATUS}offline_data_collection_status_value",
         r"Offline data collection status: \(\s?(0x[0-9a-f]{1,2})\)"),
        (f"{_STATUS}self_test_status_value", r"Self-test execution status: \( {0,3}(\d{1,3})\)"),
        (f"{_STATUS}self_test_status_remaining_percent", r"\b(\d{2})% of test remaining"),
        (f"{_STATUS}offline_data_collection_completion_seconds",
         r"Total time to complete Offline data collection: \( {0,4}(\d{1,5})\) seconds"),
        (f"{_STATUS}offline_data_collection_capabilities",
         r"Offline data collection capabilities: \((0x[0-9a-f]{2})\)"),
        (f"{_STATUS}capabilities", r"SMART capabilities: \((0x[0-9a-f]{4})\)"),
        ("error_logging_capability_value", r"Error logging capability: \((0x[0-9a-f]{2})\)"),
        ("ata_sct_capabilities_value", r"SCT capabilities: \((0x[0-9a-f]{4})\)"),
        *(
            (f"{_STATUS}self_test_polling_minutes_{test.lower()}",
             rf"{test} self-test routine recommended polling time: \( {{0,3}}(\d{{1,5}})\) minutes")
            for test in ("Short", "Extended", "Conveyance")
        ),
        ("selective_self_test_flags", r"Selective self-test flags \((0x[0-9a-f]{1,4})\):"),
        ("power_up_scan_resume_minutes", r"resume after (\d{1,5}) minute delay"),
        ("selective_self_test_log_revision",
         r"SMART Selective self-test log data structure revision number (\d{1,5})"),
        ("self_test_log_revision", r"SMART Self-test log structure revision number (\d{1,5})"),
        ("gp_log_directory_version", r"General Purpose Log Directory Version (\d{1,5})"),
        ("smart_log_directory_version", r"SMART {1,11}Log Directory Version (\d{1,5})"),
        ("manufactured_week", r"Manufactured in week (\d{1,2}) of year \d{4}"),
        ("manufactured_year", r"Manufactured in week \d{1,2} of year (\d{4})"),
        ("scsi_extended_self_test_seconds", r"Long \(extended\) Self-test duration: (\d{1,7}) sec"),
        ("scsi_self_test_remaining_percent",
         r"Self-test execution status: {1,3}(\d{1,3})% of test remaining"),
        ("pending_defects", r"Pending defect count: ?(\d{1,9}) Pending Defect"),
        ("nvme_errors_read", r"Error Information \(NVMe Log 0x01, (\d{1,5}) of \d{1,5} entries\)"),
        ("nvme_errors_most", r"Error Information \(NVMe Log 0x01, \d{1,5} of (\d{1,5}) entries\)"),
        ("logical_block_size", r"Sector Sizes?: {1,8}(\d{3,5}) bytes logical"),
        ("physical_block_size", r"Sector Sizes?: {1,8}\d{3,5} bytes logical, (\d{3,5}) bytes phys"),
        ("physical_block_size", r"Sector Size: {1,8}(\d{3,5}) bytes logical/physical"),
    )
)  # fmt: skip
_VERSION = re.compile(
    r"\s*smartctl (?:version )?(?P<version>\d\.\d{1,2}(?:\.\d{1,2})?)(?:-pre)?"
    r"(?: (?P<date>\d{4}-\d\d-\d\d))?(?: r(?P<revision>\d{1,6}))?"
    r"(?: \[(?P<platform>[^\]]{3,60})\])?"
)
_LINK = re.compile(
    r"SATA Version is: {1,4}SATA [^\n]{1,60}?(?P<most>[1-6]\.[05]) Gb/s"
    r"(?: \(current: (?P<now>[1-6]\.[05]) Gb/s\))?"
)
_RANGE = re.compile(
    r"\s*(?P<name>Power Cycle|Lifetime|Min/Max recommended Temperature|Min/Max Temperature Limit)"
    r"(?: {1,4}Min/Max Temperature)?: {1,8}(?P<least>-?\d{1,3}|\?)/ ?(?P<most>-?\d{1,3}|\?) Celsius"
)
_LIMITS = re.compile(
    r"\s*Under/Over Temperature Limit Count: {1,4}(?P<under>\d+)/(?P<over>\d+)\s*$"
)
_ENABLED = re.compile(r"\s*SMART support is: {1,12}(?P<whether>Enabled|Disabled)\b")
_BEGUN = re.compile(
    r'\s*(?:Drive command "Execute SMART (?P<test>[\w-]{4,12}) (?:self-test )?routine immediately '
    r'in [\w-]{4,10} mode" successful\.'
    r"|(?:(?P<scsi>Short|Extended) )?(?:(?:Background|Foreground) Self Test|Self-test) has begun)"
)
_REFUSED = re.compile(
    r'\s*(?:Command "Execute SMART [^"]{8,80}" failed: (?P<failed>\S.{0,100}?)'
    r"|(?P<other>Can't start self-test without aborting current test(?: \(\d{1,3}% remaining\))?)"
    r"[,.]?)\s*$"
)
_WAIT = re.compile(
    r"\s*Please wait (?P<count>\d{1,6}) (?P<unit>second|minute)s? for test to complete\."
)
_DUE = re.compile(
    r"\s*(?:Test will complete after|Estimated completion time:) (?P<time>\S.{6,60}?)\s*$"
)
_SEPARATED = re.compile("(?P<figure>\\d{1,3}(?:[,\u202f]\\d{3})+)(?: \\[[^\\]]{2,20}\\])?")


def values_of_text(lines: list[str]) -> dict[str, Scalar]:
    """Values of a text of smartctl by the names of its JSON.

    Args:
        lines: of the text.
    """
    flowing = " ".join(fields(" ".join(lines)))
    values: dict[str, Scalar] = {}
    for name, pattern in _VALUES:
        if match := pattern.search(flowing):
            values.setdefault(name, int(match[1], 0) if _is_number(match[1]) else match[1])
    for name, value in (*_of_version(lines), *_of_link(lines), *_of_temperatures(lines),
                        *_of_test_begun(lines)):  # fmt: skip
        values.setdefault(name, value)
    return values


def _is_number(text: str) -> bool:
    return text.startswith("0x") or text == "0" or not text.startswith("0")


def as_numbers(values: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Values of which those that the tool prints with separators are numbers: `1,234 [630 MB]`.

    Args:
        values: by their names.
    """
    numbers = dict(values)
    for name, value in values.items():
        if isinstance(value, str) and (match := _SEPARATED.fullmatch(value)):
            numbers[name] = int(re.sub(r"\D", "", match["figure"]))
    return numbers


def _of_version(lines: Iterable[str]) -> Iterator[tuple[str, Scalar]]:
    for match in filter(None, map(_VERSION.match, lines)):
        yield "smartctl_version", match["version"]
        if match["platform"]:
            yield "smartctl_platform_info", match["platform"]
        if match["revision"]:
            yield "smartctl_svn_revision", match["revision"]
        if match["date"]:
            yield "smartctl_date", match["date"]


def _of_link(lines: Iterable[str]) -> Iterator[tuple[str, Scalar]]:
    """Bits per second of a SATA link: what the drive can do, and what is used."""
    for match in filter(None, map(_LINK.search, lines)):
        yield "interface_speed_max", _bits(match["most"])
        if match["now"]:
            yield "interface_speed", _bits(match["now"])


def _of_test_begun(lines: Iterable[str]) -> Iterator[tuple[str, Scalar]]:
    """Whether SMART is on, and the test of itself that a drive was told to make; its time in s."""
    for line in lines:
        if enabled := _ENABLED.match(line):
            yield "smart_support_enabled", enabled["whether"] == "Enabled"
        elif begun := _BEGUN.match(line):
            yield "self_test_begun", (begun["test"] or begun["scsi"] or "self-test").lower()
        elif refused := _REFUSED.match(line):
            yield "self_test_refused", refused["failed"] or refused["other"]
        elif wait := _WAIT.match(line):
            yield "self_test_seconds", int(wait["count"]) * (60 if wait["unit"] == "minute" else 1)
        elif due := _DUE.match(line):
            yield "self_test_due", due["time"]


def _bits(gigabits: str) -> int:
    return int(gigabits.replace(".", "")) * 10**8


def _of_temperatures(lines: Iterable[str]) -> Iterator[tuple[str, Scalar]]:
    for line in lines:
        if match := _RANGE.match(line):
            name = re.sub(r"[^a-z]+", "_", match["name"].lower().replace("min/max ", ""))
            name = name.removesuffix("_temperature")
            for end, text in (("min", match["least"]), ("max", match["most"])):
                if text != "?":
                    yield f"{name}_{end}_temperature", int(text)
        elif match := _LIMITS.match(line):
            yield "under_temperature_limit_count", int(match["under"])
            yield "over_temperature_limit_count", int(match["over"])
