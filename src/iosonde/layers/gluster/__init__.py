"""What Gluster prints of its volumes, bricks and servers.

Volumes are kind `gluster_volume`, their bricks `gluster_brick`, the daemons beside them
`gluster_daemon`, the servers `gluster_peer`, the pool of servers `gluster`, what each server
does of a rebalance `gluster_rebalance`, snapshots `gluster_snapshot`, and files that `volume top`
names `gluster_file`. Options have the names that `gluster volume set` takes.

Nothing is asked of a live host, and nothing is built. No rule speaks of daemons that are offline
(not every one is wanted), of files that a rebalance could not move, or of options of performance.
XML, quotas, lists of snapshots and geo-replication are not read.
"""
