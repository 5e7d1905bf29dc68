"""Rules that tell the page cache from a device: what never reached it was measured in memory.

Source:
    fio HOWTO, direct, end_fsync, "Disk stats"; fio 3.x, diskutil.h, DISK_UTIL_MSEC; Linux
    Documentation/admin-guide/iostats.rst (a device counts I/Os that it completed, after merging);
    mm/page-writeback.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from iosonde import units
from iosonde.case import Case, Measured, Rule
from iosonde.records import Evidence, Finding, Json

_MERGED = 0.9
"""A device may see less than was issued because I/Os are merged; what was merged counts as seen."""
_BRIEF = 1.0
"""Seconds: of shorter loops the disks' counters are not trusted, as fio reads them every 250 ms."""
_TIMES = 4
"""A file of so many times the memory is hardly cached."""
_LATE = 1.02  # of the runtime asked for; fio itself ends a job within some milliseconds
_HINT = "add --direct=1 (O_DIRECT), or --fsync=1 or --sync=1 where the page cache is to be kept"


def observed(trial: Measured, direction: str) -> dict[str, float]:
    """Device → I/Os of a direction that it completed in the first loop, merged ones included.

    As the tool itself counted them; else as the observer saw the devices that the target stands on.
    """
    done, merged = f"{direction}s", f"{direction}_merges"
    told = {
        device: figures[done] + figures.get(merged, 0.0)
        for device, figures in trial.device_io.items()
        if done in figures
    }
    if told or not trial.series or not trial.elapsed:
        return told
    below = {device.rpartition("/")[2] for _, device in trial.stands_on}
    return {
        one.subject: sum(known) / len(known) * trial.elapsed[0]
        for one in trial.series[0]
        if one.sampler == "diskstats" and one.name == f"{direction}.iops" and one.subject in below
        for known in [[value for value in one.values if value is not None]]
        if known
    }


def run_times(trial: Measured) -> tuple[float, ...]:
    """Seconds of each loop as the tool reports them; the wall clock's hold its start and end too.

    Of imported trials there is no other clock than the tool's.
    """
    told = trial.metrics.get("elapsed")
    if told is not None:
        return told.loops
    return (trial.elapsed or ()) if not trial.series and not trial.stands_on else ()


def _reached(trial: Measured, direction: str) -> tuple[str, float] | None:
    """The device that saw most I/Os of a direction, and how many."""
    seen = observed(trial, direction)
    device = max(seen, key=lambda name: seen[name], default=None)
    return None if device is None else (device, seen[device])


def _cached(case: Case) -> Iterable[Finding]:
    for trial in case.trials:
        times = run_times(trial)
        brief = bool(times) and times[0] < _BRIEF
        if trial.options.get("direct") is True or brief:
            continue
        for direction in ("read", "write"):
            issued = _issued(trial, direction)
            reached = _reached(trial, direction)
            if issued and reached and reached[1] < _MERGED * issued:
                yield _memory(trial, direction, issued, reached)


def _issued(trial: Measured, direction: str) -> int:
    """By all jobs of the run, as the devices saw them; else by the trial."""
    of_run = trial.details.get("run_issued")
    figure = of_run.get(direction) if isinstance(of_run, dict) else None
    return int(figure) if isinstance(figure, int | float) else trial.issued.get(direction, 0)


def _memory(trial: Measured, direction: str, issued: int, reached: tuple[str, float]) -> Finding:
    device, seen = reached
    missing = 1 - seen / issued
    evidence = [
        Evidence(f"{direction}s issued by the load", issued, "", trial.where),
        Evidence(f"{direction}s that reached {device}, merged ones included", round(seen), "",
                 trial.where),
        Evidence("share that never reached it", missing, "fraction", "computed"),
    ]  # fmt: skip
    latency = trial.mean(f"{direction}.latency.p50") or trial.mean(f"{direction}.latency.mean")
    said = ""
    if latency is not None:
        evidence.append(Evidence(f"typical {direction} latency", latency, "s", trial.where))
        said = f", so the latency of {units.show_seconds(latency)} is memory's, not the device's"
    verb = "written to" if direction == "write" else "read from"
    return Finding(
        rule="page-cache",
        severity="error",
        subject=trial.label,
        message=(
            f"{units.show_fraction(missing)} of the {direction}s were not {verb} {device} while "
            f"the load ran but served by the page cache{said}; the figures say little about the "
            "storage."
        ),
        evidence=tuple(evidence),
        remedy=f"Measure past the page cache: {_HINT}. It will be slower: that is the device.",
        confirm=f"with direct I/O {device} counts as many {direction}s as the load issues",
    )  # fmt: skip


def _fits_memory(case: Case) -> Iterable[Finding]:
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


def _hidden_flush(case: Case) -> Iterable[Finding]:
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


def _rates(trial: Measured) -> Iterable[Evidence]:
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
    found = every.get(direction) if isinstance(every, dict) else None
    mean = found.get("mean") if isinstance(found, dict) else None
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
