"""YABS of VPS forums: its table of fio's mixed reads and writes, and its table of dd.

Scripts made after it print the same table with reads, writes, randreads and randwrites that ran one
after the other. It is read without its title too, and where a page made one line of its lines.

What it calls MB/s was 1000 KiB/s until July 2026, and is 10⁶ B/s since. Which one a table means is
decided by its IOPS times its block sizes; where these leave both open, the difference is part of
the rounding. Its figures are cut, not rounded.

Source: yet-another-bench-script, yabs.sh, disk_test(), format_speed(), format_iops(), dd_test();
commit 3125fed (2026-07-03) changed the unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor, lines

_FIO = re.compile(r"fio Disk Speed Tests(?: \(Mixed R/W (?P<mix>\d{1,2})/\d{1,2}\))?")
_PARTITION = re.compile(r"\(Partition ([^)\s]{1,200})\)")
_DD = re.compile(r"dd Sequential Disk Speed Tests:")
_SIZES = re.compile(r"^\W*Block Size\s*\|(?P<cells>.+)$")
_HEADS = re.compile(r"^\W*Block Size\s*\|\s*\d{1,6}[kmg]?\s*\(IOPS\)")
_ROW = re.compile(r"^\W*(?P<name>(?:Rand)?[Rr]ead|(?:Rand)?[Ww]rite|Total)\s*\|(?P<cells>.+)$")
_PARTS = re.compile(
    r"(?<![A-Za-z])(?=(?:Block Size|(?:Rand)?[Rr]ead|(?:Rand)?[Ww]rite|Total)\s*\|)"
)
_BETWEEN = re.compile(r"[\s|]*+(?:-{4,}+[\s|-]*+)?$")
"""What ends a part of a line that holds several: the line of dashes, or the empty one."""
_CELL = re.compile(
    r"^\s*(?P<rate>\d[\d.]{0,15}) ?(?P<unit>[KMG])B/s(?:\s+\((?P<iops>\d[\d.]{0,15}k?)\))?\s*$"
)
_SIZE = re.compile(r"^\s*(?P<size>\d{1,6}[kmg]?)\s*(?:\(IOPS\))?\s*$")
_OTHER = re.compile(r"^\W*(?:$|Test \d)|^\s*\|")
_SCALE = {"K": 1, "M": 1000, "G": 1000_000}
_KIBI, _KILO = 1024.0, 1000.0
_MOST = 40
_TITLED = 4  # lines above its first row in which a table's title stands
_FEW = 2  # rows that make a line one of several


@dataclass(frozen=True, slots=True)
class _Cell:
    """A rate in its printed thousands, and requests per second, each with its last digit."""

    way: str
    size: int
    rate: float
    rate_digit: float
    iops: float
    iops_digit: float

    def fits(self, unit: float) -> bool:
        """Whether the rate can be that of so many requests; both were cut."""
        low, high = self.iops * self.size, (self.iops + self.iops_digit) * self.size
        return self.rate * unit < high and (self.rate + self.rate_digit) * unit > low


class Yabs(Output):
    tool = "yabs"
    anchors = (
        "fio Disk Speed Tests (", "dd Sequential Disk Speed Tests:", "Block Size |",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        is_title = _FIO.search(line) or _DD.search(line)
        if _HEADS.match(line):
            titles = (_FIO.search(cursor.line(cursor.at - at)) for at in range(1, _TITLED))
            return cursor.at if not any(titles) else None
        return cursor.at if is_title and "echo" not in line else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        line = cursor.line(first)
        last, sizes, rows = _table(cursor, first)
        if _DD.search(line):
            return OutputReading(first, last, trials=tuple(_of_dd(rows)))
        head, names = _FIO.search(line), {row["name"] for _, row in rows}
        cells = [cell for at, row in rows for cell in _cells(row, sizes[at], last)]
        if not cells:
            raise Unreadable("its table is cut off or torn", last)
        partition = _PARTITION.search(line)
        where = {"partition": partition[1]} if partition else {}
        unit, slack = _unit(cells)
        if apart := not names <= {"Read", "Write", "Total"}:
            parts = [[cell] for cell in cells]
        else:
            sizes_read = dict.fromkeys(cell.size for cell in cells)
            parts = [[cell for cell in cells if cell.size == size] for size in sizes_read]
        mixed = bool(head and head["mix"]) or "Total" in names
        options = _options("" if not head else head["mix"] or "", mixed=mixed)
        trials = tuple(_trial(part, unit, slack, where, {} if apart else options) for part in parts)
        return OutputReading(first, last, trials=trials)


def _options(mix: str, *, mixed: bool) -> dict[str, Scalar]:
    """Of the load: those of YABS where its title says that it is, else what the rows say."""
    if not mix:
        return {"rw": "randrw"} if mixed else {}
    return {
        "rw": "randrw", "rwmixread": int(mix), "ioengine": "libaio", "iodepth": 64, "numjobs": 2,
        "direct": True,
    }  # fmt: skip


def _rows(cursor: TextCursor, first: int) -> Iterator[tuple[int, str]]:
    """Index and text of each row: also of several that a page put into one line."""
    for index, line in lines(cursor, first, _MOST):
        if index > first and (_FIO.search(line) or _DD.search(line)):
            return  # another table
        parts = [part for part in _PARTS.split(line) if part] if line.count("|") else []
        if len(parts) < _FEW:
            yield index, line
            continue
        yield from ((index, _BETWEEN.sub("", part)) for part in parts if "|" in part)


def _table(
    cursor: TextCursor, first: int
) -> tuple[int, list[list[str]], list[tuple[int, re.Match[str]]]]:
    """Index of the last line; the sizes of each part; rows with the number of their part."""
    last, sizes, rows = first, list[list[str]](), list[tuple[int, re.Match[str]]]()
    for index, line in _rows(cursor, first):
        if head := _SIZES.match(line):
            if head["cells"].split("|") in sizes:
                break  # another table, whose title was cut off
            sizes.append(head["cells"].split("|"))
        elif row := _ROW.match(line):
            if not sizes and not _DD.search(cursor.line(first)):
                break
            rows.append((len(sizes) - 1, row))
        elif index > first and not _OTHER.match(line):
            break
        last = index if line else last
    return last, sizes, rows


def _cells(row: re.Match[str], sizes: Sequence[str], last: int) -> Iterator[_Cell]:
    """The cells of a row of fio's table but the sums; `last` is the index of the table's end."""
    if row["name"] == "Total":
        return
    for text, above in zip(row["cells"].split("|"), sizes, strict=False):
        cell, size = _CELL.match(text), _SIZE.match(above)
        if cell and size and cell["iops"]:
            scale = _SCALE[cell["unit"]]
            rate, half = units.printed(cell["rate"])
            iops, half_iops = units.printed(cell["iops"])
            yield _Cell(
                row["name"].lower(), units.parse_bytes(size["size"]), rate * scale,
                half * 2 * scale, iops, half_iops * 2,
            )  # fmt: skip
        elif text.strip():
            raise Unreadable(f"a cell of its table is broken: {text.strip()[:40]!r}", last)


def _unit(cells: Sequence[_Cell]) -> tuple[float, float]:
    """Bytes in what the table calls KB, and by how much of it that may be wrong."""
    fits = [unit for unit in (_KIBI, _KILO) if all(cell.fits(unit) for cell in cells)]
    if len(fits) == 1:
        return fits[0], 0.0
    return _KIBI, 1 - _KILO / _KIBI


def _trial(
    cells: Sequence[_Cell], unit: float, slack: float, where: dict[str, str],
    options: Mapping[str, Scalar],
) -> PrintedTrial:  # fmt: skip
    metrics: dict[str, float] = {}
    steps: dict[str, float] = {}
    for cell in cells:
        way = cell.way.removeprefix("rand")
        metrics[f"{way}.iops"], steps[f"{way}.iops"] = cell.iops, cell.iops_digit
        metrics[f"{way}.bandwidth"] = cell.rate * unit
        steps[f"{way}.bandwidth"] = cell.rate_digit * unit + cell.rate * unit * slack
    rw = options.get("rw", cells[0].way if len(cells) == 1 else "")
    return PrintedTrial(
        tool=Yabs.tool,
        loops=(LoadResult.of(metrics),),
        label=f"{rw or 'fio'} {units.show_bytes(cells[0].size)}",
        options={**({"rw": rw} if rw else {}), **options, "bs": cells[0].size},
        steps=steps,
        details=where,
    )


def _of_dd(rows: Sequence[tuple[int, re.Match[str]]]) -> Iterator[PrintedTrial]:
    """The runs of dd in each direction; dd's units are of 1000."""
    if not rows:
        raise Unreadable("its table is cut off or torn")
    for _, row in rows:
        way = row["name"].lower()
        runs = [_CELL.match(text) for text in row["cells"].split("|")[:-1]]
        if way == "total" or not runs or not all(runs):
            raise Unreadable("its table is cut off or torn")
        rates = [units.printed(run["rate"] + run["unit"]) for run in runs if run]
        yield PrintedTrial(
            tool=Yabs.tool,
            loops=tuple(LoadResult.of({f"{way}.bandwidth": rate}) for rate, _ in rates),
            label=f"dd {way}",
            options={"rw": way, "bs": 65536 if way == "write" else 8192, "size": 2**30,
                     "direct": way == "write", "iodepth": 1, "numjobs": 1},
            steps={f"{way}.bandwidth": max(step for _, step in rates)},
        )  # fmt: skip
