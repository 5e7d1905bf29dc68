"""What tools say of Gluster and of Ceph's file systems and gateways."""

from __future__ import annotations

from iosonde.records.evidence import CounterEvidence
from iosonde.records.stack import Scalar
from tests.contract.rules.case import RuleCase, case, counted, state

_PAIR: dict[str, Scalar] = {
    "type": "Replicate",
    "layout": "1 x 2",
    "bricks": 2,
    "nfs.disable": "on",
}

_DRBD: dict[str, Scalar] = {"agent": "ocf:linbit:drbd", "role": "Slave", "node": "elm"}
_SRV: dict[str, Scalar] = {"agent": "ocf:heartbeat:Filesystem", "role": "Stopped"}
_FAILURE: dict[str, Scalar] = {
    "resource": "srv", "action": "start", "node": "elm", "result": "error",
    "reason": "Couldn't mount device",
}  # fmt: skip


def osd_perf(*latencies: int) -> tuple[CounterEvidence, ...]:
    """OSDs in the table of `ceph osd perf`, by milliseconds."""
    return tuple(
        counted("ceph osd perf", "osd", f"osd.{number}",
                {"commit_latency": ms / 1e3, "apply_latency": ms / 1e3})
        for number, ms in enumerate(latencies)
    )  # fmt: skip


CASES = (
    RuleCase(
        "clock-skew.skewed",
        "two monitors with clocks of their own",
        case(state("ceph", "ceph", {"health": "HEALTH_WARN", "monitors_with_clock_skew": "b,c"})),
        "a cluster that warns of something else",
        case(state("ceph", "ceph", {"health": "HEALTH_WARN", "recent_crashes": 1})),
    ),
    RuleCase(
        "recovery-held.flagged",
        "noout and norecover are set",
        case(state("ceph", "ceph", {"health": "HEALTH_WARN", "flags": "noout,norecover"})),
        "flags that hold nothing back",
        case(state("ceph", "ceph", {"flags": "noout,sortbitwise,recovery_deletes"})),
    ),
    RuleCase(
        "degraded.lost_copies",
        "data of two copies that have one left, and data whose only copy is away",
        case(state("bcachefs", "/srv", {"copies_2x": 9000, "copies_2x_without_1x": 4096}),
             state("bcachefs", "/old", {"copies_1x_without_1x": 512,
                                        "copies_4_and_2_without_1x": 64})),
        "all data have their copies; a column that is empty",
        case(state("bcachefs", "/srv", {"copies_2x": 9000, "copies_1x": 512,
                                        "copies_2x_without_1x": 0})),
    ),
    RuleCase(
        "degraded.offline_devices",
        "a device that is offline",
        case(state("bcachefs_device", "sdb", {"state": "offline", "label": "hdd.b",
                                              "filesystem": "/srv"})),
        "devices that are written, only read, or being emptied",
        case(*(state("bcachefs_device", name, {"state": name, "filesystem": "/srv"})
               for name in ("rw", "ro", "evacuating", "spare"))),
    ),
    RuleCase(
        "mount-before-network.late_networks",
        "an entry of fstab for a disk behind a target's address, without _netdev",
        case(state("ext4", "/srv", {"device": "/dev/disk/by-path/ip-10.0.0.5:3260-iscsi-x-lun-1",
                                    "_netdev": False, "defaults": True})),
        "with _netdev; nobody waits for it; a local disk",
        case(state("ext4", "/a", {"device": "/dev/disk/by-path/ip-10.0.0.5:3260-iscsi-x-lun-1",
                                  "_netdev": True}),
             state("ext4", "/b", {"_netdev": False, "nofail": True}),
             state("ext4", "/c", {"_netdev": False, "noauto": True}),
             state("ext4", "/d", {"device": "/dev/sdb1", "defaults": True})),
    ),
    RuleCase(
        "few-placement-groups.many_objects",
        "a pool with thirteen times as many objects in a group as all have",
        case(state("ceph", "ceph", {"health": "HEALTH_WARN", "pools_with_many_objects": 1}),
             state("ceph_pool", "data", {"objects_per_pg": 52000, "times_average": 13.2,
                                         "average_objects_per_pg": 3939})),
        "a cluster that warns of something else, and a pool with many objects in many groups",
        case(state("ceph", "ceph", {"health": "HEALTH_WARN", "osds_near_full": 1}),
             state("ceph_pool", "data", {"objects": 52_000_000, "pg_num": 4096})),
    ),
    RuleCase(
        "large-omap.large_omaps",
        "an index with more keys in an object than is healthy",
        case(state("ceph", "ceph", {"health": "HEALTH_WARN", "large_omap_objects": 1}),
             state("ceph_pool", "index", {"large_omap_objects": 1})),
        "a pool with many objects, of none of which the health warns",
        case(state("ceph", "ceph", {"health": "HEALTH_OK"}),
             state("ceph_pool", "index", {"objects": 300_000})),
    ),
    RuleCase(
        "slow-osd.slow_osds",
        "one of eight OSDs that takes 412 ms where the others take 2 to 4 ms",
        case(*osd_perf(2, 3, 412, 2, 4, 3, 2, 3)),
        "a cluster of flash and of slower disks",
        case(*osd_perf(1, 1, 130, 1, 120, 1, 140, 1)),
    ),
    RuleCase(
        "failed-resource.failed_resources",
        "an instance of DRBD failed; a file system is stopped after its start failed",
        case(state("pacemaker_resource", "r0:0", {**_DRBD, "failed": True}),
             state("pacemaker_resource", "srv", _SRV),
             state("pacemaker_failure", "srv start on elm", _FAILURE)),
        "one that runs after a failure, one that is disabled, one that never failed, an address",
        case(state("pacemaker_resource", "srv", {**_SRV, "role": "Started", "node": "oak"}),
             state("pacemaker_failure", "srv start on elm", _FAILURE),
             state("pacemaker_resource", "old", {**_SRV, "flags": "disabled"}),
             state("pacemaker_failure", "old start on elm", {**_FAILURE, "resource": "old"}),
             state("pacemaker_resource", "new", _SRV),
             state("pacemaker_resource", "r0", _DRBD),
             state("pacemaker_resource", "vip", {"agent": "ocf:heartbeat:IPaddr2",
                                                 "failed": True})),
    ),
    RuleCase(
        "degraded.bricks",
        "one of three bricks is offline",
        case(state("gluster_brick", "elm:/b1", {"volume": "homes", "state": "offline"}),
             state("gluster_volume", "homes", {"bricks_online": 2, "bricks_offline": 1})),
        "all bricks are online; an NFS server of Gluster, which nobody may have asked for, is not",
        case(state("gluster_brick", "elm:/b1", {"volume": "homes", "state": "online"}),
             state("gluster_volume", "homes", {"bricks_online": 3, "bricks_offline": 0})),
    ),
    RuleCase(
        "split-brain.split_brain",
        "an entry in split-brain",
        case(state("gluster_brick", "elm:/b1", {"entries_to_heal": 3, "split_brain": 1})),
        "entries that wait to be healed, whose right copy is known",
        case(state("gluster_brick", "elm:/b1", {"entries_to_heal": 3})),
    ),
    RuleCase(
        "heal-pending.pending",
        "two entries that wait to be healed",
        case(state("gluster_brick", "elm:/b1", {"entries_to_heal": 2})),
        "two entries that are being healed, or were healed long ago",
        case(state("gluster_brick", "elm:/b1", {"entries_to_heal": 2, "possibly_healing": 2}),
             state("gluster_brick", "oak:/b1", {"entries_healed": 512})),
    ),
    RuleCase(
        "split-brain-risk.two_copies",
        "two copies, no arbiter and no quorum",
        case(state("gluster_volume", "homes", _PAIR)),
        "two copies with a quorum, with a thin arbiter, an arbiter, or options that are not shown",
        case(state("gluster_volume", "a", {**_PAIR, "cluster.quorum-type": "auto"}),
             state("gluster_volume", "b", {**_PAIR, "thin_arbiter_path": "ash:/ta"}),
             state("gluster_volume", "c", {**_PAIR, "layout": "1 x (2 + 1)"}),
             state("gluster_volume", "d", {"type": "Replicate", "layout": "1 x 2"}),
             state("gluster_volume", "e", {**_PAIR, "type": "Stripe"})),
    ),
    RuleCase(
        "lost-peer.peers",
        "a server that is disconnected",
        case(state("gluster_peer", "elm", {"connection": "disconnected",
                                           "state": "Peer in Cluster"})),
        "one that is connected",
        case(state("gluster_peer", "elm", {"connection": "connected",
                                           "state": "Peer in Cluster"})),
    ),
    RuleCase(
        "degraded.ranks_not_up",
        "a rank that no MDS holds",
        case(state("mds", "homes:1", {"rank": 1, "state": "failed", "file_system": "homes"}),
             state("ceph", "ceph", {"health": "HEALTH_WARN", "filesystems_degraded": 1})),
        "ranks that are active, or stop because somebody asked for fewer",
        case(state("mds", "mds.a", {"rank": 0, "state": "active", "file_system": "homes"}),
             state("mds", "mds.b", {"rank": 1, "state": "stopping", "file_system": "homes"}),
             state("ceph", "ceph", {"health": "HEALTH_OK"})),
    ),
    RuleCase(
        "mds-laggy.laggy",
        "an active MDS that is laggy",
        case(state("mds", "mds.a", {"rank": 0, "state": "active(laggy)"})),
        "an active one",
        case(state("mds", "mds.a", {"rank": 0, "state": "active"})),
    ),
    RuleCase(
        "no-standby.no_standby",
        "fewer standby MDS than are asked for",
        case(state("ceph", "ceph", {"health_checks":
                                    "insufficient standby MDS daemons available"})),
        "another warning, of a cluster that asks for none",
        case(state("ceph", "ceph", {"health_checks": "1 pool(s) do not have an application "
                                    "enabled", "mds_up": 1})),
    ),
    RuleCase(
        "damaged-files.damaged_metadata",
        "metadata that are damaged",
        case(state("ceph", "ceph", {"mds_with_damaged_metadata": 1})),
        "none of them",
        case(state("ceph", "ceph", {"mds_up": 1, "filesystems_degraded": 1})),
    ),
    RuleCase(
        "slow-requests.slow_metadata",
        "an MDS whose I/Os to the OSDs are slow",
        case(state("ceph", "ceph", {"mds_with_slow_metadata_io": 1})),
        "slow requests of OSDs alone, which are another finding",
        case(state("ceph", "ceph", {"slow_requests": 12})),
    ),
    RuleCase(
        "out-of-space.full_pools",
        "a pool that reached its quota",
        case(state("ceph", "ceph", {"pools_full": 1})),
        "full pools because of a full OSD, which is another finding",
        case(state("ceph", "ceph", {"pools_full": 7, "osds_full": 3})),
    ),
    RuleCase(
        "monitors-down.monitors",
        "one of three monitors is out of quorum",
        case(state("ceph", "ceph", {"monitors_down": 1, "monitors": 3, "quorum": "a,c"}),
             state("ceph_mon", "mon.b", {"rank": 1, "status": "down"})),
        "all are in the quorum, and one is only low on room",
        case(state("ceph", "ceph", {"monitors": 3, "quorum": "a,b,c"}),
             state("ceph_mon", "mon.a", {"rank": 0, "available": 0.2})),
    ),
    RuleCase(
        "out-of-space.low_disks",
        "a monitor whose disk has 22 % left, of which the health warns",
        case(state("ceph", "ceph", {"MON_DISK_LOW": "mon a is low on available space"},
                   where="page:1-4"),
             state("ceph_mon", "mon.a", {"available": 0.22}, where="page:1-4")),
        "a monitor with as much, of which the health does not warn",
        case(state("ceph", "ceph", {"health": "HEALTH_OK"}),
             state("ceph_mon", "mon.a", {"available": 0.22})),
    ),
    RuleCase(
        "no-checksums.no_checksums",
        "a ceph.conf that turns BlueStore's checksums off",
        case(state("ceph_config", "osd", {"bluestore_csum_type": "none"})),
        "one that chooses a shorter checksum",
        case(state("ceph_config", "osd", {"bluestore_csum_type": "crc32c_8"})),
    ),
    RuleCase(
        "out-of-space.full_ratio",
        "a ceph.conf that stops writes at 97 %",
        case(state("ceph_config", "global", {"mon_osd_full_ratio": 0.97})),
        "one with the default",
        case(state("ceph_config", "global", {"mon_osd_full_ratio": 0.95})),
    ),
    RuleCase(
        "recent-crash.crashes",
        "two crashes that nobody has acknowledged",
        case(state("ceph", "ceph", {"recent_crashes": 2})),
        "none",
        case(state("ceph", "ceph", {"health": "HEALTH_OK"})),
    ),
    RuleCase(
        "slow-heartbeats.heartbeats",
        "a pair of OSDs whose heartbeats take 1.2 s",
        case(state("osd", "osd.0", {"heartbeat_back_to_osd.1": 1.2})),
        "OSDs of which nothing is said of heartbeats",
        case(state("osd", "osd.0", {"full": 0.4})),
    ),
    RuleCase(
        "oversized-cache.caches",
        "a cache of 9 GiB where the limit is 4 GiB",
        case(state("mds", "mds.a", {"cache_used": 9 << 30, "cache_limit": 4 << 30})),
        "an MDS with many inodes, of whose cache nothing is said",
        case(state("mds", "mds.a", {"rank": 0, "state": "active", "inodes": 4_000_000})),
    ),
    RuleCase(
        "large-index.large_shards",
        "a bucket with 180 % of what its shards should hold",
        case(state("rgw_bucket", "photos", {"state": "over", "fill_status": "OVER 180.000000%",
                                            "objects_per_shard": 180000})),
        "one that comes near to it",
        case(state("rgw_bucket", "photos", {"state": "warn", "fill_status": "WARN 92.000000%",
                                            "objects_per_shard": 92000})),
    ),
    RuleCase(
        "sync-failed.failed_sync",
        "a zone whose state cannot be read",
        case(state("rgw_sync", "west", {"state": "failed to retrieve sync info: (5) "
                                        "Input/output error"})),
        "one that is behind, as it is while objects are written",
        case(state("rgw_sync", "west", {"state": "syncing", "behind_shards": 4})),
    ),
)  # fmt: skip
