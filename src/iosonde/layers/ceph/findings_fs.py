"""Rules about CephFS and the object gateway: ranks without an MDS, damage, shards, lost sync.

Source:
    Ceph documentation, cephfs/health-messages ("mds cluster is degraded": ranks that are failed,
    damaged or not yet active; "clients may pause metadata IO"; laggy: no beacon for
    mds_beacon_grace, 15 s; insufficient standby; damaged metadata; read-only mode; slow requests:
    more than 30 s), radosgw/dynamicresharding (a shard of an index beyond its threshold).
    ceph mds/MDSMap.cc (is_degraded(): states from replay to clientreplay; not stopping, which an
    administrator asks for), pybind/mgr/status/module.py ("failed": a rank that no MDS holds),
    rgw/rgw_admin.cc (get_data_sync_status(): "failed to retrieve sync info: ").
"""

from __future__ import annotations

from collections.abc import Iterator

from iosonde.layers.ceph.findings import clusters, place_of
from iosonde.records.evidence import EvidenceSet, Rule, StateEvidence, subject_of
from iosonde.records.finding import Finding

_LAGGY = "(laggy)"
_COMING = frozenset({"replay", "resolve", "reconnect", "rejoin", "clientreplay"})
_GONE = frozenset({"failed", "damaged"})
_INSUFFICIENT = "insufficient standby MDS daemons available"


def _rank_state(daemon: StateEvidence) -> str:
    return str(daemon.values.get("state")).removesuffix(_LAGGY)


def _ranks_not_up(case: EvidenceSet) -> Iterator[Finding]:
    """File systems some of whose ranks are not up, by their ranks, else by the health."""
    ranks: dict[tuple[str, object], list[StateEvidence]] = {}
    for daemon in case.of_kind("mds"):
        if "rank" in daemon.values and _rank_state(daemon) in _COMING | _GONE:
            key = place_of(daemon), daemon.values.get("file_system")
            ranks.setdefault(key, []).append(daemon)
    for (_, system), daemons in ranks.items():
        gone = any(_rank_state(daemon) in _GONE for daemon in daemons)
        listed = ", ".join(f"{daemon.values['rank']} {_rank_state(daemon)}" for daemon in daemons)
        yield _not_up(
            daemons[0], f"Ranks of the file system {system or 'of Ceph'} are not up ({listed})",
            "error" if gone else "warning", "state",
        )  # fmt: skip
    places = {place for place, _ in ranks}
    for cluster in case.of_kind("ceph"):
        offline, count = (int(cluster.number(f"filesystems_{x}")) for x in ("offline", "degraded"))
        if (offline or count) and place_of(cluster) not in places:
            places.add(place_of(cluster))
            what = " and ".join(
                f"{number:,} {'file system is' if number == 1 else 'file systems are'} {word}"
                for number, word in ((offline, "offline"), (count, "degraded")) if number
            )  # fmt: skip
            yield _not_up(
                cluster, f"Of CephFS {what}: ranks have no MDS, or one that is not active yet",
                "error" if offline else "warning", "filesystems_offline", "filesystems_degraded",
            )  # fmt: skip


def _not_up(thing: StateEvidence, message: str, severity: str, *names: str) -> Finding:
    return Finding(
        "degraded", severity, subject_of(thing),
        f"{message}. Until all are active, clients may wait for operations on metadata.",
        thing.evidence(*names),
        "`ceph fs status` names the ranks; a failed one needs a standby MDS: start one, and read "
        "the log of the one that went away",
        "`ceph fs status` shows all ranks as active",
    )  # fmt: skip


def _laggy(case: EvidenceSet) -> Iterator[Finding]:
    for daemon in case.of_kind("mds"):
        if str(daemon.values.get("state")).endswith(_LAGGY):
            yield Finding(
                "mds-laggy", "warning", subject_of(daemon),
                f"{daemon.name} is laggy: the monitors have had no beacon of it for "
                "mds_beacon_grace (15 s unless set), and clients wait for it or for its "
                "replacement.",
                daemon.evidence("state", "rank", "file_system"),
                "see whether it runs, is short of memory, or waits for slow OSDs; a standby "
                "replaces it where there is one",
                "`ceph fs status` shows it as active, not laggy",
            )  # fmt: skip


def _no_standby(case: EvidenceSet) -> Iterator[Finding]:
    for cluster in clusters(
        case, lambda state: _INSUFFICIENT in str(state.values.get("health_checks"))
    ):
        yield Finding(
            "no-standby", "warning", subject_of(cluster),
            "Fewer MDS stand by than the file systems of Ceph ask for: where an active one fails, "
            "its rank may stay without.",
            cluster.evidence("mds_standby", "mds_up", "health"),
            "start another MDS; or `ceph fs set FS standby_count_wanted 0` where none is wanted",
            "`ceph health detail`: no MDS_INSUFFICIENT_STANDBY",
        )  # fmt: skip


def _damaged_metadata(case: EvidenceSet) -> Iterator[Finding]:
    says = {
        "mds_damaged": "ranks are damaged and do not start before their metadata are repaired",
        "mds_with_damaged_metadata": "MDS found metadata that are damaged or missing: clients get "
        "I/O errors below them",
        "mds_read_only": "MDS are read-only, after an error when they wrote metadata or because "
        "somebody asked for it: clients cannot change metadata",
    }
    for cluster in clusters(case, lambda state: any(map(state.number, says))):
        parts = [f"{int(count):,} {what}" for name, what in says.items()
                 if (count := cluster.number(name))]  # fmt: skip
        yield Finding(
            "damaged-files", "error", subject_of(cluster), f"Of CephFS {'; '.join(parts)}.",
            cluster.evidence(*says),
            "`ceph health detail` names the daemons, `ceph tell mds.N damage ls` what is damaged; "
            "read the documentation on disaster recovery before any repair",
            "`ceph health detail`: no MDS_DAMAGE, MDS_HEALTH_DAMAGE, MDS_HEALTH_READ_ONLY",
        )  # fmt: skip


def _slow_metadata(case: EvidenceSet) -> Iterator[Finding]:
    says = {
        "mds_with_slow_requests": "with requests of clients",
        "mds_with_slow_metadata_io": "with their own I/Os to the OSDs",
    }
    for cluster in clusters(case, lambda state: any(map(state.number, says))):
        parts = [f"{int(count):,} {what}" for name, what in says.items()
                 if (count := cluster.number(name))]  # fmt: skip
        yield Finding(
            "slow-requests", "warning", subject_of(cluster),
            f"MDS of Ceph are slow: {' and '.join(parts)} that take longer than 30 seconds.",
            cluster.evidence(*says, "slow_requests", "pgs_inactive"),
            "`ceph health detail` names them; where their own I/Os are slow, the OSDs of the "
            "metadata pool are",
            "`ceph health detail` under the same load: no MDS_SLOW_REQUEST, MDS_SLOW_METADATA_IO",
        )  # fmt: skip


def _full_pools(case: EvidenceSet) -> Iterator[Finding]:
    """Full pools; those that are full because OSDs are need no finding of their own."""
    for cluster in clusters(case, lambda state: _pools_beside_osds(state)[0]):
        count, is_full = _pools_beside_osds(cluster)
        yield Finding(
            "out-of-space", "error" if is_full else "warning", subject_of(cluster),
            f"{count:,} {'pool of Ceph is' if count == 1 else 'pools of Ceph are'} "
            + ("full: they take no writes." if is_full else "nearly full: full ones take no "
               "writes."),
            cluster.evidence("pools_full", "pools_near_full"),
            "`ceph health detail` says whether a quota (`ceph osd pool get-quota POOL`) or the "
            "OSDs are reached",
            "`ceph health detail`: no POOL_FULL, POOL_NEARFULL",
        )  # fmt: skip


def _pools_beside_osds(cluster: StateEvidence) -> tuple[int, bool]:
    """How many pools are full, else nearly full, where no OSD is; and whether they are full."""
    full, near = int(cluster.number("pools_full")), int(cluster.number("pools_near_full"))
    if cluster.number("osds_full"):
        return 0, False
    return (full, True) if full else (0 if cluster.number("osds_near_full") else near, False)


def _large_shards(case: EvidenceSet) -> Iterator[Finding]:
    for bucket in case.of_kind("rgw_bucket"):
        if bucket.values.get("state") == "over":
            yield Finding(
                "large-index", "warning", subject_of(bucket),
                f"The index of the bucket {bucket.name} has more objects in each shard than the "
                f"gateway calls safe ({bucket.values.get('fill_status')}): listing, writing and "
                "recovering it can become slow.",
                bucket.evidence("fill_status", "objects_per_shard", "num_objects", "num_shards"),
                f"`radosgw-admin reshard add --bucket {bucket.name} --num-shards N` where dynamic "
                "resharding is off or not possible",
                "`radosgw-admin bucket limit check`: OK",
            )  # fmt: skip


def _failed_sync(case: EvidenceSet) -> Iterator[Finding]:
    for sync in case.of_kind("rgw_sync"):
        state = str(sync.values.get("state"))
        if state.startswith(("failed", "sync status: failed")):
            yield Finding(
                "sync-failed", "warning", subject_of(sync),
                f"The gateway cannot say how far it is behind the zone {sync.name}: {state}.",
                sync.evidence("state", "behind_shards"),
                "see whether the endpoint of that zone answers, and whether the keys of the "
                "system user and the period are those of the realm",
                "`radosgw-admin sync status`: syncing",
            )  # fmt: skip


_FS = "Ceph documentation, cephfs/health-messages"
RULES: tuple[Rule, ...] = (
    Rule("degraded", "ceph_fs", "CephFS with ranks that are not up.",
         f"{_FS}; mds/MDSMap.cc, is_degraded()", _ranks_not_up, stage="redundancy"),
    Rule("mds-laggy", "mds", "MDS that sent no beacon for too long.", _FS, _laggy),
    Rule("no-standby", "ceph_fs", "Fewer standby MDS than the file systems ask for.",
         _FS, _no_standby),
    Rule("damaged-files", "ceph_fs", "Damaged metadata of CephFS, and MDS that are read-only.",
         _FS, _damaged_metadata, stage="data"),
    Rule("slow-requests", "mds", "MDS whose requests or own I/Os take longer than 30 seconds.",
         _FS, _slow_metadata),
    Rule("out-of-space", "ceph_pool", "Pools that are full, or nearly so.",
         "Ceph documentation, rados/operations/health-checks, POOL_FULL", _full_pools,
         stage="waiting"),
    Rule("large-index", "rgw_bucket", "Buckets with too many objects in a shard of their index.",
         "Ceph documentation, radosgw/dynamicresharding", _large_shards),
    Rule("sync-failed", "rgw_sync", "Zones whose synchronisation cannot be read.",
         "ceph rgw/rgw_admin.cc, get_data_sync_status()", _failed_sync),
)  # fmt: skip
