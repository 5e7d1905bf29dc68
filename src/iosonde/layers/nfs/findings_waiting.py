"""Calls of an NFS client that wait in the client itself, before they are sent.

Source: nfsiostat(8): avg RTT is the time from sending a request to its reply, avg exe the time from
its beginning to its end, avg queue what it waits before it is sent. nfs-utils 2.6.2,
tools/nfs-iostat/nfs-iostat.py: rpc bklog is the mean number of calls that wait for a slot when one
is sent, divided by the seconds of the interval, and so the least of it; mountstats(8); nfs(5),
nconnect; Linux net/sunrpc/xprt.c (slots: sunrpc.tcp_max_slot_table_entries), fs/nfs/nfs4session.c
(of version 4.1 and later those of the session: nfs.max_session_slots). What is sent again has its
waits in exe, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from iosonde import units
from iosonde.records.evidence import CounterEvidence, EvidenceSet, Rule, subject_of
from iosonde.records.finding import Evidence, Finding

_TIMES, _LONGER, _BACKLOG = 3, 0.005, 5
"""Execution against round trip, seconds more than it, and calls that wait on average."""
_MANY, _RATE, _AGAIN = 1000, 1.0, 0.01
"""Calls, calls a second, and the share sent again, which would explain it."""


class _Calls(NamedTuple):
    """Mean times of one operation, in seconds, and how many calls of it there were."""

    name: str
    execution: float
    round_trip: float
    amount: str
    where: str


def _waiting(case: EvidenceSet) -> Iterator[Finding]:
    reported = set[tuple[str, str, str]]()
    for mount in case.counted("nfsiostat", "mountstats"):
        place = mount.source, mount.host, mount.name
        backlog = _backlog(mount)
        slow = [calls for calls in _operations(mount) if _waits(calls)]
        if place in reported or not (slow or backlog >= _BACKLOG):
            continue
        reported.add(place)
        yield Finding(
            "client-queue", "warning", subject_of(mount),
            f"Calls of NFS to {mount.name or 'a mount'} wait in the client, before they are sent: "
            + "; ".join([*map(_said, slow), *_for_slots(backlog)])
            + (". The server answers within the round trip; what is added is the wait for a slot "
               "or for the connection." if slow else "."),
            (*(Evidence(f"{calls.name}: {what}", seconds, "s", mount.where)
               for calls in slow for what, seconds in (("execution", calls.execution),
                                                       ("round trip", calls.round_trip))),
             *((Evidence("RPC backlog", backlog, "", mount.where),) if backlog else ())),
            "first hold the bandwidth against that of the link: where it is full, calls wait for "
            "it; else let more of them be under way (nconnect=4 or more at the mount, after all "
            "mounts of this server are unmounted; sunrpc.tcp_max_slot_table_entries, of NFS 4.1 "
            "and later nfs.max_session_slots and the slots that the server grants); a writer that "
            "flushes much at once (vm.dirty_bytes) fills the queue, too",
            "`nfsiostat 5` under the same load: avg exe near avg RTT, and rpc bklog near 0",
        )  # fmt: skip


def _waits(calls: _Calls) -> bool:
    more = calls.execution - calls.round_trip
    return calls.execution >= _TIMES * calls.round_trip and more >= _LONGER


def _said(calls: _Calls) -> str:
    return (
        f"{calls.name} {units.show_seconds(calls.execution)} each, of which the round trip is "
        f"{units.show_seconds(calls.round_trip)} ({calls.amount})"
    )


def _for_slots(backlog: float) -> list[str]:
    return [f"at least {backlog:.3g} waited for a slot when one was sent"] if backlog >= 1 else []


def _backlog(mount: CounterEvidence) -> float:
    """Calls that wait for a slot on average, or the least that it can be."""
    rpc, transports = mount.values.get("rpc"), mount.values.get("transports")
    listed = transports if isinstance(transports, list) else []
    backlog, sent = (
        sum(value for each in listed if isinstance(each, Mapping)
            and isinstance(value := each.get(name), int))
        for name in ("backlog", "sent")
    )  # fmt: skip
    of_command = rpc.get("backlog") if isinstance(rpc, Mapping) else None
    return max(
        mount.number("rpc_backlog"),
        of_command if isinstance(of_command, int | float) else 0,
        backlog / sent if sent >= _MANY else 0,
    )


def _operations(mount: CounterEvidence) -> Iterator[_Calls]:
    """Reads and writes of nfsiostat, all operations of mountstats, with enough calls."""
    for name in ("read", "write"):
        rate, again = mount.number(f"{name}.iops"), mount.number(f"{name}.retransmissions")
        if rate >= _RATE and not again:
            yield _Calls(
                name, mount.number(f"{name}.execution"), mount.number(f"{name}.rtt"),
                f"{units.show_iops(rate)}, "
                f"{units.show_bandwidth(mount.number(f'{name}.bandwidth'))}", mount.where,
            )  # fmt: skip
    every = mount.values.get("operations")
    for name, figures in every.items() if isinstance(every, Mapping) else ():
        if not isinstance(figures, Mapping):
            continue
        count, execution, round_trip, sent, again = (
            float(value) if isinstance(value := figures.get(what), int | float) else 0.0
            for what in ("operations", "execute_time", "round_trip_time", "transmissions",
                         "retransmissions")
        )  # fmt: skip
        if count >= _MANY and max(sent - count, again) <= _AGAIN * count:
            yield _Calls(
                name, execution / count, round_trip / count, f"{count:,.0f} calls", mount.where
            )


RULES: tuple[Rule, ...] = (
    Rule("client-queue", "nfs", "Calls of NFS that wait in the client before they are sent.",
         "nfsiostat(8), avg RTT, avg exe and rpc bklog; mountstats(8)", _waiting),
)  # fmt: skip
