"""What tools say of Gluster and of Ceph's file systems and gateways."""

from __future__ import annotations

from iosonde.records.stack import Scalar
from tests.contract.rules.case import RuleCase, case, state

_PAIR: dict[str, Scalar] = {
    "type": "Replicate",
    "layout": "1 x 2",
    "bricks": 2,
    "nfs.disable": "on",
}

CASES = (
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
)  # fmt: skip
