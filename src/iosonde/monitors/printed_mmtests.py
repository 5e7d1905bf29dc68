"""MMTests' comparisons of kernels: statistics of a benchmark's operations, with their changes.

The changes are what is printed: MMTests turns their signs so that more is better, and marks those
beyond its confidence intervals by stars. Below a table may stand others of the same kernels: what
the benchmark took of the processors, and counters of the system.

Source: gormanm/mmtests, bin/lib/MMTests/Compare.pm (_generateHeaderTable: a kernel's name is split
at a hyphen into two rows; _generateRenderTable: means with the change in percent), and
PrintGeneric.pm (`* … *` marks what is significant).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, top_of

_N = r"-?\d{1,20}(?:\.\d{1,6})?"
_CELL = re.compile(
    rf"(?P<value>{_N}) (?P<mark>[(*]) {{0,8}}(?P<change>-?\d{{1,12}}\.\d{{1,4}})%[)*]"
)
_ROW = re.compile(
    rf"^\s*(?P<name>[A-Za-z]\S{{0,40}}(?: {{1,30}}[^\s(*]{{1,40}}){{0,3}}?) {{1,40}}(?={_N} [(*])"
)
_ZERO = re.compile(r"\( {0,8}0\.0{1,4}%\)")
_COUNTED = re.compile(
    rf"^\s*(?P<name>[A-Za-z][\w./:%-]{{0,40}}(?: [A-Za-z%-][\w./:%-]{{0,40}}){{0,5}})"
    rf"(?P<counts>(?: {{1,60}}{_N}){{1,12}})\s*$"
)
_ABOVE = 6
"""Lines from the first row of names to the first of figures, with blank ones."""
_MOST = 2000


class MmTests(StateOutput):
    tool = "mmtests"
    anchors = (" 0.00%)",)
    commands = ("compare-mmtests.pl", "compare-kernels.sh")
    reach = 6

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        cells = _cells(cursor.line(cursor.at))
        if not cells or len(cells[1]) < 2 or not _ZERO.search(cursor.line(cursor.at)):
            return None
        first = top_of(cursor, _cells)
        return _heads(cursor, first, len(cells[1]))[0]

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        top = next((index for index, line in lines(cursor, first, _ABOVE) if _cells(line)), first)
        width = len((_cells(cursor.line(top)) or ("", []))[1])
        kernels = _kernels(_heads(cursor, top, width)[1])
        metrics, totals, last, near = list[Json](), dict[str, Json](), top, top
        for index, line in lines(cursor, top, _MOST):
            cells = _cells(line)
            counted = _COUNTED.match(line) if metrics and not cells else None
            if cells and len(cells[1]) == width and not totals:
                metrics.append(_metric(*cells))
            elif counted and len(fields(counted["counts"])) == width:
                totals[counted["name"]] = [float(count) for count in fields(counted["counts"])]
            elif index > near + 4 or (line and len(fields(line)) != width):
                break
            else:
                near = index if line else near
                continue
            last = near = index
        values: dict[str, Json] = {"kernels": kernels, "metrics": metrics, "totals": totals}
        kept = {name: value for name, value in values.items() if value}
        return last, [self.counted("host", "", kept, prompt)]


def _cells(line: str) -> tuple[str, list[re.Match[str]]] | None:
    """The name of a row, and its values with changes; None where the line is no row."""
    if "%" not in line:
        return None
    row = _ROW.match(line)
    if row is None:
        return None
    cells, at = list[re.Match[str]](), row.end()
    while match := _CELL.match(line, at):
        cells.append(match)
        at = match.end()
        while at < len(line) and line[at] == " ":
            at += 1
    return (" ".join(row["name"].split()), cells) if cells and at == len(line) else None


def _metric(name: str, cells: list[re.Match[str]]) -> dict[str, Json]:
    """A row's values, with changes as shares; `significant` where a star marks any."""
    row: dict[str, Json] = {
        "metric": name,
        "values": [float(cell["value"]) for cell in cells],
        "changes": [round(float(cell["change"]) / 100, 8) for cell in cells],
    }
    marks = [cell["mark"] == "*" for cell in cells]
    return {**row, "significant": [*marks]} if any(marks) else row


def _heads(cursor: TextCursor, top: int, width: int) -> tuple[int, list[list[str]]]:
    """The one or two rows of names above the first row of figures, and where the first stands."""
    first, heads = top, list[list[str]]()
    for index in range(top - 1, max(top - _ABOVE, -1), -1):
        line = cursor.line(index)
        parts = fields(line)
        if (parts and (len(parts) != width or not line.startswith(" "))) or first - index > 2:
            break
        if parts:
            first = index
            heads.insert(0, parts)
        if len(heads) == 2:
            break
    return first, heads


def _kernels(heads: list[list[str]]) -> list[Json]:
    """The kernels' names in the order of their columns, as they were before they were split."""
    return ["-".join(parts) for parts in zip(*heads, strict=True)]
