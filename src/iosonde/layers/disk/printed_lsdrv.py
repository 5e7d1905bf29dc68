"""lsdrv: which disk hangs on which controller, and what lies on it; the tree of linux-raid.

Source: lsdrv by Philip J. Turmel, as its output stands in mails: controllers `PCI [driver] address
what it is`, below them `scsi H:C:T:L vendor model {serial}`, `name size [major:minor] what it
holds`, `Mounted as device @ place`. Sizes are in powers of 1024 with two decimals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_TREE = re.compile(r"^[\s│├└─|`+?\\-]*")
_CONTROLLER = re.compile(
    r"(?:PCI|USB|Virtual|Other) \[(?P<driver>[\w,-]{1,40})\] "
    r"(?P<address>[\da-f:.]{4,20})?\s*(?P<what>.{0,200})"
)
_BUS = re.compile(
    r"(?P<bus>scsi|nvme|usb|ide|virtio) (?P<id>\S{1,30}) (?P<made>[^{\[]{1,80}?)?\s*"
    r"(?:\{(?P<serial>[^{}]{1,80})\}|\[Empty\])?\s*"
)
_BLOCK = re.compile(
    r"(?P<name>[a-z][\w/!.-]{1,40}) (?P<size>\d{1,6}\.\d\d[kmgtp]) \[\d{1,5}:\d{1,7}\]\s*"
    r"(?P<holds>.{0,300})"
)
_MOUNTED = re.compile(r"Mounted as \S{1,200} @ (?P<place>/\S{0,300})")
_ENTRY = (_CONTROLLER, _BUS, _BLOCK, _MOUNTED)
_MOST = 600
_WRAPPED = 45  # characters of a line that a mail may have broken


class Lsdrv(StateOutput):
    tool = "lsdrv"
    anchors = ("PCI [", "USB [")
    commands = ("lsdrv",)
    reach = 3
    nothing = "no disk follows its controllers"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _CONTROLLER.match(cursor.line(cursor.at).lstrip()):
            return None
        below = [_TREE.sub("", cursor.line(cursor.at + step)) for step in range(1, 8)]
        return cursor.at if any(map(_BUS.match, below)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        entries, last = list[str](), first
        for index, line in lines(cursor, first, _MOST):
            text = _TREE.sub("", line)
            if not text:
                if index > last + 1:
                    break
                continue
            if any(pattern.match(text) for pattern in _ENTRY):
                entries.append(text)
            elif index <= last + 2 and len(cursor.line(last)) >= _WRAPPED:
                if prompt_in(line):
                    break
                entries[-1] = f"{entries[-1]} {text}"
            else:
                break
            last = index
        return last, list(_disks(entries, prompt.host))


def _disks(entries: list[str], host: str) -> Iterator[PrintedSubject]:
    """The controllers' disks and what lies on them, each a block device."""
    controller: dict[str, Scalar] = {}
    drive: dict[str, Scalar] = {}
    blocks: dict[str, dict[str, Scalar]] = {}
    name = ""
    for entry in entries:
        if match := _CONTROLLER.fullmatch(entry):
            controller, drive = {"controller": match["what"], "driver": match["driver"]}, {}
        elif match := _MOUNTED.fullmatch(entry):
            if name:
                blocks[name]["mounted_at"] = match["place"]
        elif match := _BLOCK.fullmatch(entry):
            name = match["name"]
            size = round(units.printed(match["size"].upper(), binary=True)[0])
            blocks.setdefault(name, {"size": size, "holds": match["holds"].strip()} | drive)
            drive = {}
        elif match := _BUS.fullmatch(entry):
            made = " ".join((match["made"] or "").split())
            drive = controller | ({"model": made} if made else {})
            if match["serial"]:
                drive["serial"] = match["serial"]
            name = ""
    for device, values in blocks.items():
        kind = "disk" if "driver" in values else "partition"
        yield PrintedSubject(kind, device, values, host)
