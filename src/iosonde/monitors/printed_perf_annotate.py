"""perf annotate: which instructions of a function the samples fell on.

Source: Linux 6.1, tools/perf/util/annotate.c, annotation_line_print() ("%*.2f :  address: ..." with
--stdio, below " Percent | Source code & Disassembly of %s for %s (%d samples, ...)") and
__annotation_line__write() (the same in the browser, saved with P: a column "Percent", a vertical
line, addresses only where something jumps to); tools/perf/ui/browsers/annotate.c, the title
"SYMBOL  DSO [Percent: local period]".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, command_before, prompt_in
from iosonde.text.reader import Items, StateOutput, before, close_lines

_HEAD = re.compile(
    r"\s*Percent ?(?:\u2502|\|)\s*(?:(?:Source code & )?Disassembly of (?P<of>\S{1,200})"
    r"(?: for (?P<event>[\w:/.-]{1,60}))?(?: \((?P<samples>\d{1,12}) samples?.{0,60})?|\S.{0,120})?"
)
_TITLE = re.compile(
    r"\s*(?P<symbol>[\w.$:@<>~-]{1,200})\s+(?P<of>[/\[]\S{1,200}) "
    r"\[Percent: (?P<kind>[a-z ]{4,20})\]\s*"
)
_SAMPLES = re.compile(r"\s*Samples: \S{1,12} of event '(?P<event>[^']{1,60})'")
_ROW = re.compile(
    r"\s*(?:(?P<share>\d{1,3}\.\d\d) ?)?(?:\u2502|\||:)\s*(?:[\u2190-\u2193]\s*)?"
    r"(?:(?P<address>[\da-f]{1,16}):\s+)?(?:[\u2190-\u2193]\s*)?(?P<code>\S.{0,160}?)?\s*"
)
_RULE = re.compile(r"(?=\s*+[-\u2500|\u2502+:])[-\u2500|\u2502+:\s]{5,}")
_MOST = 2000
_KEPT = 200
"""Instructions that any sample fell on."""


class PerfAnnotate(StateOutput):
    tool = "perf annotate"
    anchors = ("Percent \u2502", "Percent\u2502", "Percent |", "[Percent: ", "Percent|")
    commands = ("perf",)
    nothing = "no instruction follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        first = cursor.at
        if _TITLE.fullmatch(line):
            first += 1 if cursor.line(first + 1) else 2
        if not _HEAD.fullmatch(cursor.line(first)):
            return None
        if not any(_ROW.fullmatch(below) for below in cursor.block(first + 1, 3) if below):
            return None
        above = before(cursor, first)
        begun = above if _TITLE.fullmatch(cursor.line(above)) else first
        asked = command_before(cursor, first, self.commands, reach=6)[1].command
        if begun == first and "Disassembly of" not in line and " annotate" not in asked:
            return None
        above = before(cursor, begun)
        return above if _SAMPLES.match(cursor.line(above)) else begun

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        rows: list[Json] = []
        last = first
        for index, line in close_lines(cursor, first, _MOST, gap=1):
            if head := _TITLE.match(line) or _SAMPLES.match(line) or _HEAD.fullmatch(line):
                if rows:
                    break
                values |= {name: text for name, text in head.groupdict().items() if text}
            elif (row := _ROW.fullmatch(line)) and not prompt_in(line):
                if row["share"] and row["code"] and float(row["share"]) and len(rows) < _KEPT:
                    where = {"address": row["address"]} if row["address"] else {}
                    share = round(float(row["share"]) / 100, 6)
                    rows.append({"share": share, **where, "code": " ".join(row["code"].split())})
            elif not _RULE.fullmatch(line):
                break
            last = index
        values["instructions"] = rows
        return last, [self.counted("host", "", values, prompt)] if rows else []
