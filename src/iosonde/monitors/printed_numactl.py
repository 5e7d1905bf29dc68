"""`numactl --hardware`, and /proc/zoneinfo: nodes of memory, and their zones.

Source: numactl 2.0.16, numactl.c, hardware() ("available: %d nodes (%s)", "node %d cpus:", "node %d
size: %s", MB of 2^20 bytes), print_distances(); Linux Documentation/filesystems/proc.rst, zoneinfo;
mm/vmstat.c, zoneinfo_show_print() ("Node %d, zone %8s", "pages free", then "min", "low", "high",
"spanned", "present" and "managed", all pages).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_AVAILABLE = re.compile(r"\s*available: (?P<nodes>\d{1,4}) nodes? \([\d,-]{1,200}\)\s*$")
_CPUS = re.compile(r"\s*node (?P<node>\d{1,4}) cpus:(?P<cpus>(?: \d{1,5}){0,2000})\s*$")
_SIZE = re.compile(r"\s*node (?P<node>\d{1,4}) (?P<what>size|free): (?P<size>\d{1,12}) MB\s*$")
_DISTANCES = re.compile(r"\s*node distances:\s*$")
_COLUMNS = re.compile(r"\s*node(?: +\d{1,4}){1,200}\s*$")
_DISTANCE = re.compile(r"\s*(?P<node>\d{1,4}): (?P<distances>(?: {0,6}\d{1,3}){1,200})\s*$")
_MORE_CPUS = re.compile(r"\s*\d{1,5}(?: \d{1,5}){0,2000}\s*$")
_MOST = 600


class Numactl(StateOutput):
    tool = "numactl"
    anchors = ("available: ",)
    commands = ("numactl",)
    reach = 3
    beginning = _AVAILABLE
    nothing = "no node follows"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        available = _AVAILABLE.match(cursor.line(first))
        nodes = _Nodes()
        _, last = close_rows(cursor, first + 1, nodes.take, _MOST, gap=3)
        values = nodes.values()
        if values and available:
            values = {"numa_nodes": int(available["nodes"])} | values
        return last, [PrintedSubject("host", "", values, prompt.host)] if values else []


class _Nodes:
    """What the lines have said of each node so far."""

    def __init__(self) -> None:
        self._memory = dict[str, Scalar]()
        self._processors = dict[str, list[int]]()
        self._distances = list[str]()
        self._cpus = ""

    def take(self, line: str) -> bool:
        """Notes what a line says; false where it is of no node."""
        if row := _CPUS.match(line):
            self._cpus = row["node"]
            self._processors[self._cpus] = [int(cpu) for cpu in fields(row["cpus"])]
        elif row := _SIZE.match(line):
            name = "memory" if row["what"] == "size" else "free_memory"
            self._memory[f"numa_node{row['node']}_{name}"] = int(row["size"]) * units.MIB
            self._cpus = ""
        elif self._cpus and _MORE_CPUS.match(line):  # a wrap broke the list
            self._processors[self._cpus] += [int(cpu) for cpu in fields(line)]
        elif row := _DISTANCE.match(line):
            self._distances.append(" ".join(fields(row["distances"])))
        else:
            return bool(_DISTANCES.match(line) or _COLUMNS.match(line))
        return True

    def values(self) -> dict[str, Scalar]:
        """By the names that lscpu's reader gives them."""
        cpus: dict[str, Scalar] = {
            f"numa_node{node}_cpus": _ranges(numbers)
            for node, numbers in self._processors.items() if numbers
        }  # fmt: skip
        distances: dict[str, Scalar] = (
            {"numa_distances": "; ".join(self._distances)} if self._distances else {}
        )
        return self._memory | cpus | distances


def _ranges(numbers: list[int]) -> str:
    """Numbers as lscpu has them: "0-3,8-11"."""
    ranges = list[list[int]]()
    for number in sorted(set(numbers)):
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(f"{low}-{high}" if high > low else f"{low}" for low, high in ranges)


_ZONE = re.compile(
    r"\s*Node (?P<node>\d{1,4}), zone {1,8}(?P<zone>DMA|DMA32|Normal|HighMem|Movable|Device)\s*$"
)
_PAGES = re.compile(r"\s*pages free {1,12}(?P<figure>\d{1,18})\s*$")
_PAIR = re.compile(r"\s*(?P<name>[a-z][a-z_]{1,60}):? {1,20}(?P<figure>\d{1,20})\s*$")
_OTHER = re.compile(
    r"\s*(?:per-node stats|pagesets|protection: \([\d, ]{1,200}\)|cpu: \d{1,5}"
    r"|vm stats threshold: \d{1,6}|all_unreclaimable:.{0,40}|Node \d{1,4}, zone.{0,40})\s*$"
)
_KEPT = frozenset({"boost", "min", "low", "high", "spanned", "present", "managed"})
_PARTS = {"per-node stats": "node", "pagesets": "pagesets"}
_MOST_LINES = 20_000


class Zoneinfo(StateOutput):
    tool = "zoneinfo"
    anchors = (", zone      DMA", ", zone    DMA32", ", zone   Normal", ", zone  Movable",
               ", zone   Device", ", zone  HighMem")  # fmt: skip
    commands = ("cat", "grep", "less", "head")
    about = "zoneinfo"
    reach = 3
    beginning = _ZONE
    nothing = "no figure of a zone can be read below it"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        zones = _Zones()
        _, last = close_rows(cursor, first, zones.take, _MOST_LINES, gap=3, no_prompts=True)
        counters: list[PrintedCounters] = [
            self.counted(kind, name, values, prompt)
            for kind, things in (("memory_zone", zones.zones), ("memory_node", zones.nodes))
            for name, values in things.items() if values
        ]  # fmt: skip
        return last, counters


class _Zones:
    """What the lines have said so far of zones and of the nodes that these are in."""

    def __init__(self) -> None:
        self.zones = dict[str, dict[str, Json]]()
        self.nodes = dict[str, dict[str, Json]]()
        self._values = dict[str, Json]()
        self._node, self._part = "", ""

    def take(self, line: str) -> bool:
        """Notes what a line says; false where it is of no zone, or of the next reading."""
        if zone := _ZONE.match(line):
            self._node = f"node {zone['node']}"
            name, self._part = f"{self._node}, {zone['zone']}", "zone"
            if name in self.zones:
                return False
            self._values = self.zones.setdefault(name, {})
        elif pages := _PAGES.match(line):
            self._values["free_pages"], self._part = int(pages["figure"]), "pages"
        elif _OTHER.match(line):
            self._part = _PARTS.get(line.strip(), self._part)
        elif pair := _PAIR.match(line):
            self._figure(pair["name"], int(pair["figure"]))
        else:
            return False
        return True

    def _figure(self, name: str, figure: int) -> None:
        if self._part == "node":
            self.nodes.setdefault(self._node, {})[name] = figure
        elif self._part == "pages" and name in _KEPT:
            self._values[f"{name}_pages"] = figure
        elif self._part == "pages" and name.startswith("nr_"):
            self._values[name] = figure
