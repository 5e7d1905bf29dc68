"""vmstat of FreeBSD, of Solaris and illumos, and of AIX: other columns than those of procps.

Source: FreeBSD 14, usr.bin/vmstat/vmstat.c, printhdr() and dovmstat(): avm and fre in KiB, or with
a prefix of 1024, flt to sr in pages a second, transfers of each disk; illumos,
usr/src/cmd/stat/vmstat/vmstat.c, print_hdr() and dovmstats(): memory and pi to de in KiB,
operations of up to four disks, "--" where there is none; AIX 7.2, vmstat command: avm and fre in
pages of 4 KiB, its first line is of an interval or since boot, which it does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.intervals import prints_many
from iosonde.text.reader import Items, StateOutput
from iosonde.text.table import following_head, head_before, read_table

_K = float(units.KIB)
_PAGE = 4 * _K
_COMMON: dict[str, tuple[str, float]] = {
    "r": ("running", 1), "b": ("blocked", 1), "w": ("swapped_out", 1), "re": ("reclaims", 1),
    "in": ("interrupts", 1), "cs": ("context_switches", 1), "us": ("cpu_user", 0.01),
    "id": ("cpu_idle", 0.01), "wa": ("cpu_iowait", 0.01), "pc": ("processors_used", 1),
    "ec": ("entitled_capacity", 0.01), "sr": ("scanned_pages", 1),
}  # fmt: skip
_PAGES: dict[str, tuple[str, float]] = {
    "pi": ("paged_in_pages", 1), "po": ("paged_out_pages", 1), "fr": ("freed_pages", 1),
}  # fmt: skip
_FREEBSD = _COMMON | _PAGES | {
    "avm": ("active_virtual", _K), "fre": ("memory_free", _K), "flt": ("faults", 1),
}  # fmt: skip
_SOLARIS = _COMMON | {
    "swap": ("swap_free", _K), "free": ("memory_free", _K), "mf": ("minor_faults", 1),
    "pi": ("paged_in", _K), "po": ("paged_out", _K), "fr": ("freed", _K),
    "de": ("short_term_deficit", _K),
}  # fmt: skip
_AIX = _COMMON | _PAGES | {
    "avm": ("active_virtual", _PAGE), "fre": ("memory_free", _PAGE), "cy": ("clock_cycles", 1),
}  # fmt: skip
_HEADS = (
    (re.compile(r"r b w avm fre flt re pi po fr sr(?: [a-z]{1,6}\d{1,3}){0,8} in sy cs us sy id"),
     _FREEBSD),
    (re.compile(r"r b w swap free re mf pi po fr de sr(?: (?:[a-z]{1,4}\d{1,3}|--)){0,4}"
                r" in sy cs us sy id"), _SOLARIS),
    (re.compile(r"r b avm fre re pi po fr sr cy in sy cs us sy id wa(?: pc ec)?"), _AIX),
)  # fmt: skip
_FIGURE = re.compile(r"-?(?P<number>\d{1,15}(?:\.\d{1,2})?)(?P<prefix>[BKMGT])?")
_ABOVE = re.compile(r"\s*(?:procs?|kthr|-{2,8}) .{3,160}")
_GAP = 4


class UnixVmstat(StateOutput):
    tool = "vmstat"
    anchors = (" avm", "cs us sy id", "re  mf", " mf pi ")
    commands = ("vmstat",)
    nothing = "no line of figures follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return head_before(cursor, cursor.at, _is_head)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        table = read_table(cursor, first, _is_head, is_row=_is_row, most=2000)
        if table is None:
            raise Unreadable(self.nothing)
        last, rows, head = table.last, list(table.rows), table.head
        while (again := following_head(cursor, last, _is_head, _ABOVE, _GAP)) is not None:
            more = read_table(cursor, again, _is_head, is_row=_is_row, most=2000)
            if more is None or more.head != head:
                break
            last = more.last
            rows += more.rows
        return last, self._counted(head, rows, prompt) if rows else ()

    def _counted(
        self, head: Sequence[str], rows: Sequence[Sequence[str]], prompt: Prompt
    ) -> Iterator[PrintedCounters]:
        """All columns but those of disks are of the host."""
        columns = next(columns for pattern, columns in _HEADS if pattern.fullmatch(" ".join(head)))
        said = bool(prompt.command) and columns is not _AIX
        said = said and not (len(rows) == 1 and prints_many(prompt.command, "vmstat"))
        boot: dict[str, Json] = {"since_boot": True if said else None}
        host: dict[str, Json] = dict(boot)
        disks: list[PrintedCounters] = []
        for place, column in enumerate(head):
            cells = [row[place] for row in rows]
            if column == "sy":
                name, scale = (
                    ("cpu_system", 0.01) if head[place - 1] == "us" else ("system_calls", 1)
                )
                host[name] = [_number(cell, scale) for cell in cells]
            elif column in columns:
                name, scale = columns[column]
                host[name] = [_number(cell, scale) for cell in cells]
            elif column != "--":
                requests: list[Json] = [_number(cell, 1) for cell in cells]
                disks.append(self.counted("disk", column, {**boot, "iops": requests}, prompt))
        yield self.counted("host", "", host, prompt)
        yield from disks


def _is_head(cells: Sequence[str]) -> bool:
    text = " ".join(cells)
    return any(pattern.fullmatch(text) for pattern, _ in _HEADS)


def _is_row(cells: Sequence[str]) -> bool:
    return all(_FIGURE.fullmatch(cell) for cell in cells)


def _number(cell: str, scale: float) -> float:
    """A figure in bytes, pages or as a fraction; a prefix of 1024 takes the place of its unit."""
    match = _FIGURE.fullmatch(cell)
    if match is None:
        raise Unreadable(f"{cell} is no figure")
    if match["prefix"]:
        return float(match["number"]) * 1024.0 ** "BKMGT".index(match["prefix"])
    return float(cell) * scale
