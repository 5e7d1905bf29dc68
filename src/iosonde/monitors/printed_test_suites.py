"""fstests and blktests: which tests of file systems and block devices passed, and their seconds.

Source: xfstests-dev, check (_expunge_test(), _stash_fail_loop_files(), _summary(): "Ran:",
"Failures:", "Passed all N tests"); blktests, check (_output_status(), _output_runtime(): the
runtime of the run before, then of this one).
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_ABOUT = re.compile(
    r"\s*(?P<name>SECTION|FSTYP|PLATFORM|MKFS_OPTIONS|MOUNT_OPTIONS|RECREATING)\s{0,12}"
    r"-- ?(?P<value>.{0,300}?)\s*$"
)
_TEST = re.compile(
    r"\s*(?P<test>[a-z][\w-]{1,20}/\d{3,4})(?:\s{1,20}(?P<before>\d{1,6})s \.\.\.)?\s{1,20}"
    r"(?:(?P<seconds>\d{1,6})s|(?P<rest>\[not run\].{0,200}|\[expunged\]|\[failed.{0,200}"
    r"|- output mismatch.{0,200}|_check_\w{2,30}: .{0,200}))\s*$"
)
_SUMMED = re.compile(r"\s*(?P<name>Ran|Not run|Failures): (?P<tests>[\w/ -]{5,8000})$")
_END = re.compile(r"\s*(?:Passed all \d{1,6} tests|Failed \d{1,6} of \d{1,6} tests)\s*$")
_DIFFERENCE = re.compile(r"\s+(?:---|\+\+\+|@@|[+-]|\.\.\.|\(Run |\(see |'diff |HINT: ).{0,400}$")
_BLOCK_TEST = re.compile(
    r"\s*(?P<test>[a-z][\w-]{1,20}/(?:\d{3}|\*{3}))(?: => (?P<device>[\w!/-]{1,40}))?"
    r"(?: \([^()]{1,60}\)){0,2} \((?P<what>.{3,120}?)\)\s{1,60}"
    r"\[(?P<status>passed|failed|not run)\]\s*$"
)
_RUNTIME = re.compile(
    r"\s+runtime\s{1,4}(?:(?P<before>\d{1,6}\.\d{3})s)?\s{1,4}\.\.\.\s{1,4}"
    r"(?P<seconds>\d{1,6}\.\d{3})s\s*$"
)
_MOST = 3000
_GAP = 4  # lines from one to the next, with blank ones between


class FsTests(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "fstests"
    anchors: ClassVar[tuple[str, ...]] = ("FSTYP ", "PLATFORM ")
    commands: ClassVar[tuple[str, ...]] = ("check", "./check")
    reach: ClassVar[int] = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _ABOUT.match(cursor.line(cursor.at) or "") else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        results: dict[str, str] = {}
        seconds: dict[str, Json] = {}
        last, option = first, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + _GAP or (index > first and prompt_in(line)):
                break
            if about := _ABOUT.match(line):
                option = about["name"].lower()
                values[option] = about["value"]
            elif test := _TEST.match(line):
                results[test["test"]] = _result(test)
                if test["seconds"]:
                    seconds[test["test"]] = int(test["seconds"])
            elif option.endswith("_options") and not results and line and index == last + 1:
                values[option] = f"{values[option]} {line.strip()}"  # a mail broke it
            elif summed := _SUMMED.match(line):
                for name in fields(summed["tests"]) if summed["name"] == "Failures" else ():
                    results[name] = "failed"
            elif line and not _END.match(line) and not (results and _is_detail(line)):
                break
            last = index if line else last
        return last, [self.counted("host", "", values | _counted(results, seconds), prompt)]


class BlockTests(StateOutput):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "blktests"
    anchors: ClassVar[tuple[str, ...]] = ("[passed]", "[failed]", "[not run]")
    commands: ClassVar[tuple[str, ...]] = ("check", "./check")
    reach: ClassVar[int] = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _BLOCK_TEST.match(cursor.line(cursor.at) or "") else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        results: dict[str, str] = {}
        seconds: dict[str, Json] = {}
        last, name = first, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + _GAP or (index > first and prompt_in(line)):
                break
            if test := _BLOCK_TEST.match(line):
                name = " ".join(filter(None, (test["test"], test["device"])))
                results[name] = test["status"]
            elif runtime := _RUNTIME.match(line):
                seconds[name] = float(runtime["seconds"])
            elif line and not _is_detail(line):
                break
            last = index if line else last
        if not results:
            raise Unreadable("no test follows", last)
        return last, [self.counted("host", "", _counted(results, seconds), prompt)]


def _is_detail(line: str) -> bool:
    """Whether a line stands below a test: why it was not run, what differs."""
    return line.startswith(("    ", "\t")) or _DIFFERENCE.match(line) is not None


def _result(test: re.Match[str]) -> str:
    """What became of a test, as blktests says it."""
    rest = test["rest"] or ""
    if rest.startswith(("[not run]", "[expunged]")):
        return "not run"
    return "failed" if rest else "passed"


def _counted(results: dict[str, str], seconds: dict[str, Json]) -> dict[str, Json]:
    """How many tests passed, failed and were not run, which failed, and seconds by test."""
    values: dict[str, Json] = {}
    for status in ("passed", "failed", "not run"):
        values[status.replace(" ", "_")] = sum(each == status for each in results.values())
    failures: list[Json] = [name for name, status in results.items() if status == "failed"]
    if failures:
        values["failures"] = failures
    if seconds:
        values["seconds"] = seconds
    return values if results else {}
