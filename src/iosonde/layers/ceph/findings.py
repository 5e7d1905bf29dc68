"""Rules about clusters of Ceph: placement groups that are not whole, room, damage, slow requests.

Source:
    Ceph documentation, rados/operations/health-checks (OSD_DOWN, PG_DEGRADED, PG_AVAILABILITY,
    OSD_NEARFULL, OSD_BACKFILLFULL, OSD_FULL, PG_DAMAGED, OSD_SCRUB_ERRORS, SLOW_OPS) and
    rados/configuration/mon-config-ref: mon_osd_nearfull_ratio 0.85, mon_osd_backfillfull_ratio
    0.90, mon_osd_full_ratio 0.95; osd_op_complaint_time is 30 seconds.
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde import units
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_NEARLY, _FULL = 0.85, 0.95


def place_of(thing: StateEvidence) -> str:
    """By what clusters are told apart: the host, or the text where none is named."""
    return thing.host or thing.source


def _pgs(state: StateEvidence, word: str) -> int:
    """Placement groups in a state: as the health counts them, else the sum of their states."""
    counted = state.number(f"pgs_{word}")
    return int(counted) or sum(
        int(state.number(name))
        for name in state.values
        if name.startswith("pgs_") and word in name[4:].split("+")
    )


def _incomplete(case: EvidenceSet) -> Iterator[Finding]:
    reported = set[str]()
    for cluster in case.of_kind("ceph"):
        inactive = int(cluster.number("pgs_inactive"))
        down = int(cluster.number("osds_down")) or int(
            cluster.number("osds") - cluster.number("osds_up")
        )
        degraded = _pgs(cluster, "degraded") or _pgs(cluster, "undersized")
        if place_of(cluster) in reported or not (inactive or down > 0 or degraded):
            continue
        reported.add(place_of(cluster))
        parts = [
            f"{count:,} {what}"
            for count, what in (
                (down, "of its OSDs are down"),
                (degraded, "placement groups lack copies"),
                (inactive, "placement groups are inactive, and requests to them wait"),
            )
            if count > 0
        ]
        yield Finding(
            "degraded", "error" if inactive else "warning", subject_of(cluster),
            f"The Ceph cluster is not whole: {', '.join(parts)}. While it recovers, its disks and "
            "network do that beside the clients' I/O.",
            cluster.evidence("osds", "osds_up", "osds_down", "pgs_degraded", "pgs_undersized",
                             "pgs_inactive", "objects_degraded"),
            "`ceph osd tree` names the OSDs that are down; bring them back, or replace their disks",
            "the same load once all placement groups are active+clean",
        )  # fmt: skip


def _room(case: EvidenceSet) -> Iterator[Finding]:
    reported = set[str]()
    for cluster in case.of_kind("ceph"):
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
    reported = set[str]()
    for cluster in case.of_kind("ceph"):
        count = _pgs(cluster, "inconsistent")
        errors = int(cluster.number("scrub_errors"))
        if not (count or errors) or place_of(cluster) in reported:
            continue
        reported.add(place_of(cluster))
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


def _slow(case: EvidenceSet) -> Iterator[Finding]:
    reported = set[str]()
    for cluster in case.of_kind("ceph"):
        count = int(cluster.number("slow_requests"))
        if not count or place_of(cluster) in reported:
            continue
        reported.add(place_of(cluster))
        yield Finding(
            "slow-requests", "warning", subject_of(cluster),
            f"{count:,} requests of clients wait for more than 30 seconds in OSDs of the Ceph "
            "cluster.",
            cluster.evidence("slow_requests", "pgs_inactive", "osds_down"),
            "`ceph health detail` names the OSDs; `ceph daemon osd.N dump_historic_ops` shows "
            "where in them the time goes; then `ceph osd perf`, `iostat -x`, their smartctl",
            "`ceph health detail` under the same load: no SLOW_OPS",
        )  # fmt: skip


_CHECKS = "Ceph documentation, rados/operations/health-checks"
RULES: tuple[Rule, ...] = (
    Rule("degraded", "ceph", "A cluster with OSDs that are down or data that lacks copies.",
         f"{_CHECKS}, OSD_DOWN, PG_DEGRADED and PG_AVAILABILITY", _incomplete),
    Rule("out-of-space", "ceph", "OSDs that are 85 % full, so that writes may soon be refused.",
         f"{_CHECKS}, OSD_NEARFULL, OSD_BACKFILLFULL and OSD_FULL", _room),
    Rule("damaged-files", "ceph", "Placement groups whose copies differ, and errors of scrubs.",
         f"{_CHECKS}, PG_DAMAGED and OSD_SCRUB_ERRORS", _inconsistent),
    Rule("slow-requests", "ceph", "Requests that wait in OSDs for more than 30 seconds.",
         f"{_CHECKS}, SLOW_OPS", _slow),
)  # fmt: skip
