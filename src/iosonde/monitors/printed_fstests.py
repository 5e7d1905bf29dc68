"""fstests: which tests of file systems passed, failed and were not run, and their seconds.

Source: xfstests-dev, check (run_section(): the lines about what is tested, one line per test with
its seconds in the run before and in this one, or why it failed; -T puts times before them;
_wrapup(): "Ran:", "Not run:", "Failures:", "Failed N of M tests"; _summary() repeats them by
section; loop_dump(): "aggregate results across N runs"). Whether M counts tests that were not run
depends on the version.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.layers import FSTYPES
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, before
from iosonde.text.torn import is_full

_NAME = r"[a-z][a-z\d_-]{1,20}/\d{3,4}(?:-[a-z][a-z\d-]{1,60})?"
_ABOUT = re.compile(
    r"\s*(?P<name>SECTION|FSTYP|PLATFORM|MKFS_OPTIONS|MOUNT_OPTIONS|RECREATING)\s{0,12}"
    r"-- ?(?P<value>.{0,300}?)\s*$"
)
_CLOCK = r"\[\d\d:\d\d:\d\d\]"
_ROW = re.compile(
    rf"\s*(?P<test>{_NAME})(?:\s{{1,20}}(?P<before>\d{{1,6}})s \.\.\.)?"
    rf"(?:\s{{1,20}}{_CLOCK}){{0,2}}(?:(?:\s{{1,20}}|(?<=[\].]))(?P<rest>\S.{{0,400}}?))?\s*$"
)
_RESULT = re.compile(
    r"(?P<seconds>\d{1,6})s$|\[(?P<left>not run|expunged)\]\s{0,4}(?P<reason>.{0,300})$"
    r"|\[failed, exit status (?P<status>\d{1,3})\]|\[dumped core\]|- output mismatch(?: |$)"
    r"|- no (?:qualified output|such test\?)|_check_\w{2,30}: "
)
_REST = re.compile(rf"(?:\s{{1,4}}{_CLOCK}){{0,2}}\s{{0,20}}(?P<rest>\S.{{0,400}}?)\s*$")
_LATER = re.compile(rf"\s{{1,20}}(?P<test>{_NAME}) -- (?P<reason>.{{1,300}}?)\s*$")
_CHECKED = re.compile(r"_check_\w{2,30}: \S")
_SUMMED = re.compile(r"\s*(?P<name>Ran|Not run|Failures):(?:\s{1,4}(?P<tests>\S.{0,8000}?))?\s*$")
_END = re.compile(
    r"\s*(?:Passed all (?P<all>\d{1,6}) tests|Failed (?P<failed>\d{1,6}) of (?P<of>\d{1,6}) tests)"
    r"\s*$"
)
_RUNS = re.compile(
    rf"\s*(?P<test>{_NAME}) aggregate results across (?P<runs>\d{{1,6}}) runs: "
    r"(?P<rest>.{4,200})$"
)
_STATUS = re.compile(r"(?P<name>[a-z_]{2,20})=(?P<count>\d{1,6}) \(")
_FURNITURE = re.compile(r"\s*(?:={5,80}|Xunit report: .{1,300}|Interrupted!)$")
_DIFFERENCE = re.compile(r"\s+(?:---|\+\+\+|@@|[+-]|\.\.\.|\(Run |\(see |'diff |HINT: ).{0,400}$")
_SEE = re.compile(r"\s*\((?:see|Run) .{1,400}$")
_PLATFORM = re.compile(r"\bSMP\b|\bPREEMPT|\d\d:\d\d:\d\d|\b\d{4}$")
_DEEP = ("   ", "\t")  # one of four blanks goes with a host's name
_MOST = 6000
_GAP = 4  # lines from one to the next, with blank ones between
_BROKEN = 40  # where a mail broke the lines of a difference, or a program wrote between
_NARROW = 60
_SUITES = (*dict.fromkeys(FSTYPES.values()), "ceph", "cifs", "f2fs", "generic", "overlay", "shared")


@dataclass(slots=True, eq=False)
class _Suite:
    """What one run of tests has printed so far."""

    about: dict[str, Json] = field(default_factory=dict)
    rows: list[tuple[str, str]] = field(default_factory=list)
    seconds: dict[str, list[Json]] = field(default_factory=dict)
    earlier: dict[str, Json] = field(default_factory=dict)
    statuses: dict[str, Json] = field(default_factory=dict)
    reasons: dict[str, Json] = field(default_factory=dict)
    summed: dict[str, list[str]] = field(default_factory=dict)
    listed: list[Json] = field(default_factory=list)
    runs: dict[str, Json] = field(default_factory=dict)
    of: tuple[int, int] | None = None
    """Tests that failed, and those in all, as the last line counts them."""

    def named(self, name: str) -> list[str]:
        """The tests that a list at the end names."""
        return _names(self.summed.get(name, [])) or []

    def _results(self) -> list[tuple[str, str]]:
        """Each test with what became of it, by its line and by the lists at the end."""
        rows = list(self.rows)
        for status, name in (("failed", "Failures"), ("not run", "Not run")):
            for test in self.named(name):
                places = [place for place, row in enumerate(rows) if row[0] == test]
                if not places:
                    rows.append((test, status))
                elif all(rows[place][1] != status for place in places):
                    rows[places[-1]] = (test, status)
        if self.of is not None:
            have = {test for test, _ in rows}
            rows += [(test, "passed") for test in self.named("Ran") if test not in have]
        return rows

    def _counts(self, rows: Sequence[tuple[str, str]]) -> dict[str, Json]:
        """How many tests passed, failed and were not run, where no line of them was cut off."""
        counts = Counter(status for _, status in rows)
        counted: dict[str, Json] = {
            status.replace(" ", "_"): counts[status] for status in ("passed", "failed", "not run")
        }
        if self.of is None:
            return counted if self.rows else {name: each for name, each in counted.items() if each}
        ran = counts["passed"] + counts["failed"]
        whole = {(counts["failed"], ran), (counts["failed"], ran + counts["not run"])}
        if not rows or self.of not in whole:
            counted = {"failed": self.of[0]}
        return {"tests": self.of[1], **counted}

    def values(self) -> dict[str, Json]:
        """Everything, by names of our own."""
        rows = self._results()
        by = {
            status: [test for test, result in rows if result == status]
            for status in ("expunged", "unfinished", "failed")
        }
        lists: dict[str, Sequence[Json]] = {
            "unfinished": by["unfinished"],
            "failures": list(dict.fromkeys(by["failed"])),
            "ran": self.named("Ran") if self.of is None and not self.rows else [],
            "listed": [] if rows else self.listed,
        }
        several = {test: each[0] if len(each) == 1 else each for test, each in self.seconds.items()}
        tables: dict[str, dict[str, Json]] = {
            "seconds": {**several}, "seconds_before": self.earlier,
            "exit_statuses": self.statuses, "not_run_because": self.reasons, "runs": self.runs,
        }  # fmt: skip
        return {
            **self.about,
            **self._counts(rows),
            **({"expunged": len(by["expunged"])} if by["expunged"] else {}),
            **{name: [*each] for name, each in lists.items() if each},
            **{name: {**each} for name, each in tables.items() if each},
        }


def _names(texts: Sequence[str]) -> list[str] | None:
    """The tests that the lines of a list name, where only tests are named; a wrap may tear them."""
    tests: list[str] = []
    torn = ""
    for part in fields(" ".join(texts)):
        if re.fullmatch(_NAME, torn + part):
            tests.append(torn + part)
            torn = ""
        elif torn:
            return None
        else:
            torn = part
    return None if torn or not tests else tests


class _Reading:
    """Takes the lines of an output one after the other."""

    def __init__(self) -> None:
        self.suites: list[_Suite] = [_Suite()]
        self._option = self._list = self._open = ""
        self._difference = False
        self._width = 0

    @property
    def gap(self) -> int:
        """Lines that may stand between the last one and the next."""
        return _BROKEN if self._open or self._difference else _GAP

    @property
    def _suite(self) -> _Suite:
        return self.suites[-1]

    def take(self, line: str, *, adjacent: bool) -> bool:
        """Whether a line belongs to the output; then it is noted.

        Args:
            line: a clean one that is not blank.
            adjacent: it stands directly below the last one.
        """
        own = (
            self._take_about(line)
            or self._take_test(line)
            or self._take_sum(line, adjacent=adjacent)
            or self._take_option(line, adjacent=adjacent)
            or self._take_reason(line, adjacent=adjacent)
            or self._take_rest(line)
        )
        self._width = len(line)
        return own

    def _take_about(self, line: str) -> bool:
        about = _ABOUT.match(line)
        if about is None:
            return False
        option = about["name"].lower()
        suite = self._suite
        if option in suite.about or suite.rows or suite.of or suite.listed:
            self.suites.append(self._repeated(about) or _Suite())
        self._suite.about[option] = about["value"]
        self._option, self._list, self._open, self._difference = option, "", "", False
        return True

    def _repeated(self, about: re.Match[str]) -> _Suite | None:
        """The tests of a section that the lines at the end sum up once more."""
        for suite in self.suites:
            if about["name"] == "SECTION" and suite.about.get("section") == about["value"]:
                suite.of, suite.summed = None, {}
                return suite
        return None

    def _take_test(self, line: str) -> bool:
        if runs := _RUNS.match(line):
            each = {match["name"]: int(match["count"]) for match in _STATUS.finditer(runs["rest"])}
            self._suite.runs[runs["test"]] = {"all": int(runs["runs"]), **each}
            return True
        row = _ROW.match(line)
        if row is None:
            return False
        result = _RESULT.match(row["rest"] or "")
        if result is None and not row["before"] and (row["rest"] or not self._suite.about):
            return False
        self._option = self._list = ""
        if self._suite.of:
            self.suites.append(_Suite())
        if result is None and not row["before"]:
            self._suite.listed.append(row["test"])
            return True
        if row["before"]:
            self._suite.earlier[row["test"]] = int(row["before"])
        self._suite.rows.append((row["test"], "unfinished"))
        self._open = row["test"]
        if result:
            self._conclude(result)
        return True

    def _conclude(self, result: re.Match[str]) -> None:
        """Notes what became of the last test."""
        suite, test = self._suite, self._open
        status = "failed"
        if result["seconds"]:
            status = "passed"
            suite.seconds.setdefault(test, []).append(int(result["seconds"]))
        elif result["left"]:
            status = result["left"]
            if result["reason"]:
                suite.reasons[test] = result["reason"]
        elif result["status"]:
            suite.statuses[test] = int(result["status"])
        suite.rows[-1] = (test, status)
        self._open = ""
        text = result.string
        self._difference = "- output mismatch" in text or ("(see" in text and text[-1] != ")")

    def _take_sum(self, line: str, *, adjacent: bool) -> bool:
        if end := _END.match(line):
            failed, of = (0, end["all"]) if end["all"] else (end["failed"], end["of"])
            self._suite.of = int(failed), int(of)
        elif summed := _SUMMED.match(line):
            self._list = summed["name"]
            if self._suite.of:
                self.suites.append(_Suite())
            self._suite.summed[self._list] = [summed["tests"]] if summed["tests"] else []
            self._option, self._open, self._difference = "", "", False
            return True
        elif self._list and adjacent and _are_names(line):
            self._suite.summed[self._list].append(line.strip())
            return True
        else:
            return False
        self._option, self._list, self._open, self._difference = "", "", "", False
        return True

    def _take_option(self, line: str, *, adjacent: bool) -> bool:
        """The rest of a line about what is tested, where a mail broke it."""
        if not self._option or not adjacent or self._suite.rows:
            return False
        torn = is_full(self._width, line, _NARROW)
        if not self._option.endswith("_options") and not (torn or _PLATFORM.search(line)):
            return False
        self._suite.about[self._option] = f"{self._suite.about[self._option]} {line.strip()}"
        return True

    def _take_reason(self, line: str, *, adjacent: bool) -> bool:
        """The rest of why a test was not run, where a mail broke its line."""
        test, status = self._suite.rows[-1] if self._suite.rows else ("", "")
        if status != "not run" or not adjacent or self._list or _FURNITURE.match(line):
            return False
        torn = is_full(self._width, line, _NARROW)
        reason = self._suite.reasons.get(test)
        if torn and isinstance(reason, str) and not line[:1].isspace():
            self._suite.reasons[test] = f"{reason} {line}"
            return True
        return False

    def _take_rest(self, line: str) -> bool:
        suite = self._suite
        if self._open and (rest := _REST.match(line)) and (result := _RESULT.match(rest["rest"])):
            self._conclude(result)
            return True
        if suite.rows and _CHECKED.match(line):
            suite.rows[-1] = (suite.rows[-1][0], "failed")
            return True
        if suite.rows and (later := _LATER.match(line)):
            suite.reasons[later["test"]] = later["reason"]
            return True
        if _FURNITURE.match(line):
            return bool(suite.about or suite.rows or suite.of)
        if suite.rows and _SEE.match(line):
            self._difference = not line.endswith(")")  # else a mail broke it
            return True
        return bool(suite.rows) and _is_detail(line)


def _are_names(line: str) -> bool:
    """Whether a line may be a part of a list of tests."""
    return all("/" in part or len(part) < 20 for part in fields(line)) and (
        re.search(_NAME, line) is not None
        or re.fullmatch(r"\s*[a-z\d/]{1,20}\s*", line) is not None
    )


def _is_detail(line: str) -> bool:
    """Whether a line stands below a test: why it was not run, what differs."""
    return line.startswith(_DEEP) or _DIFFERENCE.match(line) is not None


def _begins(cursor: TextCursor, line: str) -> bool:
    """Whether an output of which the head is missing begins in a line."""
    if summed := _SUMMED.match(line):
        tests = [summed["tests"] or ""]
        below = cursor.line(cursor.at + 1)
        return bool(_names(tests) or (_are_names(below) and _names([*tests, below])))
    if _END.match(line) or _RUNS.match(line):
        return True
    row = _ROW.match(line)
    result = row and _RESULT.match(row["rest"] or "")
    if row is None or not result:
        return False
    if row["before"] or not result["seconds"] or re.search(r"\d(?:\s{2,}|\t)", line):
        return True
    above = cursor.line(before(cursor, cursor.at))
    return not above or above.endswith(":") or not cursor.line(cursor.at - 1)


class FsTests(StateOutput):
    tool = "fstests"
    anchors = (
        "FSTYP ", "PLATFORM ", "SECTION ", "Passed all ",
        *(f"Failed {digit}" for digit in range(1, 10)),
        *(f"{suite}/{digit}" for suite in _SUITES for digit in range(10)),
    )  # fmt: skip
    commands = ("check", "./check")
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        return cursor.at if _ABOUT.match(line) or _begins(cursor, line) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        reading, last, above = _Reading(), first, ""
        for index, line in lines(cursor, first, _MOST):
            if index > last + reading.gap:
                break
            if line and reading.take(line, adjacent=index <= last + 1):
                last = index
            elif line and (reading.gap == _GAP or not above or prompt_in(line)):
                break
            above = line
        suites = [suite.values() for suite in dict.fromkeys(reading.suites)]
        counters = [self.counted("host", "", values, prompt) for values in suites if values]
        if not counters:
            raise Unreadable("no test follows", last)
        return last, counters
