"""/proc/meminfo, whole or some lines of it: what waits to be written, and what is free.

Source: proc_meminfo(5); Linux fs/proc/meminfo.c: sizes in units of 1024 bytes.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_NAMES = frozenset({
    "MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "SwapCached", "Dirty", "Writeback",
    "WritebackTmp", "NFS_Unstable", "Slab", "SReclaimable", "SUnreclaim", "SwapTotal", "SwapFree",
    "Active", "Inactive", "AnonPages", "Mapped", "Shmem", "Active(anon)", "Inactive(anon)",
    "Active(file)", "Inactive(file)", "Unevictable", "Mlocked", "Zswap", "Zswapped",
    "KReclaimable", "KernelStack", "ShadowCallStack", "PageTables", "SecPageTables", "Bounce",
    "CommitLimit", "Committed_AS", "VmallocTotal", "VmallocUsed", "VmallocChunk", "Percpu",
    "HardwareCorrupted", "AnonHugePages", "ShmemHugePages", "ShmemPmdMapped", "FileHugePages",
    "FilePmdMapped", "CmaTotal", "CmaFree", "Unaccepted", "Balloon", "Hugepagesize", "Hugetlb",
    "DirectMap4k", "DirectMap2M", "DirectMap4M", "DirectMap1G", "HighTotal", "HighFree",
    "LowTotal", "LowFree", "MmapCopy", "Quicklists",
})  # fmt: skip
_PAIR = re.compile(r"(?<!\S)(?P<name>[A-Z][\w()]{3,24}):\s{1,24}(?P<size>\d{1,15}) kB(?!\S)")
_COUNTED = re.compile(
    r"(?<!\S)(?P<name>HugePages_(?:Total|Free|Rsvd|Surp)):\s{1,24}(?P<count>\d{1,15})(?!\S)"
)
_LINE = re.compile(
    r"\s*+(?:[\d:./-][\d:./ -]{3,29} )?(?:[A-Z][\w()]{2,24}:\s{1,24}\d{1,15}(?: kB)?(?:\s+|$))+"
    r"(?:#.{0,200})?$"
)
"""Also with what somebody remarked behind it."""
_MOST = 80


class Meminfo(StateOutput):
    tool = "meminfo"
    anchors = (
        "MemTotal:", "MemFree:", "MemAvailable:", "Dirty: ", "Writeback: ", "NFS_Unstable:",
        "SwapTotal:", "SwapFree:", "SwapCached:", "AnonPages:", "SUnreclaim:", "Committed_AS:",
        "HugePages_", "AnonHugePages:", "Buffers: ",
    )  # fmt: skip
    commands = ("cat", "grep", "egrep", "head")
    reach = 3
    about = "meminfo"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _values(cursor.line(cursor.at)):
            return None
        first = cursor.at
        for index in range(first - 1, max(first - 60, -1), -1):
            if not _LINE.match(cursor.line(index)):
                break
            first = index
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        last = first
        for index, line in lines(cursor, first, _MOST):
            own = _values(line) if _LINE.match(line) else {}
            if (line and not own and not _LINE.match(line)) or values.keys() & own.keys():
                break  # another moment is another output
            if line:
                last = index
            elif index > last + 1:
                break
            values |= own
        return last, [self.counted("memory", "", values, prompt)]


def _values(line: str) -> dict[str, Json]:
    if not _LINE.match(line):
        return {}
    values: dict[str, Json] = {pair["name"]: int(pair["count"]) for pair in _COUNTED.finditer(line)}
    return values | {
        pair["name"]: int(pair["size"]) * units.KIB
        for pair in _PAIR.finditer(line)
        if pair["name"] in _NAMES
    }
