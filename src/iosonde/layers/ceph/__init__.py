"""What Ceph prints of its cluster, file systems, images and object gateway.

The cluster is kind `ceph`, its OSDs are `osd`, its pools `ceph_pool` and placement groups
`ceph_pg`; file systems are `ceph_fs` and their daemons `mds`; images are `rbd`; of the object
gateway buckets are `rgw_bucket`, users `rgw_user`, zones `rgw_zone`, and what a zone takes over
from another one `rgw_sync`.

Nothing is asked of a live host, and nothing is built. No rule speaks of a zone that is behind
another (it is while objects are written), of clients that are slow to release capabilities, or of
placement groups that are being scrubbed or moved. JSON is read of radosgw-admin alone.
"""
