"""`btrfs rescue super-recover -v`: which copies of the superblock are good.

Source: btrfs-progs 6.2, cmds/rescue-super-recover.c (print_all_devices(), print_super_info(),
btrfs_recover_superblocks()).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_DEVICES = re.compile(r"\s*All Devices:\s*$")
_BEFORE = re.compile(r"\s*Before Recovering:\s*$")
_DEVICE = re.compile(r"\s*Device: id = (?P<id>\d{1,6}), name = (?P<device>/\S{1,160})\s*$")
_PART = re.compile(r"\s*\[All (?P<part>good|bad) supers\]:\s*$")
_COPY = re.compile(r"\s*superblock bytenr = (?P<start>\d{1,20})\s*$")
_OF = re.compile(r"\s*device name = (?P<device>/\S{1,160})\s*$")
_OTHERS = re.compile(r"\s*(?:(?:Before|After) Recovering:|All Devices:)\s*$")
_VALID = re.compile(r"\s*All supers are valid, no need to recover\s*$")
_RECOVERED = re.compile(r"\s*Recovered bad superblocks successful\w*\s*$")
_GAP = 3  # lines between the parts


class BtrfsRecover(StateOutput):
    tool = "btrfs rescue super-recover"
    anchors = ("Before Recovering:",)
    commands = ("btrfs",)
    reach = 3
    nothing = "no superblock follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The list of devices stands above what was before."""
        if not _BEFORE.match(cursor.line(cursor.at)):
            return None
        return top_of(cursor, lambda line: _DEVICES.match(line) or _DEVICE.match(line))

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        facts: dict[str, Scalar] = {}
        devices, copies = list[str](), dict[str, list[str]]()
        last, part, owner = first, "", ""
        for index, line in close_lines(cursor, first, gap=_GAP):
            if device := _DEVICE.match(line):
                devices.append(device["device"].removeprefix("/dev/"))
                facts[f"device_{device['id']}"] = device["device"]
            elif heading := _PART.match(line):
                part = heading["part"]
                copies[part] = []  # of the last list: after the recovery, if there was one
            elif (of := _OF.match(line)) and part:
                owner = of["device"].removeprefix("/dev/")
            elif (copy := _COPY.match(line)) and part:
                copies[part].append(f"{owner} {copy['start']}")
            elif _VALID.match(line) or _RECOVERED.match(line):
                facts["superblocks_recovered"] = _RECOVERED.match(line) is not None
            elif prompt_in(line) or not _OTHERS.match(line):
                break
            last = index
        facts |= _copies(copies)
        if devices:
            facts |= {"devices": len(devices), "below": " ".join(devices)}
        name = devices[0] if devices else ""
        return last, [PrintedSubject("btrfs", name, facts, prompt.host)] if copies else []


def _copies(copies: Mapping[str, Sequence[str]]) -> dict[str, Scalar]:
    """How many copies are good or bad, and where each lies."""
    facts: dict[str, Scalar] = {}
    for part, places in copies.items():
        facts[f"{part}_superblocks"] = len(places)
        if places:
            facts[f"{part}_superblock_places"] = ", ".join(places)
    return facts
