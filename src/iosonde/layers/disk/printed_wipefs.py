"""`wipefs`: the signatures on a device, and those that it erased.

Source: util-linux 2.38, misc-utils/wipefs.c (print_all(): columns DEVICE, OFFSET, TYPE, UUID,
LABEL; -p; do_wipe_real(): "%s: %zd bytes were erased at offset 0x%08jx (%s): "; rereadpt():
"calling ioctl to re-read partition table"); 2.32 and older: print_pretty() ("offset  type").
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines
from iosonde.text.torn import is_full

_UUID = (
    r"[0-9A-Za-z]{4,8}(?:[-:][0-9A-Za-z]{4,12}){1,6}|[0-9A-F]{16}|[0-9a-f]{20,40}"
    r"|\d{4}(?:-\d\d){5,6}"
)
_HEAD = re.compile(r"\s*DEVICE\s+OFFSET\s+TYPE(?:\s+UUID(?:\s+LABEL)?)?\s*$")
_HEAD_REST = re.compile(r"\s*(?:UUID\s+)?LABEL\s*$")
_ROW = re.compile(
    r"\s*(?P<device>\S{1,120})\s+(?P<offset>0x[0-9a-f]{1,16})\s+(?P<type>[\w.+-]{2,30})"
    rf"(?:\s+(?P<uuid>{_UUID}))?(?:\s+(?P<label>\S.{{0,80}}?))?\s*$"
)
_REST = re.compile(rf"\s*(?:(?P<uuid>{_UUID})(?:\s+|\s*$))?(?P<label>\S.{{0,80}}?)?\s*$")
_NARROW = 60
_OLD_HEAD = re.compile(r"\s*offset\s{5,40}type\s*$")
_OLD_ROW = re.compile(
    r"\s*(?P<offset>0x[0-9a-f]{1,16})\s+(?P<type>[\w.+-]{2,30})\s+"
    r"\[(?P<usage>[a-z][a-z ]{2,20})\]\s*$"
)
_OLD_MORE = re.compile(r"\s*(?P<name>UUID|LABEL):\s*(?P<value>\S.{0,80}?)\s*$")
_RULE = re.compile(r"\s*-{20,}\s*$")
_ERASED = re.compile(
    r"\s*(?P<device>\S{1,160}): (?P<bytes>\d{1,6}) bytes? (?:were|was) erased at offset "
    r"(?P<offset>0x[0-9a-f]{1,16}) \((?P<type>[^)\s]{1,40})\)(?:: ?[0-9a-f ]{0,200})?\s*$"
)
_REREAD = re.compile(r"\s*\S{1,160}: calling io(?:ctl|clt) to re-read partition table: .{2,80}$")
_MAGIC = re.compile(r"\s*[0-9a-f]{1,2}(?: [0-9a-f]{2}){0,70}\s*$")
"""The rest of the bytes erased, where a mail broke them."""


class Wipefs(StateOutput):
    tool = "wipefs"
    anchors = (
        "OFFSET ", "offset               type", " erased at offset 0x",
    )  # fmt: skip
    commands = ("wipefs",)
    reach = 3
    nothing = "no signature follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        is_first = _HEAD.match(line) or _OLD_HEAD.match(line) or _ERASED.match(line)
        return cursor.at if is_first else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        if _ERASED.match(line):
            return self._erased(cursor, first, prompt)
        of_old = _OLD_HEAD.match(line) is not None
        signatures: dict[str, list[dict[str, Json]]] = {}
        last, device = first, prompt.path
        for index, text in close_lines(cursor, first + 1, 400):
            row = (_OLD_ROW if of_old else _ROW).match(text)
            more = _OLD_MORE.match(text) if of_old and device in signatures else None
            if row:
                name = device if of_old else row["device"].removeprefix("/dev/")
                signatures.setdefault(name, []).append(_signature(row.groupdict()))
            elif more:
                signatures[device][-1][more["name"].lower()] = more["value"]
            elif index == last + 1 and not of_old and _is_rest(signatures, line, text):
                pass
            elif not _RULE.match(text) and not _HEAD_REST.match(text):
                break
            last, line = index, text
        return last, [
            self.counted("disk", name, {"signatures": list[Json](rows)}, prompt)
            for name, rows in signatures.items()
        ]

    def _erased(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        erased: dict[str, list[Json]] = {}
        last = first
        for index, line in close_lines(cursor, first, 400):
            match = _ERASED.match(line)
            if match:
                device = match["device"].removeprefix("/dev/")
                row = {"offset": int(match["offset"], 16), "bytes": int(match["bytes"])}
                erased.setdefault(device, []).append({**row, "type": match["type"]})
            elif prompt_in(line) or not (_REREAD.match(line) or _MAGIC.match(line)):
                break
            last = index
        return last, [self.counted("disk", name, {"erased": rows}, prompt)
                      for name, rows in erased.items()]  # fmt: skip


def _is_rest(signatures: dict[str, list[dict[str, Json]]], above: str, line: str) -> bool:
    """Takes what a mail broke off of the last row: its UUID and label, or its label."""
    rest = _REST.match(line)
    if rest is None or not signatures or not is_full(len(above), line, _NARROW):
        return False
    row = list(signatures.values())[-1][-1]
    values = {name: part for name, part in rest.groupdict().items() if part}
    if values.keys() & row.keys():
        return False
    row.update(values)
    return True


def _signature(row: Mapping[str, str | None]) -> dict[str, Json]:
    """A row's fields; the offset in bytes."""
    values: dict[str, Json] = {
        name: row[name] for name in ("type", "usage", "uuid", "label") if row.get(name)
    }
    return {"offset": int(row["offset"] or "0", 16), **values}
