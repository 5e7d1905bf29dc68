"""hdparm -T and -t as people paste them: a pair, or one of the two lines.

Source: hdparm 9.65, hdparm.c, time_cache() and time_device(): MB are MiB, the speed has two
decimals, and blanks between depend on the version.
"""

from __future__ import annotations

import re
from typing import ClassVar

from iosonde import units
from iosonde.passage import Passage, command_before, flow, lines
from iosonde.printed import PrintedTrial, Reading, Unreadable
from iosonde.records import LoadResult

_LINE = re.compile(
    r"Timing (?P<how>O_DIRECT )?(?P<what>cached|buffered disk|disk) reads:?\s*"
    r"(?P<amount>[\d.]+) ?(?P<size>[kMG]B) in\s+(?P<seconds>[\d.]+) seconds ?= ?"
    r"(?P<rate>[\d.]+) ?(?P<unit>[kMG]B) ?/ ?sec"
)
_DEVICE = re.compile(r"^\s*(?:hdparm\s+-\S+\s+)?(?P<device>/dev/\S+?):?\s*$")
_END = re.compile(r"[kMG]B ?/ ?sec")
_START = re.compile(r"Timing (?:O_DIRECT )?(?:cached|buffered disk|disk) reads")


class Hdparm:
    """See `iosonde.passage.Output`."""

    tool: ClassVar[str] = "hdparm"
    anchors: ClassVar[tuple[str, ...]] = ("cached reads", "disk reads")

    def begin(self, passage: Passage) -> int | None:
        """See `Output.begin`."""
        return passage.at if _START.search(passage.line(passage.at) or "") else None

    def read(self, passage: Passage, first: int) -> Reading:
        """See `Output.read`."""
        last = first
        seen = 0
        for index, line in lines(passage, first, 8):
            if _START.search(line):
                seen += 1
                if seen > 2:
                    break
            if _END.search(line):
                last = index
        metrics: dict[str, float] = {}
        steps: dict[str, float] = {}
        elapsed = 0.0
        direct = False
        for found in _LINE.finditer(flow(passage, first, last)):
            name = "cached_read" if found["what"] == "cached" else "buffered_read"
            if f"{name}.bandwidth" in metrics:
                break
            rate, step = units.printed(found["rate"] + found["unit"][0], binary=True)
            metrics[f"{name}.bandwidth"], steps[f"{name}.bandwidth"] = rate, step
            elapsed += float(found["seconds"])
            direct = direct or bool(found["how"])
        if not metrics:
            raise Unreadable("no speed follows")
        begin, device = self._device(passage, first)
        asked = command_before(passage, begin, ("hdparm",))
        loop = LoadResult(metrics=metrics, units=dict.fromkeys(metrics, "B/s"))
        trial = PrintedTrial(
            tool=self.tool,
            loops=(loop,),
            command=asked[1].command if asked else "",
            host=asked[1].host if asked else "",
            target=device,
            elapsed=(elapsed,),
            options={"direct": direct},
            steps=steps,
        )
        return Reading(asked[0] if asked else begin, last, trials=(trial,))

    @staticmethod
    def _device(passage: Passage, first: int) -> tuple[int, str]:
        """Where the line with the device stands, and the device; else the output's first line."""
        for index in range(first - 1, max(first - 4, 0) - 1, -1):
            line = passage.line(index)
            if line and (found := _DEVICE.match(line)):
                return index, found["device"].rstrip(":")
            if line:
                break
        return first, ""
