"""blk-mq's files in debugfs as grep prints them: requests in flight, tags and counts of each queue.

Source: Linux, block/blk-mq-debugfs.c: /sys/kernel/debug/block/DISK/hctxN/; busy, dispatch and
cpuN/*rq_list(s) hold a request a line (`__blk_mq_debugfs_rq_show()`), tags and sched_tags
`name=value` lines, of the bitmap below `bitmap_tags:` (lib/sbitmap.c, sbitmap_show()); active,
queued, run and dispatch_busy one number; dispatched how often so many requests were dispatched at
once. grep leaves empty files out: what is not printed is not said to be none.
"""

from __future__ import annotations

import re
from typing import cast

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_LINE = re.compile(
    r"\s*+(?:/sys/kernel/debug/block/|\./)?(?:(?P<disk>[A-Za-z][\w!.-]{1,40})/)?"
    r"hctx(?P<queue>\d{1,4})/(?P<file>(?:cpu\d{1,4}/)?[a-z_]{2,20}):(?P<text>.{1,4000})"
)
_REQUEST = re.compile(r"\s*[\da-f]{8,16} \{(?P<fields>\..{1,3000})\}\s*")
_FIELD = re.compile(r"\.(?P<name>\w{1,20})=(?P<value>[^,{}]{1,200})")
_NAMED = re.compile(r"\s*(?P<name>[a-z_]{2,24})=(?P<value>\d{1,18})\s*")
_DISPATCHED = re.compile(r"\s*(?P<at_once>\d{1,9}\+?)\s{1,8}(?P<times>\d{1,18})\s*")
_DISK = re.compile(r"/sys/kernel/debug/block/(?P<disk>[A-Za-z][\w!.-]{1,40})")
_NUMBERS = frozenset({"active", "queued", "run", "dispatch_busy"})
_TEXTS = frozenset({"state", "flags", "type"})
_TAGS = frozenset({"tags", "sched_tags"})
_OF_TAGS = frozenset({"nr_tags", "nr_reserved_tags", "active_queues"})
_OF_BITMAP = frozenset({"depth", "busy", "cleared"})
_KEPT = 100
_MOST = 20000


class Hctx(StateOutput):
    tool = "blk-mq"
    anchors = ("hctx",)
    commands = ("grep", "head", "tail", "find")
    nothing = "no figure of a queue follows"
    beginning = _LINE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        named = _DISK.search(prompt.command)
        disks: dict[str, dict[str, Json]] = {}
        sections: dict[tuple[str, str], str] = {}
        rows, last = close_rows(cursor, first, _LINE.fullmatch, _MOST, gap=2)
        for row in rows:
            disk = row["disk"] or (named["disk"] if named else "")
            _take(disks.setdefault(disk, {}), row, sections)
        return last, [
            self.counted("disk" if disk else "host", disk, values, prompt)
            for disk, values in disks.items()
            if values
        ]


def _take(
    values: dict[str, Json], match: re.Match[str], sections: dict[tuple[str, str], str]
) -> None:
    """Puts what a line says into the values of its disk; `sections` is which bitmap is listed."""
    queue, file, text = f"hctx{match['queue']}", match["file"], match["text"]
    place = f"{match['disk']}/{queue}", file
    if request := _REQUEST.fullmatch(text):
        count = values.get(f"{queue}.{file}", 0)
        values[f"{queue}.{file}"] = (count if isinstance(count, int) else 0) + 1
        listed = cast("list[Json]", values.setdefault("requests", []))
        if len(listed) < _KEPT:
            fields = {each["name"]: _value(each["value"]) for each in
                      _FIELD.finditer(request["fields"])}  # fmt: skip
            listed.append({"queue": queue, "file": file, **fields})
    elif file in _NUMBERS and text.strip().isdecimal():
        values[f"{queue}.{file}"] = int(text)
    elif file in _TEXTS:
        values[f"{queue}.{file}"] = text.strip()
    elif file in _TAGS and text.strip().endswith("tags:"):
        sections[place] = text.strip().rstrip(":")
    elif file in _TAGS and (row := _NAMED.fullmatch(text)):
        section = sections.get(place, "")
        if section and row["name"] in _OF_BITMAP:
            values[f"{queue}.{file}.{section}.{row['name']}"] = int(row["value"])
        elif row["name"] in _OF_TAGS:
            values[f"{queue}.{file}.{row['name']}"] = int(row["value"])
    elif file == "dispatched" and (row := _DISPATCHED.fullmatch(text)):
        counts = cast("dict[str, Json]", values.setdefault(f"{queue}.dispatched", {}))
        counts[row["at_once"]] = int(row["times"])


def _value(text: str) -> Json:
    return int(text) if re.fullmatch(r"-?\d{1,12}", text.strip()) else text.strip()
