"""The tables that smartctl prints, row by row: all columns under their heads.

Rows are looked for line by line: one that a wrap tore apart is left out. Numbers are numbers, what
the tool prints as "-" is left out, hexadecimal numbers and all else are text.

Source: smartmontools 7.5, ataprint.cpp (PrintSmartAttribWithThres, PrintLogDirectories,
print_device_statistics_page, PrintSataPhyEventCounters, print_pending_defects_log,
ataPrintSCTTempHist, ataPrintSelectiveSelfTestLog, PrintSmartErrorlog), scsiprint.cpp
(scsiPrintBackgroundResults, scsiPrintPendingDefectsLPage) and nvmeprint.cpp
(print_drive_capabilities, print_error_log, print_self_test_log); before 6.5 pages of statistics are
decimals, and a tilde stands for the flags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from iosonde.kerneltext import fields
from iosonde.layers.disk.facts_smart_log import log_columns
from iosonde.records.stack import Json

_ID = r"(?P<id>\d{1,3}|0x[0-9a-f]{2}) (?P<name>[A-Z][\w-]{2,40}) "
_NORMAL = r"(?P<value>\d{3}|0x[0-9a-f]{2}|---) (?P<worst>\d{3}|0x[0-9a-f]{2}|---) "
_NORMAL += r"(?P<threshold>\d{3}|0x[0-9a-f]{2}|---) "
_RAW = r"(?P<raw>\**\d[\w+.:/%]{0,40}\**(?: \([^()]{1,60}\))?)"
ATTRIBUTE_ROWS = (
    re.compile(
        rf"(?<!\S){_ID}(?P<flags>0x[0-9a-f]{{3,4}}) {_NORMAL}(?P<type>Pre-fail|Old_age) "
        rf"(?P<updated>Always|Offline) (?P<failed>-|FAILING_NOW|In_the_past) {_RAW}(?!\S)"
    ),
    re.compile(
        rf"(?<!\S){_ID}(?P<flags>[P-][O-][S-][R-][C-][K-]\+?) {_NORMAL}(?P<failed>-|NOW|Past) "
        rf"{_RAW}(?!\S)"
    ),
)
"""Rows of the table of attributes in its old and its brief form, with single blanks."""
_ROWS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (table, re.compile(rf"\s*+{pattern}\s*$"))
    for table, pattern in (
        ("log_directory",
         r"(?P<address>0x[0-9a-f]{2}(?:-0x[0-9a-f]{2})?) {1,12}(?P<access>GPL,SL|GPL|SL) {1,8}"
         r"(?P<rw>R/[OW]|VS|-) {1,9}(?P<size>\d{1,5}) {1,3}(?P<description>\S.{0,60})"),
        ("device_statistics_pages",
         r"(?P<page>0x[0-9a-f]{2}|\d) {1,3}={5} {1,3}= {8,24}= {1,4}={2,3} {1,3}(?:== )?"
         r"(?P<name>[A-Z].{2,60}?) \((?:rev (?P<revision>\d{1,5})|empty)\) =="),
        ("device_statistics",
         r"(?P<page>0x[0-9a-f]{2}|\d) {1,3}(?P<offset>0x[0-9a-f]{3}) {1,3}(?P<size>[1-8]) {1,20}"
         r"(?P<value>-?\d{1,20}|-)(?P<flags>~| {1,3}[N-][D-][C-][ R+-]?)? {1,3}"
         r"(?P<name>[A-Z][\w ./()-]{3,60}?)(?: \[.{1,30}\])?"),
        ("sata_phy_events",
         r"(?P<id>0x[0-9a-f]{4}) {1,3}(?P<size>[248]) {1,20}(?P<value>\d{1,20})"
         r"(?P<overflow>\+)? {1,3}(?P<name>[A-Z][\w /&,-]{3,90}?)"),
        ("temperature_history",
         r"(?P<index>\d{1,3}) {2,6}(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d) {2,6}"
         r"(?P<temperature>-?\d{1,3}|\?) {1,3}[*+|-]{0,130}"),
        ("temperature_history",
         r"\.\.\. {2,6}\.\.\( {0,3}(?P<skipped>\d{1,3}) skipped\)\. {2,6}\.\. {1,3}[*+|-]{0,130}"),
        ("selective_self_tests",
         r"(?P<span>[1-5]) {1,12}(?P<min_lba>\d{1,20}) {1,12}(?P<max_lba>\d{1,20}) {1,3}"
         r"(?P<status>Not_testing|[A-Z][\w ]{2,40} \[(?P<left>\d)0% left\] "
         r"\((?P<from>\d{1,20})-(?P<to>\d{1,20})\))"),
        ("selective_self_tests",
         r"(?P<span>\d{1,5}) {1,12}(?P<min_lba>\d{1,20}) {1,12}(?P<max_lba>\d{1,20}) {1,3}"
         r"(?P<status>Read_scanning .{3,60})"),
        ("power_states",
         r"(?P<state>\d{1,2}) (?P<operational>[+-]) {1,9}(?P<max_power>\d{1,4}\.\d{2,4}W|-) {1,9}"
         r"(?P<active_power>\d{1,4}\.\d{2,4}W|-) {1,9}(?P<idle_power>\d{1,4}\.\d{2,4}W|-) {1,4}"
         r"(?P<read_latency>\d{1,2}) {1,3}(?P<read_throughput>\d{1,2}) {1,3}"
         r"(?P<write_latency>\d{1,2}) {1,3}(?P<write_throughput>\d{1,2}) {1,9}"
         r"(?P<entry_latency_us>\d{1,10}) {1,8}(?P<exit_latency_us>\d{1,10})"),
        ("lba_formats",
         r"(?P<format>\d{1,2}) (?P<in_use>[+-]) {1,8}(?P<data>\d{3,7}) {1,8}"
         r"(?P<metadata>\d{1,5}) {1,9}(?P<relative_performance>[0-3])"),
        ("nvme_errors",
         r"(?P<number>\d{1,3}) {1,12}(?P<error_count>\d{1,20}) {1,8}(?P<sqid>\d{1,5}|-) {1,8}"
         r"(?P<cmdid>0x\w{4}|-) {1,4}(?P<status>0x\w{4}|-) {1,4}(?P<location>0x\w{3}|-) {1,20}"
         r"(?P<lba>\d{1,20}|-) {1,8}(?P<nsid>\d{1,10}|-) {1,8}(?P<vendor>0x\w{2}|-)"
         r"(?: {1,8}(?P<message>\S.{0,80}?))?"),
        ("nvme_self_tests",
         r"(?P<number>\d{1,2}) {1,6}(?P<test>[A-Z][\w ()]{2,24}?) {2,18}"
         r"(?P<result>[A-Z][\w :()-]{4,40}?) {2,40}(?P<hours>\d{1,20}) {1,18}"
         r"(?P<lba>\d{1,20}|-) {1,8}(?P<nsid>\d{1,10}|\*|-) {1,4}(?P<segment>\d{1,3}|-) {1,4}"
         r"(?P<sct>0x\w{1,2}|-) {1,4}(?P<code>0x\w{2}|-)"),
        ("background_scans",
         r"(?P<number>\d{1,5}) {1,6}(?P<time>\d{1,9}:\d\d) {1,3}(?P<lba>[0-9a-f]{16}) {1,3}"
         r"\[(?P<sense>[0-9a-f]{1,2},[0-9a-f]{1,2},[0-9a-f]{1,2})\] {1,4}"
         r"(?P<status>[A-Z].{4,80}?)"),
        ("scsi_pending_defects",
         r"(?P<number>\d{1,5}): {1,3}(?P<lba>0x[0-9a-f]{1,16}) {0,16}, {1,6}(?P<hours>\d{1,9})"),
        ("error_register_rows",
         r"(?P<registers>[0-9a-f]{2}(?: (?:[0-9a-f]{2}|--)){6,14})(?: {1,4}"
         r"(?P<error>Error: \S.{0,100}|[A-Z][\w ,]{4,60}))?"),
        ("error_command_rows",
         r"(?P<registers>[0-9a-f]{2}(?: (?:[0-9a-f]{2}|--)){6,14}) {1,16}"
         r"(?P<powered_up>(?:\d{1,5}d\+)?\d{2}:\d{2}:\d{2}\.\d{3}) {1,4}"
         r"(?P<command>[A-Z\[]\S.{0,60})"),
    )
)  # fmt: skip
_PORT = re.compile(
    r"\s*(?P<name>[a-zA-Z][\w /()-]{3,60}?)(?: = |: )"
    r"(?P<value>0x[0-9a-f]{1,16}|\d{1,12}|\S.{0,60})$"
)
_PORT_BEGINS = re.compile(r"\s*relative target port id = \d{1,5}\s*$")
_PHY_BEGINS = re.compile(r"\s*phy identifier = \d{1,3}\s*$")
_SIGNS = frozenset({"in_use", "operational"})
"""Columns of a plus or a minus sign."""
_MOST = 600  # rows of a table


def tables_of_text(lines: Sequence[str]) -> dict[str, Json]:
    """The rows of all tables in a text of smartctl: table → rows, each by its columns.

    Args:
        lines: of the text.
    """
    tables: dict[str, list[Json]] = {}
    if attributes := _attributes(lines):
        tables["attributes"] = attributes
    for line in lines:
        if not line.strip():
            continue
        for table, pattern in _ROWS:
            if match := pattern.match(line):
                rows = tables.setdefault(table, [])
                if len(rows) < _MOST:
                    rows.append(_cells(match))
                break
    if phys := _phys(lines):
        tables["sas_phys"] = phys
    return {**tables, **log_columns(lines)}


def _attributes(lines: Iterable[str]) -> list[Json]:
    """Rows of the table of attributes, of which a wrap may have broken some."""
    flowing = " ".join(fields(" ".join(lines)))
    rows = sorted(
        (match.start(), match) for form in ATTRIBUTE_ROWS for match in form.finditer(flowing)
    )
    cells: list[Json] = [_cells(match) for _, match in rows]
    return cells[:_MOST]


def _cells(row: re.Match[str]) -> dict[str, Json]:
    return {
        name: _value(name, text.strip())
        for name, text in row.groupdict().items()
        if text is not None and (name in _SIGNS or text.strip() not in {"-", "---"})
    }


def _value(name: str, text: str) -> Json:
    if name == "overflow":
        return True
    if name == "left":
        return int(text) / 10
    if name in _SIGNS:
        return text == "+"
    return int(text) if text.removeprefix("-").isdecimal() and len(text) < 19 else text.strip("*")


def _phys(lines: Iterable[str]) -> list[Json]:
    """The phys of the ports of a SAS drive: the counters of each, and what it is attached to."""
    phys: list[dict[str, Json]] = []
    port: dict[str, Json] = {}
    within = False
    for line in lines:
        begins = _PORT_BEGINS.match(line)
        pair = _PORT.match(line)
        if begins:
            port, within = {}, True
        if not within or pair is None:
            within = within and not line.strip().startswith("===")
            continue
        values = phys[-1] if phys and port is phys[-1] else port
        if _PHY_BEGINS.match(line):
            whole = {name: port[name] for name in _PORT_NAMES if name in port}
            port = {**whole}
            phys.append(port)
            values = port
        name = re.sub(r"[^a-z0-9]+", "_", pair["name"].lower()).strip("_")
        values.setdefault(name, _value(name, pair["value"].strip()))
    return [*phys]


_PORT_NAMES = ("relative_target_port_id", "generation_code", "number_of_phys")
