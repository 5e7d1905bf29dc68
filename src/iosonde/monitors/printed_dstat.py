"""dstat, dool and `pcp dstat`: CPU, disks, networks, paging and the system, one line an interval.

Source: dstat 0.7.4 and dool 1.3, cprint() and the classes of their plug-ins: groups of columns
stand apart by | and, where a plug-in prints several, by a colon; disks, networks, paging and memory
are bytes with prefixes of 1024, requests and interrupts numbers with prefixes of 1000, the CPU in
percent; what other plug-ins print keeps its names. The first line is since boot. With --bits
networks are in bits: that is told as unread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_TITLE = re.compile(
    r"-{0,40}(?P<title>[A-Za-z0-9/_.]{1,40}(?:[- ][A-Za-z0-9/_.]{1,40}){0,4})-{0,40}"
)
_TITLES = re.compile(r"^[\sA-Za-z0-9/_.-]{6,400}$")
_SPLIT = re.compile(r"[|:]")
_CELL = re.compile(r"(?P<figure>\d{1,12}(?:\.\d{1,3})?)(?P<prefix>[BkKMGTP])?")
_CPU = {
    "usr": "cpu_user", "sys": "cpu_system", "idl": "cpu_idle", "wai": "cpu_iowait",
    "hiq": "cpu_irq", "siq": "cpu_softirq", "stl": "cpu_steal", "gst": "cpu_guest",
}  # fmt: skip
_GROUPS: Mapping[str, tuple[Mapping[str, str], float, float]] = {
    "cpu": (_CPU, 0.01, 1000.0),
    "dsk": ({"read": "read.bandwidth", "writ": "write.bandwidth"}, 1.0, 1024.0),
    "io": ({"read": "read.iops", "writ": "write.iops"}, 1.0, 1000.0),
    "net": ({"recv": "receive.bandwidth", "send": "send.bandwidth"}, 1.0, 1024.0),
    "paging": ({"in": "paged_in", "out": "paged_out"}, 1.0, 1024.0),
    "system": ({"int": "interrupts", "csw": "context_switches"}, 1.0, 1000.0),
    "procs": ({"run": "running", "blk": "blocked", "new": "created"}, 1.0, 1000.0),
    "load": ({"1m": "load_1m", "5m": "load_5m", "15m": "load_15m"}, 1.0, 1000.0),
    "swap": ({"used": "swap_used", "free": "swap_free"}, 1.0, 1024.0),
    "memory": ({"used": "memory_used", "free": "memory_free", "buff": "buffers",
                "cach": "page_cache", "avai": "memory_available"}, 1.0, 1024.0),
}  # fmt: skip
"""What a group is about → names of its columns, scale, and what a prefix is a power of."""
_CLOCK = re.compile(r"^\s*(?:\w{3}-\d\d |\d\d-\w{3} |\d\d-\d\d )?\d\d:\d\d:\d\d")
_MOST = 2000
_GAP = 3


class Dstat(StateOutput):
    tool = "dstat"
    anchors = (
        "usr sys idl", "read  writ", "recv  send", " int   csw", "run blk new",
        "tot tcp udp raw", "files  inodes", "buff  cach", "used  free|", "| used  free",
    )  # fmt: skip

    commands = ("dstat", "dool", "pcp")
    nothing = "no line of figures follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The line with the titles of the groups."""
        columns = _SPLIT.split(cursor.line(cursor.at))
        for index in (cursor.at - 1, cursor.at - 2):
            if line := cursor.line(index):
                titles = _titles(line)
                return index if titles and len(titles) == len(columns) else None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        if "--bits" in prompt.command:
            raise Unreadable("its networks are in bits, which its prefixes do not tell from bytes")
        titles = _titles(cursor.line(first))
        named = first + 1 if cursor.line(first + 1) else first + 2
        heads = [part.split() for part in _SPLIT.split(cursor.line(named))]
        groups = [(title, columns) for title, columns in zip(titles, heads, strict=True)]
        taken: dict[tuple[str, str], dict[str, list[Json]]] = {}
        last, rows = named, 0
        for index, line in lines(cursor, named + 1, _MOST):
            if index > last + _GAP or (line and prompt_in(line)):
                break
            if not line or line == cursor.line(first) or line == cursor.line(named):
                continue
            row = _row(line, groups)
            if row is None:
                break
            for (title, columns), cells in zip(groups, row, strict=True):
                _take(taken, title, columns, cells)
            last, rows = index, rows + 1
        is_any = rows == 1  # it prints many, of which somebody may have picked this one
        since_boot: Json = None if is_any or not prompt.command else not re.search(
            r"\s--?(?:noupdate|y)\b", prompt.command
        )  # fmt: skip
        return last, [
            self.counted(kind, name, {"since_boot": since_boot, **values}, prompt)
            for (kind, name), values in taken.items()
            if rows
        ]


def _titles(line: str) -> list[str]:
    """The titles of the groups; empty where a line has none."""
    if "-" not in line or not _TITLES.match(line):
        return []
    titles = [match["title"].strip() for match in _TITLE.finditer(line)]
    return titles if all(titles) else []


def _row(line: str, groups: Sequence[tuple[str, list[str]]]) -> list[list[str]] | None:
    """The cells of each group in a line; None where it is no line of figures."""
    rest, row = line, list[list[str]]()
    for place, (_, columns) in enumerate(groups):
        if columns in (["time"], ["date/time"]):
            clock = _CLOCK.match(rest)
            if not clock:
                return None
            row.append([])
            rest = rest[clock.end() :].lstrip(" ")[1:] if place + 1 < len(groups) else ""
            continue
        part, _, rest = _parted(rest)
        cells = part.split()
        if len(cells) != len(columns) or not all(
            cell == "-" or _CELL.fullmatch(cell) for cell in cells
        ):
            return None
        row.append(cells)
    return None if rest.strip() else row


def _parted(text: str) -> tuple[str, str, str]:
    match = _SPLIT.search(text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _take(
    taken: dict[tuple[str, str], dict[str, list[Json]]],
    title: str,
    columns: Sequence[str],
    cells: Sequence[str],
) -> None:
    """Puts the figures of a group into what they are about."""
    about, kind, name = _subject(title)
    values = taken.setdefault((kind, name), {})
    if about not in _GROUPS:
        for column, cell in zip(columns, cells, strict=False):
            values.setdefault(f"{title}.{column}", []).append(_as_printed(cell))
        return
    names, scale, base = _GROUPS[about]
    for column, cell in zip(columns, cells, strict=False):
        if column not in names:
            continue
        match = _CELL.fullmatch(cell)
        figure: Json = None
        if match:
            power = "BkMGTP".index((match["prefix"] or "B").replace("K", "k"))
            figure = float(match["figure"]) * base**power * scale
        values.setdefault(names[column], []).append(figure)


def _as_printed(cell: str) -> Json:
    """The figure of a plug-in whose units are not known; with a prefix, as it stands there."""
    match = _CELL.fullmatch(cell)
    if match is None:
        return None
    return cell if match["prefix"] else float(match["figure"])


def _subject(title: str) -> tuple[str, str, str]:
    """What a title is about, and the kind and name of the thing: dsk/sda, cpu0-usage, paging."""
    if match := re.fullmatch(r"(?:total-)?cpu(\d*)-usage", title):
        return "cpu", "host", f"cpu{match[1]}" if match[1] else ""
    about, slash, name = title.partition("/")
    if slash:
        kind = {"dsk": "disk", "io": "disk", "net": "link"}.get(about, "host")
        if name == "total":
            return about, {"disk": "disks", "link": "links"}.get(kind, "host"), ""
        return about, kind, name
    return title.partition("-")[0].partition(" ")[0], "host", ""
