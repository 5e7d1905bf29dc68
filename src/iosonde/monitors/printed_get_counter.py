r"""PowerShell's Get-Counter, once or with -Continuous: counters of Windows' disks and volumes.

Each sample is its path (`\\host\physicaldisk(0 c:)\avg. disk sec/read :`) and a value below it, in
the units of the counter; a time stands before the first of a set.

Source: Microsoft, Get-Counter; counters of PhysicalDisk and LogicalDisk ("Avg. Disk sec/Read" in
seconds, "Disk Bytes/sec" in bytes a second, "% Idle Time" in percent of the time, "Free Megabytes"
in units of 1048576 bytes); numbers are printed as the language of the session writes them.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, joined
from iosonde.text.reader import PartlyReadItems, StateOutput, close_rows, nearest

_SAMPLE = re.compile(
    r"\\\\(?P<host>[^\\\s]{1,80})\\(?P<object>physicaldisk|logicaldisk)"
    r"\((?P<instance>[^()\n]{1,80})\)\\(?P<counter>[^\\:\n]{3,60}?)\s{0,4}:\s{1,80}"
    r"(?P<value>-?\d{1,20}(?:[.,]\d{1,20})?(?:E[+-]?\d{1,3})?)(?!\S)",
    re.IGNORECASE,
)
_PATH = re.compile(r"\\\\[^\\\s]{1,80}\\[^\\]{2,80}\\[^\\:]{3,60}:\s*$")
_VALUE = re.compile(r"\s*-?\d{1,20}(?:[.,]\d{1,20})?(?:E[+-]?\d{1,3})?\s*")
_TIME = re.compile(
    r"\s*+(?P<time>\d{1,4}[/.-]\s?\d{1,2}[/.-]\s?\d{1,4}\.? \d{1,2}:\d\d:\d\d"
    r"(?: [AaPp]\.?[Mm]\.?)?)"
    r"(?=\s|$)"
)
_HEAD = re.compile(r"\s*Timestamp\s{1,40}CounterSamples\s*|\s*-{9}\s{1,40}-{14}\s*")
_NAMES: dict[str, tuple[str, float]] = {
    "avg. disk sec/read": ("read.await", 1), "avg. disk sec/write": ("write.await", 1),
    "avg. disk sec/transfer": ("await", 1), "disk reads/sec": ("read.iops", 1),
    "disk writes/sec": ("write.iops", 1), "disk transfers/sec": ("iops", 1),
    "disk read bytes/sec": ("read.bandwidth", 1), "disk write bytes/sec": ("write.bandwidth", 1),
    "disk bytes/sec": ("bandwidth", 1), "avg. disk bytes/read": ("read.size", 1),
    "avg. disk bytes/write": ("write.size", 1), "avg. disk bytes/transfer": ("size", 1),
    "avg. disk queue length": ("queue", 1), "avg. disk read queue length": ("read.queue", 1),
    "avg. disk write queue length": ("write.queue", 1),
    "current disk queue length": ("queue_now", 1), "% idle time": ("idle", 0.01),
    "% disk time": ("busy", 0.01), "% disk read time": ("read.busy", 0.01),
    "% disk write time": ("write.busy", 0.01), "split io/sec": ("splits", 1),
    "% free space": ("free_share", 0.01), "free megabytes": ("free", 1 << 20),
}  # fmt: skip
"""Counters by the names that a disk's have elsewhere, and what one of theirs is of these."""
_MOST = 20_000


class GetCounter(StateOutput):
    tool = "Get-Counter"
    anchors = (
        r"\physicaldisk(", r"\logicaldisk(", r"\PhysicalDisk(", r"\LogicalDisk(",
    )  # fmt: skip
    commands = ("Get-Counter",)
    nothing = "no value stands below its paths"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _PATH.search(cursor.line(cursor.at)):
            return None
        head = nearest(cursor, 5, _HEAD.fullmatch)
        return cursor.at if head is None else min(head, cursor.at)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> PartlyReadItems:
        _, last = close_rows(cursor, first, _is_own, _MOST, gap=8, no_prompts=True)
        sets: list[tuple[str, dict[tuple[str, str, str], dict[str, Json]]]] = []
        text = joined(cursor, first, last)
        times = [(match.start(), match["time"]) for match in _times(text)]
        for sample in _SAMPLE.finditer(text):
            while times and times[0][0] < sample.start():
                sets.append((times.pop(0)[1], {}))
            if not sets:
                sets.append(("", {}))
            kind = "disk" if sample["object"].lower() == "physicaldisk" else "mount"
            values = sets[-1][1].setdefault((sample["host"], kind, sample["instance"]), {})
            counter = sample["counter"].lower()
            named, scale = _NAMES.get(counter, (re.sub(r"\W+", "_", counter).strip("_"), 1))
            values[named] = float(sample["value"].replace(",", ".")) * scale
        return last, [
            self.counted(
                kind, instance, {**values, **({"time": time} if time else {}), "report": number},
                prompt._replace(host=prompt.host or host),
            )
            for number, (time, each) in enumerate(sets, 1)
            for (host, kind, instance), values in each.items()
        ]  # fmt: skip


def _is_own(line: str) -> bool:
    text = line.strip()
    return bool(
        _HEAD.fullmatch(line)
        or _TIME.match(line)
        or _PATH.fullmatch(text)
        or _VALUE.fullmatch(text)
    )


def _times(text: str) -> list[re.Match[str]]:
    """The times that stand at the begin of a line."""
    return list(re.finditer(f"(?m)^{_TIME.pattern}", text))
