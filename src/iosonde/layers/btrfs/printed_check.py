"""`btrfs check`: what it found wrong, and how much it went through.

Source: btrfs-progs 6.2, check/main.c (cmd_check: "Checking filesystem on", "UUID:", "found %llu
bytes used, no error found", "total csum bytes"; the numbered steps since 4.17).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.layers.btrfs.check_messages import CheckMessages
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, top_of

_ON = re.compile(r"\s*Checking filesystem on (?P<device>\S{1,120})\s*$")
_UUID = re.compile(r"\s*UUID: (?P<uuid>[\da-f*-]{36})\s*$")
_STEP = re.compile(r"\s*\S{0,4}\[\d{1,2}/\d{1,2}\] (?:checking|repairing) \w")
_OLD_STEP = re.compile(
    r"\s*checking (?:extents|free space (?:cache|tree)|fs roots|csums|root refs|quota groups)\b"
)
_SUMMED = re.compile(
    r"\s*found (?P<bytes>\d{1,20}) bytes used,? "
    r"(?P<end>no error found|error\(s\) found|err is -?\d+)"
)
_TOTAL = re.compile(
    r"\s*(?P<label>total csum bytes|total tree bytes|total fs tree bytes|total extent tree bytes"
    r"|btree space waste bytes|file data blocks allocated)\s?: (?P<bytes>\d{1,20})\s*$"
)
_REFERENCED = re.compile(r"\s*referenced (?P<bytes>\d{1,20})\s*$")
_ERROR = re.compile(
    r"\s*(?:ERROR: |error|errors |root \d+ inode \d+ errors |(?:Extent )?back ?ref|ref mismatch"
    r"|bad (?:tree|metadata|extent|key)|parent transid|checksum verify failed|cache and super"
    r"|owner ref check failed|Incorrect (?:global|local) backref|incorrect |mirror \d+ bytenr"
    r"|WARNING: |block group |tree block bytenr|\()"
)
_ELAPSED = re.compile(
    r"\s*(?:\S{0,4}\[\d{1,2}/\d{1,2}\] )?(?:checking|repairing) (?P<what>[a-z][a-z -]{2,40}?)"
    r" {1,40}\((?P<time>\d{1,6}:\d\d:\d\d) elapsed"
    r"(?:, (?P<items>\d{1,19}) items checked)?\)\s*$"
)
"""With `-p`: how long a step takes, and how many items it went over."""
_SAYS_NOTHING = re.compile(r"\s*(?:Opening filesystem to check|Checking filesystem on|UUID: )")
_SILENT = (_STEP, _OLD_STEP, _SAYS_NOTHING)
_MOST = 2000


class BtrfsCheck(StateOutput):
    tool = "btrfs check"
    anchors = (
        "Checking filesystem on ", "] checking root items", " bytes used, ", " elapsed, ",
    )  # fmt: skip
    commands = ("btrfs", "btrfsck")
    reach = 5

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(pattern.match(line) for pattern in (_ON, _STEP, _SUMMED, _ELAPSED)):
            return None
        return top_of(cursor, lambda text: bool(_SAYS_NOTHING.match(text) or _STEP.match(text)))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        errors, last, name, messages = 0, first, "", CheckMessages()
        for index, line in lines(cursor, first, _MOST):
            if index > last + 2 or (index > first and prompt_in(line)):
                break
            read = dict(_said(line))
            said = bool(line) and not read and messages.takes(line)
            if on := _ON.match(line):
                name = on["device"].removeprefix("/dev/")
            elif said or _ERROR.match(line):
                errors += line.lstrip().lower().startswith("error")
            elif line and not read and not any(pattern.match(line) for pattern in _SILENT):
                break
            values |= read
            last = index if line else last
        if errors:
            values["check_errors"] = errors
        items: list[PrintedSubject | PrintedCounters] = [
            PrintedSubject("btrfs", name, values, prompt.host)
        ]
        if sentences := messages.values():
            items.append(self.counted("btrfs", name, sentences, prompt))
        return last, items


def _said(line: str) -> Iterator[tuple[str, Scalar]]:
    """What a line says of the file system, sizes in bytes."""
    if step := _ELAPSED.match(line):
        what = "_".join(fields(step["what"].replace("-", " ")))
        yield f"check_{what}_time", units.clock_seconds(step["time"])
        if step["items"]:
            yield f"check_{what}_items", int(step["items"])
    elif uuid := _UUID.match(line):
        yield "uuid", uuid["uuid"]
    elif sums := _SUMMED.match(line):
        yield "bytes_used", int(sums["bytes"])
        yield "check", sums["end"]
    elif total := _TOTAL.match(line):
        yield from as_labelled({total["label"]: total["bytes"]}).items()
    elif referenced := _REFERENCED.match(line):
        yield "referenced_bytes", int(referenced["bytes"])
