"""Links, frames and NFS."""

from __future__ import annotations

from dataclasses import replace

from iosonde.records.evidence import TrialEvidence
from iosonde.records.stack import Json, Scalar
from tests.contract.rules.case import RuleCase, case, counted, state, trial

GIGABIT = 125_000_000
SLOT: dict[str, Scalar] = {
    "model": "Micron 7450 PRO", "link_speed_max": 16e9, "link_width_max": 4,
    "bandwidth_max": 7876923077,
}  # fmt: skip


def of(target: str, block: int) -> TrialEvidence:
    """A load of blocks of one size."""
    return trial({"write.iops": [9.0]}, host="n1", target=target, options={"bs": block})


def nfsd(*busy: float) -> Json:
    """The `th` line: seconds in which 10 %, 20 % … of eight threads were busy."""
    return {"threads": 8, "all_busy": 40, "busy": [*busy]}


CASES = (
    RuleCase(
        "export-unsafe.open_targets",
        "a target of LIO in demo mode that may be written, and one of tgtd for all",
        case(state("iscsi_target", "iqn.a", {"luns": 1, "tpg1_generate_node_acls": 1,
                                             "tpg1_authentication": 0, "portal": "0.0.0.0:3260",
                                             "tpg1_demo_mode_write_protect": 0}),
             state("iscsi_target", "iqn.b", {"luns": 2, "initiators": "ALL", "accounts": 0},
                   where="page:9"),
             state("iscsi_target", "iqn.b/lun_1", {"device": "/dev/sdb", "readonly": "No"},
                   where="page:9")),
        "one with a list of initiators, one of its own host, one with an account, one without LUNs",
        case(state("iscsi_target", "iqn.a", {"luns": 1, "tpg1_generate_node_acls": 0,
                                             "tpg1_authentication": 0, "acls": 1,
                                             "portal": "0.0.0.0:3260"}),
             state("iscsi_target", "iqn.c", {"luns": 1, "tpg1": "gen-acls, no-auth",
                                             "portal": "127.0.0.1:3260"}),
             state("iscsi_target", "iqn.b", {"luns": 2, "initiators": "ALL", "accounts": 1},
                   where="page:9"),
             state("iscsi_target", "iqn.b/lun_1", {"device": "/dev/sdb", "readonly": "No"},
                   where="page:9"),
             state("iscsi_target", "iqn.d", {"luns": 0, "tpg1": "gen-acls, no-auth"})),
    ),
    RuleCase(
        "frame-block.aoe_frames",
        "AoE in frames of 1500 bytes, which hold no 4 KiB",
        case(trial({"write.iops": [9.0]}, host="n1", target="/dev/etherd/e0.1"),
             state("link", "eth1", {"mtu": 1500})),
        "frames that hold one block of 4 KiB",
        case(trial({"write.iops": [9.0]}, host="n1", target="/dev/etherd/e0.1"),
             state("link", "eth1", {"mtu": 4200})),
    ),
    RuleCase(
        "frame-block.nfs_calls",
        "blocks of 1 MiB over calls of 128 KiB",
        case(replace(of("/srv/f", 1 << 20), options={"bs": 1 << 20, "direct": True}),
             state("nfs", "/srv", {"read_size": 131072, "write_size": 131072})),
        "blocks as large as a call, and larger ones that the page cache takes",
        case(replace(of("/srv/f", 131072), options={"bs": 131072, "direct": True}),
             of("/srv/f", 1 << 20),
             state("nfs", "/srv", {"read_size": 131072, "write_size": 131072})),
    ),
    RuleCase(
        "unsafe-cache.volatile_files",
        "a file that LIO exports write-back",
        case(state("backstore", "fileio/a", {"write_policy": "write_back", "state": "activated"})),
        "one that writes through, one that is not exported, and a block device",
        case(state("backstore", "fileio/a", {"write_policy": "write_thru", "state": "activated"}),
             state("backstore", "fileio/b", {"write_policy": "write_back",
                                             "state": "deactivated"}),
             state("backstore", "block/c", {"write_policy": "write_back", "state": "activated"})),
    ),
    RuleCase(
        "frame-block.iscsi_rounds",
        "writes of 128 KiB, of which iSCSI sends 64 KiB unasked",
        case(of("/dev/sdc", 131072), state("iscsi_initiator", "sdc", {
            "MaxBurstLength": "262144", "FirstBurstLength": "65536"})),
        "writes that are sent whole",
        case(of("/dev/sdc", 65536), state("iscsi_initiator", "sdc", {
            "MaxBurstLength": "262144", "FirstBurstLength": "65536"})),
    ),
    RuleCase(
        "frame-block.fabric_capsules",
        "writes of 16 KiB over capsules that take 8 KiB",
        case(of("/dev/nvme1n1", 16384), state("nvmeof", "nvme1n1", {"in_capsule_data_size": 8192})),
        "writes of 4 KiB over the same",
        case(of("/dev/nvme1n1", 4096), state("nvmeof", "nvme1n1", {"in_capsule_data_size": 8192})),
    ),
    RuleCase(
        "jumbo-mismatch.one_side_only",
        "a server with an MTU of 9000 and a client without",
        case(state("link", "eth1", {"mtu": 1500}, host="client"),
             state("link", "eth1", {"mtu": 9000}, host="server")),
        "a host with both, whose peer has both too",
        case(state("link", "eth0", {"mtu": 1500}, host="client"),
             state("link", "eth1", {"mtu": 9000}, host="client"),
             state("link", "eth1", {"mtu": 9000}, host="server")),
    ),
    RuleCase(
        "jumbo-mismatch.above_its_link",
        "a VLAN with an MTU above that of its link",
        case(state("link", "eth0.7", {"mtu": 9000}, below=("eth0",)),
             state("link", "eth0", {"mtu": 1500})),
        "a VLAN with an MTU below that of its link",
        case(state("link", "eth0.7", {"mtu": 1500}, below=("eth0",)),
             state("link", "eth0", {"mtu": 9000})),
    ),
    RuleCase(
        "jumbo-mismatch.aoe_ends",
        "an AoE initiator whose own interface has the smaller MTU",
        case(state("link", "eth0", {"mtu": 9000}, host="client"),
             state("link", "eth1", {"mtu": 1500}, host="client"),
             state("link", "eth1", {"mtu": 9000}, host="server"),
             state("aoe_target", "e1.0", {"shelf": 1, "slot": 0, "interface": "eth1",
                                          "mtu": 9000}, host="server"),
             state("aoe", "etherd/e1.0", {"shelf": 1, "slot": 0, "interface": "eth1"},
                   host="client")),
        "the smaller MTU at another interface of the client",
        case(state("link", "eth0", {"mtu": 1500}, host="client"),
             state("link", "eth1", {"mtu": 9000}, host="client"),
             state("link", "eth1", {"mtu": 9000}, host="server"),
             state("aoe_target", "e1.0", {"shelf": 1, "slot": 0, "interface": "eth1",
                                          "mtu": 9000}, host="server"),
             state("aoe", "etherd/e1.0", {"shelf": 1, "slot": 0, "interface": "eth1"},
                   host="client")),
    ),
    RuleCase(
        "jumbo-mismatch.shorter_path",
        "a path that takes 1500 bytes of a link's 9000",
        case(state("link", "eth1", {"mtu": 9000, "path_mtu": 1500})),
        "a path that takes them all",
        case(state("link", "eth1", {"mtu": 9000, "path_mtu": 9000})),
    ),
    RuleCase(
        "link-limit.limit",
        "writes over a link at the rate of its payload",
        case(trial({"write.bandwidth": [116e6]}, host="n1", target="/dev/drbd0"),
             state("link", "eth0", {"speed": GIGABIT, "mtu": 1500})),
        "reads at that rate, which DRBD serves from the local disk",
        case(trial({"read.bandwidth": [116e6]}, host="n1", target="/dev/drbd0"),
             state("link", "eth0", {"speed": GIGABIT, "mtu": 1500})),
    ),
    RuleCase(
        "link-speed.slow",
        "a gigabit card that agreed on 100 Mbit/s at half duplex",
        case(state("link", "eno1", {"speed": GIGABIT // 10, "speed_max": GIGABIT,
                                    "duplex": "half", "state": "up"})),
        "a card of 100 Mbit/s at full duplex, which can do no more",
        case(state("link", "eno1", {"speed": GIGABIT // 10, "speed_max": GIGABIT // 10,
                                    "duplex": "full", "state": "up"})),
    ),
    RuleCase(
        "link-errors.errors",
        "a link with collisions",
        case(counted("ifconfig", "link", "eth0", {
            "rx_packets": 100, "tx_packets": 100, "collisions": 3})),
        "a link without",
        case(counted("ifconfig", "link", "eth0", {
            "rx_packets": 100, "tx_packets": 100, "collisions": 0})),
    ),
    RuleCase(
        "link-errors.drops",
        "200 frames dropped of a million",
        case(counted("ip", "link", "eth0", {
            "rx_packets": 1000000, "tx_packets": 10, "rx_dropped": 200, "rx_errors": 0})),
        "50 of a million, as protocols that nobody listens to leave them",
        case(counted("ip", "link", "eth0", {
            "rx_packets": 1000000, "tx_packets": 10, "rx_dropped": 50, "rx_errors": 0})),
    ),
    RuleCase(
        "pcie-link.pcie",
        "a drive of four lanes of PCIe 4 in two lanes of PCIe 3",
        case(state("pcie", "41:00.0", {**SLOT, "link_speed": 8e9, "link_width": 2,
                                       "bandwidth": 1969230769})),
        "the same drive with all it can have",
        case(state("pcie", "41:00.0", {**SLOT, "link_speed": 16e9, "link_width": 4,
                                       "bandwidth": 7876923077})),
    ),
    RuleCase(
        "counter-wrap.wrapped",
        "fewer bytes than 900 million packets have",
        case(counted("ifconfig", "link", "eth0", {
            "rx_bytes": 1200000000, "rx_packets": 900000000, "tx_bytes": 10, "tx_packets": 1})),
        "as many packets with their bytes",
        case(counted("ifconfig", "link", "eth0", {
            "rx_bytes": 900000000000, "rx_packets": 900000000, "tx_bytes": 100,
            "tx_packets": 1})),
    ),
    RuleCase(
        "export-unsafe.unsafe_export",
        "an export for writing to everybody, who is whoever he says",
        case(state("export", "/srv", {"clients": "*", "rw": True, "sync": True, "sec": "sys"})),
        "an export to everybody who has a ticket of Kerberos",
        case(state("export", "/srv", {"clients": "*", "rw": True, "sync": True, "sec": "krb5p"})),
    ),
    RuleCase(
        "export-refused.refused_options",
        "an export with an option of mounts",
        case(state("export", "/srv", {"clients": "web1", "rw": True, "options_of_mounts": "soft"})),
        "an export with its own options",
        case(state("export", "/srv", {"clients": "web1", "rw": True, "sync": True})),
    ),
    RuleCase(
        "loopback-nfs.loopback",
        "a mount whose server has the client's address",
        case(state("nfs", "/mnt", {"server": "10.0.0.1", "address": "10.0.0.1",
                                   "clientaddr": "10.0.0.1"})),
        "a mount from the neighbour",
        case(state("nfs", "/mnt", {"server": "10.0.0.2", "address": "10.0.0.2",
                                   "clientaddr": "10.0.0.1"})),
    ),
    RuleCase(
        "nfs-mount.small_transfers",
        "a mount that writes 8 KiB a call",
        case(state("nfs", "/mnt", {"read_size": 32768, "write_size": 8192})),
        "one that writes 1 MiB a call",
        case(state("nfs", "/mnt", {"read_size": 1 << 20, "write_size": 1 << 20})),
    ),
    RuleCase(
        "nfs-mount.one_connection",
        "one connection over a link of 25 Gbit/s",
        case(state("nfs", "/mnt", {"connections": 1, "protocol": "tcp"}, below=("eth0",)),
             state("link", "eth0", {"speed": 25 * GIGABIT})),
        "one connection over a link of 1 Gbit/s",
        case(state("nfs", "/mnt", {"connections": 1, "protocol": "tcp"}, below=("eth0",)),
             state("link", "eth0", {"speed": GIGABIT})),
    ),
    RuleCase(
        "nfs-mount.without_effect",
        "a soft mount",
        case(state("nfs", "/mnt", {"soft": True})),
        "a hard mount, with relatime, which the kernel shows of every mount",
        case(state("nfs", "/mnt", {"hard": True, "relatime": True})),
    ),
    RuleCase(
        "nfs-mount.locks_and_attributes",
        "a mount whose locks are its own, and one that keeps no attributes",
        case(state("nfs", "/mnt", {"nolock": True, "version": "3"}),
             state("nfs", "/db", {"noac": True, "version": "4.1"})),
        "a mount of NFS 4, whose locks are the server's, and one that nobody writes to",
        case(state("nfs", "/mnt", {"nolock": True, "version": "4.2", "actimeo": 1800}),
             state("nfs", "/usr", {"nolock": True, "version": "3", "ro": True})),
    ),
    RuleCase(
        "nfsd-threads.all_busy",
        "all threads busy for longer than most of them",
        case(counted("nfsd", "nfsd", "", {"th": nfsd(90, 60, 40, 20, 10, 5, 3, 2, 1, 9)})),
        "all threads busy for a moment, at the end of a falling row",
        case(counted("nfsd", "nfsd", "", {"th": nfsd(90, 60, 40, 20, 10, 5, 3, 2, 1, 0.1)})),
    ),
    RuleCase(
        "nfsd-threads.no_idle_thread",
        "a fifth of the arrivals that found no idle thread",
        case(counted("pool_stats", "nfsd", "pool 0", {
            "packets-arrived": 1840322, "sockets-enqueued": 412077, "threads-woken": 1391201,
            "overloads-avoided": 20310})),
        "as many arrivals of which nearly each woke a thread",
        case(counted("pool_stats", "nfsd", "pool 0", {
            "packets-arrived": 1840322, "sockets-enqueued": 3120, "threads-woken": 1837185,
            "overloads-avoided": 17})),
    ),
    RuleCase(
        "read-write-mix.mix",
        "an NFS server that writes four times as often as it reads",
        case(counted("nfsd", "nfsd", "", {"proc4ops": {"read": 100000, "write": 400000}})),
        "counters of a server that nobody used",
        case(counted("nfsd", "nfsd", "", {"proc4ops": {"read": 0, "write": 0}})),
    ),
    RuleCase(
        "nfs-retransmissions.retransmitted",
        "2 % of a client's calls sent again",
        case(counted("nfsstat", "nfs", "", {"rpc": {"calls": 100000, "retransmissions": 2000}})),
        "200 of 100,000, over a year of restarts of the server",
        case(counted("nfsstat", "nfs", "", {"rpc": {"calls": 100000, "retransmissions": 200}})),
    ),
    RuleCase(
        "client-queue.waiting",
        "reads of which the server has 2 ms and the client 180 ms",
        case(counted("nfsiostat", "nfs", "/srv", {
            "read.iops": 800.0, "read.bandwidth": 8e8, "read.rtt": 0.0023, "read.execution": 0.18,
            "read.retransmissions": 0, "rpc_backlog": 45.2})),
        "reads that take as long, and of which the round trip is nearly all",
        case(counted("nfsiostat", "nfs", "/srv", {
            "read.iops": 800.0, "read.bandwidth": 8e8, "read.rtt": 0.178, "read.execution": 0.18,
            "read.retransmissions": 0, "rpc_backlog": 0.0})),
    ),
    RuleCase(
        "ignored-setting.ignored",
        "a keyword that multipath does not know",
        case(state("multipath_config", "/etc/multipath.conf",
                   {"invalid_keywords": "polling_intervall (line 20)"})),
        "sections of a file that it follows, and an option that it takes and calls deprecated",
        case(state("multipath_config", "defaults", {"polling_interval": 5}),
             state("multipath_config", "/etc/multipath.conf",
                   {"deprecated_options": "wwids_file (line 3)"})),
    ),
)  # fmt: skip
