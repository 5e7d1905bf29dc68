"""The head of top, and the line that uptime prints: load, CPU, memory, and the busiest processes.

A row of a process is kept with its state: D waits for a disk or for NFS.

Source: procps-ng 4.0, src/top/top.c, summary_hlp() and sum_tics(), library/uptime.c; 3.2, top.c,
for "Cpu(s):  0.3%us"; memory is in the unit that stands before it, without one (3.2) in KiB after
each figure. busybox 1.36, procps/top.c, display_header().
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, compact, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_UPTIME = re.compile(
    r"^\s*(?:top - )?\d{1,2}:\d\d(?::\d\d)?(?: [AP]M)? up\b.{2,60}?load averages?:", re.IGNORECASE
)
_CPUS = re.compile(r"^\s*%?Cpu(?:\(s\)|\d{1,4}) *: *\**\d")
_BUSYBOX = re.compile(r"^\s*CPU: +\d{1,3}(?:\.\d)?% usr")
_OWN = re.compile(
    r"^\s*(?:(?:Tasks|Threads): *\d|%?Cpu(?:\(s\)|\d{1,4}) *:|CPU: +\d"
    r"|(?:[KMGTPE]iB )?(?:Mem|Swap) *:"
    r"|Load average: |st$|\d+[.,]\d+ ?%?st$|\d+(?:[.,]\d+)?k? (?:total|free|used|avail|buff|cached)"
    r"|(?:used|total|free|avail|Mem)\b|\d+ (?:stopped|zombie|sleeping|running)|(?:stopped|zombie)\b"
    r"|\d{1,3}[.,]\d{1,2}, +\d|load average)"
)
_LOAD = re.compile(
    r"loadaverages?:(\d{1,6}[.,]\d\d)[, ]?(\d{1,6}[.,]\d\d)[, ]?(\d{1,6}[.,]\d\d)", re.IGNORECASE
)
_CPU = re.compile(
    r"%?Cpu(?P<number>\(s\)|\d{1,4}):(?P<shares>(?:\**\d{1,3}[.,]\d%?[a-z]{2}\**,?){4,8})"
)
_SHARE = re.compile(r"(\d{1,3}[.,]\d)%?([a-z]{2})")
_BUSY_SHARE = re.compile(r"(\d{1,3}(?:\.\d)?)%(usr|sys|nic|idle|io|irq|sirq)")
_NAMES = {
    "us": "cpu_user", "sy": "cpu_system", "ni": "cpu_nice", "id": "cpu_idle", "wa": "cpu_iowait",
    "hi": "cpu_irq", "si": "cpu_softirq", "st": "cpu_steal", "usr": "cpu_user",
    "sys": "cpu_system", "nic": "cpu_nice", "idle": "cpu_idle", "io": "cpu_iowait",
    "irq": "cpu_irq", "sirq": "cpu_softirq",
}  # fmt: skip
_MEMORY = re.compile(
    r"(?P<unit>[KMGTPE]iB)?(?P<what>Mem|Swap):(?P<figures>(?:\d{1,15}(?:[.,]\d)?k?\+?"
    r"(?:total|free|used|buff/cache|buffers|cached(?:Mem)?|availMem)[.,]?){3,5})"
)
_SIZE = re.compile(
    r"(\d{1,15}(?:[.,]\d)?)k?\+?(total|free|used|buff/cache|buffers|cached|availMem)"
)
_SIZES = {
    "Mem": {"total": "memory_total", "free": "memory_free", "used": "memory_used",
            "buff/cache": "page_cache", "buffers": "buffers"},
    "Swap": {"total": "swap_total", "free": "swap_free", "used": "swap_used",
             "cached": "page_cache", "availMem": "memory_available"},
}  # fmt: skip
"""What stands beside the swap is of the memory, for want of room."""
_SCALES = {f"{prefix}iB": 1024.0 ** (power + 1) for power, prefix in enumerate("KMGTPE")}
_TASKS = re.compile(r"(?:Tasks|Threads):(\d{1,9})total,(\d{1,9})running")
_COLUMNS = re.compile(r"^\s*PID\s+USER\s+(?:.*\s)?S\s+%CPU\s+%MEM\s+TIME\+?\s+COMMAND\s*$")
_FIGURE = re.compile(r"\d{1,5}(?:[.,]\d)?")
_REACH = 24
_BLANKS = 4
_MOST = 60


class Top(StateOutput):
    tool = "top"
    anchors = ("load average", "Cpu(s)", "Load average:", "% usr")

    commands = ("top", "uptime", "w")
    nothing = "its figures are cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not (_UPTIME.match(line) or _CPUS.match(line) or _BUSYBOX.match(line)):
            return None
        return cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, head = first, None
        for index, line in lines(cursor, first + 1, _REACH):
            if _COLUMNS.match(line):
                head = index
                break
            if line and (prompt_in(line) or not _OWN.match(line)):
                break
            if index > last + _BLANKS:
                break
            last = index if line else last
        text = compact(cursor, first, last)
        values = dict(_figures(text))
        counters = []
        for match in _CPU.finditer(text):
            shares = dict(_shares(match["shares"]))
            if match["number"] == "(s)":
                values |= shares
            else:
                counters.append(self.counted("host", f"cpu{match['number']}", shares, prompt))
        if head is not None:
            last, processes = _processes(cursor, head)
            values["processes"] = processes
        if values:
            counters.insert(0, self.counted("host", "", values, prompt))
        return last, counters


def _shares(text: str) -> Iterator[tuple[str, Json]]:
    """Shares of a CPU's time, by name."""
    for share, name in _SHARE.findall(text):
        if name in _NAMES:
            yield _NAMES[name], _number(share) / 100


def _figures(text: str) -> Iterator[tuple[str, Json]]:
    """Load, tasks, busybox's CPU and memory, by name."""
    if load := _LOAD.search(text):
        yield "load_average", [_number(figure) for figure in load.groups()]
    if tasks := _TASKS.search(text):
        yield from (("tasks", int(tasks[1])), ("running", int(tasks[2])))
    if "CPU:" in text:
        yield from ((_NAMES[name], float(x) / 100) for x, name in _BUSY_SHARE.findall(text))
    for match in _MEMORY.finditer(text):
        scale = _SCALES[match["unit"] or "KiB"]
        for size, name in _SIZE.findall(match["figures"]):
            if ours := _SIZES[match["what"]].get(name):
                yield ours, _number(size) * scale


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _processes(cursor: TextCursor, head: int) -> tuple[int, list[Json]]:
    """Index of the last row below the names of the columns, and what the rows say."""
    columns = cursor.line(head).split()
    state, share = columns.index("S"), columns.index("%CPU")
    last, rows = head, list[Json]()
    for index, line in lines(cursor, head + 1, _MOST):
        cells = line.split(None, len(columns) - 1)
        if not line and index <= last + 1:
            continue
        if len(cells) < len(columns) or not cells[0].isdecimal():
            break
        if not _FIGURE.fullmatch(cells[share]):
            raise Unreadable(f"{cells[share]} is no figure of %CPU", index)
        last = index
        rows.append({
            "pid": int(cells[0]), "user": cells[1], "state": cells[state],
            "cpu": _number(cells[share]) / 100, "command": cells[-1],
        })  # fmt: skip
    return last, rows
