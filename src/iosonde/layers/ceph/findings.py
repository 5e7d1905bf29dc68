"""Rules about clusters of Ceph: placement groups that are not whole, room, damage, slow requests.

Source:
    Ceph documentation, rados/operations/health-checks (OSD_DOWN, PG_DEGRADED, PG_AVAILABILITY,
    OSD_NEARFULL, OSD_BACKFILLFULL, OSD_FULL, PG_DAMAGED, OSD_SCRUB_ERRORS, SLOW_OPS) and
    rados/configuration/mon-config-ref: mon_osd_nearfull_ratio 0.85, mon_osd_backfillfull_ratio
    0.90, mon_osd_full_ratio 0.95; osd_op_complaint_time is 30 seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_NEARLY, _FULL = 0.85, 0.95


def place_of(thing: StateEvidence) -> str:
    """By what clusters are told apart: the host, or the text where none is named."""
    return thing.host or thing.source


def clusters(
    case: EvidenceSet, tells: Callable[[StateEvidence], object]
) -> Iterator[StateEvidence]:
    """Of each cluster the first state that tells something, of those that a text shows last."""
    reported = set[str]()
    for cluster in case.latest("ceph", "health"):
        if place_of(cluster) not in reported and tells(cluster):
            reported.add(place_of(cluster))
            yield cluster


def _pgs(state: StateEvidence, word: str) -> int:
    """Placement groups in a state: as the health counts them, else the sum of their states."""
    counted = state.number(f"pgs_{word}")
    return int(counted) or sum(
        int(state.number(name))
        for name in state.values
        if name.startswith("pgs_") and word in name[4:].split("+")
    )


def _incomplete(case: EvidenceSet) -> Iterator[Finding]:
    for cluster in clusters(case, _lacks):
        parts = _lacks(cluster)
        inactive = "inactive" in parts
        yield Finding(
            "degraded", "error" if inactive else "warning", subject_of(cluster),
            f"The Ceph cluster is not whole: {', '.join(parts.values())}."
            + (" While it recovers, its disks and network do that beside the clients' I/O."
               if "down" in parts or "degraded" in parts else ""),
            cluster.evidence("osds", "osds_up", "osds_down", "pgs_degraded", "pgs_undersized",
                             "pgs_inactive", "down_pgs", "incomplete_pgs", "stale_pgs",
                             "peering_pgs", "objects_degraded"),
            _remedy(cluster, parts),
            "the same load once all placement groups are active+clean",
        )  # fmt: skip


def _lacks(cluster: StateEvidence) -> dict[str, str]:
    """What is not whole: OSDs that are down, groups that lack copies, groups that serve nothing."""
    up = int(cluster.number("osds_up")) if "osds_up" in cluster.values else None
    counts = {
        "down": int(cluster.number("osds_down"))
        or (0 if up is None else int(cluster.number("osds")) - up),
        "degraded": _pgs(cluster, "degraded") or _pgs(cluster, "undersized"),
        "inactive": int(cluster.number("pgs_inactive")) or max(map(cluster.number, _UNAVAILABLE)),
    }
    says = {
        "down": "of its OSDs {are} down", "degraded": "placement {groups} {lack} copies",
        "inactive": "placement {groups} {are} inactive, and requests to {them} wait",
    }  # fmt: skip
    singular = {"are": "is", "groups": "group", "lack": "lacks", "them": "it"}
    plural = {name: name for name in singular}
    if _has_no_osd(cluster) and counts["inactive"]:
        return {"inactive": "it has no OSD, so its pools have nowhere to keep anything"}
    return {
        what: f"{count:,} {says[what].format(**(singular if count == 1 else plural))}"
        for what, count in counts.items() if count > 0
    }  # fmt: skip


def _has_no_osd(cluster: StateEvidence) -> bool:
    """Whether none was ever added, as in a cluster that is being made."""
    return cluster.values.get("osds") == 0


_UNAVAILABLE = {
    "down_pgs": "`ceph pg PG query` names the OSDs that a group which is down waits for (blocked_by"
    ", down_osds_we_would_probe): start these",
    "incomplete_pgs": "an incomplete group misses writes that were acknowledged: bring back the "
    "OSDs that had its copies, and mark none as lost before",
    "stale_pgs": "of a stale group no OSD has reported for a while: start those that `ceph pg "
    "dump_stuck stale` shows, and see their network",
    "peering_pgs": "`ceph pg PG query` shows what a group that is peering waits for: an OSD that "
    "is slow, or that others do not reach",
}
"""Groups that cannot serve requests, as the health counts them, and what brings them back."""


def _remedy(cluster: StateEvidence, parts: Mapping[str, str]) -> str:
    """What helps in this case; OSDs that are down are named only where some are."""
    if _has_no_osd(cluster):
        return "add OSDs (`ceph orch device ls` shows which disks it may take, and why not others)"
    steps = ["`ceph osd tree` names the OSDs that are down; bring them back, or replace their disks"
             ] if "down" in parts else []  # fmt: skip
    if "inactive" in parts:
        steps += [text for name, text in _UNAVAILABLE.items() if cluster.number(name)]
    if not steps and "inactive" in parts:
        steps = ["`ceph health detail` lists the groups with their states; `ceph pg PG query` says "
                 "what holds one up (undersized: fewer copies than min_size of its pool; unknown: "
                 "its OSDs have not reported to the manager)"]  # fmt: skip
    return "; ".join(steps) or (
        "no OSD is said to be down: wait while recovery goes on (`ceph -s`); where the number "
        "stays, `ceph health detail` names the groups, and the rule of their pool may ask for more "
        "hosts than have room (`ceph osd df tree`)"
    )


def _room(case: EvidenceSet) -> Iterator[Finding]:
    reported = set[str]()
    # A cluster is shown several times on a page: what is said of it is its worst.
    for cluster in sorted(case.of_kind("ceph"), key=lambda each: not each.number("osds_full")):
        counts = {
            what: int(cluster.number(name))
            for name, what in (
                ("osds_full", "full: no client can write"),
                ("osds_backfill_full", "too full to take in data that moves"),
                ("osds_near_full", "nearly full"),
            )
            if cluster.number(name)
        }
        if not counts or place_of(cluster) in reported:
            continue
        reported.add(place_of(cluster))
        yield Finding(
            "out-of-space", "error" if cluster.number("osds_full") else "warning",
            subject_of(cluster),
            "OSDs of the Ceph cluster are short of room: "
            + ", ".join(f"{count:,} {'is' if count == 1 else 'are'} {what}"
                        for what, count in counts.items())
            + ". A single full one keeps the cluster from serving writes.",
            cluster.evidence("osds_full", "osds_backfill_full", "osds_near_full"),
            "`ceph osd df` shows how uneven they are: balance them, add OSDs or delete data",
            "`ceph health detail`: no OSD_NEARFULL, OSD_BACKFILLFULL or OSD_FULL",
        )  # fmt: skip
    for osd in case.of_kind("osd"):
        share = osd.number("full")
        if share >= _NEARLY and place_of(osd) not in reported:
            yield Finding(
                "out-of-space", "error" if share >= _FULL else "warning", subject_of(osd),
                f"{osd.name} is {units.show_fraction(share)} full: "
                + ("it keeps the cluster from serving writes."
                   if share >= _FULL else "one at 95 % keeps the cluster from serving writes."),
                osd.evidence("full", "available", "variance"),
                "`ceph osd df` shows how uneven they are: balance them, add OSDs or delete data",
                "the same table afterwards, with %USE below 85",
            )  # fmt: skip


def _inconsistent(case: EvidenceSet) -> Iterator[Finding]:
    for cluster in clusters(case, _damage):
        count, errors = _damage(cluster) or (0, 0)
        yield Finding(
            "damaged-files", "error", subject_of(cluster),
            (f"{count:,} placement groups have copies of objects that differ"
             if count else f"Scrubs have found {errors:,} errors")
            + ": a disk, controller or memory changed data, or an I/O failed.",
            cluster.evidence("pgs_inconsistent", "scrub_errors"),
            "`rados list-inconsistent-obj PG` says which copy; look at that disk's kernel log and "
            "smartctl before `ceph pg repair PG`",
            "a deep scrub of these placement groups without errors",
        )  # fmt: skip


def _damage(cluster: StateEvidence) -> tuple[int, int] | None:
    """How many groups have copies that differ, and errors of scrubs; None without both."""
    counts = _pgs(cluster, "inconsistent"), int(cluster.number("scrub_errors"))
    return counts if any(counts) else None


def _slow(case: EvidenceSet) -> Iterator[Finding]:
    for cluster in clusters(case, lambda state: state.number("slow_requests")):
        count = int(cluster.number("slow_requests"))
        where = str(cluster.values.get("slow_daemons") or "")
        oldest = int(cluster.number("oldest_blocked"))
        of_monitors = bool(where) and all(name.startswith("mon.") for name in where.split(","))
        place = "monitors" if of_monitors else "OSDs"
        yield Finding(
            "slow-requests", "warning", subject_of(cluster),
            f"{count:,} {'request waits' if count == 1 else 'requests wait'} for more than 30 "
            f"seconds in {place} of the Ceph cluster"
            + (f" ({where.replace(',', ', ')})" if where else "")
            + (f", the oldest for {units.show_seconds(oldest)}." if oldest else "."),
            cluster.evidence("slow_requests", "oldest_blocked", "slow_daemons", "pgs_inactive",
                             "osds_down", units={"oldest_blocked": "s"}),
            "`ceph daemon mon.NAME ops` on its host shows what they are; then the disk of its store"
            " (`iostat -x`) and the network between the monitors" if of_monitors else
            ("" if where else "`ceph health detail` names the OSDs; ")
            + "`ceph daemon osd.N dump_historic_ops` shows where in them the time goes; then "
            "`ceph osd perf`, `iostat -x`, their smartctl",
            "`ceph health detail` under the same load: no SLOW_OPS",
        )  # fmt: skip


_CHECKS = "Ceph documentation, rados/operations/health-checks"
RULES: tuple[Rule, ...] = (
    Rule("degraded", "ceph", "A cluster with OSDs that are down or data that lacks copies.",
         f"{_CHECKS}, OSD_DOWN, PG_DEGRADED and PG_AVAILABILITY", _incomplete, stage="redundancy"),
    Rule("out-of-space", "ceph", "OSDs that are 85 % full, so that writes may soon be refused.",
         f"{_CHECKS}, OSD_NEARFULL, OSD_BACKFILLFULL and OSD_FULL", _room, stage="waiting"),
    Rule("damaged-files", "ceph", "Placement groups whose copies differ, and errors of scrubs.",
         f"{_CHECKS}, PG_DAMAGED and OSD_SCRUB_ERRORS", _inconsistent, stage="data"),
    Rule("slow-requests", "ceph", "Requests that wait in OSDs for more than 30 seconds.",
         f"{_CHECKS}, SLOW_OPS", _slow),
)  # fmt: skip
