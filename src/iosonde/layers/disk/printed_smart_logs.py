"""smartctl's logs of errors and of self-tests where somebody shows them alone.

Source: smartmontools 7.3, ataprint.cpp: PrintSmartErrorlog() and PrintSmartExtErrorLog() ("Error %d
occurred at disk power-on lifetime: %d hours"; of the commands that led to it the first one caused
it), ataPrintSmartSelfTestEntry() ("#%2u  %-19s %-29s %1d0%%  %8u         %s");
scsiprint.cpp, scsiPrintSelfTest() (number of the segment, hours or NOW, address, sense).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.disk.facts_smart_log import SmartLogEntries, is_test_row
from iosonde.layers.disk.facts_smartctl import drive_facts
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor, joined, lines, prompt_in
from iosonde.text.headings import is_section
from iosonde.text.reader import Items, StateOutput, start_of

_BEGIN = re.compile(
    r"\s*(?:Error \d{1,9} (?:\[\d{1,2}\] )?occurred at disk power-on|Num {1,4}Test_Description\b"
    r"|SMART (?:Extended )?Self-test [Ll]og)"
)
_MOST = 400
_APART = 4  # lines


class SmartLogs(StateOutput):
    tool = "smartctl logs"
    anchors = (
        "Test_Description", "elf-test log structure", "occurred at disk power-on",
        "Short offline  ", "Extended offline  ", "Conveyance offline  ", "Selective offline  ",
        "Short captive  ", "Extended captive  ", "Background short ", "Background long ",
    )  # fmt: skip
    commands = ("smartctl",)
    nothing = "it has neither an error nor a test"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """A head of the logs, or a row of the self-tests without one."""
        line = cursor.line(cursor.at)
        if _BEGIN.match(line):
            return cursor.at
        return start_of(cursor, is_test_row, most=30) if is_test_row(line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        entries = SmartLogEntries()
        last = first
        for index, line in lines(cursor, first, _MOST):
            if index > last + _APART or (index > first and is_section(line)):
                break
            if index > first and not is_test_row(line) and prompt_in(line):
                break
            if entries.take(line):
                last = index
        values = entries.columns()
        if not values:
            return first, ()
        facts = drive_facts(joined(cursor, first, last))
        counters = self.counted("disk", prompt.path, {**values}, prompt)
        subject = PrintedSubject("disk", prompt.path, facts, prompt.host)
        return last, (subject, counters) if facts else (counters,)
