"""Requests that waited, as the logs of Ceph's cluster and daemons say.

Source: Ceph, Troubleshooting OSDs, "Slow or unresponsive OSD" (osd_op_complaint_time: requests that
wait for more than 30 seconds); `slow_ops.py` for the messages.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers.ceph.slow_ops import SlowOps, slow_ops
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding

_LEVELS = ("WRN", "ERR")
"""Lists of the messages in the cluster's log."""


def _logged(case: EvidenceSet) -> Iterator[Finding]:
    logs: dict[tuple[str, str], list[CounterEvidence]] = {}
    for log in case.counted("ceph -w", "ceph log"):
        logs.setdefault((log.source, log.host), []).append(log)
    for counted in logs.values():
        every = [_of(log) for log in counted]
        slow = [(log, ops) for log, ops in zip(counted, every, strict=True) if ops.messages]
        if slow:
            yield _finding(slow)


def _of(log: CounterEvidence) -> SlowOps:
    """What a log says of such requests: as it was read, or by the messages of the cluster's log."""
    if log.tool == "ceph log":
        daemons, most = log.values.get("slow_daemons"), int(log.number("most_slow_ops"))
        return SlowOps(
            most, most, float(log.number("longest_wait")),
            [str(name) for name in daemons] if isinstance(daemons, list) else [],
            log.values.get("is_cleared") is True,
        )  # fmt: skip
    texts: list[str] = []
    for level in _LEVELS:
        listed = log.values.get(level)
        texts += [str(text) for text in listed] if isinstance(listed, list) else []
    ops = slow_ops(texts)
    if ops.messages and not ops.daemons and log.name.startswith("osd."):
        ops.daemons.append(log.name)
    return ops


def _finding(slow: list[tuple[CounterEvidence, SlowOps]]) -> Finding:
    log = slow[0][0]
    most = max(ops.most for _, ops in slow)
    longest = max(ops.seconds for _, ops in slow)
    daemons = list(dict.fromkeys(name for _, ops in slow for name in ops.daemons))
    named = ", ".join(daemons[:6]) + (f" and {len(daemons) - 6} more" if len(daemons) > 6 else "")
    where = f" ({named})" if named else ""
    return Finding(
        "slow-requests", "warning", log.host or "ceph",
        f"The log of Ceph says that requests waited in its daemons{where}: "
        + (f"up to {most:,} at once" if most > 1 else "one at a time")
        + (f", the oldest for {units.show_seconds(longest)}." if longest else ".")
        + (" The check was cleared at its end." if all(ops.is_cleared for _, ops in slow) else ""),
        (Evidence("most slow requests", most, "", log.where),
         *((Evidence("longest wait", longest, "s", log.where),) if longest else ())),
        "`ceph daemon osd.N dump_historic_ops` shows where in them the time goes; then `ceph osd "
        "perf`, `iostat -x`, their smartctl; leave out what was measured at that time",
        "the log stays without such lines under the same load",
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("slow-requests", "ceph", "Requests that the log of Ceph says waited too long.",
         "Ceph, Troubleshooting OSDs; mon/PGMap.cc, common/TrackedOp.cc", _logged),
)  # fmt: skip
