"""`sadf -d` and `sadf -p`: what sar collected, as lines for databases and scripts.

Columns are those of sar and have its units.

Source: sysstat 12.7, rndr_stats.c (render_*(), cons()) and sadf_misc.c (print_db_timestamp(),
print_db_restart(): "LINUX-RESTART"); sadf(1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde.monitors.printed_sar import SarDisk
from iosonde.monitors.printed_sar_tables import (
    SarFibreChannel,
    SarFilesystems,
    SarHost,
    SarLinkErrors,
)
from iosonde.monitors.printed_sysstat import Mpstat, SarBlocks, SarNetwork
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, close_rows, start_of_own

_HEAD = "# hostname;interval;timestamp;"
_OF_THINGS: tuple[tuple[str, Mapping[str, tuple[str, float]]], ...] = (
    ("disk", SarDisk.columns), ("link", SarNetwork.columns), ("link", SarLinkErrors.columns),
    ("mount", SarFilesystems.columns), ("link", SarFibreChannel.columns),
)  # fmt: skip
_OF_HOST = {**SarHost.columns, **SarBlocks.columns, **Mpstat.columns}
_COLUMNS = {name: column for _, table in _OF_THINGS for name, column in table.items()} | _OF_HOST
_KINDS = {"DEV": "disk", "IFACE": "link", "FILESYSTEM": "mount", "MOUNTPOINT": "mount",
          "FCHOST": "link", "CPU": "host"}  # fmt: skip
_OTHER_KEYS = frozenset({"INTR", "TTY", "FAN", "TEMP", "IN", "BUS", "NODE", "BAT"})
_CELL = re.compile(r"-?\d{1,20}(?:\.\d{1,6})?")
_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [A-Z]{2,5})?|\d{9,11}"
_STAMP = re.compile(_TIME)
_ROW = re.compile(
    rf"\s*(?P<host>[\w.-]{{1,80}})\s+(?P<interval>\d{{1,7}})\s+(?P<time>{_TIME})\s+"
    r"(?P<thing>\S{1,80})\s+(?P<column>%?[A-Za-z][\w%/-]{1,20})\s+(?P<figure>-?\d{1,20}(?:\.\d{1,6})?)$"
)
_CPUS, _RATES = "CPU*", "rates"
"""Of interrupts: one column for each CPU that was asked for, which the head does not name."""
_MOST = 200_000
_ALL = frozenset({"-", "all", "-1"})


class SadfDatabase(StateOutput):
    """`sadf -d`: a head for each activity, cells with `;`."""

    tool = "sadf"
    anchors = (_HEAD,)
    commands = ("sadf",)
    reach = 4
    nothing = "no row follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if cursor.line(cursor.at).lstrip().startswith(_HEAD) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        counters: list[PrintedCounters] = []
        head: list[str] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            text = line.strip()
            if text.startswith(_HEAD):
                head = text.removeprefix("# ").split(";")
            elif text or index > last + 2:
                cells = text.split(";")
                if len(cells) < 4 or not _STAMP.fullmatch(cells[2]):
                    break
                if head[-1] == _CPUS and len(cells) > len(head):
                    rates, cells = cells[len(head) - 1 :], [*cells[: len(head) - 1], ""]
                    counters.append(self._row([*head[:-1], _RATES], cells, prompt, rates))
                elif len(cells) == len(head) and "[...]" not in head:
                    counters.append(self._row(head, cells, prompt))
            else:
                continue
            last = index
        return last, counters

    def _row(
        self, head: list[str], cells: list[str], prompt: Prompt, rates: Sequence[str] = ()
    ) -> PrintedCounters:
        values: dict[str, Json] = {"time": cells[2]}
        if cells[1].isdecimal():
            values["interval"] = int(cells[1])
        kind, name = "host", ""
        for column, cell in zip(head[3:], cells[3:], strict=True):
            if column in _KINDS:
                kind = _KINDS[column]
                name = _thing(column, cell)
            elif column == _RATES:
                values[_RATES] = [float(rate) for rate in rates if _CELL.fullmatch(rate)]
            elif column in _OTHER_KEYS:
                values[column.lower()] = cell
            else:
                _take(values, column, cell)
        return self.counted(kind, name, values, Prompt(prompt.command, cells[0]))


class SadfLines(StateOutput):
    """`sadf -p`: a line for each figure, cells with tabs."""

    tool = "sadf"
    anchors = (
        "\tall\t%usr\t", "\tall\t%user\t", "\ttps\t", "\t%util\t", "\tproc/s\t", "\tpgpgin/s\t",
        "\tkbmemfree\t", "\tldavg-1\t", "\trunq-sz\t", "\trxpck/s\t", "\tMBfsfree\t",
    )  # fmt: skip
    commands = ("sadf",)
    reach = 4
    nothing = "it has no figure"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _ROW.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        groups: dict[tuple[str, str, str, str, str], dict[str, Json]] = {}
        rows, last = close_rows(cursor, first, _ROW.match, _MOST, gap=2)
        for row in rows:
            kind = "host"
            if row["thing"] not in _ALL:
                kind = next((kind for kind, table in _OF_THINGS if row["column"] in table), kind)
            group = (row["host"], row["time"], row["interval"], kind, row["thing"])
            _take(groups.setdefault(group, {}), row["column"], row["figure"])
        return last, [
            self.counted(
                kind, "" if thing in _ALL else thing,
                {"time": time, "interval": int(interval), **values},
                Prompt(prompt.command, host),
            )
            for (host, time, interval, kind, thing), values in groups.items()
        ]  # fmt: skip


def _thing(column: str, cell: str) -> str:
    """What a row is about; of a CPU as sar's other readers call it."""
    if column == "CPU":
        return "" if cell in _ALL else f"cpu{cell}"
    return cell


def _take(values: dict[str, Json], column: str, cell: str) -> None:
    """Takes a cell: in the record's units where the column has a name there, else as printed."""
    if not _CELL.fullmatch(cell):
        values[column] = cell
    elif column in _COLUMNS:
        name, scale = _COLUMNS[column]
        values[name] = float(cell) * scale
    else:
        values[column] = float(cell)
