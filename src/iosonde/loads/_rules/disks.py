"""What of a trial's I/Os its disks saw, as the tool counted them there or the observer did.

Of a volume fio prints the mean over its members and then each of them; which of the following
devices are members is found by what the means allow.

Source:
    fio 3.x, diskutil.c: find_add_disk_slaves() (sysfs, slaves/), aggregate_slaves_stats() (sums
    over the members, divided by their number); fio 3.37 is the first to print sectors. Linux
    drivers/block/null_blk/main.c and brd.c: bio-based, they count nothing in /proc/diskstats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from iosonde import units
from iosonde.records.evidence import TrialEvidence
from iosonde.records.stack import Json

KINDS = ("read", "write")
_MOST = 32  # devices of which the members are looked for
_NESTED = 5  # volumes among them: with more, the ways to read them are too many
_UNCOUNTED = re.compile(r"nullb\d+|ram\d+")
_FILES = frozenset({
    "sync", "psync", "vsync", "pvsync", "pvsync2", "libaio", "posixaio", "io_uring", "mmap",
    "splice", "windowsaio", "solarisaio", "e4defrag",
})  # fmt: skip
"""fio's engines whose I/Os go to the file or block device that its disk statistics are of."""


@dataclass(frozen=True, slots=True)
class Amount:
    """I/Os, and bytes of them where these are known."""

    ios: float
    bytes: float | None = None


def observed(trial: TrialEvidence, direction: str) -> dict[str, float]:
    """Device → I/Os of a direction that it completed in the first loop, merged ones included.

    As the tool itself counted them; else as the observer saw the devices that the target stands on.
    """
    done, merged = f"{direction}s", f"{direction}_merges"
    counted = {
        device: figures[done] + figures.get(merged, 0.0)
        for device, figures in trial.device_io.items()
        if done in figures
    }
    return counted or _by_observer(trial, f"{direction}.iops")


def _by_observer(trial: TrialEvidence, name: str) -> dict[str, float]:
    """Device under the target → a rate of it × the seconds of the first loop."""
    if not trial.series or not trial.elapsed:
        return {}
    below = {device.rpartition("/")[2] for _, device in trial.stands_on}
    return {
        series.subject: sum(values) / len(values) * trial.elapsed[0]
        for series in trial.series[0]
        if series.sampler == "diskstats" and series.name == name and series.subject in below
        for values in [[value for value in series.values if value is not None]]
        if values
    }


def issued(trial: TrialEvidence, direction: str) -> Amount:
    """What the disks should have seen: of all jobs of the run, where the tool counted these."""
    of_run, moved = (_of(trial.details, name, direction) for name in ("run_issued", "run_moved"))
    if of_run is not None:
        return Amount(of_run, moved)
    count = trial.issued.get(direction, 0)
    iops, rate = (trial.metrics.get(f"{direction}.{name}") for name in ("iops", "bandwidth"))
    if not iops or not rate or not iops.loops[0]:
        block = trial.options.get("bs")
        return Amount(count, count * block if isinstance(block, int) else None)
    return Amount(count, count * rate.loops[0] / iops.loops[0])


def _of(details: Mapping[str, Json], name: str, direction: str) -> float | None:
    every = details.get(name)
    figure = every.get(direction) if isinstance(every, dict) else None
    return float(figure) if isinstance(figure, int | float) else None


def reached(trial: TrialEvidence, direction: str) -> tuple[str, Amount] | None:
    """The devices that the target lies on, and what they saw; None where that is not known.

    Devices that count nothing, or that the load's target does not stand on, tell nothing of it.
    """
    if str(trial.options.get("ioengine") or "sync") not in _FILES:
        return None
    names = _topmost(trial, direction)
    if not names or any(_uncounted(trial, name) for name in names):
        return None
    counts = observed(trial, direction)
    below = max((ios for name, ios in counts.items() if name not in names), default=0.0)
    if not any(counts[name] for name in names) and 2 * below > issued(trial, direction).ios:
        return None  # a volume of an old kernel that counts nothing: its member got the I/Os
    sizes = _sizes(trial, direction)
    whole = sum(sizes[name] for name in names) if all(name in sizes for name in names) else None
    return " and ".join(names), Amount(sum(counts[name] for name in names), whole)


def _uncounted(trial: TrialEvidence, device: str) -> bool:
    return bool(_UNCOUNTED.fullmatch(device)) or any(
        value in {False, "0"} and re.search(rf"\b{re.escape(device)}\.iostats$", name)
        for name, value in trial.settings.items()
    )


def _sizes(trial: TrialEvidence, direction: str) -> dict[str, float]:
    """Device → bytes of a direction in the first loop, where that is known."""
    sectors = f"{direction}_sectors"
    return {
        device: figures[sectors] * units.SECTOR
        for device, figures in trial.device_io.items()
        if sectors in figures
    } or _by_observer(trial, f"{direction}.bandwidth")


def _topmost(trial: TrialEvidence, direction: str) -> list[str]:
    """Devices that nothing else of the trial's lies on; more where that cannot be decided."""
    counts = observed(trial, direction)
    if trial.stands_on:
        kind, names = "", list[str]()
        for layer, device in trial.stands_on:
            name = device.rpartition("/")[2]
            if name in counts and kind in {"", layer} and name not in names:
                kind, names = layer, [*names, name]
        return names
    roots = [
        [name for device in reading if (name := str(device.get("name", ""))) in counts]
        for reading in readings(listed(trial), members=False)
    ]
    return max(roots, key=lambda names: sum(counts[name] for name in names), default=[]) or list(
        counts
    )


# ── volumes and their members in fio's disk statistics ─────────────────────────────────────────


def listed(trial: TrialEvidence) -> list[Mapping[str, Json]]:
    """The devices that fio printed, in their order."""
    devices = trial.details.get("disk_stats")
    return (
        [device for device in devices if isinstance(device, dict)]
        if isinstance(devices, list)
        else []
    )


def readings(
    devices: Sequence[Mapping[str, Json]], *, members: bool
) -> list[list[Mapping[str, Json]]]:
    """All ways to read the list as the members of its first, or as volumes beside each other."""
    volumes = [isinstance(device.get("aggr"), dict) for device in devices]
    if not devices or len(devices) > _MOST or sum(volumes) > _NESTED:
        return []
    return list(_members(devices, 0, len(devices)) if members else _rows(devices, 0, len(devices)))


def count(device: Mapping[str, Json], kind: str) -> float:
    """I/Os of a kind that fio printed of a device."""
    figure = device.get(f"{kind}s")
    return float(figure) if isinstance(figure, int | float) else 0.0


def _members(
    devices: Sequence[Mapping[str, Json]], top: int, end: int
) -> Iterator[list[Mapping[str, Json]]]:
    """All ways to read devices[top + 1:end] as the members of devices[top], with theirs."""
    means = devices[top].get("aggr")
    if not isinstance(means, dict):
        if end == top + 1:
            yield []
        return
    for members in _rows(devices, top + 1, end):
        fits = all(
            abs(sum(count(member, kind) for member in members) / len(members) - count(means, kind))
            <= 1
            for kind in KINDS
        )
        if fits:
            yield members


def _rows(
    devices: Sequence[Mapping[str, Json]], start: int, end: int
) -> Iterator[list[Mapping[str, Json]]]:
    """All ways to read devices[start:end] as siblings, each with its own members behind it."""
    for stop in range(start + 1, end + 1):
        if any(True for _ in _members(devices, start, stop)):
            if stop == end:
                yield [devices[start]]
            else:
                yield from ([devices[start], *rest] for rest in _rows(devices, stop, end))
