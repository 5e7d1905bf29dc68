"""restic: snapshots, what a backup did, statistics, checks.

Sizes are binary ("1.253 GiB").

Source: restic 0.9 to 0.18, internal/ui/backup/text.go (Finish()), cmd/restic/cmd_snapshots.go
(PrintSnapshots(): Size since 0.17), cmd_stats.go, internal/ui/format.go (FormatBytes(),
FormatDuration()).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import (
    PartlyReadItems,
    StateOutput,
    close_lines,
    close_rows,
    first_match,
    start_of,
)

_SIZE = r"\d{1,12}(?:\.\d{1,3})? ?(?:[KMGTPE]i)?B"
_COUNTS = re.compile(
    r"\s*(?P<what>Files|Dirs):\s+(?P<new>\d{1,12}) new,\s+(?P<changed>\d{1,12}) changed,\s+"
    r"(?P<unmodified>\d{1,12}) unmodified\s*$"
)
_ADDED = re.compile(
    rf"\s*Added to the (?:repository|repo):\s+(?P<added>{_SIZE})"
    rf"(?: \((?P<stored>{_SIZE}) stored\))?\s*$"
)
_DONE = re.compile(
    rf"\s*processed (?P<files>\d{{1,12}}) files, (?P<size>{_SIZE}) in (?P<time>[\d:]{{1,12}})\s*$"
)
_SAVED = re.compile(r"\s*snapshot (?P<id>[0-9a-f]{8,64}) saved\s*$")
_PARENT = re.compile(
    r"\s*(?:using parent snapshot (?P<parent>[0-9a-f]{8,64})"
    r"|repository (?P<repository>[0-9a-f]{8,64}) opened .{0,200}"
    r"|no parent snapshot found, will read all files)\s*$"
)
_TOTAL = re.compile(
    r"\s*(?P<label>Snapshots processed|Total File Count|Total Blob Count|Total Uncompressed Size"
    r"|Total Size|Compression Progress|Compression Ratio|Compression Space Saving):\s+"
    r"(?P<value>\S.{0,40}?)\s*$"
)
_MODE = re.compile(r"\s*Stats in (?P<mode>[a-z-]{3,30}) mode:\s*$")
_HEAD = re.compile(
    r"\s*ID\s+(?:Date|Time)\s+Host\s+Tags\s+(?:Reasons\s+)?(?:Paths|Directory)(?P<size>\s+Size)?\s*$"
)
_RULE = re.compile(r"\s*-{20,}\s*$")
_SNAPSHOT = re.compile(
    r"\s*(?P<id>[0-9a-f]{8})\s+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s+(?P<host>[\w.-]{1,253})"
    rf"\s+(?P<rest>\S.{{0,300}}?)(?:\s{{2,}}(?P<size>{_SIZE}))?\s*$"
)
_OF_HEAD = re.compile(r"\s{40,}\S{1,200}\s*$")
_NUMBERED = re.compile(r"\s*(?P<count>\d{1,9}) snapshots?\s*$")
_FORMS = (_COUNTS, _ADDED, _DONE, _SAVED, _PARENT, _TOTAL, _MODE)


class ResticBackup(StateOutput):
    tool = "restic"
    anchors = (
        " new, ", "Added to the repo", "processed ", "Total File Count:", "Total Blob Count:",
        "Total Size:", "Snapshots processed:",
    )  # fmt: skip
    commands = ("restic",)
    nothing = "none of its figures is whole"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(form.match(line) for form in (_COUNTS, _ADDED, _DONE, _TOTAL)):
            return None
        first = start_of(cursor, lambda above: any(form.match(above) for form in _FORMS), most=20)
        near = " ".join(cursor.block(first, 10))
        is_total = _TOTAL.match(line) and not re.search(r"Total (?:File|Blob) Count:", near)
        return None if is_total else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        values: dict[str, Json] = {}
        matches, last = close_rows(
            cursor, first, lambda line: first_match(_FORMS, line), 40, no_prompts=True
        )
        for match in matches:
            values |= _said(match)
        return last, (self.counted("backup_repository", "", values, prompt),) if values else ()


def _said(match: re.Match[str]) -> dict[str, Json]:
    groups = {name: text for name, text in match.groupdict().items() if text}
    if match.re is _COUNTS:
        what = groups.pop("what").lower()
        return {f"{what}_{name}": int(count) for name, count in groups.items()}
    if match.re is _TOTAL:
        return _total(groups["label"].lower().replace(" ", "_"), groups["value"])
    values: dict[str, Json] = {}
    for name, text in groups.items():
        if name in {"added", "stored", "size"}:
            values["processed_size" if name == "size" else name] = _bytes(text)
        elif name == "time":
            values["duration"] = units.clock_seconds(text)
        elif name == "files":
            values["files"] = int(text)
        else:
            values["snapshot" if name == "id" else name] = text
    return values


def _total(name: str, text: str) -> dict[str, Json]:
    if re.fullmatch(_SIZE, text):
        return {name: _bytes(text)}
    if share := re.fullmatch(r"(\d{1,3}(?:\.\d{1,3})?)%", text):
        return {f"{name}_share": round(float(share[1]) / 100, 6)}
    if ratio := re.fullmatch(r"(\d{1,6}\.\d{1,3})x", text):
        return {name: float(ratio[1])}
    return {name: int(text) if text.isdecimal() else text}


def _bytes(text: str) -> int:
    return round(units.printed(text.replace(" ", ""))[0])


class ResticSnapshots(StateOutput):
    tool = "restic snapshots"
    anchors = ("Host        Tags", "Host  ", " snapshots")
    commands = ("restic",)
    reach = 6
    beginning = _HEAD
    nothing = "no snapshot follows"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        snapshots: list[PrintedSubject] = []
        head = cursor.line(first)
        places = {name: head.find(name) for name in ("Tags", "Reasons", "Paths", "Directory")}
        last = first
        count: dict[str, Json] = {}
        for index, line in close_lines(cursor, first + 1, 4000):
            row, numbered = _SNAPSHOT.match(line), _NUMBERED.match(line)
            if row:
                values: dict[str, Scalar] = {"time": row["time"], "host": row["host"]}
                values |= _columns(line, places, row)
                if row["size"]:
                    values["size"] = _bytes(row["size"])
                snapshots.append(PrintedSubject("backup_snapshot", row["id"], values, prompt.host))
            elif numbered:
                count = {"snapshots": int(numbered["count"])}
            elif not (_RULE.match(line) or (snapshots and _OF_HEAD.match(line))):
                break
            last = index
        counters = (self.counted("backup_repository", "", count, prompt),) if count else ()
        return last, [*snapshots, *counters]


def _columns(line: str, places: dict[str, int], row: re.Match[str]) -> dict[str, Scalar]:
    """Tags and paths by where they stand; with no tags the rest of the row is a path."""
    rest = row["rest"]
    tags = re.match(r"(?P<tags>[\w,.:=+-]{1,120})\s{2,}(?P<paths>\S.*)$", rest)
    if tags and line.find(tags["tags"], row.start("rest")) >= places["Tags"] >= 0:
        return {"tags": tags["tags"], "paths": tags["paths"]}
    return {"paths": rest}
