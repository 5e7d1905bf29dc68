"""`ethtool -S`: what the driver of an interface counts, by its own names.

Source: ethtool 6.1, ethtool.c (do_gnicstats): "NIC statistics:", then "     NAME: COUNT".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(r"\s*NIC statistics:\s*$")
_COUNT = re.compile(r"\s*(?P<name>[A-Za-z\[][\w\[\]. :-]{0,60}?): (?P<count>\d{1,20})\s*$")
_COMMAND = re.compile(r"\s(?:-S|--statistics)\s+(?P<name>[\w.@:-]+)")
_MOST = 4000


class EthtoolStatistics(StateOutput):
    tool = "ethtool -S"
    anchors = ("NIC statistics:",)
    commands = ("ethtool",)
    reach = 3
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST, gap=2):
            match = _COUNT.match(line)
            if match is None:
                break
            values[match["name"]] = int(match["count"])
            last = index
        if not values:
            raise Unreadable("no counter follows its head", last)
        name = _COMMAND.search(prompt.command)
        return last, [self.counted("link", name["name"] if name else "", values, prompt)]
