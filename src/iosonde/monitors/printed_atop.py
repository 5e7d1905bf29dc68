"""atop: the lines of each sample about the host, its disks, links and processes.

Each figure is named by its line and its word, such as `DSK`'s `busy`; sizes in bytes, shares as
fractions (of CPUs the sum over all), times in seconds.

Source: atop 2.10, showlinux.c and showsys.c (labels, columns and their units: K, M, G of 1024;
MBr/s and MBw/s of 1024 x 1024); atop(1). A sample begins with "ATOP - HOST  DATE  TIME".
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, before, close_lines, top_of

_BEGIN = re.compile(
    r"\s*ATOP - (?P<host>\S{1,64})\s+(?P<date>\d{4}/\d\d/\d\d)\s+(?P<time>\d\d:\d\d:\d\d)\s"
)
_LINE = re.compile(r"\s*(?P<label>[A-Za-z]{3})\s*\|(?P<cells>(?:[^|]{0,40}\|){2,24})\s*$")
_THINGS: Mapping[str, str] = {
    "LVM": "disk", "MDD": "disk", "DSK": "disk", "NET": "link", "NFM": "mount", "cpu": "host",
    "IFB": "link",
}  # fmt: skip
_LABELS = frozenset({
    "PRC", "CPU", "cpu", "CPL", "GPU", "MEM", "SWP", "PAG", "PSI", "NUM", "NUC", "LLC", "LVM",
    "MDD", "DSK", "NFM", "NFC", "NFS", "NET", "IFB", "CON",
})  # fmt: skip
_PAIR = re.compile(
    r"(?P<name>#?[A-Za-z][\w/#-]*(?: [wW])?)\s+(?P<value>[\d.,]+)\s*(?P<unit>\S{1,4})?$"
)
_SHARE = re.compile(r"(?P<name>[A-Za-z]\S{0,14})\s+(?P<value>\d{1,4})%$")
_SIZES = {"K": 1024.0, "M": 1024.0**2, "G": 1024.0**3, "T": 1024.0**4, "B": 1.0}
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "m": 60.0, "h": 3600.0}
_DISK = {
    "busy": ("util", 1.0), "read": ("reads", 1.0), "write": ("writes", 1.0),
    "KiB/r": ("read.size", float(units.KIB)), "KiB/w": ("write.size", float(units.KIB)),
    "MBr/s": ("read.bandwidth", float(units.MIB)), "MBw/s": ("write.bandwidth", float(units.MIB)),
    "avq": ("queue", 1.0), "avio": ("await", 1.0),
}  # fmt: skip
_HEAD = re.compile(r"\s*(?:PID|NPROCS)\s+(?:[A-Z#%][A-Z0-9#%/]*\s+){3,}(?:CMD|COMMAND-LINE)\b")
_MOST = 2000


class Atop(StateOutput):
    tool = "atop"
    anchors = ("ATOP - ", "DSK |", "LVM |", "MDD |", "CPL |", "PRC |")
    commands = ("atop", "atopsar")
    nothing = "no line of its tables follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _BEGIN.match(line):
            return cursor.at
        if not _is_line(line):
            return None
        first = top_of(cursor, _is_line, most=60)
        above = before(cursor, first)
        return above if _BEGIN.match(cursor.line(above)) else first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        begin = _BEGIN.match(cursor.line(first))
        host = prompt.host or (begin["host"] if begin else "")
        where = Prompt(prompt.command, host)
        time = f"{begin['date']} {begin['time']}" if begin else ""
        whole: dict[str, Json] = {"time": time} if time else {}
        counters: list[PrintedCounters] = []
        last = first if begin else first - 1
        for index, line in close_lines(cursor, last + 1, _MOST, gap=3):
            match = _LINE.match(line)
            if match is None or match["label"] not in _LABELS:
                if _HEAD.match(line):
                    whole["processes"], last = _processes(cursor, index)
                break
            last = index
            thing = _thing(match["label"], [cell.strip() for cell in match["cells"].split("|")])
            if isinstance(thing, dict):
                whole |= thing
            else:
                kind, name, values = thing
                values = {"time": time, **values} if time else values
                counters.append(self.counted(kind, name, values, where))
        if whole.keys() - {"time"}:
            counters.insert(0, self.counted("host", "", whole, where))
        return max(last, first), counters


def _is_line(line: str) -> bool:
    match = _LINE.match(line)
    return match is not None and match["label"] in _LABELS


def _thing(label: str, cells: list[str]) -> dict[str, Json] | tuple[str, str, dict[str, Json]]:
    """What a line says: of the host, or of a kind of thing with a name."""
    figures = dict(filter(None, map(_figure, cells)))
    if label == "cpu":
        name = next((cell.split()[0] for cell in cells if re.match(r"cpu\d+ ", cell)), "cpu")
        return "host", re.sub(r"cpu0*(?=\d)", "cpu", name), _named(label, figures, cells)
    if label in {"LVM", "MDD", "DSK"}:
        disk: dict[str, Json] = {}
        for name, value in figures.items():
            field, scale = _DISK.get(name, (name, 1.0))
            disk[field] = value * scale
        return "disk", cells[0], disk
    if label in _THINGS and cells[0] not in {"transport", "network"}:
        name = cells[0].split()[0] if cells[0] else ""
        values = {"util" if key == name else key: value for key, value in figures.items()}
        return _THINGS[label], name, dict(values)
    return _named(label if label != "NET" else f"NET.{cells[0]}", figures, cells)


def _named(label: str, figures: Mapping[str, float], cells: list[str]) -> dict[str, Json]:
    values: dict[str, Json] = {f"{label}.{name}": value for name, value in figures.items()}
    waits = next((m for cell in cells if (m := re.match(r"cpu\d+ w\s+(\d+)%$", cell))), None)
    if waits:
        values[f"{label}.wait"] = int(waits[1]) / 100
    return values


def _figure(cell: str) -> tuple[str, float] | None:
    """Name and figure of a cell: in bytes, seconds, fractions or as a count."""
    if share := _SHARE.match(cell):
        return share["name"], int(share["value"]) / 100
    pair = _PAIR.match(cell)
    if pair is None:
        return None
    parts = re.fullmatch(r"(?P<figure>\d+(?:[.,]\d+)?)", pair["value"])
    if parts is None:
        return None
    figure, unit = float(parts["figure"].replace(",", ".")), pair["unit"] or ""
    if not unit:
        return pair["name"], figure
    scale = _TIMES.get(unit) or _SIZES.get(unit) or _BITS.get(unit)
    return (pair["name"], figure * scale) if scale else None


_BITS = {"bps": 1 / 8, "Kbps": 125.0, "Mbps": 125e3, "Gbps": 125e6, "K": 1024.0}


def _processes(cursor: TextCursor, first: int) -> tuple[Json, int]:
    """The processes below a head, each as column → text, and the index of the last line."""
    head = cursor.line(first).split()
    head = head[: next(at for at, name in enumerate(head) if name in {"CMD", "COMMAND-LINE"}) + 1]
    rows: list[Json] = []
    last = first
    for index, line in close_lines(cursor, first + 1, 400):
        cells = line.split(maxsplit=len(head) - 1)
        if len(cells) != len(head) or not cells[0].isdecimal():
            break
        rows.append(dict(zip(head, cells, strict=True)))
        last = index
    return rows, last
