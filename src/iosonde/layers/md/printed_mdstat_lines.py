"""Lines of /proc/mdstat below the name of the array, where somebody shows them without it.

Source: Linux drivers/md/md.c (md_seq_show: blocks and metadata; status_resync: bar, share, blocks
done of all, "finish=" in minutes, "speed=" in KiB/s), md-bitmap.c (bitmap_get_stats).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.md.facts import parse_mdstat_part
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor, joined
from iosonde.text.reader import Items, StateOutput, end_of, top_of_own

_LINE = re.compile(
    r"\s*(?:\d{3,18} blocks (?:super \d\.\d{1,2}|level \d|\d{1,6}k chunk"
    r"|\[\d{1,3}/\d{1,3}\] \[[U_]{1,99}\])"
    r"|\[[=>.]{15,24}\] {1,4}(?:resync|recovery|reshape|check|repair) {0,2}= {0,3}\d{1,3}\.\d%"
    r"|(?:resync|recovery|reshape|check|repair) {0,2}= {0,3}\d{1,3}\.\d{1,2}% \(\d{1,18}/\d{1,18}\)"
    r"|bitmap: \d{1,9}/\d{1,9} pages \[\d{1,12}KB\])"
)
_BLOCKS = re.compile(r"\s*\d{3,18} blocks ")
"""The first line of an array: another one below it is of another array."""
_REST = re.compile(
    r"\s*+(?:\[\d{1,3}/\d{1,3}\] )?(?:\[[U_]{1,99}\])?(?:\(\d{1,18}/\d{1,18}\) ?)?"
    r"(?:finish=\d{1,9}\.\dmin ?)?(?:speed=\d{1,9}K/sec)?"
    r"(?:\d{1,9}KB chunk)?(?:algorithm \d{1,2})?\s*$"
)
"""What a mail broke off of such a line."""


def _is_own(line: str) -> bool:
    return bool(_LINE.match(line) or (line and _REST.match(line)))


class MdstatLines(StateOutput):
    tool = "mdstat lines"
    anchors = (
        " blocks super ", " blocks level ", " recovery = ", " resync = ", " reshape = ",
        "recovery =", "resync =", " pages [", "] check = ", "] repair = ", " finish=",
    )  # fmt: skip
    commands = ("cat", "watch", "grep")
    reach = 3
    about = "mdstat"
    nothing = "it says nothing of an array"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _LINE.match, most=4)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        end = end_of(cursor, first, _is_own, gap=2, most=20)
        following = (at for at in range(first + 1, end + 1) if _BLOCKS.match(cursor.line(at)))
        last = next(following, end + 1) - 1
        facts = parse_mdstat_part(joined(cursor, first, last))
        return last, [PrintedSubject("md", "", facts, prompt.host)] if facts else []
