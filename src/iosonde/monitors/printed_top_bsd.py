"""The head of FreeBSD's top, its memory and ARC, and the busiest processes.

Source: FreeBSD 14, usr.bin/top/display.c, i_loadave() ("last pid: %5d;"), i_procstates(),
i_cpustates(), i_memory(), i_arc() and i_swap(); machine.c, memorynames[], arcnames[], swapnames[],
format_header() (SIZE and RES with a prefix of 1024, TIME as minutes:seconds).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows, top_of_own

_HEAD = re.compile(
    r"\s*last pid:\s{0,6}(?P<last_pid>\d{1,9});\s{1,6}load averages?:\s{1,6}"
    r"(?P<load>\d{1,6}\.\d\d,\s{1,6}\d{1,6}\.\d\d,\s{1,6}\d{1,6}\.\d\d)"
    r"(?:\s{1,30}up (?P<days>\d{1,5})\+(?P<clock>\d\d:\d\d:\d\d)"
    r"\s{1,10}(?P<time>\d\d:\d\d:\d\d))?\s*"
)
_STATES = re.compile(
    r"\s*(?P<count>\d{1,7}) (?:processes|threads):"
    r"(?P<states>(?:\s{1,4}\d{1,7} [a-z]{3,12},?){0,8})\s*"
)
_CPU = re.compile(
    r"\s*CPU(?: (?P<number>\d{1,4}))?:"
    r"(?P<shares>(?:\s{1,6}\d{1,3}(?:\.\d)?% [a-z]{3,10},?){3,6})\s*"
)
_AMOUNTS = re.compile(
    r"\s*(?P<label>Mem|ARC|Swap):(?P<figures>(?: +\d{1,9}[BKMGT]? [A-Z][A-Za-z]{1,8},?"
    r"| +\d{1,3}% Inuse,?){1,9})\s*"
)
_COMPRESSED = re.compile(
    r"\s*(?P<compressed>\d{1,9}[BKMGT]?) Compressed, (?P<uncompressed>\d{1,9}[BKMGT]?) Uncompressed"
    r"(?:, (?P<ratio>\d{1,4}\.\d\d):1 Ratio)?(?:, .{0,40})?\s*"
)
_SHARE = re.compile(r"(\d{1,3}(?:\.\d)?)% ([a-z]{3,10})")
_AMOUNT = re.compile(r"(\d{1,9}[BKMGT]?) ([A-Z][A-Za-z]{1,8})")
_STATE = re.compile(r"(\d{1,7}) ([a-z]{3,12})")
_CPUS = {"user": "cpu_user", "nice": "cpu_nice", "system": "cpu_system", "interrupt": "cpu_irq",
         "idle": "cpu_idle"}  # fmt: skip
_NAMES = {
    "Mem": {"Active": "active", "Inact": "inactive", "Wired": "wired", "Laundry": "laundry",
            "Buf": "buffers", "Cache": "page_cache", "Free": "memory_free"},
    "ARC": {name: f"arc_{name.lower()}"
            for name in ("Total", "MFU", "MRU", "Anon", "Header", "Other")},
    "Swap": {"Total": "swap_total", "Used": "swap_used", "Free": "swap_free"},
}  # fmt: skip
_COLUMNS = re.compile(
    r"\s*PID\s{1,8}(?:JID\s{1,8})?USERNAME\s{1,12}(?:THR\s{1,4})?PRI\s{1,4}NICE\s{1,6}SIZE\s{1,6}RES"
    r"(?:\s{1,6}SWAP)?\s{1,6}STATE\s{1,8}(?:C\s{1,6})?TIME\s{1,8}W?CPU\s{1,4}COMMAND\s*"
)
_CELLS = {
    "PID": re.compile(r"\d{1,9}"), "SIZE": re.compile(r"\d{1,9}[BKMGT]"),
    "RES": re.compile(r"\d{1,9}[BKMGT]"), "WCPU": re.compile(r"\d{1,5}\.\d\d%"),
    "CPU": re.compile(r"\d{1,5}\.\d\d%"),
}  # fmt: skip
_MINUTES = re.compile(r"(\d{1,7}):([0-5]\d)")
_MOST = 200


class BsdTop(StateOutput):
    tool = "top"
    anchors = ("last pid:", "K Wired", "M Wired", "G Wired", "M MFU", "G MFU")
    commands = ("top",)
    nothing = "its figures are cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return top_of_own(cursor, _is_own, most=12)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values, counters, last = dict[str, Json](), [], first
        for index, line in close_lines(cursor, first, 24, gap=3):
            if index > first and _HEAD.fullmatch(line):
                break
            if _COLUMNS.fullmatch(line):
                last, processes = _processes(cursor, index)
                values["processes"] = processes
                break
            if not _is_own(line):
                break
            last = index
            cpu = _CPU.fullmatch(line)
            if cpu and cpu["number"]:
                shares = dict(_figures(line))
                counters.append(self.counted("host", f"cpu{cpu['number']}", shares, prompt))
            else:
                values |= dict(_figures(line))
        if values:
            counters.insert(0, self.counted("host", "", values, prompt))
        return last, counters


def _is_own(line: str) -> bool:
    patterns = (_HEAD, _STATES, _CPU, _AMOUNTS, _COMPRESSED)
    return any(pattern.fullmatch(line) for pattern in patterns)


def _figures(line: str) -> Iterator[tuple[str, Json]]:
    """What a line of the head says, in bytes, seconds and fractions."""
    if head := _HEAD.fullmatch(line):
        yield from _of_head(head)
    elif states := _STATES.fullmatch(line):
        yield "tasks", int(states["count"])
        for count, name in _STATE.findall(states["states"]):
            yield {"zombie": "zombies"}.get(name, name), int(count)
    elif cpu := _CPU.fullmatch(line):
        shares = _SHARE.findall(cpu["shares"])
        yield from ((_CPUS[name], float(share) / 100) for share, name in shares if name in _CPUS)
    elif amounts := _AMOUNTS.fullmatch(line):
        names = _NAMES[amounts["label"]]
        sizes = _AMOUNT.findall(amounts["figures"])
        yield from ((names[name], _bytes(size)) for size, name in sizes if name in names)
    elif packed := _COMPRESSED.fullmatch(line):
        yield "arc_compressed", _bytes(packed["compressed"])
        yield "arc_uncompressed", _bytes(packed["uncompressed"])
        if packed["ratio"]:
            yield "arc_compression_ratio", float(packed["ratio"])


def _of_head(head: re.Match[str]) -> Iterator[tuple[str, Json]]:
    """Load and time of the first line."""
    yield "last_pid", int(head["last_pid"])
    yield "load_average", [float(figure) for figure in head["load"].split(",")]
    if head["clock"]:
        yield "uptime", int(head["days"]) * 86_400 + units.clock_seconds(head["clock"])
        yield "time", head["time"]


def _processes(cursor: TextCursor, head: int) -> tuple[int, list[Json]]:
    """Index of the last row below the names of the columns, and what the rows say."""
    columns = cursor.line(head).split()
    rows, last = close_rows(cursor, head + 1, lambda line: _process(columns, line), _MOST)
    return last, [*rows]


def _process(columns: Sequence[str], line: str) -> dict[str, Json] | None:
    """What a row says: sizes in bytes, shares as fractions, times in seconds; None: it is none."""
    cells = line.split(None, len(columns) - 1)
    row = dict(zip(columns, cells, strict=False))
    fits = all(pattern.fullmatch(row[name]) for name, pattern in _CELLS.items() if name in row)
    if len(cells) < len(columns) or not fits:
        return None
    process: dict[str, Json] = {
        "pid": int(row["PID"]), "user": row["USERNAME"], "state": row["STATE"],
        "cpu": float(row.get("WCPU", row.get("CPU", "0"))[:-1]) / 100,
        "virtual": _bytes(row["SIZE"]), "resident": _bytes(row["RES"]),
    }  # fmt: skip
    for column, name in (("PRI", "priority"), ("NICE", "nice"), ("THR", "threads"),
                         ("C", "processor")):  # fmt: skip
        if row.get(column, "").lstrip("-").isdecimal():
            process[name] = int(row[column])
    if time := _MINUTES.fullmatch(row["TIME"]):
        process["cpu_seconds"] = int(time[1]) * 60 + int(time[2])
    process["command"] = row["COMMAND"]
    return process


def _bytes(text: str) -> int:
    """Bytes of "285M"; prefixes are of 1024."""
    return round(units.printed(text.removesuffix("B"), binary=True)[0])
