"""Processes in uninterruptible sleep, as ps shows them.

Source: ps(1), PROCESS STATE CODES (D: uninterruptible sleep, usually I/O); proc(5), /proc/PID/stack
and wchan. One moment says little of a single process: a busy one is in D now and then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding

_SEVERAL = 3
"""Processes at once, or outputs that show one, from which on it is no moment of one of them."""
_NAMED = 4


def _blocked(case: EvidenceSet) -> Iterator[Finding]:
    """Several processes at once, or one in several outputs of a host."""
    seen: dict[tuple[str, str, object], set[str]] = {}
    tables = list(case.counted("ps"))
    for table in tables:
        for process in _uninterruptible(table):
            seen.setdefault((table.source, table.host, process.get("pid")), set()).add(table.where)
    reported = set[tuple[str, str]]()
    for table in tables:
        every = _uninterruptible(table)
        lasting = [
            process
            for process in every
            if len(seen[table.source, table.host, process.get("pid")]) >= _SEVERAL
        ]
        chosen = every if len(every) >= _SEVERAL else lasting
        if not chosen or (table.source, table.host) in reported:
            continue
        reported.add((table.source, table.host))
        names = [f"{process.get('command')} ({process.get('pid')})" for process in chosen]
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        are = "process is" if len(chosen) == 1 else "processes are"
        yield Finding(
            "blocked-processes", "note", table.host or "ps",
            f"{len(chosen):,} {are} in uninterruptible sleep (D), mostly for I/O"
            + ("" if chosen is every else f", in each of {_SEVERAL} outputs or more")
            + f": {', '.join(names[:_NAMED])}{more}. They take no signal until what they wait for "
            "is done.",
            (Evidence("processes in D", len(chosen), "", table.where),),
            "`cat /proc/PID/stack` names what each waits for (of NFS functions of rpc and nfs, of "
            "a disk io_schedule and those of its file system); then that server, or `iostat -x 1` "
            "and `dmesg`",
            "`ps -eo pid,stat,wchan:32,comm` some seconds apart: other processes, or none",
        )  # fmt: skip


def _uninterruptible(table: CounterEvidence) -> list[Mapping[str, object]]:
    """Processes of users in D: threads of the kernel, whose names stand in brackets, sleep so."""
    listed = table.values.get("processes")
    return [
        process for process in (listed if isinstance(listed, list) else [])
        if isinstance(process, Mapping) and str(process.get("state")).startswith("D")
        and not str(process.get("command")).startswith("[")
    ]  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("blocked-processes", "host", "Processes that ps shows in uninterruptible sleep.",
         "ps(1), PROCESS STATE CODES; proc(5)", _blocked),
)  # fmt: skip
