"""smartctl's logs of errors and of self-tests where somebody shows them alone.

Source: smartmontools 7.3, ataprint.cpp: PrintSmartErrorlog() and PrintSmartExtErrorLog() ("Error %d
occurred at disk power-on lifetime: %d hours"), ataPrintSmartSelfTestEntry() ("#%2u  %-19s %-29s
%1d0%%  %8u         %s").
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.disk.facts_smartctl import drive_facts
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, joined, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, is_section

_BEGIN = re.compile(
    r"\s*(?:Error \d{1,9} (?:\[\d{1,2}\] )?occurred at disk power-on|Num {1,4}Test_Description\b"
    r"|SMART (?:Extended )?Self-test [Ll]og)"
)
_ERROR = re.compile(
    r"\s*Error (?P<number>\d{1,9}) (?:\[\d{1,2}\] )?occurred at disk power-on lifetime: "
    r"(?P<hours>\d{1,9}) hours"
)
_WHAT = re.compile(r"\bError: (?P<what>[A-Z]{2,5}\b[^\n]{0,100})")
_TEST = re.compile(
    r"\s*# ?\d{1,3} {1,3}(?P<test>[A-Z]\w{1,20}(?: [\w()]{1,20}){0,3}) {2,}"
    r"(?P<status>[A-Z][\w :()-]{4,50}?) {2,}"
    r"(?:\d{1,3}% {1,12}(?P<hours>\d{1,9}) {1,12}(?P<lba>\d{1,18}|-)|.{0,60})\s*$"
)
_MOST = 400
_APART = 4  # lines


class SmartLogs(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "smartctl logs"
    anchors: ClassVar[tuple[str, ...]] = (
        "Test_Description", "elf-test log structure", "occurred at disk power-on",
    )  # fmt: skip
    commands: ClassVar[tuple[str, ...]] = ("smartctl",)
    beginning: ClassVar[re.Pattern[str]] = _BEGIN
    nothing: ClassVar[str] = "it has neither an error nor a test"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, list[Json]] = {}
        last, errors = first, 0
        for index, line in lines(cursor, first, _MOST):
            test = _TEST.match(line)
            if index > last + _APART or (index > first and is_section(line)):
                break
            if test is None and index > first and prompt_in(line):
                break
            if error := _ERROR.match(line):
                errors += 1
                values.setdefault("logged_errors", []).append(int(error["number"]))
                values.setdefault("logged_error_hours", []).append(int(error["hours"]))
            elif test:
                _add(values, test)
            elif errors and (what := _WHAT.search(line)):
                values.setdefault("errors", []).append(what["what"].strip())
            elif not (errors and line):
                continue
            last = index
        if not values:
            return first, ()
        facts = drive_facts(joined(cursor, first, last))
        counters = self.counted("disk", prompt.path, {**values}, prompt)
        subject = PrintedSubject("disk", prompt.path, facts, prompt.host)
        return last, (subject, counters) if facts else (counters,)


def _add(values: dict[str, list[Json]], test: re.Match[str]) -> None:
    """Adds a row of the table of self-tests; one that goes on has no address."""
    values.setdefault("self_tests", []).append(f"{test['test']}: {test['status']}")
    if test["hours"]:
        values.setdefault("self_test_hours", []).append(int(test["hours"]))
        lba = test["lba"]
        values.setdefault("self_test_lbas", []).append(None if lba == "-" else int(lba))
