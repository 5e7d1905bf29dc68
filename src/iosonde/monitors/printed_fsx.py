"""fsx: what a file held where it should have held something else, and the operations before.

Offsets, sizes and ranges are bytes; what was expected and read there is as it is printed.

Source: xfstests-dev, ltp/fsx.c (check_buffers(): READ BAD DATA and its table; check_size(): Size
error; logdump(): `N( N mod 256): OPERATION`; main(): A-OK); LTP's fsx-linux without the file, and
with a time before each operation.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of

_BEFORE = r"\s*+\+?(?:\d{1,5}:? )?"  # a difference's sign; the number that prt() may put there
_BAD = re.compile(
    rf"{_BEFORE}READ BAD DATA: offset = 0x(?P<offset>[\da-f]{{1,16}}), "
    r"size = 0x(?P<size>[\da-f]{1,16})"
    r"(?:, fname =(?: (?P<file>\S{1,400}))?)?\s*$"
)
_HEAD = re.compile(rf"{_BEFORE}OFFSET\s{{1,12}}GOOD\s{{1,12}}BAD\s{{1,12}}RANGE\s*$")
_ROW = re.compile(
    rf"{_BEFORE}0x(?P<offset>[\da-f]{{1,16}})\s{{1,12}}(?P<good>(?:0x)?[\da-f]{{4,6}})\s{{1,12}}"
    r"(?P<bad>(?:0x)?[\da-f]{4,6})\s{1,12}0x(?P<range>[\da-f]{1,16})\s*$"
)
_OF = re.compile(
    rf"{_BEFORE}operation# \(mod 256\) for the bad data ?"
    r"(?:may be (?P<operation>\d{1,3})|unknown\b.{0,60})\s*$"
)
_SIZE = re.compile(
    rf"{_BEFORE}Size error: expected 0x(?P<expected>[\da-f]{{1,16}}) "
    r"stat 0x(?P<stat>[\da-f]{1,16}) seek 0x(?P<seek>[\da-f]{1,16})\s*$"
)
_DUMP = re.compile(rf"{_BEFORE}LOG DUMP \((?P<operations>\d{{1,12}}) total operations\):\s*$")
_LOGGED = re.compile(
    r"\s*\+?(?P<number>\d{1,12})(?:\(\s{0,2}\d{1,3} mod 256\))?: (?:\d{9,11}\.\d{6} )?"
    r"(?P<text>(?:SKIPPED|[A-Z][A-Z_]{2,20})\b.{0,200}?)\s*$"
)
_DONE = re.compile(rf"{_BEFORE}All (?:(?P<all>\d{{1,12}}) )?operations completed A-OK!\s*$")
_SEED = re.compile(rf"{_BEFORE}Seed set to (?P<seed>\d{{1,12}})\s*$")
_LARGEST = re.compile(rf"{_BEFORE}\w{{4,20}} to largest ever: 0x(?P<size>[\da-f]{{1,16}})\s*$")
_BESIDE = re.compile(
    rf"{_BEFORE}(?:Will begin at operation \d{{1,12}}|skipping zero \w{{1,12}} \w{{1,12}}"
    r"|Correct content saved for comparison|\(maybe hexdump .{1,400}|\.{2,6}|\[\.\.\.\]"
    r"|(?:HOLE and )?EXTEND ops|ops|\*{3,6}[RW]{3,4}\*{0,4}|/\S{1,300})\s*$"
)
_MOST = 4000
_KEPT = 500
_GAP = 2


class _Report:
    """What fsx has printed so far."""

    def __init__(self) -> None:
        self.values: dict[str, Json] = {}
        self._table: dict[str, list[Json]] = {
            name: [] for name in ("offsets", "good", "bad", "ranges")
        }
        self._operations: list[Json] = []
        self._log: list[Json] = []
        self._logged = 0

    def take(self, line: str) -> bool:
        """Whether a line is fsx's; then it is noted."""
        return (
            self._take_fault(line)
            or self._take_figure(line)
            or self._take_logged(line)
            or _HEAD.match(line) is not None
            or _BESIDE.match(line) is not None
        )

    def _take_fault(self, line: str) -> bool:
        if bad := _BAD.match(line):
            self.values |= {"offset": int(bad["offset"], 16), "size": int(bad["size"], 16)}
            if bad["file"]:
                self.values["file"] = bad["file"]
        elif row := _ROW.match(line):
            for name, figure in (
                ("offsets", int(row["offset"], 16)), ("good", row["good"]), ("bad", row["bad"]),
                ("ranges", int(row["range"], 16)),
            ):  # fmt: skip
                self._table[name].append(figure)
        elif operation := _OF.match(line):
            self._operations.append(int(operation["operation"]) if operation["operation"] else None)
        elif size := _SIZE.match(line):
            self.values |= {
                f"size_{name}": int(figure, 16) for name, figure in size.groupdict().items()
            }
        else:
            return False
        return True

    def _take_figure(self, line: str) -> bool:
        if dump := _DUMP.match(line):
            self.values["operations"] = int(dump["operations"])
        elif done := _DONE.match(line):
            self.values["completed"] = True
            if done["all"]:
                self.values["operations"] = int(done["all"])
        elif seed := _SEED.match(line):
            self.values["seed"] = int(seed["seed"])
        elif largest := _LARGEST.match(line):
            self.values["largest_file"] = int(largest["size"], 16)
        else:
            return False
        return True

    def _take_logged(self, line: str) -> bool:
        logged = _LOGGED.match(line)
        if logged is None:
            return False
        self._logged += 1
        if len(self._log) < _KEPT:
            self._log.append([int(logged["number"]), " ".join(logged["text"].split())])
        return True

    def result(self) -> dict[str, Json]:
        """Everything."""
        values = dict(self.values)
        values |= {name: [*column] for name, column in self._table.items() if column}
        if any(operation is not None for operation in self._operations):
            values["may_be_of_operations"] = self._operations
        if self._log:
            values |= {"log": self._log, "logged": self._logged}
        return values


class Fsx(StateOutput):
    tool = "fsx"
    anchors = (
        "READ BAD DATA: ", "LOG DUMP (", "operations completed A-OK", "Size error: expected ",
    )  # fmt: skip
    commands = ("fsx", "fsx-linux")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(pattern.match(line) for pattern in (_BAD, _DUMP, _DONE, _SIZE)):
            return None
        return top_of(cursor, _is_above, most=40)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        report, last = _Report(), first
        bad = 0
        for index, line in lines(cursor, first, _MOST):
            is_bad = _BAD.match(line)
            bad += is_bad is not None
            if index > last + _GAP or bad > 1 or (index > first and prompt_in(line)):
                break
            if line and not report.take(line):
                break
            if is_bad and line.endswith("fname =") and (name := cursor.line(index + 1)):
                report.values["file"] = name.strip()  # a mail broke it
            last = index if line else last
        return last, [self.counted("host", "", report.result(), prompt)]


def _is_above(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_SEED, _LARGEST, _BESIDE))
