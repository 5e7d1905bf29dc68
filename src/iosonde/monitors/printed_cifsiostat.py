"""cifsiostat of sysstat: rates of each share that is mounted by CIFS.

Source: sysstat 12.7, cifsiostat.c (write_cifs_stat()) and cifsiostat(1): kB and MB are of 1024,
operations a second, opened, closed and deleted files a second; with -h the share is the last.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.monitors.sysstat_head import SysstatOutput
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items

_HEAD = re.compile(
    r"\s*(?P<name>Filesystem:?\s+)?r(?P<unit>[kMG]?)B/s\s+w(?P=unit)B/s\s+rops/s\s+wops/s\s+"
    r"fo/s\s+fc/s\s+fd/s(?:\s+(?P<last>Filesystem))?\s*$"
)
_FIGURE = r"\d{1,15}(?:[.,]\d{1,3})?"
_ROW = re.compile(
    rf"\s*(?P<name>\\\\\S.{{1,200}}?)(?P<cells>(?:\s+{_FIGURE}[BkMGTP]?){{2}}(?:\s+{_FIGURE}){{5}})\s*$"
)
_LAST = re.compile(
    rf"(?P<cells>(?:\s*{_FIGURE}[BkMGTP]?\s){{2}}(?:\s*{_FIGURE}\s){{5}})\s*(?P<name>\\\\\S.{{1,200}})$"
)
_CELL = re.compile(rf"({_FIGURE})([BkMGTP]?)")
_NAMES = (
    "read.bandwidth", "write.bandwidth", "read.iops", "write.iops", "files_opened",
    "files_closed", "files_deleted",
)  # fmt: skip
_UNITS = {"": 1.0, "k": float(units.KIB), "M": float(units.MIB), "G": float(units.GIB)}
_CLOCK = re.compile(r"\s*[\d/.:-]{6,25}(?: \d\d:\d\d:\d\d)?(?: [AP]M)?\s*$")
_MOST = 20_000


class CifsIostat(SysstatOutput):
    tool = "cifsiostat"
    anchors = ("    rops/s    wops/s", " rops/s ")
    commands = ("cifsiostat",)
    beginning = _HEAD
    nothing = "no share follows its head"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters: list[PrintedCounters] = []
        unit, report, last = 1.0, 0, first
        for index, line in lines(cursor, first, _MOST):
            if head := _HEAD.match(line):
                unit, report = _UNITS[head["unit"]], report + 1
            elif row := _ROW.match(line) or _LAST.match(line):
                values = _figures(row["cells"], unit) | {"report": report}
                counters.append(self.counted("filesystem", row["name"].strip(), values, prompt))
            elif index > last + 3 or (line and (prompt_in(line) or not _CLOCK.match(line))):
                break
            else:
                continue
            last = index
        return last, counters


def _figures(cells: str, unit: float) -> dict[str, Json]:
    """Rates in bytes, operations and files a second."""
    values: dict[str, Json] = {}
    for name, (number, prefix) in zip(_NAMES, _CELL.findall(cells), strict=True):
        figure = float(number.replace(",", "."))
        if prefix:
            figure *= 1024.0 ** "BkMGTP".index(prefix)
        elif name.endswith("bandwidth"):
            figure *= unit
        values[name] = figure
    return values
