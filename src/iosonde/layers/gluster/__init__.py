"""What Gluster prints of its volumes, bricks and servers.

Volumes are kind `gluster_volume`, their bricks `gluster_brick`, the daemons beside them
`gluster_daemon`, the servers `gluster_peer`, the pool of servers `gluster`, what each server
does of a rebalance `gluster_rebalance`, snapshots `gluster_snapshot`, and files that `volume top`
names `gluster_file`. Options have the names that `gluster volume set` takes.

Nothing is asked of a live host, and nothing is built. No rule speaks of daemons that are offline
(not every one is wanted), of files that a rebalance could not move, or of options of performance.
XML, quotas, lists of snapshots and geo-replication are not read.
"""

OUTPUTS = {
    "gluster_answers": "iosonde.layers.gluster.printed_answers:GlusterAnswers",
    "gluster_heal": "iosonde.layers.gluster.printed_heal:GlusterHeal",
    "gluster_info": "iosonde.layers.gluster.printed:GlusterInfo",
    "gluster_peers": "iosonde.layers.gluster.printed:GlusterPeers",
    "gluster_pool": "iosonde.layers.gluster.printed:GlusterPool",
    "gluster_profile": "iosonde.layers.gluster.printed_profile:GlusterProfile",
    "gluster_rebalance": "iosonde.layers.gluster.printed_rebalance:GlusterRebalance",
    "gluster_status": "iosonde.layers.gluster.printed_status:GlusterStatus",
    "gluster_top": "iosonde.layers.gluster.printed_top:GlusterTop",
}
RULES = {
    "gluster": "iosonde.layers.gluster.findings:RULES",
}
