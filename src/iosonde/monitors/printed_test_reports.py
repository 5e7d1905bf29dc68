"""Reports of test runs: xfstests-bld (gce-xfstests, kvm-xfstests, kdevops), LTP and pynfs.

Source: xfstests-bld, gen_results_summary.py (print_header(), print_summary(), "Totals:");
LTP 20240930, lib/tst_test.c (print_result(), do_exit(): the summary), runltp and kirk ("Total
Failures:"); pynfs, nfs4.0/testmod.py, printresults().
"""

from __future__ import annotations

import re
from collections import Counter

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows, start_of, top_of

_HEAD = re.compile(
    r"\s*(?P<name>TESTRUNID|KERNEL|CMDLINE|CPUS|MEM|MNTOPTS|FSTEST[A-Z]{3}|GCE ID):\s{1,12}"
    r"(?P<value>\S.{0,400}?)\s*$"
)
_COUNT = r"\d{1,9}"
_CONFIG = re.compile(
    rf"\s*(?P<config>[a-z][\w.+-]{{0,40}}(?:/[\w.+-]{{1,40}}:?|:)) (?P<tests>{_COUNT}) tests, "
    rf"(?P<rest>(?:{_COUNT} (?:failures|errors|skipped), ){{0,3}})(?P<seconds>{_COUNT}) seconds\s*$"
)
_TOTALS = re.compile(
    rf"\s*Totals: (?P<tests>{_COUNT}) tests, (?P<skipped>{_COUNT}) skipped, "
    rf"(?P<failures>{_COUNT}) failures, (?P<errors>{_COUNT}) errors, (?P<seconds>{_COUNT})s\s*$"
)
_NAMED = re.compile(rf"({_COUNT}) (failures|errors|skipped)")
_TEST = r"[a-z][\w-]{1,20}/\d{3,4}"
_TEST_ROW = re.compile(
    rf"\s{{1,12}}(?P<test>{_TEST})\s{{1,12}}(?P<status>Pass|(?:Failed|Skipped|Error)"
    rf"(?:,(?:Failed|Skipped|Error)){{0,2}})\s{{1,12}}(?P<seconds>{_COUNT})s\s*$"
)
_LIST = re.compile(r"\s{1,12}(?P<name>Failures|Errors|Flaky): (?P<tests>\S.{0,4000}?)\s*$")
_FLAKY = re.compile(
    rf"(?P<test>{_TEST}):\s{{1,4}}\d{{1,3}}%\s{{1,4}}\((?P<failed>\d{{1,6}})/(?P<all>\d{{1,6}})\)"
)
_MORE = re.compile(
    rf"\s{{0,12}}{_TEST}(?::\s{{1,4}}\d{{1,3}}%.{{0,400}}|(?: {{1,4}}{_TEST}){{0,12}})\s*$"
)
_MOST = 6000


class XfstestsReport(StateOutput):
    tool = "xfstests-bld"
    anchors = ("TESTRUNID:", "CMDLINE: ", " tests, ", "FSTESTVER:")
    commands = ("gce-xfstests", "kvm-xfstests", "get-results", "cat")
    reach = 2
    nothing = "no tests follow"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _CONFIG.match(line) or _TOTALS.match(line):
            return top_of(cursor, _HEAD.match, most=12)
        below = cursor.block(cursor.at, 14)
        if not _HEAD.match(line) or not any(map(_CONFIG.match, below)):
            return None
        return start_of(cursor, _HEAD.match, most=6)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        about: dict[str, Json] = {}
        configs: dict[str, dict[str, Json]] = {}
        values: dict[str, Json] = {}
        last, held, name = first, "", ""
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            if head := _HEAD.match(line):
                name = head["name"].lower().replace(" ", "_")
                _note(about, name, head["value"])
            elif config := _CONFIG.match(line):
                values = configs.setdefault(config["config"].rstrip(":"), {})
                values |= {"tests": int(config["tests"]), "seconds": int(config["seconds"])}
                values |= {name: int(count) for count, name in _NAMED.findall(config["rest"])}
            elif totals := _TOTALS.match(line):
                about |= {name: int(count) for name, count in totals.groupdict().items()}
            elif row := _TEST_ROW.match(line):
                _note_test(values, row)
            elif tests := _LIST.match(line):
                held = tests["name"].lower()
                _note_list(values, held, tests["tests"])
            elif held and _MORE.match(line):
                _note_list(values, held, line)
            elif name and not configs and index == last + 1:
                about[name] = f"{about[name]} {line.strip()}"  # a mail broke it
            else:
                break
            last = index
        counters = [
            self.counted("test configuration", name, each, prompt) for name, each in configs.items()
        ]
        if about and (configs or "tests" in about):
            counters.insert(0, self.counted("host", "", about, prompt))
        return last, counters


def _note(values: dict[str, Json], name: str, value: str) -> None:
    """Adds a value; FSTESTVER has a line for each program."""
    if isinstance(held := values.get(name), list):
        held.append(value)
    else:
        values[name] = [value] if name == "fstestver" else value


def _note_test(values: dict[str, Json], row: re.Match[str]) -> None:
    """Adds the line of one test; the test may come several times."""
    seconds, results = values.setdefault("seconds_of", {}), values.setdefault("results", {})
    if isinstance(seconds, dict) and isinstance(results, dict):
        for table, value in ((seconds, int(row["seconds"])), (results, row["status"])):
            each = table.setdefault(row["test"], [])
            if isinstance(each, list):
                each.append(value)


def _note_list(values: dict[str, Json], name: str, text: str) -> None:
    """Adds tests that failed, always or at times: those with how often of how many."""
    if name == "flaky":
        flaky = values.setdefault("flaky", {})
        for match in _FLAKY.finditer(text):
            if isinstance(flaky, dict):
                flaky[match["test"]] = [int(match["failed"]), int(match["all"])]
        return
    listed = values.setdefault("failed_tests" if name == "failures" else "erroneous_tests", [])
    if isinstance(listed, list):
        listed += [part for part in fields(text) if re.fullmatch(_TEST, part)]


_RESULT = re.compile(
    r"\s*(?:(?P<file>[\w./-]{1,80}\.[ch]):\d{1,6}:|(?P<test>[A-Za-z][\w.-]{1,40})\s{1,8}\d{1,5})\s{1,4}"
    r"(?P<kind>TPASS|TFAIL|TBROK|TCONF|TWARN|TINFO|TDEBUG)\s{0,4}:\s{0,4}(?P<text>.{0,400}?)\s*$"
)
_SUMMED = re.compile(
    rf"\s*(?P<name>passed|failed|broken|skipped|warnings)\s{{1,4}}(?P<count>{_COUNT})\s*$"
)
_BESIDE = re.compile(
    r"\s*(?:Summary:|HINT: .{1,200}|https?://\S{1,200}|<<<\w{1,40}>>>|\w{1,30}=\S.{0,200})$"
)
_VERSION = re.compile(r"(?P<name>LTP version|Tested kernel): (?P<value>\S.{0,200})")
_TIMEOUT = re.compile(r"[Tt]imeout per run is (?P<h>\d{1,4})h (?P<m>\d{1,2})m (?P<s>\d{1,2})s")
_LISTED = 200
_STRANGE = 6  # lines that others write between


class Ltp(StateOutput):
    tool = "ltp"
    anchors = (
        "TPASS", "TFAIL", "TBROK", "TCONF", "TWARN", "TINFO", "passed  ", "broken  ",
    )  # fmt: skip
    commands = ("runltp", "kirk")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _RESULT.match(line):
            return cursor.at
        names = [
            match["name"] if (match := _SUMMED.match(each)) else ""
            for each in cursor.block(cursor.at, 5)
        ]
        return cursor.at if names[:3] == ["passed", "failed", "broken"] else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        lines_of = _LtpLines()
        last = first
        for index, line in lines(cursor, first, _MOST):
            if index > last + _STRANGE or (index > first and prompt_in(line)):
                break
            if lines_of.take(line):
                last = index
                if lines_of.is_over:
                    break
        values = lines_of.result()
        if not values:
            raise Unreadable("no result follows", last)
        return last, [self.counted("test", lines_of.name, values, prompt)]


class _LtpLines:
    """What the lines of one test have said so far."""

    def __init__(self) -> None:
        self.is_over = False
        self._values: dict[str, Json] = {}
        self._counts, self._files = Counter[str](), Counter[str]()
        self._texts: dict[str, list[Json]] = {}

    @property
    def name(self) -> str:
        """The test's name; empty where the lines are of several."""
        return next(iter(self._files)) if len(self._files) == 1 else ""

    def take(self, line: str) -> bool:
        """Whether a line is of a test; then it is noted."""
        if result := _RESULT.match(line):
            self._take_result(result)
        elif summed := _SUMMED.match(line):
            self._values[summed["name"]] = int(summed["count"])
            self.is_over = summed["name"] == "warnings"
        else:
            return _BESIDE.match(line) is not None
        return True

    def _take_result(self, result: re.Match[str]) -> None:
        kind, text = result["kind"], result["text"]
        self._counts[kind] += 1
        name = (result["file"] or "").rpartition("/")[2].removesuffix(".c") or result["test"]
        if not name.startswith("tst_"):
            self._files[name] += 1
        if about := _VERSION.match(text):
            self._values[about["name"].lower().replace(" ", "_")] = about["value"]
        elif after := _TIMEOUT.match(text):
            self._values["timeout"] = (
                3600 * int(after["h"]) + 60 * int(after["m"]) + int(after["s"])
            )
        elif kind != "TPASS" and len(self._texts.setdefault(kind, [])) < _LISTED:
            self._texts[kind].append(text)

    def result(self) -> dict[str, Json]:
        """Everything; empty where no line says a result."""
        if not self._counts and "passed" not in self._values:
            return {}
        values = dict(self._values)
        values |= {kind.lower(): count for kind, count in self._counts.items()}
        values |= {f"{kind.lower()}_texts": [*each] for kind, each in self._texts.items() if each}
        return values


_RUN_TOTAL = re.compile(
    r"\s*(?P<name>Suite name|Elapsed time|Total (?:Tests|Run|Failures|Warnings"
    r"|(?:Passed|Failed|Skipped|Broken) Tests)|Kernel Version|Machine Architecture|Hostname"
    r"|Distro(?: version)?):{1,2}\s{1,4}(?P<value>\S.{0,100}?)\s*$"
)


class LtpTotals(StateOutput):
    tool = "ltp totals"
    anchors = ("Machine Architecture: ",)
    commands = ("runltp", "kirk")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        first = top_of(cursor, _RUN_TOTAL.match, most=24)
        above = cursor.block(first, cursor.at - first)
        return first if any("Total " in line for line in above) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        totals, last = close_rows(cursor, first, _RUN_TOTAL.match, 30)
        for match in totals:
            name = match["name"].lower().replace(" ", "_")
            values[name] = int(match["value"]) if match["value"].isdecimal() else match["value"]
            if name == "elapsed_time" and (
                seconds := re.fullmatch(r"(\d{1,9}\.\d) s", match["value"])
            ):
                values[name] = float(seconds[1])
        return last, [self.counted("host", "", values, prompt)]


_ASKED = re.compile(
    rf"\s*(?:Command line asked for (?P<run>{_COUNT}) of (?P<of>{_COUNT}) tests"
    rf"|Tests interrupted! Only (?P<only>{_COUNT}) tests run)\s*$"
)
_OF_THOSE = re.compile(
    rf"\s*Of those: (?P<skipped>{_COUNT}) Skipped, (?P<failed>{_COUNT}) Failed, "
    rf"(?P<warned>{_COUNT}) Warned, (?P<passed>{_COUNT}) Passed\s*$"
)
_PYNFS_TEST = re.compile(
    r"\s*(?P<code>[A-Z][A-Za-z0-9]{1,12})\s{1,12}(?P<name>\w{1,40}\.\w{1,80})\s{1,60}"
    r": (?P<status>[A-Z ]{4,24})$"
)
_STARS = re.compile(r"\s*\*{30,60}\s*$")


class Pynfs(StateOutput):
    tool = "pynfs"
    anchors = ("Of those: ",)
    commands = ("testserver.py", "./testserver.py")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _OF_THOSE.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, _is_of_pynfs)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        failed = dict[str, Json]()
        for line in cursor.block(first, cursor.at - first + 1):
            if asked := _ASKED.match(line):
                values |= {name: int(count) for name, count in asked.groupdict().items() if count}
            elif counts := _OF_THOSE.match(line):
                values |= {name: int(count) for name, count in counts.groupdict().items()}
            elif (test := _PYNFS_TEST.match(line)) and test["status"] in {"FAILURE", "WARNING"}:
                failed[test["code"]] = test["name"]
        if failed:
            values["failures"] = failed
        return cursor.at, [self.counted("host", "", values, prompt)]


def _is_of_pynfs(line: str) -> bool:
    return (
        _ASKED.match(line) is not None
        or _STARS.match(line) is not None
        or _PYNFS_TEST.match(line) is not None
        or line.startswith("      ")
    )
