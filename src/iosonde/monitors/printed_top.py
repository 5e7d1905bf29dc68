"""The head of top, and the line that uptime prints: load, CPU, memory, and the busiest processes.

A row of a process is kept with its state: D waits for a disk or for NFS. Its memory is in KiB or
has a prefix of 1024, its time is minutes:seconds; what is shown in hours or days is left out.

Source: procps-ng 4.0, src/top/top.c, summary_hlp() and sum_tics(), scale_mem() and scale_tics(),
library/uptime.c; 3.2, top.c, for "Cpu(s):  0.3%us"; memory is in the unit that stands before it,
without one (3.2) in KiB after each figure. busybox 1.36, procps/top.c, display_header() and
display_process_list(); BSD's w.c, pr_header(), for "up 2 days, 3 hrs".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, compact, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, before, close_lines

_COMMAND = re.compile(r"(?!\d+ )[\w./:@+-]{1,60}(?: [^ ]{1,60}){0,4}")
_UPTIME = re.compile(
    r"^\s*(?:top - )?\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)? {1,3}up\b.{2,60}?load averages?:",
    re.IGNORECASE,
)
_CPUS = re.compile(r"^\s*%?Cpu(?:\(s\)|\d{1,4}) *: *\**\d")
_BUSYBOX = re.compile(r"^\s*CPU: +\d{1,3}(?:\.\d)?% usr")
_BUSYBOX_MEMORY = re.compile(r"^\s*Mem: +\d{1,15}K used")
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
    r"(?P<unit>[KMGTPE]iB)?(?P<what>Mem|Swap):(?P<figures>(?:\d{1,15}(?:[.,]\d)?[kK]?\+?"
    r"(?:total|free|used|buff/cache|buffers|buff|shrd|cached(?:Mem)?|availMem)[.,]?){3,5})"
)
_SIZE = re.compile(
    r"(\d{1,15}(?:[.,]\d)?)[kK]?\+?(total|free|used|buff/cache|buff|shrd|cached|availMem)"
)
_SIZES = {
    "Mem": {"total": "memory_total", "free": "memory_free", "used": "memory_used",
            "buff/cache": "page_cache", "buff": "buffers", "shrd": "shared",
            "cached": "page_cache"},
    "Swap": {"total": "swap_total", "free": "swap_free", "used": "swap_used",
             "cached": "page_cache", "availMem": "memory_available"},
}  # fmt: skip
"""What stands beside the swap is of the memory, for want of room."""
_SCALES = {f"{prefix}iB": 1024.0 ** (power + 1) for power, prefix in enumerate("KMGTPE")}
_TASKS = re.compile(
    r"(?:Tasks|Threads):(?P<tasks>\d{1,9})total,(?P<running>\d{1,9})running"
    r"(?:,(?P<sleeping>\d{1,9})sleeping)?(?:,(?P<uninterruptible>\d{1,9})d-sleep)?"
    r"(?:,(?P<stopped>\d{1,9})stopped)?(?:,(?P<zombies>\d{1,9})zombie)?"
)
_UP = re.compile(
    r"\d(?:[AP]M)?up(?:(?P<days>\d{1,5})days?,?)?(?:(?P<clock>\d{1,2}:\d\d)"
    r"|(?P<hours>\d{1,2})hrs?|(?P<minutes>\d{1,2})mins?|(?P<seconds>\d{1,2})secs?)?,"
    r"(?:(?P<users>\d{1,5})users?,)?loadaverages?:", re.IGNORECASE,
)  # fmt: skip
"""How long a host has been up, and who is logged in, once the blanks are away."""
_COLUMNS = re.compile(r"^\s*PID\s+USER\s+(?:.*\s)?S\s+%CPU\s+%MEM\s+TIME\+?\s+COMMAND\s*$")
_FIGURE = re.compile(r"\d{1,5}(?:[.,]\d)?")
_AMOUNT = re.compile(r"(?P<number>\d{1,15}(?:[.,]\d{1,3})?)(?P<prefix>[kmgtp])?")
_AMOUNTS = {"VIRT": "virtual", "RES": "resident", "SHR": "shared", "SWAP": "swapped",
            "DATA": "data", "CODE": "code"}  # fmt: skip
"""Columns of memory, and what they are called in a process of `ps`."""
_WHOLE = {"PR": "priority", "NI": "nice", "PPID": "parent", "nTH": "threads", "P": "processor"}
_TIME = re.compile(r"(?P<minutes>\d{1,7}):(?P<seconds>[0-5]\d(?:[.,]\d\d)?)")
_BUSY_COLUMNS = re.compile(
    r"^\s*PID\s+PPID\s+USER\s+STAT\s+VSZ\s+%VSZ\s+(?:CPU\s+)?%CPU\s+COMMAND\s*$"
)
_BUSY_ROW = re.compile(
    r"\s*(?P<pid>\d{1,10})\s+(?P<parent>\d{1,10})\s+(?P<user>\S{1,32})\s+"
    r"(?P<state>[DRSTtWXZI][W ]?[<N ]?)\s+(?P<virtual>\d{1,9}(?:\.\d)?[mg]?)\s+"
    r"(?P<memory>\d{1,4}(?:\.\d)?)%?\s+(?:(?P<processor>\d{1,4})\s+)?"
    r"(?P<cpu>\d{1,4}(?:\.\d)?)%?\s+(?P<command>\S.*)"
)
_REACH = 600  # a line for each processor
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
        above = before(cursor, cursor.at)
        is_own = _BUSYBOX.match(line) and _BUSYBOX_MEMORY.match(cursor.line(above))
        return above if is_own else cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, head = first, None
        for index, line in lines(cursor, first + 1, _REACH):
            if _COLUMNS.match(line) or _BUSY_COLUMNS.match(line):
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
    if up := _UP.search(text):
        yield from _up(up)
    if tasks := _TASKS.search(text):
        yield from ((name, int(count)) for name, count in tasks.groupdict().items() if count)
    if "CPU:" in text:
        yield from ((_NAMES[name], float(x) / 100) for x, name in _BUSY_SHARE.findall(text))
    for match in _MEMORY.finditer(text):
        scale = _SCALES[match["unit"] or "KiB"]
        for size, name in _SIZE.findall(match["figures"]):
            if ours := _SIZES[match["what"]].get(name):
                yield ours, _number(size) * scale


def _up(match: re.Match[str]) -> Iterator[tuple[str, Json]]:
    """For how many seconds a host has been up, and how many are logged in."""
    hours, _, minutes = (match["clock"] or "").partition(":")
    scales = ((match["days"], 86_400), (hours or match["hours"], 3_600),
              (minutes or match["minutes"], 60), (match["seconds"], 1))  # fmt: skip
    if any(text for text, _ in scales):
        yield "uptime", sum(int(text or 0) * scale for text, scale in scales)
    if match["users"]:
        yield "users", int(match["users"])


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _processes(cursor: TextCursor, head: int) -> tuple[int, list[Json]]:
    """Index of the last row below the names of the columns, and what the rows say."""
    columns = cursor.line(head).split()
    last, rows = head, list[Json]()
    for index, line in close_lines(cursor, head + 1, _MOST):
        if index <= last:
            continue
        row = _busy_process(line) if "PPID" in columns else _process(columns, line, index)
        is_broken = False
        if not row and len(line.split()) == len(columns) - 1 and columns[-1] == "COMMAND":
            below = cursor.line(index + 1).strip()  # a mail broke the line before its last cell
            row = _process(columns, f"{line} {below}", index) if _COMMAND.fullmatch(below) else {}
            is_broken = bool(row)
        if not row:
            break
        last = index + is_broken
        rows.append(row)
    return last, rows


def _process(columns: list[str], line: str, index: int) -> dict[str, Json]:
    """What a row says: shares as fractions, sizes in bytes; empty where it is none."""
    cells = line.split(None, len(columns) - 1)
    if len(cells) < len(columns) or not cells[0].isdecimal():
        return {}
    row = dict(zip(columns, cells, strict=True))
    if not _FIGURE.fullmatch(row["%CPU"]):
        raise Unreadable(f"{row['%CPU']} is no figure of %CPU", index)
    process: dict[str, Json] = {
        "pid": int(cells[0]), "user": cells[1], "state": row["S"],
        "cpu": _number(row["%CPU"]) / 100,
    }  # fmt: skip
    process |= dict(_of_columns(row))
    process["command"] = cells[-1]
    return process


def _of_columns(row: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
    """What a row says beside who it is and how busy: memory in bytes, times in seconds."""
    if _FIGURE.fullmatch(row["%MEM"]):
        yield "memory", _number(row["%MEM"]) / 100
    for column, name in _AMOUNTS.items():
        if (size := _amount(row.get(column, ""))) is not None:
            yield name, size
    for column, name in _WHOLE.items():
        if column in row:
            text = row[column]
            yield name, int(text) if text.lstrip("-").isdecimal() else text
    if time := _TIME.fullmatch(row.get("TIME+") or row.get("TIME") or ""):
        yield "cpu_seconds", round(int(time["minutes"]) * 60 + _number(time["seconds"]), 2)


def _busy_process(line: str) -> dict[str, Json]:
    """What a row of busybox says; empty where it is none."""
    row = _BUSY_ROW.fullmatch(line.rstrip())
    if row is None:
        return {}
    process: dict[str, Json] = {
        "pid": int(row["pid"]), "user": row["user"], "state": row["state"].replace(" ", ""),
        "cpu": float(row["cpu"]) / 100, "memory": float(row["memory"]) / 100,
        "virtual": _amount(row["virtual"]), "parent": int(row["parent"]),
    }  # fmt: skip
    if row["processor"]:
        process["processor"] = int(row["processor"])
    process["command"] = row["command"]
    return process


def _amount(cell: str) -> float | None:
    """Bytes of KiB, or of a figure with a prefix; None where it is none."""
    match = _AMOUNT.fullmatch(cell)
    if match is None:
        return None
    return _number(match["number"]) * 1024.0 ** " kmgtp".index(match["prefix"] or "k")
