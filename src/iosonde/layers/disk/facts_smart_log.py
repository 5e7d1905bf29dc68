"""The entries of smartctl's logs of errors and of self-tests, line by line.

Source: smartmontools 7.3, ataprint.cpp: PrintSmartErrorlog() and PrintSmartExtErrorLog() ("Error %d
occurred at disk power-on lifetime: %d hours"; of the commands that led to it the first one caused
it), ataPrintSmartSelfTestEntry() ("#%2u  %-19s %-29s %1d0%%  %8u         %s");
scsiprint.cpp, scsiPrintSelfTest() (number of the segment, hours or NOW, address, sense).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from iosonde import kerneltext
from iosonde.records.stack import Json

_NAME = r"\s*# ?\d{1,3} {1,3}(?P<test>[A-Z]\w{1,20}(?: [\w()]{1,20}){0,3}) {2,}"
_ERROR = re.compile(
    r"\s*Error (?P<number>\d{1,9}) (?:\[\d{1,2}\] )?occurred at disk power-on lifetime: "
    r"(?P<hours>\d{1,9}) hours"
)
_WHAT = re.compile(r"\bError: (?P<what>[A-Z]{2,5}\b[^\n]{0,100})")
_ADDRESS = re.compile(r"\bLBA = 0x[0-9a-f]{1,16} = (\d{1,18})(?!\d)")
_COMMAND = re.compile(
    r"\s*[0-9a-f]{2}(?: (?:[0-9a-f]{2}|--)){6,15} {1,9}(?:\d{1,5}d\+)?"
    r"\d{2}:\d{2}:\d{2}\.\d{3} {1,4}(?P<command>[A-Z\[][^\n]{1,60})$"
)
"""Registers, time since power-on, name."""
_TEST = re.compile(
    _NAME + r"(?P<status>[A-Z][\w :()-]{4,50}?) {2,}"
    r"(?:(?P<remaining>\d{1,3})% {1,12}(?P<hours>\d{1,9}) {1,12}(?P<lba>\d{1,18}|-)|.{0,60})\s*$"
)
_SCSI_TEST = re.compile(
    _NAME + r"(?P<status>[A-Z][\w :(),.>-]{4,50}?) {1,30}(?P<segment>\d{1,3}|-) {1,12}"
    r"(?P<hours>\d{1,9}|NOW) {1,20}(?P<lba>\d{1,20}|0x[0-9a-f]{1,16}|-) "
    r"\[(?P<sense>[0-9a-fx-]{1,4} {1,5}[0-9a-fx-]{1,4} {1,5}[0-9a-fx-]{1,4})\]\s*$"
)


@dataclass(slots=True)
class _Error:
    """An entry of the log of errors: what it was, and the command that caused it."""

    number: int
    hours: int
    what: str | None = None
    lba: int | None = None
    command: str | None = None

    def add(self, line: str) -> None:
        """Takes what a line below its head says of it: the first of each kind."""
        if self.what is None and (what := _WHAT.search(line)):
            self.what = what["what"].strip()
            address = _ADDRESS.search(line)
            self.lba = int(address[1]) if address else None
        elif self.command is None and (row := _COMMAND.match(line)):
            self.command = row["command"].strip()


def _of_errors(errors: Sequence[_Error]) -> dict[str, list[Json]]:
    """Lists of as many entries as there are errors; those that no error has are left out."""
    columns: dict[str, list[Json]] = {
        "logged_errors": [error.number for error in errors],
        "logged_error_hours": [error.hours for error in errors],
        "errors": [error.what for error in errors if error.what],
        "error_lbas": [error.lba for error in errors],
        "error_commands": [error.command for error in errors],
    }
    return {
        name: column
        for name, column in columns.items()
        if any(entry is not None for entry in column)
    }


def is_test_row(line: str) -> bool:
    """Whether a line is a row of a table of self-tests."""
    return bool(_SCSI_TEST.match(line) or _TEST.match(line))


@dataclass(slots=True)
class SmartLogEntries:
    """Errors and self-tests, as their lines come."""

    errors: list[_Error] = field(default_factory=list)
    tests: dict[str, list[Json]] = field(default_factory=dict)

    def take(self, line: str) -> bool:
        """Whether a line is of an entry, which is then taken."""
        row = _SCSI_TEST.match(line) or _TEST.match(line)
        if error := _ERROR.match(line):
            self.errors.append(_Error(int(error["number"]), int(error["hours"])))
        elif row:
            _add(self.tests, row)
        elif self.errors and line:
            self.errors[-1].add(line)
        else:
            return False
        return True

    def columns(self) -> dict[str, list[Json]]:
        """Lists of as many entries as there are errors, and of as many as there are tests."""
        return _of_errors(self.errors) | self.tests


def log_columns(lines: Iterable[str]) -> dict[str, list[Json]]:
    """Errors and self-tests in a text of smartctl, as lists.

    Args:
        lines: of the text.
    """
    entries = SmartLogEntries()
    for line in lines:
        entries.take(line)
    return entries.columns()


def _add(values: dict[str, list[Json]], row: re.Match[str]) -> None:
    """Adds a row of the table of self-tests; one that goes on has no address."""
    cells = row.groupdict()
    values.setdefault("self_tests", []).append(f"{row['test']}: {row['status']}")
    hours, lba, share = cells["hours"], cells["lba"], cells.get("remaining")
    if hours:
        values.setdefault("self_test_hours", []).append(int(hours) if hours.isdecimal() else hours)
        values.setdefault("self_test_lbas", []).append(None if lba == "-" else int(lba, 0))
    if share:
        values.setdefault("self_test_remaining", []).append(int(share) / 100)
    if sense := cells.get("sense"):
        values.setdefault("self_test_senses", []).append(
            " ".join(kerneltext.fields(sense)) if "0x" in sense else None
        )
