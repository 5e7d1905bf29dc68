"""Processes that the kernel killed since there was no memory: of the host, or within a limit.

Source: Linux mm/oom_kill.c, oom_kill_process() and dump_header() (the table of processes; rss in
pages); Documentation/admin-guide/cgroup-v2.rst, memory.max; systemd.resource-control(5), MemoryMax.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers._kernel_log.printed import TOOL
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding

_KILLS = ("killed_for_limit", "killed_for_memory", "killed_processes")
_CALLS = "shortages_of_memory"
_NAMED = 4


def _killed(case: EvidenceSet) -> Iterator[Finding]:
    for log in case.counted(TOOL):
        counts = {name: int(log.number(name)) for name in (*_KILLS, _CALLS)}
        kills = max(counts["killed_for_limit"] + counts["killed_for_memory"],
                    counts["killed_processes"])  # fmt: skip
        if not kills and not counts[_CALLS]:
            continue
        within = counts["killed_for_limit"] > 0 and not counts["killed_for_memory"]
        evidence = [Evidence(name.replace("_", " "), count, "", log.where)
                    for name, count in counts.items() if count]  # fmt: skip
        held = max((size for size in _listed(log, "held_kib") if isinstance(size, int)), default=0)
        if held:
            evidence.append(Evidence("most that one held", held * units.KIB, "B", log.where))
        yield Finding(
            "out-of-memory", "warning" if within else "error", log.host or "kernel log",
            (_kills(log, kills, within=within) if kills else _calls(log, counts[_CALLS]))
            + _held(kills, held),
            tuple(evidence), _remedy(counts),
            "the log stays without such lines under the same load",
        )  # fmt: skip


def _kills(log: CounterEvidence, kills: int, *, within: bool) -> str:
    processes = "a process" if kills == 1 else f"{kills:,} processes"
    cause = "since a limit of its control group was reached" if within else "for lack of memory"
    when = _when(log, _KILLS[:2]) or _when(log, _KILLS[2:])
    return (
        f"The kernel killed {processes}{_names(log, 'killed')}{when} {cause}: "
        "what was not written by then is lost, and while memory is short I/O waits for it."
    )


def _held(kills: int, held: int) -> str:
    who = "It" if kills == 1 else "One of them"
    return f" {who} held {units.show_bytes(held * units.KIB)} of its own." if held else ""


def _calls(log: CounterEvidence, calls: int) -> str:
    times = "once" if calls == 1 else f"{calls:,} times"
    by = _names(log, "asked_by") or " a process"
    return (
        f"The kernel had to kill processes for lack of memory {times}{_when(log, (_CALLS,))}, "
        f"asked for memory by{by}; which were killed is not shown."
    )


def _remedy(counts: dict[str, int]) -> str:
    limit = (
        "where a control group has reached its limit, raise that (memory.max; MemoryMax= of the "
        "unit, limits.memory of the container) or make the program use less"
    )
    host = (
        "the report above the line in the log lists each process with its pages (rss); limit the "
        "largest, or what no process holds (`slabtop`, Shmem and HugePages in /proc/meminfo, the "
        "caches of file systems that have their own), or add memory"
    )
    parts = [host] if counts["killed_for_memory"] or not counts["killed_for_limit"] else []
    parts += [limit] if counts["killed_for_limit"] else []
    return f"{'; '.join(parts)}; see that what was killed runs again"


def _failed(case: EvidenceSet) -> Iterator[Finding]:
    """Allocations of pages for which there was no memory, or none in one piece."""
    for log in case.counted(TOOL):
        count = int(log.number("failed_page_allocations"))
        if not count:
            continue
        orders = [order for order in _listed(log, "orders") if isinstance(order, int)]
        most = max(orders, default=0)
        piece = f" of {units.show_bytes(4 * units.KIB << most)} in one piece" if most else ""
        times = "an allocation" if count == 1 else f"{count:,} allocations"
        yield Finding(
            "out-of-memory", "warning", log.host or "kernel log",
            f"The kernel failed {times} of memory{piece}{_names(log, 'failed_for')}"
            f"{_when(log, ('failed_page_allocations',))}: what asked for it got an error, or "
            "went on a slower way.",
            (Evidence("failed page allocations", count, "", log.where),
             Evidence("order", most, "", log.where)),
            "the trace below the line says what asked for it; raise `sysctl vm.min_free_kbytes` so "
            "that more is kept free, and look for a kernel in which it asks for smaller pieces"
            if most else "see what takes the memory (the report below the line; `free -m`, "
            "`slabtop`), or add some",
            "the log stays without such lines under the same load",
        )  # fmt: skip


def _listed(log: CounterEvidence, name: str) -> list[object]:
    listed = log.values.get(name)
    return list(listed) if isinstance(listed, list) else []


def _names(log: CounterEvidence, name: str) -> str:
    names = [str(each) for each in _listed(log, name)]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f" ({', '.join(names[:_NAMED])}{more})" if names else ""


def _when(log: CounterEvidence, counters: tuple[str, ...]) -> str:
    """When it was first and last, as the log prints it; not where two counters have times."""
    every = log.values.get("times")
    times = [every[name] for name in counters if name in every] if isinstance(every, dict) else []
    if len(times) != 1 or not isinstance(times[0], list):
        return ""
    first, last = times[0][0], times[0][-1]
    return f" at {first}" if first == last else f" from {first} to {last}"


RULES = (
    Rule("out-of-memory", "host", "Allocations of memory that failed.",
         "Linux mm/page_alloc.c, warn_alloc(); Documentation/admin-guide/sysctl/vm.rst", _failed),
    Rule("out-of-memory", "host", "Processes that the kernel killed for lack of memory.",
         "Linux mm/oom_kill.c; Documentation/admin-guide/cgroup-v2.rst, memory.max", _killed),
)  # fmt: skip
