"""What fio's normal output says after its jobs: run status by group, and disk statistics.

Source:
    fio 1.59, 2.16, 2.17, 3.33, 3.41: stat.c, show_group_stats(); diskutil.c, print_disk_util() and
    show_agg_stats().
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from iosonde.loads.fio.text_block import Precision, amount
from iosonde.records.stack import Json

_GROUP = re.compile(r"Runstatusgroup(\d{1,9})\(alljobs\):")
_AMOUNT = r"\d[\d.]{0,15}[kKMGTPE]?i?(?:B|bit)"
_STATUS = re.compile(  # people cut these lines behind any of their parts
    r"(?P<name>READ|WRITE|TRIM|MIXED):(?:"
    rf"bw=(?P<speed>{_AMOUNT})/s(?:\([^()]{{1,24}}\))?"
    rf"(?:,(?P<low>{_AMOUNT})/s-(?P<high>{_AMOUNT})/s(?:\([^()]{{1,48}}\))?)?"
    rf"(?:,io=(?P<moved>{_AMOUNT})(?:\([^()]{{1,24}}\))?)?"
    r"(?:,run=(?P<short>\d+)-(?P<long>\d+)msec)?"
    rf"|(?:io=(?P<moved2>{_AMOUNT}),)?aggrb=(?P<speed2>{_AMOUNT})/s"
    rf"(?:,minb=(?P<low2>{_AMOUNT})/s,maxb=(?P<high2>{_AMOUNT})/s)?"
    r"(?:,mint=(?P<short2>\d+)msec,maxt=(?P<long2>\d+)msec)?)"
)
_PAIR = r"(\d+)/(\d+)"
_DISK = re.compile(
    r"(?P<name>[A-Za-z][\w!./-]{0,63}):"
    rf"ios={_PAIR},(?:sectors={_PAIR},)?merge={_PAIR},ticks={_PAIR},in_queue=(\d+)"
    r",util=(?P<util>[\d.]+|-?nan)%"
    rf"(?P<aggregate>,aggrios={_PAIR},(?:aggsectors={_PAIR},)?aggrmerge={_PAIR},aggrticks={_PAIR},"
    r"aggrin_queue=(\d+),aggrutil=([\d.]+|-?nan)%)?"
)
Status: TypeAlias = tuple[str, tuple[float, float, float], dict[str, Json]]
"""A direction; bytes per second, their step, and seconds of the longest; and what is printed."""
_MILLISECONDS = 1e3
_PER_CENT = "e-2"


def groups(text: str, precision: Precision) -> tuple[dict[int, Json], int]:
    """Run status by group, and where the last of it ends in the text (0: there is none)."""
    statuses: dict[int, Json] = {}
    end = 0
    for head, stop in _sections(text):
        end = head.end()
        part: dict[str, Json] = {}
        for status in _STATUS.finditer(text, head.end(), stop):
            part[status["name"].lower()] = _status(status, precision)
            end = status.end()
        statuses[int(head[1])] = part
    return statuses, end


def _sections(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The title of each group's status, and where the next one begins or the text ends."""
    heads = list(_GROUP.finditer(text))
    stops = [*(head.start() for head in heads[1:]), len(text)]
    yield from zip(heads, stops, strict=False)


def speeds(
    text: str, precision: Precision
) -> Iterator[tuple[int, dict[str, tuple[float, float, float]]]]:
    """Each group, with its directions: bytes per second, their step, and seconds of the longest."""
    for head, stop in _sections(text):
        figures = {
            match["name"].lower(): _speed(match, precision)
            for match in _STATUS.finditer(text, head.end(), stop)
        }
        yield int(head[1]), figures


def statuses(text: str, precision: Precision) -> Iterator[Status]:
    """Each status of a direction, below a title or not: as `speeds` has it, and as printed."""
    for match in _STATUS.finditer(text):
        yield match["name"].lower(), _speed(match, precision), _status(match, precision)


def _speed(match: re.Match[str], precision: Precision) -> tuple[float, float, float]:
    """Bytes per second, their step, and the longest time in seconds; 0 where that is cut off."""
    old = "2" if match["speed2"] is not None else ""
    speed, step = amount(match[f"speed{old}"], precision, binary=bool(old))
    return speed, step, int(match[f"long{old}"] or 0) / _MILLISECONDS


def _status(match: re.Match[str], precision: Precision) -> dict[str, Json]:
    old = "2" if match["speed2"] is not None else ""
    figures: dict[str, Json] = {
        key: amount(match[f"{name}{old}"], precision, binary=bool(old))[0]
        for key, name in (
            ("bandwidth", "speed"), ("min_bandwidth", "low"), ("max_bandwidth", "high"),
            ("bytes", "moved"),
        )
        if match[f"{name}{old}"] is not None
    }  # fmt: skip
    for key, name in (("min_seconds", "short"), ("max_seconds", "long")):
        if match[f"{name}{old}"] is not None:
            figures[key] = int(match[f"{name}{old}"]) / _MILLISECONDS
    return figures


def disks(text: str) -> tuple[list[dict[str, Json]], int]:
    """Devices in the order printed, and where the last of them ends in the text.

    `aggr` of a device is the mean over its members, which follow it; its util is their highest.
    """
    devices: list[dict[str, Json]] = []
    end = 0
    for match in _DISK.finditer(text):
        if devices and match.start() != end:
            break
        own = match.groups()
        device: dict[str, Json] = {"name": match["name"], **_figures(own[1:10], match["util"])}
        if match["aggregate"]:
            device["aggr"] = _figures(own[12:21], own[21])
        devices.append(device)
        end = match.end()
    return devices, end


def _figures(counts: tuple[str, ...], util: str) -> dict[str, Json]:
    names = (
        "reads", "writes", "read_sectors", "write_sectors", "read_merges", "write_merges",
        "read_time", "write_time", "queue_time",
    )  # fmt: skip
    figures: dict[str, Json] = {}
    for name, text in zip(names, counts, strict=True):
        if text is not None:
            figures[name] = int(text) / _MILLISECONDS if name.endswith("_time") else int(text)
    if "nan" not in util:
        figures["util"] = float(util + _PER_CENT)
    return figures


def device_io(devices: list[dict[str, Json]]) -> dict[str, dict[str, float]]:
    """As `LoadResult.device_io` has it."""
    wanted = (
        "reads", "writes", "read_sectors", "write_sectors", "read_merges", "write_merges", "util",
    )  # fmt: skip
    return {
        str(device["name"]): {
            key: float(value) for key in wanted if isinstance(value := device.get(key), int | float)
        }
        for device in devices
    }


def disk_details(devices: list[dict[str, Json]]) -> dict[str, Json]:
    """All that is known of the devices, in their order; and the means over members by device."""
    if not devices:
        return {}
    details: dict[str, Json] = {"disk_stats": [dict(device) for device in devices]}
    means: dict[str, Json] = {
        str(device["name"]): device["aggr"] for device in devices if "aggr" in device
    }
    if means:
        details["aggr"] = means
    return details
