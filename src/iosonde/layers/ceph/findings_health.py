"""Rules about a cluster's daemons: monitors, crashes, heartbeats, and caches of MDS.

Source:
    Ceph documentation, rados/operations/health-checks (MON_DOWN, MON_DISK_LOW, RECENT_CRASH: what
    is recent is mgr/crash/warn_recent_interval, two weeks), rados/operations/monitoring (network
    performance checks: heartbeats beyond 1 s; dump_osd_network), cephfs/health-messages and
    cephfs/cache-configuration (MDS_CACHE_OVERSIZED: beyond mds_cache_memory_limit times
    mds_health_cache_threshold, 1.5). ceph mon/PGMap.cc ("back" is the cluster network, "front" the
    public one), pybind/mgr/crash/module.py (it counts crashes, not daemons).
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.layers.ceph.findings import clusters, place_of
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_SKEW = "monitors_with_clock_skew"
_LACKS = "data that lacks copies stays without them"
_HELD = {
    "pauserd": "clients' reads and writes wait",
    "pausewr": "clients' reads and writes wait",
    "norecover": _LACKS,
    "nobackfill": _LACKS,
    "norebalance": "misplaced data stays where it is",
    "noup": "an OSD that starts is not taken in",
    "nodown": "a dead OSD is not noticed, and requests to it wait",
}
"""Flags of the OSD map that hold something back; noout is set for any work on a host.

Source: Ceph documentation, rados/operations/health-checks, OSDMAP_FLAGS.
"""
_NETWORKS = {"back": "the cluster network", "front": "the public network"}
_SECONDS = {f"longest_heartbeat_{network}": "s" for network in _NETWORKS}


def _monitors(case: EvidenceSet) -> Iterator[Finding]:
    """Monitors that are out of quorum: of a cluster's health, else by their own lines."""
    places = set[str]()
    for cluster in clusters(case, _monitors_out):
        places.add(place_of(cluster))
        count, names = _monitors_out(cluster) or (0, "")
        whole = int(cluster.number("monitors"))
        left = whole - count
        listed = f" ({names})" if names else ""
        yield _out_of_quorum(
            cluster, f"{count:,} of {f'{whole:,} ' if whole else 'the '}monitors of Ceph{listed} "
            f"{'is' if count == 1 else 'are'}", is_last=whole > 0 and left - 1 <= whole // 2,
        )  # fmt: skip
    for monitor in case.of_kind("ceph_mon"):
        if monitor.values.get("status") == "down" and place_of(monitor) not in places:
            yield _out_of_quorum(monitor, f"{monitor.name} of Ceph is", is_last=False)


def _monitors_out(cluster: StateEvidence) -> tuple[int, str] | None:
    """How many monitors are out of quorum, and which, as far as that is said."""
    names = str(cluster.values.get("monitors_out_of_quorum") or "").replace(",", ", ")
    count = int(cluster.number("monitors_down")) or len(names.split(", ")) * bool(names)
    return (count, names) if count else None


def _out_of_quorum(thing: StateEvidence, who: str, *, is_last: bool) -> Finding:
    more = "; should one more fail, the cluster stops" if is_last else ""
    return Finding(
        "monitors-down", "warning", subject_of(thing),
        f"{who} out of quorum: clients may take longer to connect{more}.",
        thing.evidence("monitors_down", "monitors", "quorum", "monitors_out_of_quorum", "address"),
        "`ceph health detail` names it: start its daemon, and see that the others reach its host "
        "at ports 3300 and 6789, that its disk has room and its clock is right",
        "`ceph -s`: all monitors are in the quorum",
    )  # fmt: skip


def _skewed(case: EvidenceSet) -> Iterator[Finding]:
    """Monitors whose clocks differ by more than mon_clock_drift_allowed."""
    for cluster in clusters(case, lambda state: bool(state.values.get(_SKEW))):
        names = str(cluster.values[_SKEW]).split(",")
        plural = len(names) > 1
        yield Finding(
            "clock-skew", "warning", subject_of(cluster),
            f"The clock{'s' * plural} of the monitor{'s' * plural} {', '.join(names)} of Ceph "
            f"{'differ' if plural else 'differs'} from the leader's by more than is allowed (50 "
            "ms, unless set): far beyond it monitors lose the quorum, and clients wait.",
            cluster.evidence(_SKEW),
            "have all monitors' hosts follow the same time servers (`chronyc sources`, "
            "`timedatectl`); `ceph time-sync-status` shows by how much they differ",
            "`ceph health detail`: MON_CLOCK_SKEW is gone",
        )  # fmt: skip


def _flagged(case: EvidenceSet) -> Iterator[Finding]:
    """Flags that somebody set, by which a cluster does not mend itself."""
    for cluster in clusters(case, lambda state: bool(_held(state))):
        flags = _held(cluster)
        yield Finding(
            "recovery-held", "warning", subject_of(cluster),
            f"{', '.join(flags)} {'is' if len(flags) == 1 else 'are'} set: {_effect(flags)}.",
            cluster.evidence("flags", "osds_down", "pgs_degraded"),
            f"`ceph osd unset {flags[0]}` as soon as the work that it was set for is done",
            "`ceph -s` shows no flag(s) set",
        )  # fmt: skip


def _held(cluster: StateEvidence) -> list[str]:
    """Those of a cluster's flags that hold something back, in the order of their weight."""
    flags = set(str(cluster.values.get("flags") or "").split(","))
    return [flag for flag in _HELD if flag in flags]


def _effect(flags: list[str]) -> str:
    return "; ".join(dict.fromkeys(_HELD[flag] for flag in flags))


def _low_disks(case: EvidenceSet) -> Iterator[Finding]:
    """Monitors whose disk fills: of a cluster's health, with the share that each has left."""
    for cluster in clusters(case, lambda state: any(map(state.values.get, _DISKS))):
        is_crit = bool(cluster.values.get("MON_DISK_CRIT"))
        shares = {
            monitor.name: monitor.number("available")
            for monitor in case.of_kind("ceph_mon")
            if place_of(monitor) == place_of(cluster) and monitor.where == cluster.where
            and monitor.number("available")
        }  # fmt: skip
        left = ", ".join(f"{units.show_fraction(at)} at {name}" for name, at in shares.items())
        yield Finding(
            "out-of-space", "error" if is_crit else "warning", subject_of(cluster),
            "The file system that holds a monitor's store has little room"
            + (f" ({left})" if left else "")
            + ": below 5 %, unless set, a monitor ends, and without a quorum the cluster stops.",
            cluster.evidence(*_DISKS),
            "see on these hosts what fills it (`du -sh /var/lib/ceph/mon/*` and logs); `ceph tell "
            "mon.NAME compact` shrinks a store, which grows while groups are not clean",
            "`ceph health detail`: no MON_DISK_LOW",
        )  # fmt: skip


_DISKS = ("MON_DISK_LOW", "MON_DISK_CRIT")


def _crashes(case: EvidenceSet) -> Iterator[Finding]:
    says = {"recent_crashes": "of daemons", "recent_module_crashes": "of modules of the manager"}
    for cluster in clusters(case, lambda state: any(map(state.number, says))):
        parts = [
            f"{count:,} {'crash' if count == 1 else 'crashes'} {what}"
            for name, what in says.items()
            if (count := int(cluster.number(name)))
        ]
        yield Finding(
            "recent-crash", "warning", subject_of(cluster),
            f"Ceph reports {' and '.join(parts)} within two weeks (unless set) that nobody has "
            "acknowledged; what crashed may run again by now.",
            cluster.evidence(*says),
            "`ceph crash ls-new` lists them, `ceph crash info ID` has the backtrace; of an OSD see "
            "its disk's SMART and the kernel's log of its host. Then `ceph crash archive ID`",
            "`ceph crash ls-new` stays empty",
        )  # fmt: skip


def _heartbeats(case: EvidenceSet) -> Iterator[Finding]:
    """The longest heartbeat of each network: as the health says it, else of the pairs of OSDs."""
    longest: dict[str, tuple[StateEvidence, dict[str, float]]] = {}
    for cluster in clusters(case, lambda state: any(map(state.number, _SECONDS))):
        times = {x: cluster.number(f"longest_heartbeat_{x}") for x in _NETWORKS}
        longest[place_of(cluster)] = cluster, {x: s for x, s in times.items() if s}
    places = set(longest)
    for osd in case.of_kind("osd"):
        if place_of(osd) in places:
            continue
        for name in osd.values:
            network = name.removeprefix("heartbeat_").partition("_to_")[0]
            if name.startswith("heartbeat_") and network in _NETWORKS:
                _, times = longest.setdefault(place_of(osd), (osd, {}))
                times[network] = max(times.get(network, 0), osd.number(name))
    for thing, times in longest.values():
        parts = [f"up to {units.show_seconds(seconds)} on {_NETWORKS[network]} ({network})"
                 for network, seconds in times.items()]  # fmt: skip
        yield Finding(
            "slow-heartbeats", "warning", subject_of(thing),
            f"Heartbeats between OSDs of Ceph take {' and '.join(parts)}: requests between them "
            "can be as slow, and OSDs whose heartbeats fail are marked down.",
            thing.evidence(*_SECONDS, units=_SECONDS),
            "`ceph daemon mgr.NAME dump_osd_network` lists the pairs: where one host or rack is in "
            "all of them, see its links (errors, `ping -M do` with the MTU in use, the switch); "
            "where one OSD is, its load and its disk",
            "`ceph health detail`: no OSD_SLOW_PING_TIME_BACK, OSD_SLOW_PING_TIME_FRONT",
        )  # fmt: skip


def _caches(case: EvidenceSet) -> Iterator[Finding]:
    """MDS whose caches are too large, by their own lines, else as the health counts them."""
    places = set[str]()
    for daemon in case.of_kind("mds"):
        used, limit = daemon.number("cache_used"), daemon.number("cache_limit")
        if not used:
            continue
        places.add(place_of(daemon))
        unused = daemon.values.get("inodes_in_use") == 0
        yield _oversized(
            daemon, f"The cache of {daemon.name} is too large: {units.show_bytes(int(used))} where "
            f"{units.show_bytes(int(limit))} are its limit"
            + (", and no client holds an inode of it" if unused else ""),
            "the MDS itself trims too slowly: see whether it is busy, replays or waits for the "
            "OSDs of the metadata pool" if unused else
            f"`ceph tell {daemon.name} session ls` shows which clients hold most (num_caps): "
            f"{_CAPS}",
        )  # fmt: skip
    for cluster in clusters(case, lambda state: state.number("mds_with_oversized_cache")):
        if place_of(cluster) not in places:
            count = int(cluster.number("mds_with_oversized_cache"))
            yield _oversized(
                cluster,
                f"{count:,} MDS of Ceph {'has' if count == 1 else 'have'} more in the cache than "
                "its limit",
                "`ceph health detail` names them; `ceph tell mds.NAME session ls` shows which "
                f"clients hold most (num_caps): {_CAPS}",
            )  # fmt: skip


_CAPS = (
    "see whether they release them; where they need them and the host has memory, raise "
    "mds_cache_memory_limit"
)


def _oversized(thing: StateEvidence, message: str, remedy: str) -> Finding:
    return Finding(
        "oversized-cache", "warning", subject_of(thing),
        f"{message}. An MDS whose cache goes on growing uses up the memory and ends.",
        thing.evidence("mds_with_oversized_cache", "cache_used", "cache_limit", "inodes_in_use",
                       "stray_files", units={"cache_used": "B", "cache_limit": "B"}),
        remedy,
        "`ceph health detail`: no MDS_CACHE_OVERSIZED",
    )  # fmt: skip


_CHECKS = "Ceph documentation, rados/operations/health-checks"
RULES: tuple[Rule, ...] = (
    Rule("monitors-down", "ceph", "Monitors of Ceph that are out of quorum.",
         f"{_CHECKS}, MON_DOWN", _monitors),
    Rule("clock-skew", "ceph", "Monitors of Ceph whose clocks differ too much.",
         f"{_CHECKS}, MON_CLOCK_SKEW", _skewed),
    Rule("recovery-held", "ceph", "Flags by which a cluster of Ceph does not mend itself.",
         f"{_CHECKS}, OSDMAP_FLAGS", _flagged),
    Rule("out-of-space", "ceph", "Monitors of Ceph whose disk has little room.",
         f"{_CHECKS}, MON_DISK_LOW and MON_DISK_CRIT; mon/Monitor.cc (mon_data_avail_crit, 5 %)",
         _low_disks, stage="waiting"),
    Rule("recent-crash", "ceph", "Crashes of Ceph's daemons that nobody has acknowledged.",
         f"{_CHECKS}, RECENT_CRASH", _crashes),
    Rule("slow-heartbeats", "ceph, osd", "Heartbeats between OSDs that take longer than a second.",
         "Ceph documentation, rados/operations/monitoring; mon/PGMap.cc", _heartbeats),
    Rule("oversized-cache", "mds", "MDS whose cache is larger than its limit.",
         "Ceph documentation, cephfs/health-messages and cephfs/cache-configuration", _caches),
)  # fmt: skip
