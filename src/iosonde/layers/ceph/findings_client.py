"""Rules about what the kernel's client of Ceph says: OSDs that come and go, lost connections.

Source:
    Linux 6.12 net/ceph/osdmap.c (osd_state changes of a new map), messenger.c (con_fault()),
    mon_client.c (mon_fault(): "session lost, hunting for new mon"). Ceph documentation,
    rados/troubleshooting/troubleshooting-osd (flapping OSDs: mostly the network between OSDs).
    Daemons close connections that are idle for ms_connection_idle_timeout, 900 s: "socket closed
    (con state OPEN)" that far apart is no trouble, and a daemon that is started anew loses
    each of its connections once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde.layers._kernel_log.printed import TOOL
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule
from iosonde.records.finding import Finding

_OFTEN = 3
"""As often a connection fails of a daemon that is not only started anew."""
_IDLE = 600.0
"""Seconds on average between two closed connections that idleness may explain."""
_LISTED = 4


def _unsteady(case: EvidenceSet) -> Iterator[Finding]:
    """What one log says of all its daemons."""
    logs: dict[tuple[str, str], list[CounterEvidence]] = {}
    for thing in case.counted(TOOL):
        if thing.kind == "ceph":
            logs.setdefault((thing.source, thing.host), []).append(thing)
    for (_, host), things in logs.items():
        parts = list(_parts(things))
        if parts:
            yield Finding(
                "unsteady-cluster", "warning", host or "Ceph's client",
                f"The kernel's log says of Ceph: {'; '.join(parts)}. Requests to such daemons wait "
                "until they answer again or others take over.",
                tuple(figure for thing in things for figure in thing.evidence(
                    "downs", "lost_connections", "closed_connections", "lost_monitor_sessions",
                    "monitor_sessions")),
                "`ceph -s` and `ceph osd tree` show who is down now; of OSDs that come and go see "
                "the network between their hosts (`ip -s link`, MTU, switch), memory and disks, "
                "and their own logs (\"wrongly marked me down\": it ran, and the others did not "
                "reach it); leave out what was measured then",
                "the log stays without such lines under the same load",
            )  # fmt: skip


def _parts(things: Sequence[CounterEvidence]) -> Iterator[str]:
    counts = {
        "downs": "went down {} times", "lost_connections": "had {} failed connections",
        "closed_connections": "closed its connection {} times",
    }  # fmt: skip
    for name, says in counts.items():
        which = [thing for thing in things if _is_often(thing, name)]
        listed = [f"{thing.name} {says.format(f'{thing.number(name):,}')}"
                  for thing in which[:_LISTED]]  # fmt: skip
        more = len(which) - len(listed)
        if listed:
            yield ", ".join(listed) + (f", and {more:,} more did so" if more else "")
    lost = sum(int(thing.number("lost_monitor_sessions")) for thing in things)
    if lost > 1:
        yield f"sessions with monitors were lost {lost:,} times"


def _is_often(thing: CounterEvidence, name: str) -> bool:
    """Whether something happened more often than a start anew, or idleness, explains."""
    count = thing.number(name)
    if name != "closed_connections":
        return count >= (2 if name == "downs" else _OFTEN)
    times = thing.values.get("times")
    ends = times.get(name) if isinstance(times, dict) else None
    if count < _OFTEN or not isinstance(ends, list) or len(ends) != 2:
        return False
    first, last = ends
    if not isinstance(first, float) or not isinstance(last, float):
        return False
    return (last - first) / (count - 1) < _IDLE


RULES: tuple[Rule, ...] = (
    Rule("unsteady-cluster", "ceph",
         "OSDs that come and go, and connections that the kernel's client of Ceph lost again and "
         "again.", "Linux net/ceph/osdmap.c, messenger.c and mon_client.c", _unsteady),
)  # fmt: skip
