"""iostat of Solaris and illumos, FreeBSD, macOS and OpenBSD: other columns than those of sysstat.

Source: illumos, usr/src/cmd/stat/iostat/iostat.c, the tables of columns (kr/s are KiB, wsvc_t and
asvc_t ms, %w and %b percent) and -E's show_disk_errors(); FreeBSD 14, usr.sbin/iostat/iostat.c,
devstats(): ms/r, ms/w, ms/o and ms/t in ms, qlen requests that wait; before 11 a single svc_t; its
plain report and that of macOS (iostat.c, dkstats()): KB/t, tps and MB/s of 1024 for each device.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters, PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput
from iosonde.text.table import following_head, head_before, read_table

_K, _M = float(units.KIB), float(units.MIB)
_COLUMNS: dict[str, tuple[str, float]] = {
    "r/s": ("read.iops", 1), "w/s": ("write.iops", 1), "kr/s": ("read.bandwidth", _K),
    "kw/s": ("write.bandwidth", _K), "Mr/s": ("read.bandwidth", _M),
    "Mw/s": ("write.bandwidth", _M), "wait": ("waiting_queue", 1), "actv": ("active_queue", 1),
    "wsvc_t": ("waiting_time", 1e-3), "asvc_t": ("service_time", 1e-3),
    "svc_t": ("service_time", 1e-3), "%w": ("waiting", 0.01), "%b": ("util", 0.01),
    "s/w": ("soft_errors", 1), "h/w": ("hard_errors", 1), "trn": ("transport_errors", 1),
    "tot": ("errors", 1), "ms/r": ("read.await", 1e-3), "ms/w": ("write.await", 1e-3),
    "ms/o": ("other.await", 1e-3), "ms/t": ("await", 1e-3), "qlen": ("queue", 1),
}  # fmt: skip
_FIGURE = re.compile(r"\d{1,15}(?:\.\d{1,6})?")
_PLAIN = re.compile(
    r"^\s*(?:tin\s+tout\s+)?(?:KB/t\s+(?:x?tps|t/s)\s+MB/s\s*)+"
    r"(?:us\s+(?:ni\s+)?sy\s+(?:sp\s+)?(?:in\s+)?id\s*)?"
)
_ERRORS = re.compile(
    r"^\s*(?P<name>\w[\w,.@-]{1,60})\s+Soft Errors: (?P<soft>\d{1,9}) "
    r"Hard Errors: (?P<hard>\d{1,9}) Transport Errors: (?P<transport>\d{1,9})\s*$"
)
_DETAILS = re.compile(
    r"^\s*(?:Vendor:|Model:|Size:|Media Error:|Illegal Request:|Revision:|Serial|RPM:)"
)
_FACT = re.compile(
    r"(?P<name>Vendor|Product|Model|Revision|Serial No): *(?P<text>\S.{0,60}?) *"
    r"(?=(?:Vendor|Product|Model|Revision|Serial No|Size):|$)"
)
_FACTS = {"Vendor": "vendor", "Product": "model", "Model": "model", "Revision": "revision",
          "Serial No": "serial"}  # fmt: skip
_SIZE = re.compile(r"Size: *[\d.]{1,12}[KMGTP]?B <(?P<bytes>\d{1,19}) bytes>")
_COUNT = re.compile(
    r"(?P<name>Media Error|Device Not Ready|No Device|Recoverable|Illegal Request"
    r"|Predictive Failure Analysis): (?P<count>\d{1,9})"
)
_CLOCK = re.compile(r"^\s*(?:[A-Z][a-z]{2} [A-Z][a-z]{2} +\d|extended device stat|\d{10}$)")
_OF_HOST: dict[str, tuple[str, float]] = {
    "tin": ("terminal.read", 1), "tout": ("terminal.written", 1), "us": ("cpu_user", 0.01),
    "ni": ("cpu_nice", 0.01), "sy": ("cpu_system", 0.01), "sp": ("cpu_spin", 0.01),
    "in": ("cpu_irq", 0.01), "id": ("cpu_idle", 0.01), "1m": ("load_1m", 1),
    "5m": ("load_5m", 1), "15m": ("load_15m", 1),
}  # fmt: skip
"""Columns that are of no device; of terminals the characters a second."""
_REPORTS = 2000
_GAP = 5


def _is_head(cells: Sequence[str]) -> bool:
    """Whether these are all columns of a report, the device first or last."""
    if len(cells) < 7 or "%b" not in cells or "device" not in {cells[0], cells[-1]}:
        return False
    own = [cell for cell in cells if cell != "device"]
    return all(cell in _COLUMNS for cell in own) and len(own) == len(cells) - 1


def _is_row(cells: Sequence[str]) -> bool:
    return sum(_FIGURE.fullmatch(cell) is not None for cell in cells) >= len(cells) - 1


class UnixIostat(StateOutput):
    tool = "iostat"
    anchors = ("kr/s", "svc_t", "KB/t", "Soft Errors:")

    commands = ("iostat",)
    nothing = "no device follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _ERRORS.match(line):
            return cursor.at
        if _PLAIN.match(line):
            return cursor.at - 1 if _devices(cursor, cursor.at) else None
        return head_before(cursor, cursor.at, _is_head)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        line = cursor.line(first)
        if _ERRORS.match(line):
            return self._errors(cursor, first, prompt)
        if _PLAIN.match(cursor.line(first + 1)):
            return self._plain(cursor, first, prompt)
        counters: list[PrintedCounters] = []
        index, last = first, first
        for report in range(1, _REPORTS):
            table = read_table(cursor, index, _is_head, is_row=_is_row)
            if table is None:
                break
            last = table.last
            for row in table.rows:
                named = dict(zip(table.head, row, strict=True))
                values: dict[str, Json] = {"report": report, "since_boot": _boot(prompt, report)}
                for column, cell in named.items():
                    if column != "device":
                        name, scale = _COLUMNS[column]
                        values[name] = float(cell) * scale
                counters.append(self.counted("disk", named["device"], values, prompt))
            following = following_head(cursor, last, _is_head, _CLOCK, _GAP)
            if following is None:
                break
            index = following
        return last, counters

    def _errors(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        """Errors of devices since boot, as -E prints them."""
        last, disks, facts = first, dict[str, dict[str, Json]](), dict[str, dict[str, Scalar]]()
        name = ""
        for index, line in lines(cursor, first, 2000):
            match = _ERRORS.match(line)
            if match:
                name = match["name"]
                disks[name] = {
                    f"{kind}_errors": int(match[kind]) for kind in ("soft", "hard", "transport")
                }
                facts[name] = {}
            elif line and not _DETAILS.match(line):
                break
            for count in _COUNT.finditer(line):
                disks[name][count["name"].lower().replace(" ", "_")] = int(count["count"])
            facts[name] |= {_FACTS[fact["name"]]: fact["text"] for fact in _FACT.finditer(line)}
            if size := _SIZE.search(line):
                facts[name]["size"] = int(size["bytes"])
            last = index if line else last
        items: list[PrintedCounters | PrintedSubject] = []
        for disk, values in disks.items():
            items.append(self.counted("disk", disk, values, prompt))
            if facts[disk]:
                items.append(PrintedSubject("disk", disk, facts[disk], prompt.host))
        return last, items

    def _plain(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterator[PrintedCounters]]:
        """KB/t, tps and MB/s of each device, the CPU and the load behind them."""
        devices = _devices(cursor, first + 1)
        named = cursor.line(first + 1).split()
        last, rows = first + 1, list[list[float]]()
        for index, line in lines(cursor, first + 2, 2000):
            cells = line.split()
            if len(cells) != len(named) or not all(map(_FIGURE.fullmatch, cells)):
                if cells != named and cells[: len(devices)] != devices:
                    break
                continue
            rows.append([float(cell) for cell in cells])
            last = index
        if not rows:
            raise Unreadable("no line of figures follows")
        return last, self._of_plain(devices, named, rows, prompt)

    def _of_plain(
        self,
        devices: Sequence[str],
        named: Sequence[str],
        rows: Sequence[Sequence[float]],
        prompt: Prompt,
    ) -> Iterator[PrintedCounters]:
        boot: dict[str, Json] = {"since_boot": _boot(prompt, 1)}
        begin = named.index("KB/t")
        for place, device in enumerate(devices):
            values: dict[str, Json] = dict(boot)
            for offset, (name, scale) in enumerate(
                (("size", _K), ("iops", 1.0), ("bandwidth", _M))
            ):
                values[name] = [row[begin + place * 3 + offset] * scale for row in rows]
            yield self.counted("disk", device, values, prompt)
        of_host: dict[str, Json] = {}
        for place, column in enumerate(named):
            if column in _OF_HOST:
                name, scale = _OF_HOST[column]
                of_host[name] = [row[place] * scale for row in rows]
        if of_host:
            yield self.counted("host", "", boot | of_host, prompt)


def _boot(prompt: Prompt, report: int) -> Json:
    """Whether a report is the one since boot: the first of a command; None where none is seen."""
    if report == 1 and not prompt.command:
        return None
    return report == 1


def _devices(cursor: TextCursor, at: int) -> list[str]:
    """The devices that the line above the names of columns names; empty where it does not."""
    named, above = cursor.line(at).split(), cursor.line(at - 1).split()
    above = above[1:] if above[:1] == ["tty"] and named[:1] == ["tin"] else above
    count = named.count("KB/t")
    devices = above[:count]
    rest = above[count:]
    fits = len(devices) == count and rest in ([], ["cpu"], ["cpu", "load", "average"])
    return devices if fits and all(re.fullmatch(r"[a-z]\w{1,20}", name) for name in devices) else []
