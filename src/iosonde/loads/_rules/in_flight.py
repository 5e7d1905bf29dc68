"""Rules about how many I/Os a load really had in flight, and about latencies that are none.

Source:
    J. D. C. Little, "A proof for the queuing formula L = λW", Operations Research 9 (1961);
    fio HOWTO, "Interpreting the output"; fio 3.x, io_u.c, account_io_completion().
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from iosonde import units
from iosonde.loads._pacing import is_paced
from iosonde.loads._rules.page_cache import run_times
from iosonde.records.evidence import EvidenceSet, Rule, TrialEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.records.sheet import SYNC_LATENCY

_SLACK = 0.01  # fio divides by times of its own that it does not print
_QUEUES = 0.25
_SYNCED = ("fsync", "fdatasync", "sync_file_range")
_INVERTED = frozenset({"ioping"})
"""Tools that wait between requests: what they call a rate is requests over their latencies.

Source: ioping 1.3, ioping.c, finish_statistics().
"""


def directions_of(trial: TrialEvidence) -> Iterator[str]:
    """The directions in which something was moved."""
    for direction in ("read", "write", "trim"):
        if trial.mean(f"{direction}.iops") or trial.mean(f"{direction}.bandwidth"):
            yield direction


def jobs_of(trial: TrialEvidence) -> int | None:
    """The jobs that a trial's figures are of: one of several, or all of them as a group."""
    jobs = trial.details.get("jobs", trial.options.get("numjobs", 1))
    return jobs if isinstance(jobs, int) else None


def _little(case: EvidenceSet) -> Iterable[Finding]:
    """In flight on average: λW; never more than what the load keeps in flight.

    A load that is paced waits between its I/Os and has fewer.
    """
    for trial in case.trials:
        depth, jobs = trial.options.get("iodepth"), jobs_of(trial)
        if not isinstance(depth, int) or jobs is None or trial.options.get("phased"):
            continue
        if trial.tool in _INVERTED:
            continue
        parts = _in_flight(trial)
        if _outlasts(trial, parts):
            continue  # a latency of another clock, which _longer tells of
        syncs = _syncs(trial)
        offered = depth * jobs
        each = [iops * latency for iops, latency in parts + syncs]
        flying = sum(each)
        if not parts or abs(flying - offered) <= _QUEUES * offered:
            continue
        if _verifies(trial):
            # What was written is read again afterwards, or in between: each by itself may be all.
            flying = max(each)
            if flying <= (1 + _QUEUES) * offered:
                continue
        if flying < offered and (is_paced(trial) or trial.faults):
            continue
        if flying < offered and not syncs and any(trial.options.get(name) for name in _SYNCED):
            continue  # it waited for syncs, and how long they took is not known
        yield _unequal(trial, flying, offered, jobs)


def _in_flight(trial: TrialEvidence) -> list[tuple[float, float]]:
    """Rate and mean latency of each direction; their products are what was in flight of it."""
    return [
        (iops, latency)
        for direction in directions_of(trial)
        if (iops := trial.mean(f"{direction}.iops"))
        and (latency := trial.mean(f"{direction}.latency.mean"))
    ]


def _outlasts(trial: TrialEvidence, parts: Iterable[tuple[float, float]]) -> bool:
    """Whether the mean latency is longer than all of the run was."""
    times = run_times(trial)
    longest = max((mean for _, mean in parts), default=0.0)
    return bool(times) and max(times) >= 1 and longest > 2 * max(times)


def _longer(case: EvidenceSet) -> Iterable[Finding]:
    """Latencies longer than the run, said once for trials of one source.

    fio subtracts times that it did not take where they are switched off: disable_clat with
    disable_slat printed a clock's time since the host's start (io_u.c, account_io_completion()).
    """
    sources: dict[str, list[tuple[TrialEvidence, float, float]]] = {}
    for trial in case.trials:
        parts = _in_flight(trial)
        if trial.tool not in _INVERTED and _outlasts(trial, parts):
            longest = max(mean for _, mean in parts)
            every = sources.setdefault(trial.source, [])
            every.append((trial, longest, max(run_times(trial))))
    for every in sources.values():
        first, mean, elapsed = every[0]
        count = f"{len(every)} trials: the" if len(every) > 1 else "The"
        yield Finding(
            rule="contradiction",
            severity="warning",
            subject=first.label if len(every) == 1 else first.source,
            message=(
                f"{count} mean latency ({units.show_seconds(mean)}) is longer than the run of "
                f"{units.show_seconds(elapsed)}: it is no latency, but a clock's reading; the "
                "rates do not depend on it."
            ),
            evidence=tuple(
                Evidence("mean latency", value, "s", trial.where) for trial, value, _ in every[:3]
            ),
            remedy="Do not quote these latencies; measure again without disable_clat and "
            "disable_slat.",
            confirm="a mean latency near jobs × iodepth ÷ IOPS",
        )


def _verifies(trial: TrialEvidence) -> bool:
    """Whether reads of it check what was written: by its option, or where it only writes.

    fio's text does not print `verify`; a load of `rw=write` or `rw=randwrite` that read has done
    nothing else (fio(1), do_verify: "Run the verify phase after a write phase").
    """
    if "verify" not in trial.options:
        reads = trial.mean("read.iops") is not None
        return reads and trial.options.get("rw") in {"write", "randwrite"}
    return trial.options["verify"] not in {None, "", "0", "none", "null", False}


def _syncs(trial: TrialEvidence) -> list[tuple[float, float]]:
    """Syncs per second and their latency: while a job waits for one it has nothing else to do."""
    calls, wait = trial.issued.get("sync"), trial.mean(SYNC_LATENCY)
    times = run_times(trial)
    return [(calls / times[0], wait)] if calls and wait and times and times[0] else []


def _unequal(trial: TrialEvidence, flying: float, offered: int, jobs: int) -> Finding:
    from iosonde.loads.fio.fewer_in_flight import why_fewer  # with the whole engine

    more = flying > offered
    if more:
        why = (
            "no load has more in flight than it asks for: the latencies or the rate are not what "
            "they say (a clock that jumps, figures of several jobs or of different times)"
        )
        remedy = "Compare latencies only between trials that really had the same number in flight."
    else:
        why, remedy = why_fewer(trial, flying, jobs, has_syncs=bool(_syncs(trial)))
    return Finding(
        rule="littles-law",
        severity="warning" if more else "note",
        subject=trial.label,
        message=(
            f"IOPS × latency makes {flying:.3g} I/Os in flight{_made_of(trial, flying)}, but the "
            f"load was to keep {offered}; {why}."
        ),
        evidence=(
            Evidence("IOPS × mean latency", flying, "", "computed"),
            Evidence("iodepth × numjobs", offered, "", trial.where),
        ),
        remedy=remedy,
        confirm="the queue length of the device (iostat's aqu-sz) during the load",
    )


def _made_of(trial: TrialEvidence, flying: float) -> str:
    """The parts of what was in flight, where syncs are one of them."""
    ios, syncs = (
        sum(rate * latency for rate, latency in part) for part in (_in_flight(trial), _syncs(trial))
    )
    is_sum = syncs and abs(ios + syncs - flying) < _SLACK * flying
    return f" ({ios:.3g} reads or writes and {syncs:.3g} syncs)" if is_sum else ""


def _single_depth(case: EvidenceSet) -> Iterable[Finding]:
    """At one I/O in flight a rate is a latency, said once for trials of one source."""
    alone: dict[str, list[TrialEvidence]] = {}
    deeper = {trial.source for trial in case.trials if _keeps_several(trial)}
    for trial in case.trials:
        single = trial.options.get("iodepth") == 1 and jobs_of(trial) == 1
        if trial.source in deeper or _is_read_ahead(trial):
            continue  # it was measured what several in flight make, or the kernel makes them
        if is_paced(trial) or trial.tool in _INVERTED:
            continue
        if single and any(trial.mean(f"{way}.iops") for way in ("read", "write")):
            alone.setdefault(trial.source, []).append(trial)
    for trials in alone.values():
        if len(trials) < 2:
            continue
        yield Finding(
            rule="littles-law",
            severity="note",
            subject=f"{len(trials)} trials of {trials[0].source}",
            message=(
                "With one I/O in flight the IOPS are only the latency turned round; what an array, "
                "a stripe or a network can do in parallel was not measured."
            ),
            evidence=tuple(Evidence("iodepth", 1, "", trial.where) for trial in trials[:3]),
            remedy="Measure at several depths (--iodepth=1, 8, 32 with libaio or io_uring) and "
            "compare stacks at equal depth.",
            confirm="IOPS that rise with the depth while the latency stays",
        )


def _is_read_ahead(trial: TrialEvidence) -> bool:
    """Whether the page cache may read ahead or write behind, and keeps several in flight itself."""
    in_a_row = trial.options.get("rw") in {"read", "write", "rw", "readwrite"}
    is_mapped = trial.options.get("ioengine") == "mmap"
    is_buffered = not (trial.options.get("direct") or trial.options.get("sync"))
    return trial.printed and in_a_row and (is_buffered or is_mapped)


def _keeps_several(trial: TrialEvidence) -> bool:
    """Whether a load has several I/Os in flight: by its depth, or by its jobs."""
    depth, jobs = trial.options.get("iodepth"), jobs_of(trial)
    return (isinstance(depth, int) and depth > 1) or (jobs or 1) > 1


def waits(trial: TrialEvidence, jobs: int) -> bool:
    """Whether each job always had its one I/O in flight: by polling that takes a core as well."""
    flying = sum(iops * latency for iops, latency in _in_flight(trial))
    return trial.options.get("iodepth") == 1 and flying >= (1 - _QUEUES) * jobs


_LITTLE = "J. D. C. Little, Operations Research 9 (1961): L = λW"
RULES = (
    Rule("contradiction", "fio", "Latencies that are longer than the run.",
         "fio 3.x, io_u.c, account_io_completion()", _longer),
    Rule("littles-law", "fio", "IOPS × latency that is not the number of I/Os kept in flight.",
         _LITTLE, _little),
    Rule("littles-law", "fio", "Loads with one I/O in flight: they measure latency alone.",
         _LITTLE, _single_depth),
)  # fmt: skip
