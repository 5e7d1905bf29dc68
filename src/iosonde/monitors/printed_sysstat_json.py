"""`-o JSON` of iostat, mpstat, pidstat and cifsiostat, and `sadf -j`.

Names are those of the columns without the sign of per cent. Of `sadf -j` activities of the host
and of disks, links and file systems are taken, with sadf's own names where sar has no column.

Source: sysstat 12.7, iostat.c (write_json_ext_stat(), write_json_cpu_stat()), mpstat.c
(write_json_cpu_stats()), pidstat.c, cifsiostat.c (write_cifs_stat_json()), json_stats.c
(json_print_*()); kB are of 1024 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde import units
from iosonde.monitors import printed_iostat
from iosonde.monitors.printed_pidstat import Pidstat
from iosonde.monitors.printed_sysstat import Mpstat
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, number, objects, part

_K = float(units.KIB)
_SADF_DISK = {
    "tps": ("iops", 1.0), "rkB": ("read.bandwidth", _K), "wkB": ("write.bandwidth", _K),
    "dkB": ("discard.bandwidth", _K), "rd_sec": ("read.bandwidth", float(units.SECTOR)),
    "wr_sec": ("write.bandwidth", float(units.SECTOR)), "areq-sz": ("size", _K),
    "aqu-sz": ("queue", 1.0), "await": ("await", 1e-3), "util": ("util", 0.01),
    "util-percent": ("util", 0.01),
}  # fmt: skip
_SADF_THINGS = {"net-dev": ("link", "iface"), "net-edev": ("link", "iface"),
                "filesystems": ("mount", "filesystem")}  # fmt: skip
_OF_CPU = {name: (field, 0.01) for name, field in printed_iostat.CPU.items()} | dict(Mpstat.columns)
_OF_TASK = {**Pidstat.columns, "cpu": Pidstat.columns["%CPU"]}
_CPUS = ("avg-cpu", "cpu-load", "cpu-load-all", "sum-interrupts")
_TASKS = ("task-cpu-load", "task-memory", "stack", "io", "context-switch", "kernel")
_CIFS = {
    "rkB/s": ("read.bandwidth", _K), "wkB/s": ("write.bandwidth", _K),
    "rMB/s": ("read.bandwidth", float(units.MIB)), "wMB/s": ("write.bandwidth", float(units.MIB)),
    "rB/s": ("read.bandwidth", 1.0), "wB/s": ("write.bandwidth", 1.0),
    "rops/s": ("read.iops", 1.0), "wops/s": ("write.iops", 1.0), "fo/s": ("files_opened", 1.0),
    "fc/s": ("files_closed", 1.0), "fd/s": ("files_deleted", 1.0),
}  # fmt: skip


class SysstatJson(JsonOutput):
    tool = "iostat"
    anchors = ('"sysstat": {', '"sysstat":{')
    commands = ("iostat", "mpstat", "sadf", "S_TIME_FORMAT")
    reach = 4
    nothing = "it has no report on CPUs or disks"
    opens_within = 3
    head = re.compile(
        r'\{\s*"sysstat"\s*:\s*\{\s*(?:"sysdata-version"\s*:\s*[\d."]{1,12}\s*,\s*)?"hosts"'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterator[PrintedCounters]:
        for host in objects(part(value, "sysstat").get("hosts")):
            own = prompt._replace(host=prompt.host or str(host.get("nodename") or ""))
            for at, report in enumerate(objects(host.get("statistics")), start=1):
                yield from _report(report, at, own)


def _report(report: Mapping[str, Any], number: int, prompt: Prompt) -> Iterator[PrintedCounters]:
    """What one report says, whichever of the tools made it."""
    is_iostat = "avg-cpu" in report or any(
        "disk_device" in disk for disk in _entries(report.get("disk"))
    )
    tool = (
        "iostat" if is_iostat else "sadf" if isinstance(report.get("timestamp"), dict) else "mpstat"
    )
    shared = _time(report.get("timestamp"))
    if is_iostat:
        shared |= {"report": number, "since_boot": _since_boot(number, prompt)}
    for cpu in (entry for group in _CPUS for entry in _entries(report.get(group))):
        name = str(cpu.get("cpu", "all"))
        yield PrintedCounters(
            tool, "host", "" if name == "all" else f"cpu{name}", shared | _shares(cpu),
            prompt.host, prompt.command,
        )  # fmt: skip
    for disk in _entries(report.get("disk")):
        name = str(disk.get("disk_device") or disk.get("disk-device") or "")
        groups = printed_iostat.GROUP.findall(prompt.command)
        summed_up = name.lower() in printed_iostat.SUMMED_UP or name in groups
        kind = "disks" if is_iostat and summed_up else "disk"
        yield PrintedCounters(
            tool, kind, name, shared | _of_disk(disk, is_iostat=is_iostat),
            prompt.host, prompt.command,
        )  # fmt: skip
    for node in _entries(report.get("node-load")):
        name = str(node.get("node", "all"))
        yield PrintedCounters(
            tool, "host", "" if name == "all" else f"node{name}", shared | _shares(node),
            prompt.host, prompt.command,
        )  # fmt: skip
    yield from _of_shares_and_tasks(report, shared, prompt)
    if tool == "sadf":
        yield from _of_sadf(report, shared, prompt)


def _of_shares_and_tasks(
    report: Mapping[str, Any], shared: Mapping[str, Json], prompt: Prompt
) -> Iterator[PrintedCounters]:
    """What cifsiostat says of shares, and pidstat of processes and threads."""
    for share in _entries(report.get("filesystem")):
        if name := share.get("fs_name"):
            yield PrintedCounters(
                "cifsiostat", "filesystem", str(name), {**shared, **_named(share, _CIFS)},
                prompt.host, prompt.command,
            )  # fmt: skip
    for task in (entry for group in _TASKS for entry in _entries(report.get(group))):
        if "cmd" not in task:
            continue
        process = str(task.get("PID") or task.get("TID") or task.get("TGID") or "")
        values: dict[str, Json] = {**shared, "command": str(task["cmd"])}
        yield PrintedCounters(
            "pidstat", "process", process, {**values, **_named(task, _OF_TASK)},
            prompt.host, prompt.command,
        )  # fmt: skip


def _of_sadf(
    report: Mapping[str, Any], shared: Mapping[str, Json], prompt: Prompt
) -> Iterator[PrintedCounters]:
    """Activities of the host, with sadf's own names; and those of links and file systems."""
    groups = {**report, **part(report, "network")}
    for group, (kind, key) in _SADF_THINGS.items():
        for entry in _entries(groups.get(group)):
            yield PrintedCounters(
                "sadf", kind, str(entry.get(key, "")), {**shared, **_numbers(entry, "")},
                prompt.host, prompt.command,
            )  # fmt: skip
    values: dict[str, Json] = {}
    for group, content in groups.items():
        if isinstance(content, dict) and group not in {"timestamp", "network", "avg-cpu"}:
            values |= _numbers(content, f"{group}.")
    if values:
        yield PrintedCounters("sadf", "host", "", {**shared, **values}, prompt.host, prompt.command)


def _numbers(content: Mapping[str, Any], prefix: str) -> dict[str, Json]:
    """The numbers of a group and of the groups within it."""
    values: dict[str, Json] = {}
    for name, value in content.items():
        if isinstance(value, dict):
            inner = {f"{prefix}{name}.{key}": number(figure) for key, figure in value.items()}
        else:
            inner = {f"{prefix}{name}": number(value)}
        values |= {key: figure for key, figure in inner.items() if figure is not None}
    return values


def _of_disk(disk: Mapping[str, Any], *, is_iostat: bool) -> dict[str, Json]:
    return _named(disk, printed_iostat.COLUMNS if is_iostat else _SADF_DISK)


def _named(entry: Mapping[str, Any], columns: Mapping[str, tuple[str, float]]) -> dict[str, Json]:
    """The figures of an entry by the columns of the table; their names lack the per cent sign."""
    values: dict[str, Json] = {}
    for name, value in entry.items():
        column = columns.get(name) or columns.get(f"%{name}") or columns.get(f"{name}/s")
        times = 1
        if column is None and "GB" in name:  # of which the table's MB are the 1024th part
            column, times = columns.get(name.replace("GB", "MB")), units.KIB
        figure = number(value)
        if column and figure is not None:
            values[column[0]] = float(figure) * times * column[1]
    return values


def _shares(cpu: Mapping[str, Any]) -> dict[str, Json]:
    """Shares of a CPU's time, and its interrupts a second."""
    return _named(cpu, _OF_CPU)


def _since_boot(number: int, prompt: Prompt) -> bool | None:
    """Whether a report of iostat is since boot; None where no command says it."""
    if number > 1:
        return False
    return not printed_iostat.WITHOUT_BOOT.search(prompt.command) if prompt.command else None


def _time(stamp: object) -> dict[str, Json]:
    if isinstance(stamp, str):
        return {"time": stamp}
    if not isinstance(stamp, dict):
        return {}
    time = " ".join(str(stamp[name]) for name in ("date", "time", "tz") if stamp.get(name))
    values: dict[str, Json] = {"time": time} if time else {}
    interval = stamp.get("interval")
    return values | ({"interval": interval} if isinstance(interval, int) else {})


def _entries(value: object) -> list[dict[str, Any]]:
    """The objects of a list; an object alone is one."""
    given = value if isinstance(value, list) else [value]
    return [entry for entry in given if isinstance(entry, dict)]
