"""`iostat -o JSON` and `mpstat -o JSON`: the reports of their tables.

Source: sysstat 12.7, iostat.c (write_json_ext_stat(), write_json_basic_stat(),
write_json_cpu_stat(): columns have the names of the table, shares without their percent sign) and
mpstat.c (write_json_cpu_stats()); ioconf.c and common.c for what stands above: "nodename", "date".
sadf -j also begins with "sysstat" but has "file-date" or "sysdata-version" there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from typing_extensions import override

from iosonde.monitors.printed_iostat import COLUMNS, CPU, GROUP, SUMMED_UP, WITHOUT_BOOT
from iosonde.monitors.printed_sysstat import CPU as CPU_OF_MPSTAT
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, number, objects, part

_SHARES = {name.removeprefix("%"): name for name in COLUMNS if name.startswith("%")}
_FIELD = r'\s*"[\w-]{1,40}"\s*:\s*(?:"[^"]{0,120}"|\d{1,9})\s*,'
_HEAD = re.compile(
    rf'\{{\s*"sysstat"\s*:\s*\{{\s*"hosts"\s*:\s*\[\s*\{{(?:{_FIELD}){{1,6}}\s*"date"\s*:'
)


class _SysstatJson(JsonOutput):
    """What both have in common."""

    head: ClassVar[re.Pattern[str]] = _HEAD

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedCounters]:
        for host in objects(part(value, "sysstat").get("hosts")):
            asked = prompt._replace(host=prompt.host or str(host.get("nodename") or ""))
            for report, statistics in enumerate(objects(host.get("statistics")), 1):
                yield from self.report(report, statistics, asked)

    def report(
        self, report: int, statistics: Mapping[str, Any], prompt: Prompt
    ) -> Iterator[PrintedCounters]:
        """What one report counts."""
        raise NotImplementedError


class IostatJson(_SysstatJson):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "iostat"
    anchors: ClassVar[tuple[str, ...]] = ('"disk_device"', '"avg-cpu"', '"tps":')
    commands: ClassVar[tuple[str, ...]] = ("iostat",)
    nothing: ClassVar[str] = "no device follows"

    @override
    def report(
        self, report: int, statistics: Mapping[str, Any], prompt: Prompt
    ) -> Iterator[PrintedCounters]:
        groups = frozenset(GROUP.findall(prompt.command))
        since_boot = (
            None
            if report == 1 and not prompt.command
            else report == 1 and not WITHOUT_BOOT.search(prompt.command)
        )
        more: dict[str, Json] = {"report": report, "since_boot": since_boot}
        cpus = dict(_of_cpus(part(statistics, "avg-cpu"), CPU))
        if cpus:
            yield self.counted("host", "", {**cpus, **more}, prompt)
        for disk in objects(statistics.get("disk")):
            name = str(disk.get("disk_device") or "")
            kind = "disks" if name.lower() in SUMMED_UP or name in groups else "disk"
            values = dict(_figures(disk))
            if name and values:
                yield self.counted(kind, name, {**values, **more}, prompt)


class MpstatJson(_SysstatJson):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "mpstat"
    anchors: ClassVar[tuple[str, ...]] = ('"cpu-load"',)
    commands: ClassVar[tuple[str, ...]] = ("mpstat",)
    nothing: ClassVar[str] = "no processor follows"

    @override
    def report(
        self, report: int, statistics: Mapping[str, Any], prompt: Prompt
    ) -> Iterator[PrintedCounters]:
        stamp = statistics.get("timestamp")
        time: dict[str, Json] = {"time": stamp} if isinstance(stamp, str) else {}
        for processor in objects(statistics.get("cpu-load")):
            values = dict(_of_processor(processor))
            name = str(processor.get("cpu", ""))
            if name and values:
                name = "" if name in {"all", "-1"} else f"cpu{name}"
                yield self.counted("host", name, {**time, **values}, prompt)


def _figures(disk: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    """The figures of a device by the names that those of the table have."""
    for name, figure in disk.items():
        value = number(figure)
        column = _SHARES.get(name, name).replace("GB", "MB")
        if value is not None and column in COLUMNS:
            field, scale = COLUMNS[column]
            yield field, float(value) * scale * (1024 if "GB" in name else 1)


def _of_cpus(shares: Mapping[str, Any], columns: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
    for name, share in shares.items():
        value = number(share)
        if value is not None and f"%{name}" in columns:
            yield columns[f"%{name}"], float(value) / 100


def _of_processor(shares: Mapping[str, Any]) -> Iterator[tuple[str, Json]]:
    for name, share in shares.items():
        value = number(share)
        if value is not None and f"%{name}" in CPU_OF_MPSTAT:
            field, scale = CPU_OF_MPSTAT[f"%{name}"]
            yield field, float(value) * scale
