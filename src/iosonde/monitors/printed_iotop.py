"""iotop -b: how much is read and written in all, and by which thread; with -a since it began.

Source: iotop 0.6, ui.py, and iotop-c 1.22; rates have prefixes of 1024 although written K and M.
"Actual" (or "Current") are what the disks do, "Total" what threads ask for.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, flow, lines
from iosonde.text.reader import Items, StateOutput

_RATE = r"(-?[\d.]+ ?[BKMGT])i?B?/s"
_TOTAL = re.compile(
    rf"(?P<which>Total|Actual|Current) DISK READ ?: *{_RATE} \| "
    rf"(?:Total|Actual|Current) DISK WRITE ?: *{_RATE}"
)
_BEGINS = re.compile(r"Total DISK READ ?:")
_THREAD = re.compile(
    r"(?P<tid>\d+) (?P<prio>(?:be|rt|idle|\?\w+)/?\S*|idle) (?P<user>\S+) "
    r"(?P<read>-?[\d.]+ ?[BKMGT])i?B?(?P<rate>/s)? (?P<write>-?[\d.]+ ?[BKMGT])i?B?(?:/s)? "
    r"(?:(?P<swap>[\d.]+ %|\?unavailable\?) )?(?:(?P<io>[\d.]+ %) )?"
    r"(?P<command>[^|]*?)(?= \d+ (?:(?:be|rt|idle)/|(?:idle|\?\w+) \S+ -?[\d.]+ ?[BKMGT])|$)"
)
_PART = re.compile(r"DISK (?:READ|WRITE)|[KMGB]/s|TID|PID +PRIO|COMMAND|SWAPIN|^\s*[\d.]+ %|mysqld")


class Iotop(StateOutput):
    tool = "iotop"
    anchors = ("Total DISK READ",)

    commands = ("iotop",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """Its totals; sentences about these have no colon behind them."""
        return cursor.at if _BEGINS.search(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = first
        for index, line in lines(cursor, first, 200):
            if index > first and ("Total DISK READ" in line or index - last > 2):
                break
            if line and not (_PART.search(line) or _is_row(line)):
                if index - last > 1:
                    break
                continue
            last = index if line else last
        text = flow(cursor, first, last)
        values: dict[str, Json] = {}
        for match in _TOTAL.finditer(text):
            which = "asked" if match["which"] == "Total" else "disks"
            values[f"{which}.read.bandwidth"] = _rate(match[2])
            values[f"{which}.write.bandwidth"] = _rate(match[3])
        if not values:
            raise Unreadable("its totals are cut off")
        values["threads"] = [_thread(match) for match in _THREAD.finditer(text)]
        return last, [self.counted("host", "", values, prompt)]


def _is_row(line: str) -> bool:
    return bool(re.match(r"\s*\d+ +\S+ +\S+ +-?[\d.]+ ?[BKMGT](?:i?B)?(?:/s| )", line))


def _rate(text: str) -> float:
    """Bytes per second of "506.61 K"."""
    return units.printed(text.replace(" ", ""), binary=True)[0]


def _thread(match: re.Match[str]) -> Json:
    share = match["io"] or (match["swap"] if match["swap"] and "%" in match["swap"] else None)
    what = "bandwidth" if match["rate"] else "bytes"  # -a: since iotop was started
    return {
        "tid": int(match["tid"]), "priority": match["prio"], "user": match["user"],
        f"read.{what}": _rate(match["read"]), f"write.{what}": _rate(match["write"]),
        "io": round(float(share.rstrip(" %")) / 100, 6) if share else None,
        "command": match["command"].strip(),
    }  # fmt: skip
