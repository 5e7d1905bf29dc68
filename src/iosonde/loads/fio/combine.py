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

from iosonde.loads.fio.histogram import bins, histogram
from iosonde.records.load import Histogram, LoadResult
from iosonde.records.stack import Json
from iosonde.statistics.histogram import quantile

Job = Mapping[str, Json]
DIRECTIONS = ("read", "write", "trim", "mixed")
PERCENTILES = {
    "p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99_9": 0.999, "p99_99": 0.9999,
}  # fmt: skip
_MILLISECOND = 1e-3
_SHORTER = 0.9  # of the time of a group's writes: less than its members differ by
_ROUNDING = 2e-3  # seconds; each job's times are rounded to milliseconds


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
    phase_of: Mapping[tuple[int, str], int] | None = None,
) -> LoadResult:
    """One result of several jobs.

    Args:
        jobs: the objects in fio's `jobs`.
        disks: those in its `disk_util`.
        defaults: its `global options`.
        version: fio's, without "fio-".
        faults: what went wrong without ending the loop.
        phase_of: group and name of a job → number of the phase it ran in, as `job.phases_of_jobs`
            has it; None where the job file is not known.
    """
    sheet = _Sheet()
    issued: dict[str, int] = {}
    rounds = _rounds(jobs, phase_of, defaults)
    for direction in DIRECTIONS:
        ios = sum(ios_of(part_of(job, direction)) for job in jobs)
        if not ios:
            continue
        if direction != "mixed" or not issued:
            # With unified_rw_reporting=both the mixed I/Os are those of the directions again.
            issued[direction] = ios
        _rates(direction, ios, rounds, sheet)
        _latencies(direction, [part_of(job, direction) for job in jobs], sheet)
    if ios := sum(issued.values()):
        _time(rounds, ios, defaults, sheet)
    syncs = [sync_part(job) for job in jobs]
    if calls := sum(ios_of(part) for part in syncs):
        issued["sync"] = calls
        _latencies("sync", syncs, sheet)
    return LoadResult(
        metrics=sheet.metrics,
        units=sheet.units,
        histograms=sheet.histograms,
        device_io=_device_io(disks),
        issued=issued,
        faults=faults,
        tool_version=version,
    )


def part_of(job: Job, name: str) -> Job:
    """The object of that name; an empty one where there is none."""
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


def sync_part(job: Job) -> Job:
    """The `sync` object of a job, its `total_ios` counting every call whose latency was taken.

    Up to 3.42 fio counts fsync alone: its array of counts ends there, so that fdatasync is counted
    one place further, in `short_ios` of the reads, and sync_file_range in that of the writes.

    Source:
        fio 3.4 (first with `sync`), 3.18 (first with "N"), 3.33: ioengines.c, td_io_queue();
        stat.h, total_io_u, short_io_u. Commit af511749 ended it.
    """
    part = part_of(job, "sync")
    stat, scale = _stat(part, "lat")
    counted = _figure(stat, "N")
    if counted is None and _figure(stat, "mean"):
        strays = [_figure(part_of(job, name), "short_ios") or 0.0 for name in ("read", "write")]
        counted = sum(bins(stat, scale).values()) or strays[0] or strays[1]
    return {**part, "total_ios": max(counted or 0.0, ios_of(part))} if part else part


# ── which jobs ran together ───────────────────────────────────────────────────────────────────


def _rounds(
    jobs: Sequence[Job],
    phase_of: Mapping[tuple[int, str], int] | None,
    defaults: Mapping[str, Json],
) -> list[list[Job]]:
    """Jobs that ran at the same time, round after round.

    By the times that fio gives (since 3.36); before, by the job file: both `stonewall` and
    `new_group` begin a group, but only `stonewall` and `wait_for` wait for jobs before them, and
    fio names none of them in its result. Without a job file the groups ran one after the other,
    unless fio itself did not take that long: `elapsed` is the whole seconds of the run, rounded up.

    Source:
        fio 3.33, init.c, add_job(); backend.c, run_threads(); eta.c, calc_thread_status().
    """
    if any(_figure(job, "job_start") is None for job in jobs):
        groups: dict[object, list[Job]] = {}
        for job in jobs:
            group = job.get("groupid")
            name = job.get("jobname")
            phase: object = group
            if phase_of and isinstance(group, int) and isinstance(name, str):
                phase = phase_of.get((group, name), group)
            groups.setdefault(phase, []).append(job)
        one_by_one = sum(max(_wall(job, defaults) for job in group) for group in groups.values())
        ran = max((_figure(job, "elapsed") or math.inf for job in jobs), default=math.inf)
        together = phase_of is None and one_by_one * _MILLISECOND > ran + _ROUNDING * len(groups)
        return [list(jobs)] if together else list(groups.values())
    rounds: list[list[Job]] = []
    end = -math.inf
    for job in sorted(jobs, key=lambda job: _figure(job, "job_start") or 0.0):
        start, length = _figure(job, "job_start") or 0.0, _longest(job)
        if not rounds or start >= end - length / 10:
            rounds.append([])
        rounds[-1].append(job)
        end = max(end, start + length)
    return rounds


def _longest(job: Job) -> float:
    """Milliseconds of the job's longest direction."""
    return max(_figure(part_of(job, direction), "runtime") or 0.0 for direction in DIRECTIONS)


def span(seconds: Mapping[str, float], ios: Mapping[str, int], members: int) -> float:
    """Seconds of a job, from those that fio gives for each of its directions.

    fio counts the time of a job's I/O once for all directions, and that of the verification after
    it for reads alone: reads that took another time than the writes came after them. A mixed load
    that verifies counts its reads in both, so that they take longer than the writes.

    Args:
        seconds: by direction; in any unit, which is that of the result.
        ios: by direction, as far as they are known.
        members: processes that the report stands for: those of a group may differ in length.

    Source:
        fio 3.33, backend.c, thread_main(), update_runtime().
    """
    longest = max(seconds.values(), default=0.0)
    read, write = seconds.get("read", 0.0), seconds.get("write", 0.0)
    if not read or not write or read == write:
        return longest
    as_many = ios.get("read", 0) == ios.get("write", 0) > 0
    after = as_many or read < write if members == 1 else as_many and read < _SHORTER * write
    return read + write if after else longest


# ── rates ─────────────────────────────────────────────────────────────────────────────────────


def _rates(direction: str, ios: int, rounds: list[list[Job]], sheet: _Sheet) -> None:
    """IOPS and bandwidth."""
    runtime, size = 0.0, 0.0
    for jobs in rounds:
        parts = [part_of(job, direction) for job in jobs]
        runtime += max(_figure(part, "runtime") or 0.0 for part in parts)
        size += sum(size_of(part) for part in parts)
    if runtime <= 0:
        return
    seconds = runtime * _MILLISECOND
    sheet.put(f"{direction}.iops", ios / seconds, "1/s")
    sheet.put(f"{direction}.bandwidth", size / seconds, "B/s")


def size_of(part: Job) -> float:
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
        moments = [moment for part in parts if (moment := _moments(part, kind))]
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
        counts = [bins(stat, scale) for stat, scale in stats]
        if counts and all(counts):
            merged = histogram(sum(counts, Counter()))
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
    runtime = _figure(job, "job_runtime")
    members = _members(job, defaults)
    return runtime or _span(job, members) * members


def _wall(job: Job, defaults: Mapping[str, Json]) -> float:
    """Milliseconds from the job's begin to its end, reading back what it wrote included."""
    runtime, longest = _figure(job, "job_runtime"), _longest(job)
    members = _members(job, defaults)
    if not runtime or not longest:
        return runtime or _span(job, members)
    # A group of several sections has more members than its options say.
    together = sum(_figure(part_of(job, direction), "runtime") or 0.0 for direction in DIRECTIONS)
    ran = (_figure(job, "elapsed") or math.inf) / _MILLISECOND  # of the whole run, rounded up
    if runtime / members > min(together * 1.2, ran):
        members = max(members, round(runtime / longest))
    return max(runtime / members, _span(job, members))


def _span(job: Job, members: int) -> float:
    """See `span`; milliseconds."""
    parts = {name: part_of(job, name) for name in DIRECTIONS}
    seconds = {name: _figure(part, "runtime") or 0.0 for name, part in parts.items()}
    return span(seconds, {name: ios_of(part) for name, part in parts.items()}, members)


def _members(job: Job, defaults: Mapping[str, Json]) -> int:
    """How many processes the report stands for: its numjobs, if they are reported together."""
    options = {**defaults, **part_of(job, "job options")}
    together = options.get("group_reporting", "0") not in {"0", 0}
    text = str(options.get("numjobs", "1"))
    return int(text) if together and text.isdigit() and int(text) > 0 else 1


def _device_io(disks: Sequence[Job]) -> dict[str, dict[str, float]]:
    """What fio read in the kernel's disk statistics; `util` as a fraction."""
    device_io: dict[str, dict[str, float]] = {}
    names = {
        "reads": "read_ios", "writes": "write_ios",
        "read_sectors": "read_sectors", "write_sectors": "write_sectors",
        "read_merges": "read_merges", "write_merges": "write_merges",
    }  # fmt: skip
    for disk in disks:
        name = disk.get("name")
        if not isinstance(name, str):
            continue
        figures = {ours: _figure(disk, theirs) for ours, theirs in names.items()}
        util = _figure(disk, "util")
        figures["util"] = None if util is None else util / 100
        device_io[name] = {ours: value for ours, value in figures.items() if value is not None}
    return device_io
