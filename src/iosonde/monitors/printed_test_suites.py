"""blktests: which tests of block devices passed, failed and were not run, and what they measured.

Source: blktests, check (_output_status(): the name in 60 columns, then the status;
_output_test_run(): what a test measured, in the run before and in this one; a reason below a test
that was not run, the difference below one that failed).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_TEST = re.compile(
    r"\s*(?P<test>[a-z][\w-]{1,20}/(?:\d{3}|\*{3}))(?: => (?P<device>[\w!/-]{1,40}))?"
    r"(?: \([^()]{1,60}\)){0,2}(?: \((?P<what>.{3,120}?)\))?\s{1,60}"
    r"\[(?P<status>passed|failed|not run)\]\s*$"
)
_BEGUN = re.compile(r"\s*[a-z][\w-]{1,20}/\d{3}(?: => [\w!/-]{1,40})? \([^\[\]]{3,160}$")
_MEASURED = re.compile(
    r"\s+(?P<key>[a-z][\w/%()-]{0,30}(?: [\w/%()-]{1,30}){0,4}?)\s{1,40}"
    r"(?:(?P<before>[\d.-][\w.%/-]{0,30})\s{1,40})?\.\.\.\s{1,40}(?P<now>[\d.-][\w.%/-]{0,30})\s*$"
)
_OPENS = re.compile(r"\s+(?:--- |@@ )")
_CLOSES = re.compile(r"\s+\(Run '")
_DEEP = ("   ", "\t")  # one of four blanks goes with a host's name
_MOST = 3000
_GAP = 4  # lines from one to the next, with blank ones between
_BROKEN = 40  # where a mail broke the lines of a difference


@dataclass(slots=True)
class _Tests:
    """What became of the tests so far."""

    results: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, Json] = field(default_factory=dict)
    earlier: dict[str, Json] = field(default_factory=dict)
    measured: dict[str, dict[str, Json]] = field(default_factory=dict)
    reasons: dict[str, Json] = field(default_factory=dict)
    name: str = ""

    def take_test(self, match: re.Match[str]) -> None:
        """Notes a test with its status."""
        self.name = " ".join(filter(None, (match["test"], match["device"])))
        self.results[self.name] = match["status"]

    def take_measured(self, match: re.Match[str]) -> None:
        """Notes what a test measured."""
        now, earlier = _figure(match["now"]), _figure(match["before"] or "")
        if match["key"] == "runtime" and isinstance(now, float):
            self.seconds[self.name] = now
            if earlier is not None:
                self.earlier[self.name] = earlier
            return
        figures = self.measured.setdefault(self.name, {})
        figures[match["key"]] = now
        if earlier is not None:
            figures[f"{match['key']} before"] = earlier

    def values(self) -> dict[str, Json]:
        """Everything, by names of our own."""
        values: dict[str, Json] = {}
        for status in ("passed", "failed", "not run"):
            values[status.replace(" ", "_")] = sum(each == status for each in self.results.values())
        failures: list[Json] = [test for test, each in self.results.items() if each == "failed"]
        if failures:
            values["failures"] = failures
        for name, each in (
            ("seconds", self.seconds), ("seconds_before", self.earlier),
            ("measured", {**self.measured}), ("not_run_because", self.reasons),
        ):  # fmt: skip
            if each:
                values[name] = dict(each)
        return values


def _figure(text: str) -> Json:
    """A figure as a number, a time in seconds; what has another unit as it stands there."""
    if not text:
        return None
    if re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,18}(?:\.\d{1,9})?s?", text):
        return float(text.removesuffix("s"))
    return text


def _test_at(cursor: TextCursor, index: int) -> tuple[re.Match[str], int] | None:
    """The test that begins in a line, and the index of its last one: a mail may have broken it."""
    line = cursor.line(index)
    if match := _TEST.match(line):
        return match, index
    below = cursor.line(index + 1)
    if not _BEGUN.match(line) or _TEST.match(below):
        return None
    match = _TEST.match(f"{line.rstrip()} {below.strip()}")
    return (match, index + 1) if match else None


class BlockTests(StateOutput):
    tool = "blktests"
    anchors = ("[passed]", "[failed]", "[not run]")
    commands = ("check", "./check")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in (cursor.at, cursor.at - 1):
            if (test := _test_at(cursor, index)) and test[1] == cursor.at:
                return index
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        tests, last, gap, above = _Tests(), first - 1, _GAP, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + gap:
                break
            if index <= last or not line:
                above = line
                continue
            if test := _test_at(cursor, index):
                tests.take_test(test[0])
                last, gap, above = test[1], _GAP, line
                continue
            if measured := _MEASURED.match(line):
                tests.take_measured(measured)
            elif not (_BEGUN.match(line) or line.startswith(_DEEP)):
                if gap == _GAP or not above or prompt_in(line):
                    break
                above = line
                continue
            elif tests.results[tests.name] == "not run" and line.startswith(_DEEP):
                tests.reasons.setdefault(tests.name, line.strip())
            gap = _BROKEN if _OPENS.match(line) else _GAP if _CLOSES.match(line) else gap
            last, above = index, line
        if not tests.results:
            raise Unreadable("no test follows", last)
        return last, [self.counted("host", "", tests.values(), prompt)]
