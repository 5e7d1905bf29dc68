"""What virsh counts of the disks of machines: `domblkstat`, also with --human, and `domstats`.

Source: libvirt 0.10 to 10, tools/virsh-domain-monitor.c (domblkstat_output: a legacy and a human
name of each counter; times in nanoseconds; cmdDomstats: "  %s=%s" below "Domain: '%s'"), and
src/libvirt-domain.c, virConnectGetAllDomainStats (block.<num>.name, rd.reqs …, fl.times).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde.layers.guest.printed_virsh import asked_disk
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, PartlyReadItems, StateOutput, close_lines, start_of

_STAT = re.compile(
    r"\s*(?:(?P<device>[a-z]{2,5}\d{0,3}) )?(?P<name>(?:rd|wr|flush)_(?:req|bytes|operations|"
    r"total_times)|errs) (?P<value>-?\d{1,19})\s*$"
)
_DEVICE = re.compile(r"\s*Device:(?: (?P<device>\S{1,200}))?\s*$")
_EXPLAINED = {
    "number of read operations": "rd_req", "number of bytes read": "rd_bytes",
    "number of write operations": "wr_req", "number of bytes written": "wr_bytes",
    "error count": "errs", "number of flush operations": "flush_operations",
    "total duration of reads (ns)": "rd_total_times",
    "total duration of writes (ns)": "wr_total_times",
    "total duration of flushes (ns)": "flush_total_times",
}  # fmt: skip
_EXPLANATION = re.compile(
    rf"\s*(?:(?P<device>[a-z]{{2,5}}\d{{0,3}}) )?(?P<text>{'|'.join(map(re.escape, _EXPLAINED))}):"
    r"\s+(?P<value>\d{1,19})\s*$"
)


def _figure(line: str) -> tuple[str, str, int] | None:
    """Device where the line names it, counter and value of a line of `domblkstat`."""
    if match := _STAT.match(line):
        return match["device"] or "", match["name"], int(match["value"])
    if match := _EXPLANATION.match(line):
        return match["device"] or "", _EXPLAINED[match["text"]], int(match["value"])
    return None


class VirshCounts(StateOutput):
    tool = "virsh domblkstat"
    anchors = (
        "rd_req ", "wr_req ", "flush_operations ", "number of read operations:",
        "number of write operations:",
    )  # fmt: skip
    commands = ("virsh",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _figure(cursor.line(cursor.at)):
            return None
        first = start_of(cursor, _figure)
        return first - 1 if _DEVICE.match(cursor.line(first - 1)) else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        head = _DEVICE.match(cursor.line(first))
        last, device = first, (head["device"] or "") if head else ""
        for index, line in lines(cursor, first + bool(head), 20):
            figure = _figure(line)
            if not figure or figure[1] in values:
                break
            named, name, count = figure
            values[name] = count / 1e9 if "times" in name else count
            device, last = named or device, index
        return last, (self.counted("guest", device or asked_disk(prompt), values, prompt),)


_DOMAIN = re.compile(r"\s*Domain: '(?P<name>[^'\n]{1,200})'\s*$")
_LONGEST = 20_000
_VALUE = re.compile(r"\s*(?P<key>[a-z][\w-]{0,30}(?:\.[\w-]{1,40}){1,5})=(?P<value>.{0,400})$")
_BLOCK = re.compile(r"block\.(?P<number>\d{1,4})\.(?P<name>\S+)")
_OF_BLOCK = {
    "rd.reqs": "rd_req", "rd.bytes": "rd_bytes", "rd.times": "rd_total_times",
    "wr.reqs": "wr_req", "wr.bytes": "wr_bytes", "wr.times": "wr_total_times",
    "fl.reqs": "flush_operations", "fl.times": "flush_total_times", "errors": "errs",
}  # fmt: skip
_OF_IMAGE = {"path": "path", "capacity": "size", "allocation": "allocation", "physical": "physical"}


class VirshStats(StateOutput):
    """`virsh domstats`: the disks of machines, each by its machine and its name."""

    tool = "virsh domstats"
    anchors = ("Domain: '",)
    commands = ("virsh",)
    reach = 3
    nothing = "it names no disk"
    beginning = _DOMAIN

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        items: list[PrintedSubject | PrintedCounters] = []
        machine, blocks, last = "", dict[str, dict[str, str]](), first
        for index, line in close_lines(cursor, first, _LONGEST, gap=2):
            if domain := _DOMAIN.match(line):
                items += self._disks(machine, blocks, prompt)
                machine, blocks = domain["name"], {}
            elif value := _VALUE.match(line):
                if block := _BLOCK.fullmatch(value["key"]):
                    blocks.setdefault(block["number"], {})[block["name"]] = value["value"].strip()
            else:
                break
            last = index
        return last, [*items, *self._disks(machine, blocks, prompt)]

    def _disks(
        self, machine: str, blocks: Mapping[str, Mapping[str, str]], prompt: Prompt
    ) -> Iterator[PrintedSubject | PrintedCounters]:
        for block in blocks.values():
            if "name" not in block:
                continue
            name = f"{machine} {block['name']}"
            counts: dict[str, Json] = {
                _OF_BLOCK[key]: int(text) / 1e9 if key.endswith("times") else int(text)
                for key, text in block.items() if key in _OF_BLOCK and text.isdecimal()
            }  # fmt: skip
            facts: dict[str, Scalar] = {
                _OF_IMAGE[key]: int(text) if text.isdecimal() else text
                for key, text in block.items() if key in _OF_IMAGE and text
            }  # fmt: skip
            if facts:
                yield PrintedSubject("guest", name, facts, prompt.host)
            if counts:
                yield self.counted("guest", name, counts, prompt)
