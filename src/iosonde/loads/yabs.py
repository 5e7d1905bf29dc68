"""YABS of VPS forums: its table of fio's mixed reads and writes, and its table of dd.

What it calls MB/s was 1000 KiB/s until July 2026, and is 10⁶ B/s since. Which one a table means is
decided by its IOPS times its block sizes; where these leave both open, the difference is part of
the rounding. Its figures are cut, not rounded.

Source: yet-another-bench-script, yabs.sh, disk_test(), format_speed(), format_iops(), dd_test();
commit 3125fed (2026-07-03) changed the unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.text.cursor import Output, TextCursor, lines

_FIO = re.compile(r"fio Disk Speed Tests \(Mixed R/W (?P<mix>\d{1,2})/\d{1,2}\)")
_PARTITION = re.compile(r"\(Partition ([^)\s]{1,200})\)")
_DD = re.compile(r"dd Sequential Disk Speed Tests:")
_SIZES = re.compile(r"^\W*Block Size\s*\|(?P<cells>.+)$")
_ROW = re.compile(r"^\W*(?P<name>Read|Write|Total)\s*\|(?P<cells>.+)$")
_CELL = re.compile(
    r"^\s*(?P<rate>\d[\d.]{0,15}) ?(?P<unit>[KMG])B/s(?:\s+\((?P<iops>\d[\d.]{0,15}k?)\))?\s*$"
)
_SIZE = re.compile(r"^\s*(?P<size>\d{1,6}[kmg]?)\s*(?:\(IOPS\))?\s*$")
_OTHER = re.compile(r"^\W*(?:$|Test \d)|^\s*\|")
_SCALE = {"K": 1, "M": 1000, "G": 1000_000}
_KIBI, _KILO = 1024.0, 1000.0
_MOST = 40


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
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "yabs"
    anchors: ClassVar[tuple[str, ...]] = (
        "fio Disk Speed Tests (Mixed", "dd Sequential Disk Speed Tests:",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at) or ""
        return cursor.at if (_FIO.search(line) or _DD.search(line)) and "echo" not in line else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        line = cursor.line(first) or ""
        head = _FIO.search(line)
        last, sizes, rows = _table(cursor, first)
        if not head:
            return OutputReading(first, last, trials=tuple(_of_dd(rows)))
        cells = [cell for at, row in rows for cell in _cells(row, sizes[at], last)]
        if not cells:
            raise Unreadable("its table is cut off or torn", last)
        partition = _PARTITION.search(line)
        where = {"partition": partition[1]} if partition else {}
        unit, slack = _unit(cells)
        trials = tuple(
            _trial([cell for cell in cells if cell.size == size], unit, slack, where, head["mix"])
            for size in dict.fromkeys(cell.size for cell in cells)
        )
        return OutputReading(first, last, trials=trials)


def _table(
    cursor: TextCursor, first: int
) -> tuple[int, list[list[str]], list[tuple[int, re.Match[str]]]]:
    """Index of the last line; the sizes of each part; rows with the number of their part."""
    last, sizes, rows = first, list[list[str]](), list[tuple[int, re.Match[str]]]()
    for index, line in lines(cursor, first + 1, _MOST):
        if head := _SIZES.match(line):
            sizes.append(head["cells"].split("|"))
        elif row := _ROW.match(line):
            rows.append((len(sizes) - 1, row))
        elif not _OTHER.match(line):
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
    cells: Sequence[_Cell], unit: float, slack: float, where: dict[str, str], mix: str
) -> PrintedTrial:
    metrics: dict[str, float] = {}
    steps: dict[str, float] = {}
    for cell in cells:
        metrics[f"{cell.way}.iops"], steps[f"{cell.way}.iops"] = cell.iops, cell.iops_digit
        metrics[f"{cell.way}.bandwidth"] = cell.rate * unit
        steps[f"{cell.way}.bandwidth"] = cell.rate_digit * unit + cell.rate * unit * slack
    kinds = {name: "1/s" if name.endswith("iops") else "B/s" for name in metrics}
    return PrintedTrial(
        tool=Yabs.tool,
        loops=(LoadResult(metrics=metrics, units=kinds),),
        label=f"randrw {units.show_bytes(cells[0].size)}",
        options={
            "rw": "randrw", "rwmixread": int(mix), "bs": cells[0].size, "ioengine": "libaio",
            "iodepth": 64, "numjobs": 2, "direct": True,
        },
        steps=steps,
        details=where,
    )  # fmt: skip


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
            loops=tuple(
                LoadResult(metrics={f"{way}.bandwidth": rate}, units={f"{way}.bandwidth": "B/s"})
                for rate, _ in rates
            ),
            label=f"dd {way}",
            options={"rw": way, "bs": 65536 if way == "write" else 8192, "size": 2**30,
                     "direct": way == "write", "iodepth": 1, "numjobs": 1},
            steps={f"{way}.bandwidth": max(step for _, step in rates)},
        )  # fmt: skip
