"""Rules that tell the page cache from a device: what never reached it was measured in memory.

Source:
    fio HOWTO, direct, end_fsync, "Disk stats"; fio 3.x, diskutil.h, DISK_UTIL_MSEC; Linux
    Documentation/admin-guide/iostats.rst (a device counts I/Os that it completed, after merging);
    mm/page-writeback.c, mm/readahead.c; block/blk-settings.c, BLK_DEF_MAX_SECTORS_CAP.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from iosonde import units
from iosonde.loads._rules.disks import KINDS, Amount, issued, reached
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Json

_MERGED = 0.9
"""A device may see less than was issued because I/Os are merged; what was merged counts as seen."""
_BRIEF = 1.0
"""Seconds: of shorter loops the disks' counters are not trusted, as fio reads them every 250 ms."""
_LAG = 0.5
"""Seconds of the load that fio may not have seen in the disks' counters: two of its readings."""
_LARGEST = 4 * units.MIB
"""Bytes of the largest request by default; 1280 KiB before Linux 6.16."""
_COPY, _MEMORY = 15e-6, 5e9
"""Seconds of a call that is answered by memory, and bytes per second that it copies at least."""
_AT_RANDOM = re.compile(r"rand(?:om)?[ _-]?(?:read|write|rw|4k)|\brandom\b", re.IGNORECASE)
_DIRECT = re.compile(r"(?<![\w-])--?direct(?:=1|=true)?(?![\w=-])")
_TIMES = 4
"""A file of so many times the memory is hardly cached."""
_LATE = 1.02  # of the runtime asked for; fio itself ends a job within some milliseconds
_HINT = "add --direct=1 (O_DIRECT), or --fsync=1 or --sync=1 where the page cache is to be kept"


def run_times(trial: TrialEvidence) -> tuple[float, ...]:
    """Seconds of each loop as the tool reports them; the wall clock's hold its start and end too.

    Of imported trials there is no other clock than the tool's.
    """
    elapsed = trial.metrics.get("elapsed")
    if elapsed is not None:
        return elapsed.loops
    return (trial.elapsed or ()) if not trial.series and not trial.stands_on else ()


@dataclass(frozen=True, slots=True)
class _Shortfall:
    """What the load issued and a device did not see: `seen` and `whole` in bytes, or in I/Os.

    `at_least`: the device's requests are known by their number alone, and counted as large as
    requests can be.
    """

    device: str
    seen: float
    whole: float
    unit: str
    at_least: bool = False

    @property
    def share(self) -> float:
        """The share of what was issued that is missing."""
        return 1 - self.seen / self.whole


def _cached(case: EvidenceSet) -> Iterable[Finding]:
    for trial in case.trials:
        times = run_times(trial)
        brief = bool(times) and times[0] < _BRIEF
        if trial.options.get("direct") is True or brief or _may_be_direct(case, trial):
            continue
        for direction in KINDS:
            shortfall = _shortfall(trial, direction)
            if shortfall is not None:
                yield _memory(trial, direction, shortfall)


def _may_be_direct(case: EvidenceSet, trial: TrialEvidence) -> bool:
    """Whether a text has the command of an output elsewhere, and it opens files directly."""
    if trial.command or "direct" in trial.options or not trial.job:
        return False
    named = re.compile(rf"(?<![\w-])--?name[= ][\"']?{re.escape(trial.job)}(?![\w-])")
    return any(
        asked.source == trial.source and asked.tool == trial.tool
        and named.search(asked.command) and _DIRECT.search(asked.command)
        for asked in case.commands
    )  # fmt: skip


def _shortfall(trial: TrialEvidence, direction: str) -> _Shortfall | None:
    """What did not reach the device, as far as that is proven.

    A request of a device holds many I/Os of a load that go on where the last one ended, since
    read-ahead and write-back put their pages together; so does write-back with random writes into a
    small file. The number of requests alone proves something of random reads; of random writes only
    where their latency is memory's; of others if they would be too few at any size.
    """
    asked, there = issued(trial, direction), reached(trial, direction)
    if not asked.ios or there is None:
        return None
    device, seen = there
    needed = _MERGED * max(0.0, 1 - _LAG / _seconds(trial, direction, asked))
    whole = asked.bytes
    if whole and seen.bytes is not None:
        by_bytes = _Shortfall(device, seen.bytes, whole, "B")
        return by_bytes if seen.bytes < needed * whole else None
    if seen.ios >= needed * asked.ios:
        return None
    if _random(trial) and (direction == "read" or _from_memory(trial, direction, asked)):
        return _Shortfall(device, seen.ios, asked.ios, "")
    most = seen.ios * _largest(trial)
    if whole and most < needed * whole:
        return _Shortfall(device, most, whole, "B", at_least=most > 0)
    return None


def _random(trial: TrialEvidence) -> bool:
    """Whether the load goes to places at random, as it says or, else, as its author calls it."""
    pattern = str(trial.options.get("rw") or "")
    return pattern.startswith("rand") or (not pattern and bool(_AT_RANDOM.search(trial.job)))


def _seconds(trial: TrialEvidence, direction: str, asked: Amount) -> float:
    """How long the first loop took; by its rate where no clock is known."""
    iops = trial.mean(f"{direction}.iops")
    by_rate = asked.ios / iops if iops else float("inf")
    return next(iter(run_times(trial) or trial.elapsed or ()), 0.0) or by_rate


def _largest(trial: TrialEvidence) -> int:
    """Bytes of the largest request that a device of the trial gets."""
    limits = [
        int(str(value)) * units.KIB
        for name, value in trial.settings.items()
        if name.endswith(".max_sectors_kb") and str(value).isdecimal()
    ]
    return max([_LARGEST, *limits])


def _typical(trial: TrialEvidence, direction: str) -> float | None:
    return trial.mean(f"{direction}.latency.p50") or trial.mean(f"{direction}.latency.mean")


def _from_memory(trial: TrialEvidence, direction: str, asked: Amount) -> bool:
    """Whether half of the I/Os or more took no longer than memory needs for them."""
    latency = _typical(trial, direction)
    size = asked.bytes / asked.ios if asked.bytes else 0.0
    return latency is not None and latency <= _COPY + size / _MEMORY


def _memory(trial: TrialEvidence, direction: str, short: _Shortfall) -> Finding:
    what = "bytes" if short.unit == "B" else f"{direction}s"
    asked = f"bytes of the load's {direction}s" if what == "bytes" else f"{what} issued by the load"
    merged = "" if what == "bytes" else ", merged ones included"
    came = f"{what} that reached {short.device}{merged}"
    if short.at_least:
        came = f"bytes that its requests to {short.device} can have held at most"
    evidence = [
        Evidence(asked, round(short.whole), short.unit, trial.where),
        Evidence(came, round(short.seen), short.unit, trial.where),
        Evidence("share that never reached it", short.share, "fraction", "computed"),
    ]
    latency, said = _typical(trial, direction), ""
    if latency is not None:
        evidence.append(Evidence(f"typical {direction} latency", latency, "s", trial.where))
        if _from_memory(trial, direction, issued(trial, direction)):
            said = (
                f", so the latency of {units.show_seconds(latency)} is memory's, not the device's"
            )
    return Finding(
        rule="page-cache",
        severity="error",
        subject=trial.label,
        message=f"{_said(direction, what, short)}{said}; the figures say little about the storage.",
        evidence=tuple(evidence),
        remedy=f"Measure past the page cache: {_HINT}. It will be slower: that is the device.",
        confirm=f"with direct I/O {short.device} counts as many bytes as the load issued",
    )


def _said(direction: str, what: str, short: _Shortfall) -> str:
    """What the page cache did."""
    share = units.show_fraction(short.share)
    if direction == "write" and what != "bytes":
        return (
            f"{short.device} got {round(short.seen):,} requests for {round(short.whole):,} writes: "
            f"{share} of them had none of their own while the load ran but were taken in by the "
            "page cache, to be written later or together"
        )
    verb, by = ("written to", "taken in") if direction == "write" else ("read from", "served")
    return (
        f"{'At least ' * short.at_least}{share} of the {what} were not {verb} {short.device} while "
        f"the load ran but {by} by the page cache"
    )


def _fits_memory(case: EvidenceSet) -> Iterable[Finding]:
    """A file that memory can hold whole or in part, through the page cache."""
    for trial in case.trials:
        size = trial.options.get("size") or trial.options.get("filesize")
        memory = case.memory(trial.host) or case.value("memory", like=trial)
        buffered = trial.options.get("direct") is False or (
            trial.tool == "fio" and "direct" not in trial.options and bool(trial.command)
        )
        if not buffered or not isinstance(size, int) or not isinstance(memory, int):
            continue
        if size >= _TIMES * memory or any(trial.device_io.values()):
            continue
        shown, whole = units.show_bytes(memory), units.show_bytes(size)
        said = (
            f"The file of {whole} fits into the {shown} of memory"
            if size <= memory
            else f"Up to {units.show_fraction(memory / size)} of the file of {whole} fit into the "
            f"{shown} of memory"
        )
        yield Finding(
            rule="page-cache",
            severity="warning",
            subject=trial.label,
            message=f"{said}, and it was not opened for direct I/O, so the page cache may have "
            "answered.",
            evidence=(
                Evidence("size of the file", size, "B", trial.where),
                Evidence("memory of the host", memory, "B", trial.host or trial.where),
            ),
            remedy=f"Use a file of four times the memory, or measure past the page cache: {_HINT}.",
            confirm="the same load with direct I/O gives the same figures if the cache had no part",
        )


def _hidden_flush(case: EvidenceSet) -> Iterable[Finding]:
    """Time after the runtime: the final fsync, in which no I/O of the load is counted."""
    for trial in case.trials:
        asked = trial.options.get("runtime")
        took = max(run_times(trial), default=0.0)
        if not isinstance(asked, int | float) or not asked or took <= asked * _LATE:
            continue
        if trial.options.get("ramp_time"):
            continue
        if not (trial.options.get("end_fsync") or trial.options.get("fsync_on_close")):
            continue
        yield Finding(
            rule="page-cache",
            severity="note",
            subject=trial.label,
            message=(
                f"The load ran for {units.show_seconds(asked)} but is reported over "
                f"{units.show_seconds(took)}: {units.show_seconds(took - asked)} are the "
                "final flush of what the page cache still held, and pull the mean rate down."
            ),
            evidence=(
                Evidence("runtime asked for", asked, "s", trial.where),
                Evidence("time reported", took, "s", trial.where),
                *_rates(trial),
            ),
            remedy=f"Let the flush be part of every second: {_HINT}.",
            confirm="the rate of single seconds (write_iops_log) falls to 0 at the end",
        )


def _rates(trial: TrialEvidence) -> Iterable[Evidence]:
    for name in ("write.iops", "read.iops"):
        mean = trial.mean(name)
        if mean:
            yield Evidence(f"{name} over the whole time", mean, "1/s", trial.where)
        samples = sample_mean(trial.details, "iops_samples", name.partition(".")[0])
        if mean and samples:
            yield Evidence(f"mean of fio's own samples of {name}", samples, "1/s", trial.where)
            return


def sample_mean(details: Mapping[str, Json], name: str, direction: str) -> float | None:
    """The mean of the samples that fio took itself, of a direction; None where it printed none."""
    every = details.get(name)
    samples = every.get(direction) if isinstance(every, dict) else None
    mean = samples.get("mean") if isinstance(samples, dict) else None
    return float(mean) if isinstance(mean, int | float) else None


_SOURCE = "fio HOWTO (direct, end_fsync, disk stats); admin-guide/iostats.rst; mm/page-writeback.c"
RULES = (
    Rule("page-cache", "loads through the page cache",
         "I/Os that the load issued and no device saw: memory was measured.", _SOURCE, _cached),
    Rule("page-cache", "loads through the page cache",
         "A file of which memory can hold much, without direct I/O.", _SOURCE, _fits_memory),
    Rule("page-cache", "loads that end with a flush",
         "A final fsync hidden in the time that rates are divided by.", _SOURCE, _hidden_flush),
)  # fmt: skip
