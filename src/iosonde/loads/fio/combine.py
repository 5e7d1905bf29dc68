"""Puts the results of all of a run's jobs together, as fio's own group report does.

I/Os and bytes are summed and divided by the time the jobs took: the longest of those that ran
together, the sum of those that ran one after the other. Means are weighted by I/Os, deviations
pooled, bins summed. A percentile comes from the summed bins; jobs without bins are never averaged.

Source:
    fio 3.33, stat.c, sum_thread_stats(), __sum_stat(), add_ddir_status_json(): with
    group_reporting `usr_cpu` is the mean over the group's members, `job_runtime` their sum.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from iosonde.histogram import quantile
from iosonde.loads.fio.histogram import bins, histogram
from iosonde.records import Histogram, Json, LoadResult

Job = Mapping[str, Json]
DIRECTIONS = ("read", "write", "trim", "mixed")
PERCENTILES = {
    "p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999,
}  # fmt: skip
_MILLISECOND = 1e-3


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Where figures are gathered."""

    metrics: dict[str, float] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    histograms: dict[str, Histogram] = field(default_factory=dict)

    def put(self, name: str, value: float, unit: str) -> None:
        self.metrics[name] = value
        self.units[name] = unit


def combine(
    jobs: Sequence[Job],
    disks: Sequence[Job],
    *,
    defaults: Mapping[str, Json],
    version: str,
    faults: tuple[str, ...],
) -> LoadResult:
    """One result of several jobs.

    Args:
        jobs: the objects in fio's `jobs`.
        disks: those in its `disk_util`.
        defaults: its `global options`.
        version: fio's, without "fio-".
        faults: what went wrong without ending the loop.
    """
    sheet = _Sheet()
    issued: dict[str, int] = {}
    rounds = _rounds(jobs)
    for direction in DIRECTIONS:
        ios = sum(ios_of(_part(job, direction)) for job in jobs)
        if not ios:
            continue
        issued[direction] = ios
        _rates(direction, ios, rounds, sheet)
        _latencies(direction, [_part(job, direction) for job in jobs], sheet)
    syncs = [_part(job, "sync") for job in jobs]
    if any(ios_of(part) for part in syncs):
        issued["sync"] = sum(ios_of(part) for part in syncs)
        _latencies("sync", syncs, sheet)
    if issued:
        _time(rounds, sum(issued.values()), defaults, sheet)
    return LoadResult(
        metrics=sheet.metrics,
        units=sheet.units,
        histograms=sheet.histograms,
        device_io=_device_io(disks),
        issued=issued,
        faults=faults,
        tool_version=version,
    )


def _part(job: Job, name: str) -> Job:
    value = job.get(name)
    return value if isinstance(value, dict) else {}


def _figure(part: Job, key: str) -> float | None:
    value = part.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def ios_of(part: Job) -> int:
    """I/Os of one direction. fio before 2.1.14 gave their rate alone, as a whole number."""
    total = _figure(part, "total_ios")
    if total is None:
        total = (_figure(part, "iops") or 0.0) * (_figure(part, "runtime") or 0.0) * _MILLISECOND
    return max(round(total), 0)


# ── which jobs ran together ───────────────────────────────────────────────────────────────────


def _rounds(jobs: Sequence[Job]) -> list[list[Job]]:
    """Jobs that ran at the same time, round after round.

    By the times that fio gives (since 3.36); before, by its groups, which a stonewall begins.
    """
    if any(_figure(job, "job_start") is None for job in jobs):
        groups: dict[str, list[Job]] = {}
        for job in jobs:
            groups.setdefault(str(job.get("groupid")), []).append(job)
        return list(groups.values())
    rounds: list[list[Job]] = []
    end = -math.inf
    for job in sorted(jobs, key=lambda one: _figure(one, "job_start") or 0.0):
        start, length = _figure(job, "job_start") or 0.0, _longest(job)
        if not rounds or start >= end - length / 10:
            rounds.append([])
        rounds[-1].append(job)
        end = max(end, start + length)
    return rounds


def _longest(job: Job) -> float:
    """Milliseconds of the job's longest direction."""
    return max(_figure(_part(job, direction), "runtime") or 0.0 for direction in DIRECTIONS)


# ── rates ─────────────────────────────────────────────────────────────────────────────────────


def _rates(direction: str, ios: int, rounds: list[list[Job]], sheet: _Sheet) -> None:
    """IOPS and bandwidth."""
    runtime, size = 0.0, 0.0
    for jobs in rounds:
        parts = [_part(job, direction) for job in jobs]
        runtime += max(_figure(part, "runtime") or 0.0 for part in parts)
        size += sum(_size(part) for part in parts)
    if runtime <= 0:
        return
    seconds = runtime * _MILLISECOND
    sheet.put(f"{direction}.iops", ios / seconds, "1/s")
    sheet.put(f"{direction}.bandwidth", size / seconds, "B/s")


def _size(part: Job) -> float:
    """Bytes moved. `io_bytes` is bytes since 2.21, when `io_kbytes` came beside it; before, KiB."""
    moved = _figure(part, "io_bytes") or 0.0
    return moved if "io_kbytes" in part else moved * 1024


# ── latencies ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Moments:
    """n, mean and sum of squared deviations of latencies in seconds, with their extremes."""

    n: float
    mean: float
    squares: float
    low: float
    high: float


def _latencies(direction: str, parts: Sequence[Job], sheet: _Sheet) -> None:
    """Mean, extremes and deviation of `lat` where given, else `clat`; percentiles of `clat`."""
    prefix = f"{direction}.latency"
    for kind in ("lat", "clat"):
        moments = [found for part in parts if (found := _moments(part, kind))]
        if moments:
            total = _pooled(moments)
            sheet.put(f"{prefix}.mean", total.mean, "s")
            sheet.put(f"{prefix}.min", total.low, "s")
            sheet.put(f"{prefix}.max", total.high, "s")
            if total.n > 1:
                sheet.put(f"{prefix}.stdev", math.sqrt(total.squares / (total.n - 1)), "s")
            break
    for name, value in _percentiles(parts, direction, sheet.histograms):
        sheet.put(f"{prefix}.{name}", value, "s")


def _stat(part: Job, kind: str) -> tuple[Job, float]:
    """The object of one kind of latency and the seconds of its unit: ns, since 3.0; before, µs."""
    for name, scale in ((f"{kind}_ns", 1e-9), (f"{kind}_us", 1e-6), (kind, 1e-6)):
        value = part.get(name)
        if isinstance(value, dict):
            return value, scale
    return {}, 1.0


def _moments(part: Job, kind: str) -> _Moments | None:
    stat, scale = _stat(part, kind)
    mean = _figure(stat, "mean")
    n = _figure(stat, "N") if "N" in stat else float(ios_of(part))
    # Without N, a mean of 0 with a maximum of 0 is a latency that was not measured.
    if mean is None or not n or n < 0 or (not mean and not _figure(stat, "max")):
        return None
    deviation = (_figure(stat, "stddev") or 0.0) * scale
    low, high = _figure(stat, "min"), _figure(stat, "max")
    return _Moments(
        n=n,
        mean=mean * scale,
        squares=deviation**2 * max(n - 1, 0),
        low=(mean if low is None else low) * scale,
        high=(mean if high is None else high) * scale,
    )


def _pooled(parts: Sequence[_Moments]) -> _Moments:
    n = sum(part.n for part in parts)
    mean = sum(part.n * part.mean for part in parts) / n
    return _Moments(
        n=n,
        mean=mean,
        squares=sum(part.squares + part.n * (part.mean - mean) ** 2 for part in parts),
        low=min(part.low for part in parts),
        high=max(part.high for part in parts),
    )


def _percentiles(
    parts: Sequence[Job], direction: str, histograms: dict[str, Histogram]
) -> list[tuple[str, float]]:
    """From the bins of all jobs; without bins only a single job's own percentiles are used."""
    used = [part for part in parts if ios_of(part)]
    for kind in ("clat", "lat"):
        stats = [_stat(part, kind) for part in used]
        found = [bins(stat, scale) for stat, scale in stats]
        if found and all(found):
            merged = histogram(sum(found, Counter()))
            histograms[direction] = merged
            return [(name, quantile(merged, q)) for name, q in PERCENTILES.items()]
        if len(stats) == 1 and (printed := _printed(*stats[0])):
            return printed
    return []


def _printed(stat: Job, scale: float) -> list[tuple[str, float]]:
    """The percentiles that fio printed itself ("99.900000")."""
    listed = stat.get("percentile")
    if not isinstance(listed, dict):
        return []
    values = {round(float(key), 6): value for key, value in listed.items() if _is_figure(key)}
    return [
        (name, float(value) * scale)
        for name, q in PERCENTILES.items()
        if isinstance(value := values.get(round(q * 100, 6)), int | float) and value > 0
    ]


def _is_figure(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


# ── processor time and devices ────────────────────────────────────────────────────────────────


def _time(rounds: list[list[Job]], ios: int, defaults: Mapping[str, Json], sheet: _Sheet) -> None:
    """Seconds the loop took, and cores used over them by all jobs together."""
    elapsed = sum(max(_wall(job, defaults) for job in part) for part in rounds) * _MILLISECOND
    if elapsed <= 0:
        return
    sheet.put("elapsed", elapsed, "s")
    user, system = (_processor(rounds, key, defaults) for key in ("usr_cpu", "sys_cpu"))
    if user is None or system is None:
        return
    sheet.put("cpu.user", user / elapsed, "cores")
    sheet.put("cpu.system", system / elapsed, "cores")
    sheet.put("cpu.per_io", (user + system) / ios, "s")


def _processor(rounds: list[list[Job]], key: str, defaults: Mapping[str, Json]) -> float | None:
    """Seconds of processor time; None where a job does not say."""
    total = 0.0
    for job in (job for part in rounds for job in part):
        share = _figure(job, key)
        if share is None:
            return None
        total += share / 100 * _worked(job, defaults) * _MILLISECOND
    return total


def _worked(job: Job, defaults: Mapping[str, Json]) -> float:
    """Milliseconds that all members of the job's report ran, added up."""
    told = _figure(job, "job_runtime")
    return told or _longest(job) * _members(job, defaults)


def _wall(job: Job, defaults: Mapping[str, Json]) -> float:
    """Milliseconds from the job's begin to its end, reading back what it wrote included."""
    told, longest = _figure(job, "job_runtime"), _longest(job)
    if not told or not longest:
        return told or longest
    members = _members(job, defaults)
    # A group of several sections has more members than its options say.
    together = sum(_figure(_part(job, one), "runtime") or 0.0 for one in DIRECTIONS)
    if told / members > together * 1.2:
        members = max(members, round(told / longest))
    return max(told / members, longest)


def _members(job: Job, defaults: Mapping[str, Json]) -> int:
    """How many processes the report stands for: its numjobs, if they are reported together."""
    options = {**defaults, **_part(job, "job options")}
    together = options.get("group_reporting", "0") not in {"0", 0}
    text = str(options.get("numjobs", "1"))
    return int(text) if together and text.isdigit() and int(text) > 0 else 1


def _device_io(disks: Sequence[Job]) -> dict[str, dict[str, float]]:
    """What fio read in the kernel's disk statistics; `util` as a fraction."""
    found: dict[str, dict[str, float]] = {}
    names = {
        "reads": "read_ios", "writes": "write_ios",
        "read_merges": "read_merges", "write_merges": "write_merges",
    }  # fmt: skip
    for disk in disks:
        name = disk.get("name")
        if not isinstance(name, str):
            continue
        figures = {ours: _figure(disk, theirs) for ours, theirs in names.items()}
        util = _figure(disk, "util")
        figures["util"] = None if util is None else util / 100
        found[name] = {ours: value for ours, value in figures.items() if value is not None}
    return found
