"""A disk that answers far slower than others with the same I/Os, or that alone is busy.

Source: iostat(1) of sysstat 12: await holds the time in queue; %util is the share of time in which
requests were in flight, which for devices that serve several at once (arrays, SSDs, NVMe) does not
say how much more they can do. The first report is the mean since the host was started.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from iosonde import units
from iosonde.layers._backing import where_to_look
from iosonde.layers._raid.arrays import near
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding

_DISK = re.compile(r"(?:sd|hd|vd|xvd)[a-z]{1,3}|dasd[a-z]{1,4}|nvme\d{1,3}n\d{1,3}|mmcblk\d{1,3}")
_PART = re.compile(r"(?:(?<=\d)p)?\d+$")
_LONG, _TIMES, _PEERS = 0.02, 5, 2
"""Seconds; times the await of each peer; peers at least."""
_ALIKE = 2.0
"""Rates of peers lie within such a factor."""
_BUSY, _IDLE, _WAIT = 0.95, 0.3, 0.1
"""Shares of time with requests in flight, of it and of all others; seconds a request took."""


class _Disk(NamedTuple):
    """Medians over the reports of an output: of a disk's rates, times and queue."""

    name: str
    iops: float
    bandwidth: float
    wait: float
    queue: float
    util: float | None
    reports: int
    first: CounterEvidence


def _slow(case: EvidenceSet) -> Iterator[Finding]:
    """Disks that need far longer than their peers for as many I/Os of the same size."""
    for disks in _outputs(case):
        for disk in disks:
            peers = [other for other in disks if other is not disk and _alike(disk, other)]
            if len(peers) < _PEERS or disk.wait < _LONG or not disk.iops:
                continue
            longest = max(peer.wait for peer in peers)
            if disk.wait < _TIMES * longest or not _is_idler(peers, disk):
                continue
            above = _above(case, disk)
            yield Finding(
                "slow-disk", "warning", _subject(disk),
                f"A request of {disk.name} takes {units.show_seconds(disk.wait)}, one of its "
                f"{len(peers)} peers, which get as many of the same size, at most "
                f"{units.show_seconds(longest)}{_over(disk)}: "
                + (f"{above} waits for it" if above else "what is spread over them waits for it")
                + ".",
                _evidence(disk, Evidence("longest of the peers", longest, "s", disk.first.where)),
                f"{where_to_look(case, disk.first, disk.name)}; where it is merely another model "
                "(SMR, an SSD without DRAM, a slower path), do not mix it with the others",
                "`iostat -x 5` under the same load: all of them alike",
            )  # fmt: skip


def _busy(case: EvidenceSet) -> Iterator[Finding]:
    """A disk that always had requests in flight, which waited long, while the others had none."""
    for disks in _outputs(case):
        for disk in disks:
            others = [other for other in disks if other is not disk]
            if not others or disk.util is None or disk.util < _BUSY or disk.wait < _WAIT:
                continue
            if disk.queue < 1 or not all((other.util or 0) <= _IDLE for other in others):
                continue
            if any(_alike(disk, other) for other in others):
                continue  # with as many I/Os, and another finding
            most = max(other.util or 0 for other in others)
            yield Finding(
                "busy-disk", "note", _subject(disk),
                f"{disk.name} had requests in flight {units.show_fraction(disk.util)} of the time, "
                f"{disk.queue:.3g} on average, and each took {units.show_seconds(disk.wait)} at "
                f"{units.show_iops(disk.iops)}{_over(disk)}, while the "
                f"{units.counted(len(others), 'other disk')} had some for at most "
                f"{units.show_fraction(most)} of it: what waits for I/O waits for {disk.name}.",
                _evidence(disk, Evidence("busiest other", most, "", disk.first.where)),
                "`iotop -oP` or `pidstat -d 5` names who writes or reads; give it fewer I/Os, or "
                "spread them over the other disks. Of an array, an SSD or a virtual disk the share "
                "of time does not say that it can do no more: compare its IOPS with what it does "
                "under fio",
                "`iostat -x 5` under the same load",
            )  # fmt: skip


def _outputs(case: EvidenceSet) -> Iterator[list[_Disk]]:
    """The disks of each output, without what stands on them."""
    outputs: dict[tuple[str, str, str], dict[str, list[CounterEvidence]]] = {}
    for device in case.counted("iostat"):
        if device.kind == "disk" and _DISK.fullmatch(device.name):
            place = device.source, device.host, device.where
            outputs.setdefault(place, {}).setdefault(device.name, []).append(device)
    for by_name in outputs.values():
        yield [_medians(name, reports) for name, reports in by_name.items()]


def _medians(name: str, reports: Sequence[CounterEvidence]) -> _Disk:
    """A disk's figures; the report since boot only where it is the only one."""
    later = [report for report in reports if not report.values.get("since_boot")] or list(reports)
    utils = [util for report in later if isinstance(util := report.values.get("util"), float)]
    return _Disk(
        name,
        median(_rate(report, "iops") for report in later),
        median(_rate(report, "bandwidth") for report in later),
        median(map(_wait, later)),
        median(report.number("queue") for report in later),
        median(utils) if utils else None,
        len(later),
        later[0],
    )


def _rate(report: CounterEvidence, what: str) -> float:
    return report.number(f"read.{what}") + report.number(f"write.{what}")


def _wait(report: CounterEvidence) -> float:
    """Seconds a request took, of reads and writes together."""
    if "await" in report.values:
        return report.number("await")
    total = sum(report.number(f"{way}.iops") * report.number(f"{way}.await") for way in _WAYS)
    return total / (_rate(report, "iops") or 1)


_WAYS = ("read", "write")


def _alike(disk: _Disk, other: _Disk) -> bool:
    """Whether both get about as many I/Os and bytes."""
    return all(
        0 < ours <= _ALIKE * theirs and theirs <= _ALIKE * ours
        for ours, theirs in ((disk.iops, other.iops), (disk.bandwidth, other.bandwidth))
    )


def _is_idler(peers: Sequence[_Disk], disk: _Disk) -> bool:
    """Whether the peers have requests in flight for at most half as long, as far as it is shown."""
    return disk.util is None or all((peer.util or 0) <= disk.util / 2 for peer in peers)


def _above(case: EvidenceSet, disk: _Disk) -> str:
    """What the same text shows to stand on it."""
    return next(
        (
            state.name for state in case.states
            if near(state, disk.first) and state.name
            and any(_whole(below) == disk.name for below in state.below)
        ),
        "",
    )  # fmt: skip


def _whole(name: str) -> str:
    """The disk of a partition."""
    name = name.removeprefix("/dev/")
    return name if _DISK.fullmatch(name) else _PART.sub("", name)


def _over(disk: _Disk) -> str:
    """Over what time the figures are."""
    if disk.first.values.get("since_boot"):
        return " (on average since the host was started)"
    return f" (median of {disk.reports} reports)" if disk.reports > 1 else ""


def _evidence(disk: _Disk, more: Evidence) -> tuple[Evidence, ...]:
    where = disk.first.where
    return (
        Evidence("await", disk.wait, "s", where), Evidence("I/Os", disk.iops, "1/s", where),
        *(() if disk.util is None else (Evidence("util", disk.util, "", where),)), more,
    )  # fmt: skip


def _subject(disk: _Disk) -> str:
    return f"{disk.first.host}: {disk.name}" if disk.first.host else disk.name


RULES: tuple[Rule, ...] = (
    Rule("slow-disk", "disk", "A disk that takes far longer than its peers for the same I/Os.",
         "iostat(1) of sysstat 12, await", _slow),
    Rule("busy-disk", "disk", "A disk that is busy and slow to answer while all others idle.",
         "iostat(1) of sysstat 12, await and %util", _busy),
)  # fmt: skip
