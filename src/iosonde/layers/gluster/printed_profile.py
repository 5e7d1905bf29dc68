"""`gluster volume profile … info`: operations of each brick, their latencies and block sizes.

Each interval of a brick is counters of its own; times are seconds, sizes bytes. Sizes of blocks
are powers of two: "4096b+" are calls of 4096 bytes and more, below the next.

Source: glusterfs 3.2 to 11, cli/src/cli-rpc-ops.c (cmd_profile_volume_brick_out(): "Cumulative
Stats:", "Interval %d Stats:", three sizes of blocks in a line, "%-latency", latencies in "us", in
"ns" since 9, "Duration: ", "Data Read: ", "Data Written: ").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.layers.gluster.facts import BRICK
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, nearest
from iosonde.text.torn import joinings

_BRICK = re.compile(rf"\s*(?:Brick|NFS Server ?): ?(?P<brick>{BRICK}|[\w.-]{{1,120}})\s*$")
_INTERVAL = re.compile(r"\s*(?:Cumulative|Interval (?P<interval>\d{1,9})) Stats:\s*$")
_BLOCKS = re.compile(
    r"\s*(?P<what>Block Size|No\. of (?:Reads|Writes)):"
    r"(?P<cells>(?:\s+\d{1,19}(?:b\+)?){1,3})\s*$"
)
_HEAD = re.compile(r"\s*%-latency\s+Avg-latency\b|\s*-{4,}(?:\s+-{4,}){0,5}\s*$|\s*-{4,}\s*$")
_HEAD_REST = re.compile(r"(?:\s*(?:%-latency|(?:Avg|Min|Max)-[Ll]atency|No\. of calls|Fop))+\s*$")
_TIME = r"\d{1,18}\.\d\d"
_FOP = re.compile(
    rf"\s*(?P<share>\d{{1,3}}\.\d\d)\s+(?P<mean>{_TIME}) (?P<unit>us|ns)\s+(?P<min>{_TIME}) "
    rf"(?:us|ns)\s+(?P<max>{_TIME}) (?:us|ns)\s+(?P<calls>\d{{1,19}})\s+"
    r"(?P<fop>[A-Z][A-Z0-9_]{2,20})\s*$"
)
_TOTAL = re.compile(
    r"\s*(?P<what>Duration|Data Read|Data Written): (?P<figure>\d{1,19}) (?:seconds|bytes)\s*$"
)
_TOTALS = {"Duration": "duration", "Data Read": "read", "Data Written": "written"}
_UNITS = {"us": 1e-6, "ns": 1e-9}
_DIGITS = 12
_MOST = 50_000


class GlusterProfile(StateOutput):
    tool = "gluster volume profile"
    anchors = (" Stats:", "%-latency")
    commands = ("gluster",)
    reach = 4
    nothing = "no operation and no duration can be read below it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_INTERVAL.match(line) or line.lstrip().startswith("%-latency")):
            return None
        above = nearest(cursor, 8, lambda text: _BRICK.match(text) or _INTERVAL.match(text))
        brick = nearest(cursor, 8, _BRICK.match)
        return brick if brick is not None else above if above is not None else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows = list(close_lines(cursor, first, _MOST, gap=4))
        reading = _Profile()
        at = last = 0
        while at < len(rows):
            if at and prompt_in(rows[at][1]):
                break
            count = reading.take([text for _, text in rows[at : at + 3]])
            if not count:
                break
            at += count
            last = at - 1
        return rows[last][0] if rows else first, reading.counted(self, prompt)


class _Profile:
    """The intervals of bricks read so far."""

    def __init__(self) -> None:
        self._brick = ""
        self._intervals: list[tuple[str, dict[str, Json]]] = []
        self._sizes: list[int] = []
        self._ended = True

    def take(self, lines: list[str]) -> int:
        """How many lines belong to what begins in the first; 0 where nothing of it does."""
        line = lines[0]
        if brick := _BRICK.match(line):
            self._brick, self._ended = brick["brick"], True
        elif interval := _INTERVAL.match(line):
            number = interval["interval"]
            self._values(begin=True)["interval"] = int(number) if number else "cumulative"
        elif blocks := _BLOCKS.match(line):
            return int(self._blocks(blocks["what"], fields(blocks["cells"])))
        elif total := _TOTAL.match(line):
            self._values()[_TOTALS[total["what"]]] = int(total["figure"])
            self._ended |= total["what"] == "Data Written"
        elif not (_HEAD.match(line) or _HEAD_REST.match(line)):
            return self._fop(lines)
        return 1

    def _values(self, *, begin: bool = False) -> dict[str, Json]:
        if begin or self._ended:
            self._intervals.append((self._brick, {}))
            self._ended = False
        return self._intervals[-1][1]

    def _blocks(self, what: str, cells: list[str]) -> bool:
        """Whether a line of sizes, or of calls below them, is whole."""
        if what == "Block Size":
            self._sizes = [int(cell.removesuffix("b+")) for cell in cells]
            return all(cell.endswith("b+") for cell in cells)
        if len(cells) != len(self._sizes) or any(cell.endswith("b+") for cell in cells):
            return False
        verb = "reads" if what.endswith("Reads") else "writes"
        for size, cell in zip(self._sizes, cells, strict=True):
            self._values()[f"{verb}.{size}"] = int(cell)
        return True

    def _fop(self, lines: list[str]) -> int:
        """How many lines an operation takes; 0 where none begins."""
        for count in range(1, len(lines) + 1):
            for text in joinings([line.rstrip() for line in lines[:count]]):
                if fop := _FOP.match(text):
                    values, unit = self._values(), _UNITS[fop["unit"]]
                    values[f"{fop['fop']}.calls"] = int(fop["calls"])
                    values[f"{fop['fop']}.share"] = round(float(fop["share"]) / 100, 6)
                    for name in ("mean", "min", "max"):
                        figure = round(float(fop[name]) * unit, _DIGITS)
                        values[f"{fop['fop']}.latency.{name}"] = figure
                    return count
        return 0

    def counted(self, output: StateOutput, prompt: Prompt) -> Iterator[PrintedCounters]:
        """What each interval of each brick counts."""
        for brick, values in self._intervals:
            if set(values) - {"interval"}:
                yield output.counted("gluster_brick", brick, values, prompt)
