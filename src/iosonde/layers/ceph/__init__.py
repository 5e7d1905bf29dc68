"""What Ceph prints of its cluster, file systems, images and object gateway.

The cluster is kind `ceph`, its OSDs are `osd`, its pools `ceph_pool` and placement groups
`ceph_pg`; file systems are `ceph_fs` and their daemons `mds`; images are `rbd`; of the object
gateway buckets are `rgw_bucket`, users `rgw_user`, zones `rgw_zone`, and what a zone takes over
from another one `rgw_sync`.

Nothing is asked of a live host, and nothing is built. No rule speaks of a zone that is behind
another (it is while objects are written), of clients that are slow to release capabilities, or of
placement groups that are being scrubbed or moved. JSON is read of radosgw-admin alone.
"""

OUTPUTS = {
    "ceph": "iosonde.layers.ceph.printed:CephStatus",
    "ceph_answers": "iosonde.layers.ceph.printed_answers:CephAnswers",
    "ceph_auth": "iosonde.layers.ceph.printed_auth:CephAuth",
    "ceph_caps": "iosonde.layers.ceph.printed_kernel_client:CephCaps",
    "ceph_conf": "iosonde.layers.ceph.printed_conf:CephConf",
    "ceph_daemon_log": "iosonde.layers.ceph.printed_daemon_log:CephDaemonLog",
    "ceph_df": "iosonde.layers.ceph.printed_tables:CephDf",
    "ceph_df_json": "iosonde.layers.ceph.printed_json:CephDfJson",
    "ceph_fs_status": "iosonde.layers.ceph.printed_fs_status:CephFsStatus",
    "ceph_health": "iosonde.layers.ceph.printed:CephHealth",
    "ceph_health_details": "iosonde.layers.ceph.printed_health:CephHealthDetails",
    "ceph_health_json": "iosonde.layers.ceph.printed_json:CephHealthJson",
    "ceph_log": "iosonde.layers.ceph.printed_log:CephLog",
    "ceph_mds_requests": "iosonde.layers.ceph.printed_kernel_client:CephMdsRequests",
    "ceph_mds_sessions": "iosonde.layers.ceph.printed_kernel_client:CephMdsSessions",
    "ceph_metadata": "iosonde.layers.ceph.printed_metadata:CephMetadata",
    "ceph_metrics": "iosonde.layers.ceph.printed_kernel_client:CephMetrics",
    "ceph_mon_map": "iosonde.layers.ceph.printed_mon_map:CephMonMap",
    "ceph_orch": "iosonde.layers.ceph.printed_orch:CephOrch",
    "ceph_osd_df_rows": "iosonde.layers.ceph.printed_df_rows:CephOsdDfRows",
    "ceph_osd_map": "iosonde.layers.ceph.printed_osd_map:CephOsdMap",
    "ceph_osd_requests": "iosonde.layers.ceph.printed_kernel_client:CephOsdRequests",
    "ceph_osd_rows": "iosonde.layers.ceph.printed_tree:CephOsdRows",
    "ceph_osds": "iosonde.layers.ceph.printed_tables:CephOsds",
    "ceph_osds_json": "iosonde.layers.ceph.printed_json:CephOsdsJson",
    "ceph_pg_osds": "iosonde.layers.ceph.printed_pgs:CephPgOsds",
    "ceph_pgs": "iosonde.layers.ceph.printed_pgs:CephPgs",
    "ceph_pool_stats": "iosonde.layers.ceph.printed_pool_stats:CephPoolStats",
    "ceph_status_json": "iosonde.layers.ceph.printed_json:CephStatusJson",
    "rados_df": "iosonde.layers.ceph.printed_pool_stats:RadosDf",
    "rbd_images": "iosonde.layers.ceph.printed_rbd_tables:RbdImages",
    "rbd_images_json": "iosonde.layers.ceph.printed_rbd_json:RbdImagesJson",
    "rbd_info": "iosonde.layers.ceph.printed_rbd:RbdInfo",
    "rbd_info_json": "iosonde.layers.ceph.printed_rbd_json:RbdInfoJson",
    "rbd_mapped": "iosonde.layers.ceph.printed_rbd_tables:RbdMapped",
    "rbd_status": "iosonde.layers.ceph.printed_rbd_tables:RbdStatus",
    "rbd_usage": "iosonde.layers.ceph.printed_rbd_tables:RbdUsage",
    "rbd_usage_json": "iosonde.layers.ceph.printed_rbd_json:RbdUsageJson",
    "rgw_bucket_stats": "iosonde.layers.ceph.printed_rgw_stats:RgwBucketStats",
    "rgw_limit_check": "iosonde.layers.ceph.printed_rgw_stats:RgwLimitCheck",
    "rgw_sync": "iosonde.layers.ceph.printed_rgw_sync:RgwSync",
    "rgw_user_stats": "iosonde.layers.ceph.printed_rgw_stats:RgwUserStats",
}
RULES = {
    "ceph": "iosonde.layers.ceph.findings:RULES",
    "ceph_client": "iosonde.layers.ceph.findings_client:RULES",
    "ceph_conf": "iosonde.layers.ceph.findings_conf:RULES",
    "ceph_fs": "iosonde.layers.ceph.findings_fs:RULES",
    "ceph_health": "iosonde.layers.ceph.findings_health:RULES",
    "ceph_log": "iosonde.layers.ceph.findings_log:RULES",
    "ceph_perf": "iosonde.layers.ceph.findings_perf:RULES",
    "ceph_pools": "iosonde.layers.ceph.findings_pools:RULES",
}
KERNEL_MESSAGES = {
    "ceph": "iosonde.layers.ceph.kernel_log:MESSAGES",
}
