"""`gluster volume top`: the files of each brick that are used most, and how fast they were.

A speed is bytes per second; MBps are millions of bytes per second, as bytes per microsecond are. A
table that counts calls does not say which: the command does, or the title above it.

Source: glusterfs 3.3 to 11, cli/src/cli-rpc-ops.c (gf_cli_top_volume_cbk(): "Brick: ", "NFS Server
: ", "Current open fds: ", "Throughput %.2f MBps time %.4f secs", columns of 4, 47 and 26
characters; a longer name has "..." before its end) and xlators/debug/io-stats (bytes per
microsecond); its Administrator Guide, Monitoring Workload (titles such as "Read throughput file
stats", a name over two lines with the date beside its first half and the time beside its second).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.layers.gluster.facts import BRICK
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, nearest

_BRICK = re.compile(
    rf"\s*`?(?:Brick`?|NFS Server ?): ?(?P<brick>{BRICK}|[\w.-]{{1,120}})(?P<rest>\s.{{0,200}})?$"
)
_COPIED = re.compile(
    r"`?(?P<copied>\d{1,18}) bytes \([^)]{1,20}\) copied, Throughput: ?"
    r"(?P<speed>\d{1,9}(?:\.\d{1,3})?) (?P<unit>[kKMG]?)B/s\s*`?\s*$"
)
_THROUGHPUT = re.compile(
    r"\s*Throughput (?P<speed>\d{1,9}\.\d\d) MBps time (?P<time>\d{1,9}\.\d{4}) secs\s*$"
)
_OPEN = re.compile(
    r"\s*Current open fd'?s: (?P<open>\d{1,18}),? Max open fd'?s: (?P<most>\d{1,18})"
    r"(?:, Max openfd time: (?P<at>\S{4,40}(?: \S{4,40})?))?\s*$"
)
_TITLE = re.compile(
    r"\s*={4,80}\s*(?P<what>Read|Write|Open|Opendir|Readdir|Directory open|Directory read)"
    r"(?P<speed> throughput)? file stats\s*={4,80}\s*$",
    re.IGNORECASE,
)
_HEAD = re.compile(
    r"(?:MBps File ?name Time|Count file ?name|(?:read|write|open|call|count|through|throughput|"
    r"put|opendir|readdir)? ?(?:\(MBp|\(MBps\)|s\)|count|file ?name)?(?: Time)?)$",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*=+(?:\s+=+){0,2}\s*$")
_ROW = re.compile(
    r"\s*(?P<figure>\d{1,18}(?:\.\d\d)?)\s+"
    r"(?P<file>(?:/|\.\.\.|<gfid:)\S{0,400}(?: \S{1,100}){0,4}?)"
    r"(?:\s+-?(?P<date>\d{4}-\d\d-\d\d)(?:[ T](?P<time>\d\d:\d\d:\d\d\.\d{1,9}))?)?\s*$"
)
_REST = re.compile(r"\s{4,}(?P<file>[^\s=]\S{0,200}?)(?:\s+(?P<time>\d\d:\d\d:\d\d\.\d{1,9}))?\s*$")
_ASKED = re.compile(
    r"\btop (?:\S{1,100} )??(?P<what>open|read|write|opendir|readdir)(?P<speed>-perf)?\b"
)
_PREFIXES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}
_NAMES = {"directory open": "opendir", "directory read": "readdir"}
_MOST = 5000
_ANCHORS = (
    "MBps Filename", "Current open fd", "Count\t\tfilename", " file stats==", "copied, Throughput",
    "MBps time",
)  # fmt: skip


def _is_head(line: str) -> bool:
    """Whether a line is the head of a table's columns, or a part of it, or blank."""
    return _HEAD.match(" ".join(line.split())) is not None


class GlusterTop(StateOutput):
    tool = "gluster volume top"
    anchors = _ANCHORS
    commands = ("gluster",)
    reach = 4
    nothing = "no file and no speed follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        own = (_OPEN, _THROUGHPUT, _TITLE)
        match = _BRICK.match(line)
        if match and _COPIED.match((match["rest"] or "").strip()):
            return cursor.at
        if not (
            _is_head(line) or _COPIED.match(line.strip()) or any(form.match(line) for form in own)
        ):
            return None
        above = nearest(cursor, 4, _BRICK.match)
        return cursor.at if above is None else above

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        reading = _Top(prompt.command)
        last = first
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            if (index > first and prompt_in(line)) or not reading.take(line):
                break
            last = index
        return last, (
            self.counted(kind, name, values, prompt) for kind, name, values in reading.counted()
        )


class _Top:
    """The bricks and files read so far."""

    def __init__(self, command: str) -> None:
        asked = _ASKED.search(command)
        self._what = asked["what"] if asked else ""
        self._brick = ""
        self._bricks: dict[str, dict[str, Json]] = {}
        self._files: list[dict[str, Json]] = []
        self._speeds = bool(asked and asked["speed"])
        self._open = False

    def take(self, line: str) -> bool:
        """Whether a line belongs to it; what it says is kept."""
        if brick := _BRICK.match(line):
            return self._begins(brick["brick"], (brick["rest"] or "").strip(" `"))
        if title := _TITLE.match(line):
            what = title["what"].lower()
            self._what, self._speeds = _NAMES.get(what, what), title["speed"] is not None
        elif row := _ROW.match(line):
            self._files.append(self._row(row))
            self._open = True
        elif _is_head(line) or _RULE.match(line):
            self._speeds |= "MBp" in line
        else:
            return self._of_brick(line) or self._goes_on(line)
        return True

    def _begins(self, brick: str, rest: str) -> bool:
        """Whether a brick begins in a line, with nothing else behind it than what it took."""
        if rest and not _COPIED.match(rest):
            return False
        self._brick, self._open = brick, False
        return not rest or self._of_brick(rest)

    def _goes_on(self, line: str) -> bool:
        """Whether a line is the second half of a file's name."""
        rest = _REST.match(line) if self._open else None
        if rest is None:
            return False
        last = self._files[-1]
        last["file"] = f"{last['file']}{rest['file']}"
        if rest["time"] and "at" in last:
            last["at"] = f"{last['at']} {rest['time']}"
        self._open = False
        return True

    def _row(self, row: re.Match[str]) -> dict[str, Json]:
        values: dict[str, Json] = {"file": row["file"]}
        if self._speeds:
            name = f"{self._what}.bandwidth" if self._what else "bandwidth"
            values[name] = float(row["figure"]) * 1e6
        else:
            values[f"{self._what}.calls" if self._what else "calls"] = int(float(row["figure"]))
        if self._brick:
            values["brick"] = self._brick
        if row["date"]:
            values["at"] = " ".join(filter(None, (row["date"], row["time"])))
        return values

    def _of_brick(self, line: str) -> bool:
        """Whether a line is of a brick as a whole: its open files, or what writing to it took."""
        values = self._bricks.setdefault(self._brick, {})
        speed = f"{self._what}.bandwidth" if self._what else "bandwidth"
        if copied := _COPIED.match(line.strip()):
            values[speed] = round(float(copied["speed"]) * _PREFIXES[copied["unit"]], 6)
            values["bytes_copied"] = int(copied["copied"])
        elif throughput := _THROUGHPUT.match(line):
            values[speed] = float(throughput["speed"]) * 1e6
            values["elapsed"] = float(throughput["time"])
        elif opened := _OPEN.match(line):
            values |= {"open_files": int(opened["open"]), "most_open_files": int(opened["most"])}
            if opened["at"]:
                values["most_open_files_at"] = opened["at"]
        else:
            return False
        return True

    def counted(self) -> Iterator[tuple[str, str, dict[str, Json]]]:
        """Kind, name and figures of each brick and of each file."""
        for brick, values in self._bricks.items():
            if values:
                yield "gluster_brick", brick, values
        for file in self._files:
            name = str(file["file"])
            yield "gluster_file", name, {key: file[key] for key in file if key != "file"}
