"""What tools say of pools of ZFS and their devices, of Ceph, and of the paths of multipath."""

from __future__ import annotations

from tests.contract.rules.case import RuleCase, case, state

CASES = (
    RuleCase(
        "failed-paths.failed_paths",
        "one of four paths has failed",
        case(state("multipath", "mpatha", {"paths": 4, "failed_paths": 1, "failed": "sdd"})),
        "none of four",
        case(state("multipath", "mpatha", {"paths": 4, "failed_paths": 0})),
    ),
    RuleCase(
        "degraded.pools",
        "a pool of ZFS without one of its devices",
        case(state("zpool", "tank", {"state": "DEGRADED"}),
             state("zpool_device", "sdc", {"pool": "tank", "state": "UNAVAIL"})),
        "a spare that is in no use",
        case(state("zpool", "tank", {"state": "ONLINE"}),
             state("zpool_device", "sdc", {"pool": "tank", "state": "AVAIL"})),
    ),
    RuleCase(
        "checksum-errors.checksums",
        "1,229 wrong checksums",
        case(state("zpool_device", "sdb", {"checksum_errors": 1229})),
        "none, and a mirror that counts those of its members",
        case(state("zpool_device", "sdb", {"checksum_errors": 0}),
             state("zpool_device", "mirror-0", {"checksum_errors": 3, "group": True})),
    ),
    RuleCase(
        "io-errors.errors",
        "twelve writes that failed",
        case(state("zpool_device", "sdc", {"read_errors": 0, "write_errors": 12})),
        "checksums alone",
        case(state("zpool_device", "sdc", {"read_errors": 0, "checksum_errors": 12})),
    ),
    RuleCase(
        "damaged-files.damaged",
        "three data errors",
        case(state("zpool", "tank", {"data_errors": 3})),
        "no known data errors",
        case(state("zpool", "tank", {"data_errors": 0})),
    ),
    RuleCase(
        "misaligned.block_sizes",
        "ashift 9 on a drive of 4096 bytes",
        case(state("zpool_device", "sdf", {"block_size": 512, "physical_block_size": 4096})),
        "ashift 12 on a drive of 512 bytes",
        case(state("zpool_device", "sdf", {"block_size": 4096, "physical_block_size": 512})),
    ),
    RuleCase(
        "out-of-space.full",
        "97 % full",
        case(state("zpool", "tank", {"full": 0.97})),
        "80 % full",
        case(state("zpool", "tank", {"full": 0.8})),
    ),
    RuleCase(
        "degraded.incomplete",
        "one of twelve OSDs is down",
        case(state("ceph", "ceph", {"osds": 12, "osds_up": 11, "pgs_active+clean": 116,
                                    "pgs_active+undersized+degraded": 12})),
        "all are up",
        case(state("ceph", "ceph", {"osds": 12, "osds_up": 12, "pgs_active+clean": 128})),
    ),
    RuleCase(
        "out-of-space.room",
        "an OSD that is 91 % full",
        case(state("osd", "osd.3", {"full": 0.91})),
        "84 % full",
        case(state("osd", "osd.3", {"full": 0.84})),
    ),
    RuleCase(
        "damaged-files.inconsistent",
        "a placement group whose copies differ",
        case(state("ceph", "ceph", {"pgs_active+clean+inconsistent": 1})),
        "a placement group that is being scrubbed",
        case(state("ceph", "ceph", {"pgs_active+clean+scrubbing+deep": 1})),
    ),
    RuleCase(
        "slow-requests.slow",
        "32 requests that are blocked",
        case(state("ceph", "ceph", {"slow_requests": 32})),
        "none of them",
        case(state("ceph", "ceph", {"slow_requests": 0})),
    ),
)  # fmt: skip
