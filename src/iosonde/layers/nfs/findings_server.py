"""What the counters of an NFS server tell: too few threads, wrapped counters, reads and writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iosonde import units
from iosonde.layers._raid.arrays import arrays
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, StateEvidence
from iosonde.records.finding import Evidence, Finding
from iosonde.records.stack import Json
from iosonde.text.json_output import part

_STATS = "Linux fs/nfsd/stats.c; fs/nfsd/nfssvc.c of 2.6.27, update_thread_usage()"
_POOLS = "Linux Documentation/filesystems/nfs/knfsd-stats.rst; net/sunrpc/svc_xprt.c"
_BUFFER = 1 << 20
"""Bytes for requests that a thread holds at most: a 4096th of the memory up to this.

Source: Linux fs/nfsd/nfssvc.c, nfsd_get_default_max_blksize(); newer kernels can be told more.
"""
_WIDTH = 1 << 32
_LEAST = 512
"""Bytes that a READ or WRITE moves at the least where disks are served: a sector."""
_MANY = 4096  # calls of 1 MiB that fill 32 bits: with fewer nothing can have wrapped
_ENOUGH = 1000  # calls or arrivals, below which a share says little
_WAITED = 0.05
_ALL_BUSY = 0.01


def _figure(values: Mapping[str, Json], name: str) -> float:
    figure = values.get(name)
    return figure if isinstance(figure, int | float) else 0


def _calls(counted: CounterEvidence, operation: str) -> int:
    """How often clients asked for an operation, by all versions of NFS."""
    names = ("proc2", "proc3", "proc4ops")
    return int(sum(_figure(part(counted.values, name), operation) for name in names))


def _servers(case: EvidenceSet) -> Iterator[CounterEvidence]:
    """The counters of NFS servers, each file once."""
    return (counters for counters in case.counters if counters.kind == "nfsd" and not counters.name)


def more_threads(threads: int) -> str:
    """How to have twice as many threads, and what it costs."""
    wanted = 2 * threads
    memory = units.show_bytes(threads * _BUFFER)
    return (
        f"`echo {wanted} > /proc/fs/nfsd/threads` now, and threads={wanted} in the [nfsd] section "
        f"of /etc/nfs.conf (before it: RPCNFSDCOUNT={wanted} in /etc/sysconfig/nfs) to keep it; up "
        f"to {memory} more memory for buffers; where all threads wait for the disks, more of them "
        "only make the disks' queue longer"
    )


def all_busy(case: EvidenceSet) -> Iterator[Finding]:
    """The histogram of `th`, on kernels that fill it."""
    for counters in _servers(case):
        usage = part(counters.values, "th")
        busy = usage.get("busy")
        if not isinstance(busy, list) or len(busy) < 10:
            continue
        seconds = [float(figure) for figure in busy if isinstance(figure, int | float)]
        top, below, total = seconds[-1], seconds[-2], sum(seconds)
        threads, times = int(_figure(usage, "threads")), int(_figure(usage, "all_busy"))
        if not times or not top or (top <= below and top < _ALL_BUSY * total):
            continue
        rare = 0 < below < top
        longer = f", {top / below:.0f} times as long as 90 % or more but not all" if rare else ""
        yield Finding(
            rule="nfsd-threads",
            severity="warning",
            subject=f"nfsd on {counters.host}" if counters.host else "nfsd",
            message=f"All {threads} threads of the NFS server were busy at once {times:,} times, "
            f"for {top:.1f} s in sum{longer}: calls that came then waited, and how many more "
            "threads they would have kept busy cannot be seen.",
            evidence=(
                Evidence("threads", threads, "", counters.where),
                Evidence("times all were busy", times, "", counters.where),
                Evidence("time all were busy", top, "s", counters.where),
                Evidence("time 90–100 % of them were busy", below, "s", counters.where),
                Evidence("share of the time when 10 % or more were busy", top / total, "fraction",
                         counters.where),
            ),
            remedy=more_threads(threads),
            confirm="read the `th` line again after as much load: its last figure must grow no "
            "faster than the one before it; `iostat -x` meanwhile tells whether the disks are what "
            "the threads wait for",
        )  # fmt: skip


def _waited(pool: Mapping[str, Json]) -> int:
    """How many arrivals found no idle thread.

    Where every arrival is enqueued, those that woke none; else those enqueued, less the ones for
    which enough threads were waking up already.
    """
    arrived, queued = _figure(pool, "packets-arrived"), _figure(pool, "sockets-enqueued")
    woken = _figure(pool, "threads-woken")
    if queued + woken > arrived:
        return max(int(arrived - woken), 0)
    return max(int(queued - _figure(pool, "overloads-avoided")), 0)


def no_idle_thread(case: EvidenceSet) -> Iterator[Finding]:
    """pool_stats, on kernels whose `th` has only zeros."""
    for counters in case.counted("pool_stats"):
        arrived, waited = int(_figure(counters.values, "packets-arrived")), _waited(counters.values)
        if arrived < _ENOUGH or waited < _WAITED * arrived:
            continue
        threads = case.value("threads", like=counters)
        remedy = (
            more_threads(threads)
            if isinstance(threads, int) and threads
            else "twice as many threads, by /proc/fs/nfsd/threads: up to 1 MiB of memory for each"
        )
        yield Finding(
            rule="nfsd-threads",
            severity="warning",
            subject=f"nfsd {counters.name}",
            message=f"Of {arrived:,} arrivals at {counters.name} of the NFS server, {waited:,} "
            f"({units.show_fraction(waited / arrived)}) found no idle thread and had to wait for "
            "one.",
            evidence=(
                Evidence("packets arrived", arrived, "", counters.where),
                Evidence(
                    "threads woken",
                    int(_figure(counters.values, "threads-woken")),
                    "",
                    counters.where,
                ),
                Evidence(
                    "share that found none idle", waited / arrived, "fraction", counters.where
                ),
            ),
            remedy=remedy,
            confirm="read /proc/fs/nfsd/pool_stats before and after as much load: nearly every "
            "packet that arrives must wake a thread",
        )


def wrapped(case: EvidenceSet) -> Iterator[Finding]:
    """Byte counters of 32 bits: of nfsd before 5.12, and of interfaces on 32-bit kernels."""
    for counters in _servers(case):
        moved = part(counters.values, "io")
        for name, counter in (("READ", "read"), ("WRITE", "written")):
            calls = _calls(counters, name.lower())
            if counter in moved:
                yield from _impossible(counters, name, int(_figure(moved, counter)), calls, _LEAST)
    for counters in case.counters:
        for side in ("rx", "tx"):
            amount = int(_figure(counters.values, f"{side}_bytes"))
            packets = int(_figure(counters.values, f"{side}_packets"))
            if amount:
                yield from _impossible(counters, f"{side.upper()} packet", amount, packets, 60)


def _impossible(
    counters: CounterEvidence, what: str, amount: int, count: int, least: int
) -> Iterator[Finding]:
    """A finding where a counter below 4 GiB leaves a small part of `least` bytes for each event."""
    if count < _MANY or amount >= _WIDTH or amount * 2 >= least * count:
        return
    wraps = -(-(least * count - amount) // _WIDTH)
    true = amount + wraps * _WIDTH
    yield Finding(
        rule="counter-wrap",
        severity="warning",
        subject=f"{counters.kind} {counters.name or counters.host}".strip(),
        message=f"{units.show_bytes(amount)} for {count:,} {what}s are {amount / count:.1f} bytes "
        "each, which cannot be: the byte counter has 32 bits and began again at 0 after every "
        f"4 GiB; if each moved only {least} bytes, that was {wraps:,} times, and the true amount "
        f"is {units.show_bytes(true)} or more.",
        evidence=(
            Evidence(f"bytes counted for {what}s", amount, "B", counters.where),
            Evidence(f"{what}s", count, "", counters.where),
            Evidence(f"bytes per {what}", amount / count, "B", counters.where),
            Evidence("bytes at the least", true, "B", counters.where),
        ),
        remedy="take amounts from the disks' or the network's counters, or read this one more "
        "often than it can wrap (every 34 s at 1 Gbit/s)",
        confirm="read the counter every second under load: now and then it falls",
    )


def mix(case: EvidenceSet) -> Iterator[Finding]:
    """Reads against writes, and what both mean for the RAID level and the controller's cache."""
    seen: set[tuple[int, int]] = set()
    for counters in _servers(case):
        reads, writes = _calls(counters, "read"), _calls(counters, "write")
        if reads + writes < _ENOUGH or (reads, writes) in seen:
            continue
        seen.add((reads, writes))
        share = writes / (reads + writes)
        parts = [
            f"The clients' calls for data are {units.show_fraction(1 - share)} READs and "
            f"{units.show_fraction(share)} WRITEs"
        ]
        evidence = [
            Evidence("READ calls", reads, "", counters.where),
            Evidence("WRITE calls", writes, "", counters.where),
            Evidence("share of WRITEs", share, "fraction", counters.where),
        ]
        remedy = ""
        for name, penalty, where in _levels(case, counters):
            work = share * penalty / (1 - share + share * penalty)
            parts.append(
                f"on {name}, where a small write costs {penalty} disk I/Os, writes are "
                f"{units.show_fraction(work)} of the disks' work"
            )
            evidence.append(Evidence(f"disk I/Os of a small write ({name})", penalty, "", where))
        if cache := _cache(case, counters):
            kept = cache.values["cache_read_share"]
            if isinstance(kept, int | float):
                parts.append(
                    f"the controller keeps {units.show_fraction(kept)} of its cache for reads"
                )
                evidence.append(Evidence("cache kept for reads", kept, "fraction", cache.where))
                remedy = _for_writes(cache, float(kept))
        yield Finding(
            rule="read-write-mix",
            severity="note",
            subject=f"nfsd on {counters.host}" if counters.host else "nfsd",
            message="; ".join(parts) + ".",
            evidence=tuple(evidence),
            remedy=remedy,
            confirm="measure with this mix at the exported file system, with both settings of the "
            "cache" if remedy else "",
        )  # fmt: skip


def _levels(case: EvidenceSet, like: CounterEvidence) -> list[tuple[str, int, str]]:
    """The RAID levels that are known, their write penalties, and where they were read."""
    levels: dict[str, tuple[int, str]] = {}
    for array in arrays(case):
        if array.source == like.source and (array.penalty or 0) > 1:
            levels.setdefault(array.level, (array.penalty or 0, array.where))
    dearest = sorted(levels.items(), key=lambda level: -level[1][0])
    return [
        (level.upper().replace("RAID", "RAID "), penalty, where)
        for level, (penalty, where) in dearest[:3]
    ]


def _cache(case: EvidenceSet, like: CounterEvidence) -> StateEvidence | None:
    """The controller whose cache is known to be divided."""
    return next(
        (
            state
            for state in case.with_value("cache_read_share")
            if state.source == like.source and state.kind == "controller"
        ),
        None,
    )


def _for_writes(cache: StateEvidence, kept: float) -> str:
    """What to do where most of a controller's cache holds what the page cache holds as well."""
    if kept < 0.5:
        return ""
    slot = cache.values.get("slot")
    command = f"`ssacli ctrl slot={slot} modify cacheratio=25/75`" if slot is not None else "25/75"
    return (
        f"give the cache to the writes ({command}): what is read again comes from the host's page "
        "cache, but only the controller's protected cache can answer a write before the disks have "
        "it; it needs a working battery or capacitor"
    )


RULES: tuple[Rule, ...] = (
    Rule("nfsd-threads", "nfsd", "All threads of an NFS server were busy at once.", _STATS,
         all_busy),
    Rule("nfsd-threads", "nfsd", "Packets for an NFS server found no idle thread.", _POOLS,
         no_idle_thread),
    Rule("counter-wrap", "nfsd, link", "A byte counter is smaller than its events allow.",
         "Linux fs/nfsd/stats.h before 5.12: unsigned int", wrapped),
    Rule("read-write-mix", "nfsd", "Reads against writes, the RAID level and the cache.",
         "RFC 1813, 3.3.6 and 3.3.7; nfsstat(8)", mix),
)  # fmt: skip
