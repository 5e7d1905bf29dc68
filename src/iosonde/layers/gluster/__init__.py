"""What Gluster prints of its volumes, bricks and servers.

Volumes are kind `gluster_volume`, their bricks `gluster_brick`, the daemons beside them
`gluster_daemon`, the servers `gluster_peer`, the pool of servers `gluster`, and what each server
does of a rebalance `gluster_rebalance`. Options have the names that `gluster volume set` takes.

Nothing is asked of a live host, and nothing is built. No rule speaks of daemons that are offline
(not every one is wanted), of files that a rebalance could not move, or of options of performance.
XML, quotas, snapshots, geo-replication, `volume profile` and `volume top` are not read.
"""
