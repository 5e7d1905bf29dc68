"""dd's last lines: how much was copied, and how fast.

Source: coreutils 9.1, src/dd.c, print_xfer_stats(): the rate has prefixes of 1000, three digits,
and is bytes over seconds; busybox 1.36, coreutils/dd.c, prints prefixes of 1024 without a blank.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from typing import ClassVar

from iosonde import units
from iosonde.errors import UsageError
from iosonde.passage import Passage, command_before, compact, joined, lines
from iosonde.printed import PrintedTrial, Reading, Unreadable
from iosonde.records import LoadResult, Scalar

_RECORDS = re.compile(r"\d+\+\d+ records (?:in|out)")
_DONE = re.compile(
    r"(?P<bytes>\d+)bytes?(?:\([^)]*\))?(?:copied|transferred),(?P<time>[\d.e-]+)s(?:econds|ec)?,"
    r"(?P<rate>[\d.]+)(?P<unit>[kKMGT]?)B/s"
)
_TAKES = re.compile(r"\w=")


class Dd:
    """See `iosonde.passage.Output`."""

    tool: ClassVar[str] = "dd"
    anchors: ClassVar[tuple[str, ...]] = ("records out", "records in", "copied, ")

    def begin(self, passage: Passage) -> int | None:
        """See `Output.begin`. The first of the lines on records, or the sum without them."""
        first = None
        for index in range(passage.at, max(passage.at - 6, -1), -1):
            line = passage.line(index)
            if line is None or (line and not _RECORDS.search(line) and "cop" not in line):
                break
            if line and (_RECORDS.search(line) or re.search(r"\d bytes? \(", line)):
                first = index
            if line and "records in" in line:
                return index
        return first

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        last = first
        for index, line in lines(passage, first, 9):
            if index > first and ("records in" in line or (line and not _is_part(line))):
                break
            last = index if line else last
        found = _DONE.search(compact(passage, first, last))
        if not found:
            raise Unreadable("no speed follows")
        asked = command_before(passage, first, ("dd",))
        command = asked[1].command if asked else ""
        words = _operands(command)
        direction = "read" if words.get("of") in {"/dev/null", None} and words else "write"
        name = f"{direction}.bandwidth"
        busybox = bool(re.search(r"\([\d.]+[kMG]B\)", joined(passage, first, last)))
        rate, step = units.printed(found["rate"] + found["unit"], binary=busybox)
        loop = LoadResult(metrics={name: rate}, units={name: "B/s"})
        trial = PrintedTrial(
            tool=self.tool,
            loops=(loop,),
            command=command,
            host=asked[1].host if asked else "",
            target=words.get("if" if direction == "read" else "of", ""),
            elapsed=(float(found["time"]),),
            options=_options(words, direction),
            steps={name: step},
            details={"bytes": int(found["bytes"])},
        )
        return Reading(asked[0] if asked else first, last, trials=(trial,))


def _is_part(line: str) -> bool:
    return bool(_RECORDS.search(line) or re.search(r"bytes|copied|B/s|^\s*[\d.]+ [kMGT]?B?", line))


def _operands(command: str) -> dict[str, str]:
    """Dd's operands; empty where the command is not known."""
    try:
        words = shlex.split(command)
    except ValueError:
        return {}
    return {word.partition("=")[0]: word.partition("=")[2] for word in words if _TAKES.search(word)}


def _options(words: dict[str, str], direction: str) -> dict[str, Scalar]:
    options: dict[str, Scalar] = {"rw": direction, "iodepth": 1, "numjobs": 1}
    with contextlib.suppress(UsageError):
        options["bs"] = units.parse_bytes(words.get("bs", "512" if words else ""))
    if words:
        flags = words.get("iflag" if direction == "read" else "oflag", "").split(",")
        options["direct"] = "direct" in flags
        ends = set(words.get("conv", "").split(","))
        options["end_fsync"] = bool(ends & {"fsync", "fdatasync"})
    return options
