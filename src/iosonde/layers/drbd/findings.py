"""Replication by DRBD that is not at work, catches up, or whose resync is paused.

Source: drbd.conf(5), drbdadm(8), drbdsetup(8) (pause-sync, resync-after) of drbd-utils 9; DRBD 8.4
and 9, drbd_strings.c, drbd_receiver.c, drbd_sync_handshake(); DRBD user's guide, "Manual split
brain recovery".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde.layers._kernel_log.printed import TOOL
from iosonde.layers._raid.findings import stands_still
from iosonde.records.evidence import (
    CounterEvidence,
    EvidenceSet,
    Rule,
    StateEvidence,
    called,
    subject_of,
)
from iosonde.records.finding import Evidence, Finding

_SYNCING = frozenset({"SyncSource", "SyncTarget", "VerifyS", "VerifyT"})
_PAUSED = frozenset({"PausedSyncS", "PausedSyncT"})
_RESOLVE = (
    "choose the side whose changes since they parted are given up, and copy from it what must not "
    "be lost; on it `drbdadm disconnect RESOURCE`, `drbdadm secondary RESOURCE` and `drbdadm "
    "connect --discard-my-data RESOURCE` (before 8.4 `drbdadm -- --discard-my-data connect "
    "RESOURCE`), on the other, where it is StandAlone, `drbdadm connect RESOURCE`: what the first "
    "wrote alone is overwritten. Look for why both wrote (fencing, quorum)"
)
_CONNECTED = _SYNCING | _PAUSED | {"Connected", "Established", "Ahead", "Behind"}


def paused(case: EvidenceSet) -> Iterator[Finding]:
    """Resyncs that were paused."""
    for state in case.of_kind("drbd"):
        link = str(state.values.get("replication") or state.values.get("connection") or "")
        if link in _PAUSED:
            yield stands_still(
                state, f"The resync of {state.name} is paused ({link})", "replication", link,
                f"`drbdadm resume-sync {state.name}`, unless it waits for another resource by "
                "resync-after, which then has to end first",
            )  # fmt: skip


def not_replicated(case: EvidenceSet) -> Iterator[Finding]:
    """DRBD devices without a second copy, with a peer away, being made alike, or not alike."""
    volumes: dict[tuple[str, str, str, str], list[StateEvidence]] = {}
    for state in case.latest("drbd", "connection", "disk_state", "replication"):
        # A subject is a volume with one of its peers; what stands elsewhere is another moment.
        volumes.setdefault((state.source, state.where, state.host, state.name), []).append(state)
    split = {(thing.source, thing.name) for thing in _splits(case)}
    for peers in volumes.values():
        yield from _replication(peers, is_split=(peers[0].source, peers[0].name) in split)


def split_brains(case: EvidenceSet) -> Iterator[Finding]:
    """Volumes of which both sides were written to, by the kernel's log."""
    for thing in _splits(case):
        links = {
            _link(state) for state in case.of_kind("drbd")
            if (state.source, state.name) == (thing.source, thing.name)
        } - {""}  # fmt: skip
        if links and links <= _CONNECTED:
            continue  # it was resolved
        yield Finding(
            "split-brain", "error", subject_of(thing),
            f"Both sides of {called(thing)} changed while they were apart (split brain), and DRBD "
            "dropped the connection: each has data that the other lacks, nothing is replicated, "
            "and a plain `drbdadm connect` is refused again.",
            thing.evidence("split_brains", "first"), _RESOLVE,
            "`drbdadm status` shows both sides connected and UpToDate",
        )  # fmt: skip


def _splits(case: EvidenceSet) -> list[CounterEvidence]:
    return [
        thing for thing in case.counted(TOOL)
        if thing.kind == "drbd" and thing.number("split_brains")
    ]  # fmt: skip


def _replication(peers: Sequence[StateEvidence], *, is_split: bool) -> Iterator[Finding]:
    """One volume with all of its peers."""
    first = peers[0]
    syncing = [state for state in peers if _link(state) in _SYNCING]
    away = [state for state in peers if _link(state) and _link(state) not in _CONNECTED]
    disks = {first.values.get("disk_state")} | {
        peer.values.get("peer_disk_state") for peer in peers
    }
    copies = [first.values.get("disk_state")]
    copies += [peer.values.get("peer_disk_state") for peer in peers if peer not in away]
    alone = copies.count("UpToDate") < 2 and (away or "Diskless" in disks)
    if syncing:
        yield _being_made_alike(syncing)
    if alone and not syncing:
        link = " and ".join(dict.fromkeys(map(_link, away))) or "Diskless"
        yield Finding(
            "degraded", "error", subject_of(first),
            f"{called(first)} has no second copy at work ({link}): what is written "
            "now is on one side only, and figures measured now are not those of replication.",
            _evidence(peers),
            _RESOLVE if is_split and away else
            "`drbdadm connect` or `drbdadm attach`, after the cause is known; "
            "the resync takes bandwidth until it is done",
            "the same trial when both sides are UpToDate",
        )  # fmt: skip
    elif away:
        names = ", ".join(str(peer.values.get("peer") or "a peer") for peer in away)
        yield Finding(
            "degraded", "warning", subject_of(first),
            f"{called(first)} is without {names} ({_link(away[0])}): another copy is at work, one "
            "failure fewer is survived, and figures measured now lack the way to that peer.",
            _evidence(away),
            _RESOLVE if is_split else "`drbdadm connect`, after the cause is known",
            "the same trial when every peer is connected",
        )  # fmt: skip
    unlike = [
        state for state in peers if state not in syncing and state not in away
        and isinstance(amount := state.values.get("out_of_sync"), int) and amount > 0
        and state.values.get("peer_disk_state") in {"UpToDate", None}
    ]  # fmt: skip
    if unlike:
        yield Finding(
            "degraded", "error", subject_of(first),
            f"{called(first)} is not the same on both sides, though they are connected and no "
            "resync is under way: what a verify run found, or a change past DRBD, is still out of "
            "sync.",
            _evidence(unlike), "`drbdadm disconnect` and `drbdadm connect` on the side whose data "
            "are right makes a resync of these blocks; look for what wrote past DRBD",
            "`drbdadm verify` finds nothing: out-of-sync is 0",
        )  # fmt: skip


def _being_made_alike(syncing: Sequence[StateEvidence]) -> Finding:
    first = syncing[0]
    return Finding(
        "degraded", "warning", subject_of(first),
        f"{called(first)} is being made alike on both sides ({_link(first)}), which takes "
        "bandwidth of the link and of both disks from whatever is measured meanwhile.",
        _evidence(syncing), "measure when both sides are UpToDate; c-max-rate limits the resync",
        "the same trial when the peer's disk is UpToDate",
    )  # fmt: skip


def _link(state: StateEvidence) -> str:
    """How the way to the peer is: what is replicated, else the connection; empty if unknown."""
    connection = str(state.values.get("connection") or "")
    if connection and connection not in _CONNECTED:
        return connection
    return str(state.values.get("replication") or connection)


def _evidence(states: Sequence[StateEvidence]) -> tuple[Evidence, ...]:
    several = len({state.values.get("peer") for state in states}) > 1
    return tuple(
        Evidence(
            name.replace("_", " ") + (f" with {state.values.get('peer')}" if several else ""),
            state.values[name], "B" if name == "out_of_sync" else "", state.where,
        )
        for state in states
        for name in ("connection", "replication", "disk_state", "peer_disk_state", "out_of_sync")
        if state.values.get(name) is not None
    )  # fmt: skip


RULES: tuple[Rule, ...] = (
    Rule("degraded", "drbd", "Replication that is not at work, or catches up.",
         "drbd.conf(5), drbdadm(8) of drbd-utils 9; DRBD 8.4, drbd_strings.c", not_replicated,
         stage="redundancy"),
    Rule("split-brain", "drbd", "Sides that were both written to while they were apart.",
         "DRBD drbd_receiver.c, drbd_sync_handshake(); drbdadm(8), --discard-my-data",
         split_brains, stage="stopped"),
    Rule("resync-stuck", "drbd", "Resyncs that are paused.", "drbdsetup(8), pause-sync", paused,
         stage="waiting"),
)  # fmt: skip
