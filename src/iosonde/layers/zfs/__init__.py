"""What ZFS prints of its pools, their devices, datasets and memory.

Pools are kind `zpool`, their devices `zpool_device`, file systems and volumes `dataset`; what the
module counts is kind `zfs`, its parameters are kind `module`.

Nothing is asked of a live host, and nothing is built. No rule speaks of hit rates of the ARC, of
fragmentation, or of properties of datasets such as recordsize and sync.
"""

OUTPUTS = {
    "arc_summary": "iosonde.layers.zfs.printed_arc:ArcSummary",
    "zdb": "iosonde.layers.zfs.printed_zdb:Zdb",
    "zdb_ashift": "iosonde.layers.zfs.printed_zdb:ZdbAshift",
    "zed": "iosonde.layers.zfs.printed_events:ZedEvents",
    "zfs_answers": "iosonde.layers.zfs.printed_answers:ZfsAnswers",
    "zfs_get": "iosonde.layers.zfs.printed_tables:ZfsGet",
    "zfs_json": "iosonde.layers.zfs.printed_json:ZfsJson",
    "zfs_kstat": "iosonde.layers.zfs.printed_kstat:ZfsKstat",
    "zfs_kstat_io": "iosonde.layers.zfs.printed_kstat_io:ZfsPoolIo",
    "zfs_list": "iosonde.layers.zfs.printed_tables:ZfsList",
    "zfs_rows": "iosonde.layers.zfs.printed_rows:ZfsRows",
    "zpool_events": "iosonde.layers.zfs.printed_history:ZpoolEvents",
    "zpool_history": "iosonde.layers.zfs.printed_history:ZpoolHistory",
    "zpool_iostat": "iosonde.layers.zfs.printed_tables:ZpoolIostat",
    "zpool_iostat_wide": "iosonde.layers.zfs.printed_iostat:ZpoolIostatWide",
    "zpool_line": "iosonde.layers.zfs.printed:ZpoolLine",
    "zpool_list": "iosonde.layers.zfs.printed_tables:ZpoolList",
    "zpool_status": "iosonde.layers.zfs.printed:ZpoolStatus",
    "zpool_upgrade": "iosonde.layers.zfs.printed_upgrade:ZpoolUpgrade",
    "zpool_vdevs": "iosonde.layers.zfs.printed_vdevs:ZpoolVdevs",
}
RULES = {
    "zfs": "iosonde.layers.zfs.findings:RULES",
    "zfs_cleared": "iosonde.layers.zfs.findings_cleared:RULES",
    "zfs_suspended": "iosonde.layers.zfs.findings_suspended:RULES",
}
KERNEL_MESSAGES = {
    "zfs": "iosonde.layers.zfs.kernel_log:MESSAGES",
}
