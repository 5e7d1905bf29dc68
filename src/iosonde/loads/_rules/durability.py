"""A load that syncs waits for its syncs, which the latency of its writes does not hold.

Source:
    fio HOWTO, fsync, fdatasync, sync; fio 3.4, stat.c, show_ddir_status(): the first to print the
    latency of syncs, in the normal output and in JSON, never in terse lines.
"""

from __future__ import annotations

from collections.abc import Iterable

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.records.sheet import SYNC_LATENCY

_WAITS = ("thinktime", "rate", "rate_iops")


def _asked(trial: TrialEvidence) -> tuple[str, int] | None:
    """The option by which the load syncs after so many writes; None where it does not."""
    for option in ("fdatasync", "fsync"):
        every = trial.options.get(option)
        if isinstance(every, int) and not isinstance(every, bool) and every > 0:
            return option, every
    return None


def _unseen(case: EvidenceSet) -> Iterable[Finding]:
    for trial in case.trials:
        asked, latency = _asked(trial), trial.mean("write.latency.mean")
        if trial.tool != "fio" or asked is None or latency is None:
            continue
        # O_SYNC and O_DSYNC make each write durable before it returns.
        if SYNC_LATENCY in trial.metrics or _synchronous(trial):
            continue
        yield _finding(trial, *asked, latency)


def _synchronous(trial: TrialEvidence) -> bool:
    return trial.options.get("sync") not in {None, False, "0", "none", "no", "false"}


def _finding(trial: TrialEvidence, option: str, every: int, latency: float) -> Finding:
    cache = "the device's write cache" if trial.options.get("direct") is True else "the page cache"
    evidence = [
        Evidence("write.latency.mean", latency, "s", trial.where),
        Evidence(option, every, "", trial.where),
    ]
    pace = _pace(trial, every)
    said = ""
    if pace is not None and pace > latency * every:
        evidence.append(
            Evidence(f"seconds for {_counted(every)} and a sync", pace, "s", "computed")
        )
        said = (
            f" By its IOPS it needs {units.show_seconds(pace)} for {_counted(every)} and one sync."
        )
    return Finding(
        rule="sync-latency",
        severity="warning",
        subject=trial.label,
        message=(
            f"The load asks for durability by {option}={every}, but the latency shown, "
            f"{units.show_seconds(latency)}, is that of writes into {cache}: the wait for the "
            f"{option} is not in it, and no latency of the syncs was printed.{said}"
        ),
        evidence=tuple(evidence),
        remedy="Quote sync.latency.mean and sync.latency.p99: fio prints them since 3.4, in its "
        "normal output and in JSON, not in terse lines.",
        confirm="--sync=dsync instead makes each write wait: its latency is then about the sum",
    )


def _counted(writes: int) -> str:
    return "one write" if writes == 1 else f"{writes} writes"


def _pace(trial: TrialEvidence, every: int) -> float | None:
    """Seconds from one sync of a job to the next; None where something else may slow it down."""
    iops, jobs = trial.mean("write.iops"), trial.details.get("jobs", trial.options.get("numjobs"))
    alone = trial.options.get("iodepth", 1) == 1 and trial.options.get("rw") in {
        "write", "randwrite",
    }  # fmt: skip
    if not iops or not alone or any(trial.options.get(name) for name in _WAITS):
        return None
    if any(word in trial.command for word in _WAITS):
        return None
    return every * (jobs if isinstance(jobs, int) else 1) / iops


RULES = (
    Rule("sync-latency", "fio loads with fsync or fdatasync",
         "A latency of writes that the cache answered, where the load waits for its syncs.",
         "fio HOWTO (fsync, fdatasync, sync); stat.c, show_ddir_status()", _unseen),
)  # fmt: skip
