"""Arrays under a load: what a write costs on them, and whether they were whole while measured.

Source:
    Linux drivers/md/raid5.c, handle_stripe_dirtying(): what a write does not fill of a stripe is
    made up for by reading (read-modify-write or reconstruct-write); its Documentation,
    admin-guide/md.rst (stripe_cache_size, degraded, sync_action); Patterson, Gibson, Katz, "A case
    for redundant arrays of inexpensive disks" (1988); DRBD 8.4 and 9, drbd_strings.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iosonde import units
from iosonde.layers._raid.arrays import Array, ArrayLoad, Ground, WriteCost, write_cost
from iosonde.layers._raid.geometry import NEAR_TWO, PARITY, tolerance
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, TrialEvidence, subject_of
from iosonde.records.finding import Evidence, Finding

_PAGE = 4 * units.KIB
_CACHE = 256  # entries of md's stripe cache, unless set
_SEVERAL = 6  # geometries that are listed
_IDLE = frozenset({"", "idle", "none", "frozen"})
_WORK = {
    "resync": "makes its members alike (resync)",
    "recover": "rebuilds a member (recovery)",
    "reshape": "spreads its data anew (reshape)",
    "check": "compares its members (check)",
    "repair": "compares and mends its members (repair)",
}
_SYNCING = frozenset({
    "SyncSource", "SyncTarget", "VerifyS", "VerifyT",
})  # fmt: skip
_CONNECTED = _SYNCING | {
    "Connected", "Established", "Ahead", "Behind", "PausedSyncS", "PausedSyncT",
}  # fmt: skip


# ── raid-penalty ──────────────────────────────────────────────────────────────────────────────


def _pairs(case: EvidenceSet) -> Iterator[tuple[TrialEvidence, ArrayLoad, Array]]:
    """Trials that wrote, and the parity arrays under them."""
    ground = Ground(case)
    for trial in case.trials if any(one.parity for one in ground.arrays) else ():
        load = ground.load(trial)
        if load.writes:
            yield from ((trial, load, one) for one in ground.under(trial) if one.parity)


def partial_stripes(case: EvidenceSet) -> Iterator[Finding]:
    """Writes that do not fill whole stripes, and what making up for that costs the drives."""
    groups: dict[tuple[object, ...], list[tuple[TrialEvidence, ArrayLoad, Array, WriteCost]]] = {}
    for trial, load, array in _pairs(case):
        if not load.block or not array.chunk or not array.data or array.spanned:
            continue
        if load.direct is False and not load.random:
            continue  # the page cache puts neighbours together
        cost = write_cost(load.block, array.chunk, array.data, array.parity)
        if cost is None or not cost.read:
            continue
        key = (array.source, array.kind, array.name, array.level, array.data, load.block,
               load.random, load.reads)  # fmt: skip
        groups.setdefault(key, []).append((trial, load, array, cost))
    for group in groups.values():
        yield _partial(group)


def _partial(group: Sequence[tuple[TrialEvidence, ArrayLoad, Array, WriteCost]]) -> Finding:
    _, load, array, _ = group[0]
    block = load.block or 0
    each = {one.chunk or 0: (one, cost) for _, _, one, cost in group}
    costs = [(one.chunk or 0, cost) for one, cost in each.values()]
    evidence = [Evidence("block size of the load", block, "B", load.where)]
    for chunk, (one, cost) in list(each.items())[:_SEVERAL]:
        at = f" at a {one.strip} of {units.show_bytes(chunk)}" if len(each) > 1 else ""
        evidence += [
            Evidence(f"full stripe{at}", one.stripe, "B", one.where),
            Evidence(f"read by the drives for each write{at}", round(cost.read), "B", "computed"),
        ]
    evidence += _work(group[0][0], load, array) if len(group) == 1 else ()
    return Finding(
        rule="raid-penalty",
        severity="warning" if load.random and block > _PAGE * (array.data or 1) else "note",
        subject=array.subject if len({one.host for one, _ in each.values()}) == 1 and len(
            {one.host for _, _, one, _ in group}) == 1 else array.name or array.called,
        message=_says(load, array, costs),
        evidence=tuple(evidence),
        remedy=_fitting(block, array),
        confirm="reads at the drives while the load only writes (iostat -x, or the controller's "
        "own counters): with whole stripes there are none",
    )  # fmt: skip


def _says(load: ArrayLoad, array: Array, costs: Sequence[tuple[int, WriteCost]]) -> str:
    block, data = load.block or 0, array.data or 1
    kind = {True: "Random writes", False: "Writes one after the other", None: "Writes"}[load.random]
    gathered = "" if load.random else ", unless a cache gathers neighbours into whole stripes"
    stripes = " or ".join(units.show_bytes(chunk * data) for chunk, _ in costs[:_SEVERAL])
    ideal = (data + array.parity) / data
    worst = max((cost.read + cost.written) / block for _, cost in costs)
    if block <= min(chunk for chunk, _ in costs) and load.random is not False:
        reads, writes = min(1 + array.parity, data - 1), 1 + array.parity
        return (
            f"{kind} of {units.show_bytes(block)} on {array.called} cost its drives {reads} reads "
            f"and {writes} writes each, because a stripe holds {stripes}: old data and parity are "
            f"read before the new can be written{gathered}."
        )
    most = max(cost.whole for _, cost in costs)
    filled = (
        f"{'at most' if len(costs) > 1 else 'only'} {units.show_fraction(most)} of their bytes "
        "fill whole stripes"
        if most
        else "none of them fills a stripe"
    )
    return (
        f"{kind} of {units.show_bytes(block)} are no multiple of the stripe of {array.called}, "
        f"{stripes}: {filled}, and each byte written makes the drives move up to {worst:.2f}, "
        f"where whole stripes take {ideal:.2f}{gathered}."
    )


def _work(trial: TrialEvidence, load: ArrayLoad, array: Array) -> Iterator[Evidence]:
    """Host IOPS as the drives see them, where a small random load tells its mix."""
    penalty, chunk = array.penalty, array.chunk
    if not load.random or not penalty or not chunk or (load.block or chunk) > chunk:
        return
    reads, writes = trial.mean("read.iops") or 0.0, trial.mean("write.iops")
    if not writes or load.direct is False:
        return
    work = reads + writes * penalty
    yield Evidence(f"I/Os of the drives: reads + {penalty} × writes", work, "1/s", "computed")
    if array.disks:
        yield Evidence(f"of each of {array.disks} drives", work / array.disks, "1/s", "computed")


def _fitting(block: int, array: Array) -> str:
    """The geometry in which a block of this size would be one whole stripe."""
    data = 1 << ((array.data or 1).bit_length() - 1)
    strip = block // data
    another = "RAID 10 has no stripes to fill; both mean to build the array anew, data and all"
    if block % data or strip < _PAGE or strip & (strip - 1):
        return f"Writes that are a multiple of the stripe and begin on one. {another}."
    same = "the" if data == array.data else f"{data} instead of {array.data}"
    return (
        f"With {same} data disks and a {array.strip} of {units.show_bytes(strip)} a write of "
        f"{units.show_bytes(block)} is one whole stripe, if what lies on the array begins on one. "
        f"{another}."
    )


def stripe_cache(case: EvidenceSet) -> Iterator[Finding]:
    """The default stripe cache of md under writes."""
    seen: set[tuple[str, str]] = set()
    for trial, load, array in _pairs(case):
        size = array.values.get("stripe_cache_size")
        key = array.host, array.name
        if array.kind != "md" or str(size) != str(_CACHE) or key in seen:
            continue
        seen.add(key)
        evidence = [Evidence("stripe_cache_size", _CACHE, "", array.where)]
        if load.block and load.flying:
            evidence.append(Evidence("writes in flight", load.block * load.flying, "B", load.where))
        rate = "write.bandwidth" if trial.mean("write.bandwidth") else "write.iops"
        if (mean := trial.mean(rate)) is not None:
            evidence.append(Evidence(rate, mean, trial.metrics[rate].unit, trial.where))
        memory = f" ({units.show_bytes(4096 * _PAGE * array.disks)})" if array.disks else ""
        yield Finding(
            rule="raid-penalty",
            severity="note",
            subject=array.subject,
            message=f"{array.called} was written to with the default stripe cache, which has room "
            f"for {_CACHE} rows of 4 KiB, {units.show_bytes(_CACHE * _PAGE)} of each member: "
            "neighbouring writes that come later than that no longer meet to whole stripes.",
            evidence=tuple(evidence),
            remedy=f"`echo 4096 > /sys/block/{array.name}/md/stripe_cache_size`; it takes 4 KiB "
            f"of memory for each entry and member{memory} and is gone after a reboot",
            confirm="the same write load with 256, 1024 and 4096",
        )


# ── degraded ──────────────────────────────────────────────────────────────────────────────────


def not_whole(case: EvidenceSet) -> Iterator[Finding]:
    """Arrays of md that lack members or are busy with themselves; of LVM see lvm_raid.py."""
    for state in case.of_kind("md"):
        missing = state.values.get("degraded")
        if isinstance(missing, int) and not isinstance(missing, bool) and missing > 0:
            yield _lacking(state, missing)
        action = str(state.values.get("sync_action") or "")
        if action not in _IDLE and not state.values.get("sync_waits"):
            yield _busy(state, action)


def _lacking(state: StateEvidence, missing: int) -> Finding:
    level, disks = state.values.get("level"), state.values.get("raid_disks")
    failed = state.values.get("faulty")
    of = f" of its {disks} members" if isinstance(disks, int) else f" member{'s'[: missing - 1]}"
    called = f"{state.name} ({level.upper().replace('RAID', 'RAID ')})" if isinstance(
        level, str) else state.name  # fmt: skip
    cost = "reads of what is gone are computed from all others, " if level in PARITY else ""
    layout = state.values.get("layout")
    more = -missing + tolerance(
        str(level),
        disks if isinstance(disks, int) else 0,
        layout if isinstance(layout, int) else NEAR_TWO,
    )
    left = (
        f"{'one' if more == 1 else more} more may be lost"
        if more > 0
        else "the next loss may take data with it"
    )
    evidence = [Evidence("members missing", missing, "", state.where)]
    if failed:
        evidence.append(Evidence("failed", str(failed), "", state.where))
    return Finding(
        rule="degraded",
        severity="error",
        subject=subject_of(state),
        message=f"{called} lacks {missing}{of}: {cost}{left}, and what is measured now is not the "
        "whole array's.",
        evidence=tuple(evidence),
        remedy=f"`mdadm /dev/{state.name} --add NEW` after the failed one is removed; the rebuild "
        "reads all other members and takes bandwidth until it is done",
        confirm="/proc/mdstat shows U for each member; then the same trial",
    )


def _busy(state: StateEvidence, action: str) -> Finding:
    share = state.values.get("sync_share")
    known = isinstance(share, int | float) and not isinstance(share, bool)
    return Finding(
        rule="degraded",
        severity="warning",
        subject=subject_of(state),
        message=f"{state.name} {_WORK.get(action, f'is busy with {action}')}, which takes "
        "bandwidth from whatever is measured meanwhile.",
        evidence=(Evidence("done", share, "fraction", state.where),)
        if known
        else (Evidence("sync_action", action, "", state.where),),
        remedy="measure when it is done; `sysctl dev.raid.speed_limit_max` slows it down, and "
        "leaves the array longer without redundancy",
        confirm="the same trial when /proc/mdstat shows no progress line",
    )


def not_replicated(case: EvidenceSet) -> Iterator[Finding]:
    """DRBD devices without a second copy, with a peer away, being made alike, or not alike."""
    volumes: dict[tuple[str, str, str, str], list[StateEvidence]] = {}
    for state in case.of_kind("drbd"):
        # A subject is a volume with one of its peers; what stands elsewhere is another moment.
        volumes.setdefault((state.source, state.where, state.host, state.name), []).append(state)
    for peers in volumes.values():
        yield from _replication(peers)


def _replication(peers: Sequence[StateEvidence]) -> Iterator[Finding]:
    """One volume with all of its peers."""
    first = peers[0]
    syncing = [state for state in peers if _link(state) in _SYNCING]
    away = [state for state in peers if _link(state) and _link(state) not in _CONNECTED]
    disks = {first.values.get("disk_state")} | {one.values.get("peer_disk_state") for one in peers}
    copies = [first.values.get("disk_state")]
    copies += [one.values.get("peer_disk_state") for one in peers if one not in away]
    alone = copies.count("UpToDate") < 2 and (away or "Diskless" in disks)
    if syncing:
        yield _being_made_alike(syncing)
    if alone and not syncing:
        link = " and ".join(dict.fromkeys(map(_link, away))) or "Diskless"
        yield Finding(
            "degraded", "error", subject_of(first),
            f"{first.name} has no second copy at work ({link}): what is written "
            "now is on one side only, and figures measured now are not those of replication.",
            _evidence(peers), "`drbdadm connect` or `drbdadm attach`, after the cause is known; "
            "the resync takes bandwidth until it is done",
            "the same trial when both sides are UpToDate",
        )  # fmt: skip
    elif away:
        names = ", ".join(str(one.values.get("peer") or "a peer") for one in away)
        yield Finding(
            "degraded", "warning", subject_of(first),
            f"{first.name} is without {names} ({_link(away[0])}): another copy is at work, one "
            "failure fewer is survived, and figures measured now lack the way to that peer.",
            _evidence(away), "`drbdadm connect`, after the cause is known",
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
            f"{first.name} is not the same on both sides, though they are connected and no resync "
            "is under way: what a verify run found, or a change past DRBD, is still out of sync.",
            _evidence(unlike), "`drbdadm disconnect` and `drbdadm connect` on the side whose data "
            "are right makes a resync of these blocks; look for what wrote past DRBD",
            "`drbdadm verify` finds nothing: out-of-sync is 0",
        )  # fmt: skip


def _being_made_alike(syncing: Sequence[StateEvidence]) -> Finding:
    first = syncing[0]
    return Finding(
        "degraded", "warning", subject_of(first),
        f"{first.name} is being made alike on both sides ({_link(first)}), which takes bandwidth "
        "of the link and of both disks from whatever is measured meanwhile.",
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


def measured_meanwhile(case: EvidenceSet) -> Iterator[Finding]:
    """Trials that were measured while an array worked for itself."""
    groups: dict[tuple[str, str], list[TrialEvidence]] = {}
    for trial in case.trials:
        if trial.background:
            groups.setdefault((trial.source, "; ".join(trial.background)), []).append(trial)
    for (_, work), trials in groups.items():
        more = f" and {len(trials) - 1} more" if len(trials) > 1 else ""
        yield Finding(
            rule="degraded",
            severity="warning",
            subject=f"{trials[0].label}{more}",
            message=f"The array worked for itself while this was measured: {work}.",
            evidence=tuple(Evidence("background work", work, "", one.where) for one in trials[:4]),
            remedy="measure again when it is idle (`prepare: wait_idle` in a study)",
            confirm="the same load without background work",
        )


_MD = "Linux drivers/md/raid5.c; Documentation/admin-guide/md.rst"
RULES: tuple[Rule, ...] = (
    Rule("raid-penalty", "md, lvm, hwraid", "Writes that do not fill whole stripes of a parity "
         "array, and what that costs its drives.", f"{_MD}; Patterson, Gibson, Katz 1988",
         partial_stripes),
    Rule("raid-penalty", "md", "Writes through the default stripe cache of a parity array.", _MD,
         stripe_cache),
    Rule("degraded", "md", "Arrays that lack members or are busy with themselves.", _MD,
         not_whole),
    Rule("degraded", "drbd", "Replication that is not at work, or catches up.",
         "drbd.conf(5), drbdadm(8) of drbd-utils 9; DRBD 8.4, drbd_strings.c", not_replicated),
    Rule("degraded", "md", "Background work of an array while a trial was measured.", _MD,
         measured_meanwhile),
)  # fmt: skip
