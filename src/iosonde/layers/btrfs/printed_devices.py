"""`btrfs device usage`: what is allocated on each device of a file system.

Source: btrfs-progs 6.2, cmds/filesystem-usage.c (print_device_chunks, print_device_sizes) and
cmds/device.c (_cmd_device_usage): "DEVICE, ID: N", then labels with sizes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import HeadedOutput, nearest

_HEAD = re.compile(r"\s*(?P<device>/dev/[\w/.:-]{1,120}|missing), ID: (?P<id>\d{1,6})\s*$")
_PAIR = re.compile(
    r"\s*(?P<label>Device size|Device slack|Unallocated|(?:Data|Metadata|System)(?:\+Metadata)?"
    r",[A-Za-z0-9]{3,10}(?:/\d{1,3})?):\s+(?P<size>\d{1,18}(?:\.\d{1,2})?(?:[KMGTPE]iB|B)?)\s*$"
)


class BtrfsDevices(HeadedOutput):
    tool = "btrfs device usage"
    anchors = ("Device slack:", ", ID: ")
    commands = ("btrfs",)
    reach = 3
    beginning = _HEAD
    nothing = "no size follows its device"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return nearest(cursor, 4, self.is_head)

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return bool(_PAIR.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        first, *rest = text.split("\n")
        head = _HEAD.match(first)
        values: dict[str, Scalar] = {}
        for pair in filter(None, map(_PAIR.match, rest)):
            name = re.sub(r"[^a-z0-9]+", "_", pair["label"].lower()).removeprefix("device_")
            values[name] = round(units.printed(pair["size"])[0])
        if head and values:
            name = head["device"].removeprefix("/dev/")
            yield PrintedSubject("disk", name, {"device_id": int(head["id"])} | values, prompt.host)
