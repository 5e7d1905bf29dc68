"""badblocks: which blocks it looks at, and how many of them are bad.

Source: e2fsprogs 1.47, misc/badblocks.c (test_ro(), test_rw(), main(): "Pass completed, %u bad
blocks found. (%d/%d/%d errors)": of reading, of writing, of comparing; print_status()).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_N = r"\d{1,19}"
_RANGE = re.compile(
    rf"\s*(?:Checking blocks|From block) (?P<first_block>{_N}) to (?P<last_block>{_N})\s*$"
)
_MODE = re.compile(
    r"\s*Checking for bad blocks (?:in (?P<mode>read-only|read-write|non-destructive read-write)"
    r" mode|\((?P<test>read-only|non-destructive read-write) test\):?)"
    r"(?P<rest>\s*.{0,4000})$"
)
_ENDED = re.compile(
    rf"\s*Pass completed, (?P<bad_blocks>{_N}) bad blocks found\. "
    rf"\((?P<read_errors>{_N})/(?P<write_errors>{_N})/(?P<compare_errors>{_N}) errors\)\s*$"
)
_OLD = re.compile(rf"\s*Pass completed, (?P<bad_blocks>{_N}) bad blocks found\.\s*$")
_STATUS = re.compile(
    rf"(?P<share>\d{{1,3}}\.\d\d)% done, (?P<time>(?:\d{{1,5}}:)?\d{{1,2}}:\d\d) elapsed\. "
    rf"\((?P<read_errors>{_N})/(?P<write_errors>{_N})/(?P<compare_errors>{_N}) errors\)"
)
_OTHERS = re.compile(
    r"\s*(?:Testing with (?:random )?pattern|Reading and comparing: |done\s*$|Interrupted at block"
    r"|\d{1,19}\s*$|Too many bad blocks, aborting test)"
)


class Badblocks(StateOutput):
    tool = "badblocks"
    anchors = ("Pass completed, ", "Checking for bad blocks ", "Checking blocks ")
    commands = ("badblocks",)
    reach = 6
    nothing = "none of its figures can be read"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(form.match(line) for form in (_RANGE, _ENDED, _OLD, _MODE)):
            return None
        return top_of(cursor, _is_own, most=60)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        last = first
        for index, line in close_lines(cursor, first, 4000):
            if prompt_in(line) or not _is_own(line):
                break
            values |= _said(line)
            last = index
            if _ENDED.match(line) or _OLD.match(line):
                break
        name = prompt.path.removeprefix("/dev/")
        return last, [self.counted("disk", name, values, prompt)] if values else []


def _is_own(line: str) -> bool:
    forms = (_RANGE, _MODE, _ENDED, _OLD, _OTHERS)
    return any(form.match(line) for form in forms) or bool(_STATUS.search(line[:400]))


def _said(line: str) -> dict[str, Json]:
    for form in (_RANGE, _ENDED, _OLD):
        if match := form.match(line):
            return {name: int(text) for name, text in match.groupdict().items()}
    values: dict[str, Json] = {}
    if mode := _MODE.match(line):
        values["mode"] = mode["mode"] or mode["test"]
    for status in _STATUS.finditer(line[:4000]):  # the last one is the newest
        values |= {
            "done": round(float(status["share"]) / 100, 6),
            "elapsed": units.clock_seconds(status["time"]),
            **{name: int(status[name]) for name in ("read_errors", "write_errors",
                                                    "compare_errors")},
        }  # fmt: skip
    return values
