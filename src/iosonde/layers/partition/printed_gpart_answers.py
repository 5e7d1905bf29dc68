"""What gpart of FreeBSD answers where it changed a table: `ada0p3 resized`, `ada0 created`.

Source: FreeBSD 14, sys/geom/part/g_part.c (g_part_ctl_add() "%s added", with "WARNING: partition is
not aligned on %ju bytes" below it since 12; _create(), _delete(), _destroy(), _modify(), _recover()
"%s recovered" or "%s recovering is not needed", _resize(), _setunset() "%s set on %s");
lib/geom/part/geom_part.c (gpart_bootcode(): "bootcode written to %s", "partcode written to %s").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_NAME = (
    r"(?P<name>(?:da|ada|nda|nvd|ad|md|vtbd|mmcsd|xbd|aacd|mfid|mfisyspd|zvol/\S{1,80})\w{1,12})"
)
_DONE = re.compile(
    rf"\s*{_NAME} (?:(?P<done>added|created|deleted|destroyed|modified|recovered|resized)"
    r"|recovering is (?P<not>not) needed)[.,]?\s*$"
)
_WRITTEN = re.compile(rf"\s*(?P<code>bootcode|partcode) written to {_NAME}\s*$")
_SET = re.compile(rf"\s*(?P<attribute>[a-z]{{3,20}}) (?P<set>set|unset) on {_NAME}\s*$")
_UNALIGNED = re.compile(r"\s*WARNING: partition is not aligned on (?P<bytes>\d{1,12}) bytes\s*$")
_MOST = 100

_Said = tuple[str, dict[str, Scalar]]


class GpartAnswers(StateOutput):
    tool = "gpart"
    anchors = (
        " added", " created", " deleted", " destroyed", " modified", " recovered", " resized",
        " recovering is not needed", "code written to ", " set on ",
    )  # fmt: skip
    commands = ("gpart",)
    reach = 3
    answers = True

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _answer(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = close_rows(cursor, first, _row, _MOST, no_prompts=True)
        subjects: list[PrintedSubject] = []
        for name, values in rows:
            if name:
                kind = "partition" if re.search(r"\d[ps]\d", name) else "disk"
                subjects.append(PrintedSubject(kind, name, values, prompt.host))
            else:
                subjects[-1] = PrintedSubject(
                    subjects[-1].kind, subjects[-1].name, {**subjects[-1].values, **values},
                    prompt.host,
                )  # fmt: skip
        return last, subjects


def _row(line: str) -> _Said | None:
    if match := _UNALIGNED.match(line):
        return "", {"unaligned_to": int(match["bytes"])}
    return _answer(line)


def _answer(line: str) -> _Said | None:
    if match := _DONE.match(line):
        return match["name"], {match["done"] or "recovered": not match["not"]}
    if match := _WRITTEN.match(line):
        return match["name"], {f"{match['code']}_written": True}
    if match := _SET.match(line):
        return match["name"], {match["attribute"]: match["set"] == "set"}
    return None
