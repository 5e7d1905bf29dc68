"""Files of /proc/spl/kstat/zfs (arcstats, zil, dmu_tx, dbufstats …): ZFS's counters.

Source: OpenZFS 2.2, module/os/linux/spl/spl-kstat.c, kstat_seq_show_headers() ("%-31s %-4s %s") and
kstat_seq_show_named(): a name, its type (3 and 4: whole numbers of 64 bits; 7: a text) and the
figure.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, start_of_own

_HEAD = re.compile(r"\s*name\s+type\s+data\s*$")
_FIRST = re.compile(r"\s*\d{1,4} 1 0x[0-9a-f]{2} \d{1,6} \d{1,8} \d+ \d+\s*$")
_ROW = re.compile(
    r"\s*(?P<name>(?=\d{0,20}[a-z])[a-z0-9_-]{1,60})\s+(?P<type>[1-4])\s+(?P<figure>-?\d{1,20})$"
)
_NAMED = re.compile(r"\s*(?P<name>[a-z][a-z0-9_-]{1,60})\s+7\s+(?P<text>\S.{0,300})$")
_PATH = re.compile(r"kstat/zfs/(?:(?P<pool>[\w.-]{1,60})/)?(?P<file>[\w.-]{1,60})")


class ZfsKstat(StateOutput):
    tool = "zfs kstat"
    anchors = (
        "type data", "c_max ", "demand_data_hits", "arc_meta_used", "l2_hits", "zil_commit_count",
        "arc_no_grow", "memory_throttle_count",
    )  # fmt: skip
    commands = ("cat", "grep", "egrep", "head", "tail", "awk")
    reach = 2
    nothing = "no counter stands below its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _is_own, most=70)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        last = first
        for index, line in lines(cursor, first, 600):
            row = _ROW.match(line)
            repeated = index > first and (_HEAD.match(line) or (row and row["name"] in values))
            if index > last + 2 or (repeated and values):
                break
            if row:
                values[row["name"]] = int(row["figure"])
            elif text := _NAMED.match(line):
                values[text["name"]] = text["text"].strip()
            elif line and (not _is_own(line) or prompt_in(line)):
                break
            last = index if line else last
        return last, [self._of(values, prompt)] if values else ()

    def _of(self, values: dict[str, Json], prompt: Prompt) -> PrintedCounters:
        path = _PATH.search(prompt.command)
        name = path["file"] if path else "arcstats" if "c_max" in values else ""
        named: dict[str, Json] = {"pool": path["pool"]} if path and path["pool"] else {}
        return self.counted("zfs", name, named | values, prompt)


def _is_own(line: str) -> bool:
    return bool(_ROW.match(line) or _NAMED.match(line) or _HEAD.match(line) or _FIRST.match(line))
