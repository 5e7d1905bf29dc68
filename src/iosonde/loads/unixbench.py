"""UnixBench's report, and results of the Phoronix Test Suite as it prints them, as counters.

Their figures are of programs; those of files too are of the page cache as much as of a device.
What the Phoronix Test Suite prints keeps the unit that stands beside it, as each test has its own.

Source: byte-unixbench 5.1.3 and 6.0, UnixBench/Run, summarizeRun() and displaySystem() ("%d CPUs in
system; running %d parallel copies of tests", a score, its unit and "(%.1f s, %d samples)"; then the
index with baseline, result and index), src/fstime.c (KBps: of 1024 bytes); Phoronix Test Suite 10,
pts-core/objects/client/display_modes/pts_concise_display_mode.php, test_run_end() (what was chosen
of the test or "Test Results", each run's result, then "Average: ", "Minimum: ", "Deviation: " of
more than two; a test with several figures has one such part for each).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_N = r"\d{1,15}(?:\.\d{1,4})?"
_COPIES = re.compile(
    r"\s*(?P<cpus>\d{1,5}) CPUs? in system; running (?P<copies>\d{1,5}) parallel cop(?:y|ies) of"
    r" tests\s*$"
)
_NAME = r"(?P<name>[A-Z][\w .,()/-]{3,60}?)"
_SCORE = re.compile(
    rf"\s*{_NAME} {{1,60}}(?P<score>{_N}) (?P<unit>lps|lpm|MWIPS|KBps|MFLOPS|fps|gfps)"
    rf" +\((?P<seconds>{_N}) s, (?P<samples>\d{{1,4}}) samples?\)\s*$"
)
_HEAD = re.compile(
    r"\s*System Benchmarks (?:Index Values|Partial Index) +BASELINE +RESULT +INDEX\s*$"
)
_INDEX = re.compile(
    rf"\s*{_NAME} {{1,60}}(?P<baseline>{_N}) +(?P<result>{_N}) +(?P<index>{_N})\s*$"
)
_TOTAL = re.compile(
    rf"\s*System Benchmarks Index Score(?P<partial> \(Partial Only\))? +(?P<index>{_N})\s*$"
)
_RULE = re.compile(r"\s*[=-]{6,80}\s*$")
_MOST = 80


class UnixBench(StateOutput):
    tool = "UnixBench"
    anchors = (" parallel copies of tests", " parallel copy of tests", "System Benchmarks Index",
               "System Benchmarks Partial")  # fmt: skip
    commands = ("Run", "./Run", "unixbench", "unixbench.sh")
    nothing = "no score follows"
    beginnings = (_COPIES, _HEAD)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        tests, last, is_index = dict[str, dict[str, Json]](), first, False
        run: dict[str, Json] = {}
        whole: dict[str, Json] = {}
        for index, line in close_lines(cursor, first, _MOST, gap=4):
            if copies := _COPIES.match(line):
                if run or tests:
                    break  # the next run's
                run = {"copies": int(copies["copies"])}
                whole = {"cpus": int(copies["cpus"]), **run}
            elif total := _TOTAL.match(line):
                name = "index_of_part" if total["partial"] else "index"
                whole[name] = float(total["index"])
                last = index
                break
            elif _HEAD.match(line):
                is_index = True
            elif is_index and (row := _INDEX.match(line)):
                tests.setdefault(row["name"], {}).update(
                    index=float(row["index"]), baseline=float(row["baseline"])
                )
            elif not is_index and (row := _SCORE.match(line)):
                tests[row["name"]] = run | _of_score(row)
            elif not _RULE.match(line):
                break
            last = index
        counters = [self.counted("operation", *each, prompt) for each in tests.items()]
        if tests and whole:
            counters.append(self.counted("host", "", whole, prompt))
        return last, counters


_UNITS = {"lps": ("operations_per_second", 1.0), "lpm": ("operations_per_second", 1 / 60),
          "KBps": ("bandwidth", float(units.KIB)), "MWIPS": ("mwips", 1.0),
          "MFLOPS": ("mflops", 1.0), "fps": ("frames_per_second", 1.0),
          "gfps": ("frames_per_second", 1.0)}  # fmt: skip


def _of_score(row: re.Match[str]) -> dict[str, Json]:
    """A score in operations, bytes or what it is, a second; how long it took, how often."""
    name, scale = _UNITS[row["unit"]]
    return {
        name: round(float(row["score"]) * scale, 6), "seconds": float(row["seconds"]),
        "samples": int(row["samples"]),
    }  # fmt: skip


_TEST = re.compile(
    r"\s*(?P<test>(?:pts|system|local)/[a-z][\w.-]{1,60})(?: \[(?P<arguments>.{1,300})\])?\s*$"
)
_AVERAGE = re.compile(
    rf"\s*(?P<what>Average|Result): (?P<value>{_N})(?: (?P<unit>\S.{{0,40}}?))?\s*$"
)
_EXTREME = re.compile(
    rf"\s*(?P<what>Minimum|Maximum|Samples): (?P<value>{_N})(?: \S.{{0,40}})?\s*$"
)
_DEVIATION = re.compile(rf"\s*Deviation: (?P<share>{_N})%\s*$")
_RESULT = re.compile(rf"\s*(?P<value>{_N})\s*$")
_OWN = re.compile(
    r"\s*(?:Test \d{1,4} of \d{1,4}|Estimated |Started Run \d|Running |Trial Run Count|Comparison "
    r"|[\[|].{0,200}[|\]]\s*$|.{0,160}\^|Compared to |Note: )"
)
_LABEL = re.compile(r"\s*(?P<label>[A-Z].{0,300}):\s*$")


class PhoronixResult(StateOutput):
    """A test of `phoronix-test-suite benchmark`: results, their average, each figure of it."""

    tool = "phoronix-test-suite"
    anchors = ("    pts/", "    system/", "    local/")
    commands = ("phoronix-test-suite",)
    reach = 6
    nothing = "no average follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _TEST.match(cursor.line(cursor.at)):
            return None
        below = [line for _, line in close_lines(cursor, cursor.at + 1, 3)]
        return cursor.at if any(map(_OWN.match, below)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        test = _TEST.match(cursor.line(first))
        figures, last = list[dict[str, Json]](), first
        label, results = "", list[Json]()
        for index, line in close_lines(cursor, first + 1, _MOST, gap=4):
            if result := _RESULT.match(line):
                results.append(float(result["value"]))
            elif average := _AVERAGE.match(line):
                figures.append({"average": float(average["value"]), **_kept(label, results)})
                if average["unit"]:
                    figures[-1]["unit"] = average["unit"]
                results = []
            elif figures and (deviation := _DEVIATION.match(line)):
                figures[-1]["deviation"] = round(float(deviation["share"]) / 100, 8)
            elif figures and (extreme := _EXTREME.match(line)):
                figures[-1][extreme["what"].lower()] = float(extreme["value"])
            elif prompt_in(line) or _TEST.match(line):
                break
            elif head := _LABEL.match(line):
                label, results = head["label"], []
            elif not _OWN.match(line):
                break
            last = index
        name = test["test"] if test else ""
        return last, [self.counted("test", name, values, prompt) for values in figures]


def _kept(label: str, results: list[Json]) -> dict[str, Json]:
    """What was chosen of a test, as a label says it, and each run's result."""
    values: dict[str, Json] = {"results": results} if results else {}
    return values if label in {"", "Test Results"} else {"options": label, **values}
