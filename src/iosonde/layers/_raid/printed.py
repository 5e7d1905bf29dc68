"""An array as an author describes it in a sentence: its level, and how many drives it has.

Tools seldom print the geometry of a controller's volume beside a measurement; the text around it
often does. Only sentences that say what was built are taken ("RAID level 6 using 22 drives", "8
disks in RAID 10", "RAID 5 was chosen"), none that weighs levels against each other. The array has
no name: kind "array", by which rules complete the only array of the same text.

Source: the levels as in Patterson, Gibson, Katz, "A case for redundant arrays of inexpensive disks"
(1988), and in what controllers call them.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import OutputReading, PrintedState, PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor

_LEVELS = ("0", "1", "5", "6", "10", "50", "60")
_LEVEL = r"\b[Rr][Aa][Ii][Dd][ -]?(?:level |[Ll])?[ -]?(?P<level>10|50|60|[0156])\b(?![.%:/]\d)"
_DRIVES = r"(?P<disks>[2-9]|[1-9]\d{1,2}) (?:[\w.]{1,8} ){0,4}(?:dis[kc]|drive|HDD|SSD|member)s\b"
_OF = r"(?:using|of|with|over|across|from|consisting of|made of|built from)"
_SAID = (
    re.compile(rf"{_LEVEL},? (?:(?:array|volume|set|group|an array) )?{_OF} {_DRIVES}"),
    re.compile(
        rf"(?<![\w.]){_DRIVES},? (?:(?:are|were|each|running) )?(?:in|as) (?:an? )?{_LEVEL}"
    ),
    re.compile(
        rf"(?<!of )(?<!than )(?<!or ){_LEVEL} (?:was|has been) "
        r"(?:chosen|used|built|configured|created|selected|set up)\b"
    ),
)
_STRIP = re.compile(
    r"\b(?:strip|stripe|chunk)(?:[ -](?:size|unit|element))? (?:size )?(?:of )?"
    r"(?P<size>[1-9]\d{0,3}) ?(?P<prefix>[KkM])i?B\b"
)
_WEIGHED = re.compile(
    r"\b(?:not|instead|rather|would|could|should|might|if|versus|vs|had the\w*|use)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(_LEVEL)  # then the strip size is the next array's
_NEAR = 60  # characters after an array in which its strip size may stand
_LONGEST = 2000  # characters of a line that are looked at


class RaidWords(Output):
    tool = "raid-words"
    is_prose = True
    anchors = (
        "RAID level ", "RAID L",
        *(f"RAID{gap}{level}" for gap in (" ", "-", "") for level in _LEVELS),
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The line before, where the sentence is wrapped."""
        for first in (cursor.at, cursor.at - 1):
            if first >= 0 and _built_array(cursor, first):
                return first
        return None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        match = _built_array(cursor, first)
        if match is None:
            raise Unreadable("no array is described")
        values: dict[str, Scalar] = {"raid_level": f"raid{match['level']}"}
        if "disks" in match.re.groupindex:
            values["disks"] = int(match["disks"])
        end = match.end()
        strip = _STRIP.search(match.string, end, end + _NEAR)
        if strip and not _AGAIN.search(match.string, end, strip.start()):
            values["strip_size"] = units.parse_bytes(strip["size"] + strip["prefix"].upper())
            end = strip.end()
        last = first if end <= len(_joined_line(cursor, first)) else first + 1
        state = PrintedState(self.tool, (PrintedSubject("array", "", values),))
        return OutputReading(first, last, states=(state,))


def _joined_line(cursor: TextCursor, index: int) -> str:
    return " ".join(cursor.line(index).split())[:_LONGEST]


def _built_array(cursor: TextCursor, first: int) -> re.Match[str] | None:
    """The first array that a line, or it and the next, say to have been built.

    None where they say nothing of it, or weigh.
    """
    line = _joined_line(cursor, first)
    text = f"{line} {_joined_line(cursor, first + 1)}"
    matches = [
        match for pattern in _SAID if (match := pattern.search(text)) and match.start() < len(line)
    ]
    for match in sorted(matches, key=lambda match: match.start()):
        begin = text.rfind(". ", 0, match.start()) + 1
        end = text.find(". ", match.end())
        if not _WEIGHED.search(text, begin, end if end > 0 else len(text)):
            return match
    return None
