"""PostMark: how many small files a second were made, read, extended and deleted, as counters.

Source: NetApp's PostMark 1.51 and 1.53, postmark.c, verbose_report(): kilo- and megabytes are of
1024, and nothing is "0.000000 bytes" (scalef()); counts a second are whole figures.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, top_of

_COUNT = re.compile(
    r"^\s*(?P<name>Creation alone|Deletion alone|Mixed with transactions)?:? {0,2}"
    r"(?P<count>\d{1,12}) (?P<what>created|read|appended|deleted|files) "
    r"\((?P<rate>\d{1,12}) per second\)\s*$"
)
_BYTES = re.compile(
    r"^\s*(?P<amount>\d{1,12}\.\d{2,6}) (?P<unit>bytes|kilobytes|megabytes|gigabytes) "
    r"(?P<way>read|written) \((?P<rate>\d{1,12}\.\d{2,6}) "
    r"(?P<per>bytes|kilobytes|megabytes|gigabytes) per second\)\s*$"
)
_TIME = re.compile(
    r"^\s*(?P<seconds>\d{1,9}) seconds "
    r"(?:total|of transactions \((?P<rate>\d{1,12}) per second\))\s*$"
)
_OWN = re.compile(
    r"^\s*(?:PostMark v\d|pm>|Creating (?:sub)?director|Creating files|Performing transactions"
    r"|Deleting (?:files|sub)|Time:|Files:|Data:|Reading configuration|Current configuration)"
)
_PREFIX = {"bytes": 1, "kilobytes": 1 << 10, "megabytes": 1 << 20, "gigabytes": 1 << 30}
_NAMES = {"read": "read", "written": "write"}


class PostMark(StateOutput):
    tool = "postmark"
    anchors = (
        "Creation alone: ", "seconds of transactions (", "ytes per second)",
    )  # fmt: skip
    commands = ("postmark",)

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_COUNT.match(line) or _TIME.match(line) or _BYTES.match(line)):
            return None
        return top_of(cursor, _is_own)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, last, group = dict[str, Json](), first, ""
        for index, line in lines(cursor, first, 80):
            is_prompt = prompt_in(line) is not None and not line.lstrip().startswith("pm>")
            if index > last + 6 or (line and (is_prompt or not _is_own(line))):
                break
            if not line:
                continue
            count, data, time = _COUNT.match(line), _BYTES.match(line), _TIME.match(line)
            if time and not time["rate"] and "seconds" in values:
                break  # the next run's
            last = index
            if count:
                part = (count["name"] or "").lower().replace(" ", "_")
                group = group if part else count["what"]
                _put(values, f"{group}.{part}" if part else group, count)
            elif data:
                way = _NAMES[data["way"]]
                values[f"{way}.bytes"] = float(data["amount"]) * _PREFIX[data["unit"]]
                values[f"{way}.bandwidth"] = float(data["rate"]) * _PREFIX[data["per"]]
            elif time and time["rate"]:
                values |= {"transactions.seconds": int(time["seconds"]),
                           "transactions_per_second": int(time["rate"])}  # fmt: skip
            elif time:
                values["seconds"] = int(time["seconds"])
        if not values:
            raise Unreadable("no figures follow", last)
        return last, [self.counted("host", "", values, prompt)]


def _put(values: dict[str, Json], name: str, count: re.Match[str]) -> None:
    values[name], values[f"{name}_per_second"] = int(count["count"]), int(count["rate"])


def _is_own(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_OWN, _COUNT, _BYTES, _TIME))
