"""e4defrag: how fragmented files and a file system are (-c), and what it put together.

Source: e2fsprogs 1.47, misc/e4defrag.c (main(): "Total/best extents", "Average size per extent",
"Fragmentation score", "Success: [ %u/%u ]"; file_statistic(), file_defrag(), defrag_fadvise()).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_VERSION = re.compile(r"\s*e4defrag (?P<version>\d[\w.+~-]{1,30}) \(\d{1,2}-\w{3,9}-\d{4}\)\s*$")
_HEAD = re.compile(r"\s*<(?:Fragmented files|File)>\s+now/best\s+size/ext\s*$")
_FIGURES = r"(?P<extents>\d{1,10})/(?P<best>\d{1,10}|-)\s+(?P<size>\d{1,15} KB|-)\s*$"
_ROW = re.compile(
    rf"\s*(?:\d{{1,3}}\. |\[\d{{1,10}}/\d{{1,10}}\])?(?P<file>\S.{{0,400}}?)\s+{_FIGURES}"
)
_NAME = re.compile(r"\s*(?:\d{1,3}\. |\[\d{1,10}/\d{1,10}\])?(?P<file>[./~].{0,400}?)\s*$")
_ONLY = re.compile(rf"\s*{_FIGURES}")
_TOTAL = re.compile(
    r"\s*Total/best extents\s+(?P<total_extents>\d{1,15})/(?P<best_extents>\d{1,15})\s*$"
)
_AVERAGE = re.compile(r"\s*Average size per extent\s+(?P<size>\d{1,15}) KB\s*$")
_SCORE = re.compile(r"\s*Fragmentation score\s+(?P<fragmentation_score>\d{1,9})\s*$")
_VERDICT = re.compile(
    r"\s*(?:This|In this) (?P<kind>device|directory|file) ?\((?P<name>.{1,300})\),? "
    r"(?P<verdict>does not need defragmentation|needs defragmentation|none can be defragmented"
    r"|can't be defragmented)\.\s*$"
)
_OF = re.compile(
    r"\s*ext4 defragmentation for (?:(?:device|directory)\((?P<name>.{1,300})\)"
    r"|(?P<file>/.{1,300}?|\.{1,2}/.{1,300}?|\S{1,200}))\s*$"
)
_PROGRESS = re.compile(
    r"\s*\[\d{1,10}/\d{1,10}\](?P<file>\S.{0,400}?):\s+(?P<share>\d{1,3})%"
    r"(?:\s+extents: (?P<before>\d{1,10}) -> (?P<after>\d{1,10}))?\s+\[ OK \]\s*$"
)
_COUNT = re.compile(
    r"\s*(?P<what>Success|Failure):\s+\[ ?(?P<count>\d{1,10})/(?P<files>\d{1,10}) ?\]\s*$"
)
_EXTENTS = re.compile(r"\s*Total extents:\s+(?P<before>\d{1,15})->(?P<after>\d{1,15})\s*$")
_SHARE = re.compile(r"\s*Fragmented percentage:\s+(?P<before>\d{1,3})%->(?P<after>\d{1,3})%\s*$")
_SILENT = re.compile(r"\s*(?:\[0-30 no problem: .{10,80}|Done\.)\s*$")
_BEGINS = (_HEAD, _TOTAL, _SCORE, _OF)
_FORMS = (
    _VERSION, _HEAD, _ONLY, _TOTAL, _AVERAGE, _SCORE, _VERDICT, _OF, _PROGRESS, _COUNT, _EXTENTS,
    _SHARE, _SILENT,
)  # fmt: skip
_KEPT = 400  # files


class E4defrag(StateOutput):
    tool = "e4defrag"
    anchors = (
        "now/best", "Total/best extents", "Fragmentation score", "ext4 defragmentation for ",
    )  # fmt: skip
    commands = ("e4defrag",)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(form.match(line) for form in _BEGINS):
            return None
        return top_of(cursor, lambda text: bool(_ROW.match(text)) or _is_own(text), most=20)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        report, last = _Report(), first
        for index, line in close_lines(cursor, first, 4000, gap=3):
            if prompt_in(line) or not report.takes(line):
                break
            last = index
            if _SILENT.match(line) and "Done." in line:
                break
        values = report.values
        if report.files:
            values["files"] = [*report.files[:_KEPT]]
        if not values.keys() - {"e4defrag_version"}:
            raise Unreadable("none of its figures can be read", last)
        return last, [self.counted("ext4", report.name.removeprefix("/dev/"), values, prompt)]


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in _FORMS)


class _Report:
    """What the lines of one argument have said so far."""

    def __init__(self) -> None:
        self.name = ""
        self.values: dict[str, Json] = {}
        self.files: list[Json] = []
        self._file = ""  # whose figures follow in the next line

    def takes(self, line: str) -> bool:
        """Whether a line is of the same report; what it says is kept."""
        if row := _ONLY.match(line) if self._file else _ROW.match(line):
            self._row(self._file or row["file"], row)
            self._file = ""
            return True
        if self._totals(line) or self._defragmented(line):
            return True
        if _HEAD.match(line) or _SILENT.match(line):
            return True
        name = _NAME.match(line)
        self._file = name["file"] if name else ""
        return name is not None

    def _row(self, file: str, row: re.Match[str]) -> None:
        values: dict[str, Json] = {"file": file, "extents": int(row["extents"])}
        if row["best"] != "-":
            values["best_extents"] = int(row["best"])
        if row["size"] != "-":
            values["extent_size"] = int(row["size"].split()[0]) * units.KIB
        self.files.append(values)

    def _totals(self, line: str) -> bool:
        for form in (_TOTAL, _SCORE):
            if match := form.match(line):
                self.values |= {name: int(text) for name, text in match.groupdict().items()}
                return True
        if average := _AVERAGE.match(line):
            self.values["average_extent_size"] = int(average["size"]) * units.KIB
        elif verdict := _VERDICT.match(line):
            self.name = verdict["name"]
            self.values["verdict"] = verdict["verdict"]
        elif version := _VERSION.match(line):
            self.values["e4defrag_version"] = version["version"]
        else:
            return False
        return True

    def _defragmented(self, line: str) -> bool:
        if (of := _OF.match(line)) and not self.name:
            self.name = of["name"] or of["file"]
        elif done := _PROGRESS.match(line):
            values: dict[str, Json] = {"file": done["file"], "done": int(done["share"]) / 100}
            if done["before"]:
                values |= {"extents_before": int(done["before"]), "extents": int(done["after"])}
            self.files.append(values)
        elif count := _COUNT.match(line):
            name = "defragmented_files" if count["what"] == "Success" else "failed_files"
            self.values |= {name: int(count["count"]), "all_files": int(count["files"])}
        elif extents := _EXTENTS.match(line):
            self.values |= {
                "extents_before": int(extents["before"]), "extents": int(extents["after"]),
            }  # fmt: skip
        elif share := _SHARE.match(line):
            self.values |= {
                "fragmented_before": int(share["before"]) / 100,
                "fragmented": int(share["after"]) / 100,
            }
        else:
            return False
        return True
