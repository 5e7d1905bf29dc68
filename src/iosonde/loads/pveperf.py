"""pveperf of Proxmox VE: a disk's speed of reading, its seeks, and a file system's fsyncs.

Source: pve-manager, bin/pveperf: test_read() divides by 1024², test_seektime() reads 512 bytes at
random places one after the other, test_fsync() writes 4 KB files and fsyncs each.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor, command_before, lines

_LINE = re.compile(
    r"^\W*(?P<name>CPU BOGOMIPS|REGEX/SECOND|HD SIZE|BUFFERED READS|AVERAGE SEEK TIME|FSYNCS/SECOND"
    r"|DNS EXT|DNS INT):\s+(?P<value>\d[\d.]{0,20})(?P<rest>.*)$"
)
_METRICS = {
    "BUFFERED READS": ("read.bandwidth", float(units.MIB), "MB/sec"),
    "AVERAGE SEEK TIME": ("read.latency.mean", 1e-3, "ms"),
    "FSYNCS/SECOND": ("sync.iops", 1.0, ""),
}
_LOADS: dict[str, dict[str, Scalar]] = {
    "BUFFERED READS": {"rw": "read", "bs": 2 * units.MIB},
    "AVERAGE SEEK TIME": {"rw": "randread", "bs": 512},
    "FSYNCS/SECOND": {"rw": "write", "fsync": 1},
}
_DEVICE = re.compile(r"\(([^()\s]{1,200})\)")


class Pveperf(Output):
    tool = "pveperf"
    anchors = ("CPU BOGOMIPS:", "BUFFERED READS:", "FSYNCS/SECOND:")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _LINE.match(cursor.line(cursor.at)):
            return None
        top, name = cursor.at, ""
        for index in range(cursor.at, max(cursor.at - 16, -1), -1):
            line = cursor.line(index)
            match = _LINE.match(line)
            if line and (not match or name == "CPU BOGOMIPS"):
                break
            top, name = (index, match["name"]) if match else (top, name)
        return top

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        begin, prompt = command_before(cursor, first, ("pveperf",), reach=4)
        last, trials, target, seen = first, list[PrintedTrial](), "", set[str]()
        for index, line in lines(cursor, first, 20):
            match = _LINE.match(line)
            if not match:
                if line:
                    break
                continue
            if match["name"] in seen:
                break
            seen.add(match["name"])
            last = index
            if match["name"] == "HD SIZE" and (device := _DEVICE.search(match["rest"])):
                target = device[1]
            if match["name"] in _METRICS:
                metric, scale, unit = _METRICS[match["name"]]
                if match["rest"].split()[:1] != unit.split():
                    raise Unreadable(f"its line {match['name']} is broken")
                value, step = units.printed(match["value"])
                trials.append(PrintedTrial(
                    tool=self.tool, loops=(LoadResult.of({metric: value * scale}),),
                    command=prompt.command, host=prompt.host, target=target,
                    label=match["name"].lower(), options=_LOADS[match["name"]],
                    steps={metric: step * scale},
                ))  # fmt: skip
        if not trials:
            raise Unreadable("it says nothing of a disk")
        return OutputReading(begin, last, trials=tuple(trials))
