"""iostat of AIX: the plain report, and the extended one of -D in blocks and, with -l, in rows.

In the extended report K, M, G and T are powers of 1000 (4 transfers of 4 KiB are 16.4K), times are
ms, or with S, M and H behind them seconds, minutes and hours. Kbps, Kb_read and Kb_wrtn are KiB.
Whether a first report is since boot depends on a setting of the system, so nothing is said of it.

Source: IBM, AIX 7.2 commands reference, iostat (tables of columns and of suffixes); AIX 4.1,
usr/bin/iostat/iostat.c, stats() (blocks are divided by 1024) and statttycpu().
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, nearest

_K = float(units.KIB)
_PLAIN_HEAD = "Disks: % tm_act Kbps tps Kb_read Kb_wrtn"
_PLAIN = (("util", 0.01), ("bandwidth", _K), ("iops", 1.0), ("read.bytes", _K), ("write.bytes", _K))
_TTY_HEAD = "tty: tin tout avg-cpu: % user % sys % idle % iowait"
_TTY = (
    ("terminal.read", 1.0), ("terminal.written", 1.0), ("cpu_user", 0.01), ("cpu_system", 0.01),
    ("cpu_idle", 0.01), ("cpu_iowait", 0.01), ("processors_used", 1.0), ("entitled_capacity", 0.01),
)  # fmt: skip
_BLOCKS = {
    "xfer": (
        "%tm_act bps tps bread bwrtn",
        ("util", "bandwidth", "iops", "read.bandwidth", "write.bandwidth"),
    ),
    "read": (
        "rps avgserv minserv maxserv timeouts fails",
        ("read.iops", "read.service_time", "read.service_time.min", "read.service_time.max",
         "read.timeouts", "read.fails"),
    ),
    "write": (
        "wps avgserv minserv maxserv timeouts fails",
        ("write.iops", "write.service_time", "write.service_time.min", "write.service_time.max",
         "write.timeouts", "write.fails"),
    ),
    "queue": (
        "avgtime mintime maxtime avgwqsz avgsqsz sqfull",
        ("waiting_time", "waiting_time.min", "waiting_time.max", "waiting_queue", "active_queue",
         "queue_full"),
    ),
}  # fmt: skip
_LONG = [name for _, names in _BLOCKS.values() for name in names]
_LONG_TITLE = re.compile(r"^\s*Disks:\s+xfers\s+read\s+write\s+queue(?:\s+time)?\s*$")
_LONG_HEAD = (
    "%tm bps tps bread bwrtn rps avg min max time fail wps avg min max time fail avg min max avg"
    " avg serv",
    "act serv serv serv outs serv serv serv outs time time time wqsz sqsz qfull",
)
_BLOCK = re.compile(
    r"^\s*(?:(?P<name>[a-z]\w{1,30})\s+)?(?P<block>xfer|read|write|queue):\s+(?P<names>\S.*)$"
)
_BETWEEN = re.compile(r"^(?:-{10,}(?: -{5,})*|System configuration: .*)$")
_FIGURE = re.compile(r"(?P<number>\d{1,15}(?:\.\d{1,3})?)(?P<suffix>[KMGTSH])?")
_CLOCK = re.compile(r"\d\d:\d\d:\d\d")
_DISK = re.compile(r"[a-z]\w{1,30}")
_BYTES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_TIMES = {"": 1e-3, "S": 1.0, "M": 60.0, "H": 3600.0}
_COUNTS = {"": 1.0, "K": 1e3, "M": 1e6}
_MOST = 20_000


@dataclass(slots=True)
class _Reports:
    """What is read: the figures of each report on the host and on each disk."""

    rows: list[tuple[str, dict[str, Json]]] = field(default_factory=list)
    block: dict[str, Json] | None = None
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, values: dict[str, Json]) -> dict[str, Json]:
        self.counts[name] += 1
        row: dict[str, Json] = {"report": self.counts[name], **values}
        self.rows.append((name, row))
        return row


class AixIostat(StateOutput):
    tool = "iostat"
    anchors = ("% tm_act", "Kbps      tps", "avgserv ", "avg-cpu: % user", "bread  bwrtn")
    commands = ("iostat",)
    nothing = "no device follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        joined = " ".join(fields(line))
        if joined == _LONG_HEAD[0]:
            return nearest(cursor, 6, _LONG_TITLE.match)
        if _BLOCK.match(line):
            return nearest(cursor, 10, _names_a_disk)
        return cursor.at if joined == _PLAIN_HEAD or _is_tty(joined) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        reports, last, expected = _Reports(), first, ""
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            joined = " ".join(fields(line))
            head = _head_of(line, joined)
            if head is not None:
                expected = _begun(reports, head)
            elif _BETWEEN.match(joined) or joined == _LONG_HEAD[1]:
                continue
            elif not _read_row(reports, expected, joined):
                break
            last = index
        return last, list(self._counters(reports, prompt))

    def _counters(self, reports: _Reports, prompt: Prompt) -> Iterator[PrintedCounters]:
        for name, values in reports.rows:
            if len(values) > 1:
                yield self.counted("disk" if name else "host", name, values, prompt)


def _names_a_disk(line: str) -> bool:
    block = _BLOCK.match(line)
    return block is not None and bool(block["name"])


def _is_tty(joined: str) -> bool:
    return joined in {_TTY_HEAD, f"{_TTY_HEAD} physc % entc"}


def _head_of(line: str, joined: str) -> tuple[str, str] | None:
    """What the lines below a head are, and the disk that it names; None where it is no head."""
    if joined == _PLAIN_HEAD:
        return "plain", ""
    if _is_tty(joined):
        return "tty", ""
    if _LONG_TITLE.match(line) or joined == _LONG_HEAD[0]:
        return "long", ""
    match = _BLOCK.match(line)
    if match and " ".join(fields(match["names"])) == _BLOCKS[match["block"]][0]:
        return match["block"], match["name"] or ""
    return None


def _begun(reports: _Reports, head: tuple[str, str]) -> str:
    """What is expected below a head; a block that names a disk begins a report on it."""
    kind, name = head
    if kind == "xfer":
        reports.block = reports.add(name, {})
    elif kind not in _BLOCKS:
        reports.block = None
    return kind


def _read_row(reports: _Reports, expected: str, joined: str) -> bool:
    """Reads a line below a head; says whether it is one."""
    cells = joined.split(" ")
    if expected in _BLOCKS and reports.block is not None:
        values = _extended(_BLOCKS[expected][1], cells)
        reports.block |= values
        return bool(values)
    if expected == "tty":
        values = _scaled(_TTY[: len(cells)], cells) if len(cells) in {6, 8} else {}
        return bool(values and reports.add("", values))
    if not _DISK.fullmatch(cells[0]):
        return False
    if expected == "plain":
        values = _scaled(_PLAIN, cells[1:])
    else:
        own = cells[1:-1] if _CLOCK.fullmatch(cells[-1]) else cells[1:]
        values = _extended(_LONG, own) if expected == "long" else {}
    return bool(values and reports.add(cells[0], values))


def _scaled(columns: Sequence[tuple[str, float]], cells: Sequence[str]) -> dict[str, Json]:
    """Plain figures by their names; empty where there is another number of them, or a word."""
    if len(cells) != len(columns) or not all(map(_FIGURE.fullmatch, cells)):
        return {}
    if not all(cell.replace(".", "").isdecimal() for cell in cells):
        return {}
    pairs = zip(columns, cells, strict=True)
    return {name: float(f"{float(cell) * scale:.12g}") for (name, scale), cell in pairs}


def _extended(names: Sequence[str], cells: Sequence[str]) -> dict[str, Json]:
    """Figures with suffixes by their names; empty where one is not understood."""
    if len(cells) != len(names):
        return {}
    values: dict[str, Json] = {}
    for name, cell in zip(names, cells, strict=True):
        match = _FIGURE.fullmatch(cell)
        scale = _scales(name).get(match["suffix"] or "") if match else None
        if match is None or scale is None:
            return {}
        values[name] = float(f"{float(match['number']) * scale:.12g}")
    return values


def _scales(name: str) -> dict[str, float]:
    """What a figure is by its suffix: bytes a second, a time, a share or a count."""
    if name.endswith("bandwidth"):
        return _BYTES
    if "_time" in name:
        return _TIMES
    return {"": 0.01} if name == "util" else _COUNTS
