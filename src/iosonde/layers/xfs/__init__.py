"""XFS."""

OUTPUTS = {
    "xfs_dump": "iosonde.layers.xfs.printed_dump:XfsDump",
    "xfs_dump_inventory": "iosonde.layers.xfs.printed_dump:XfsDumpInventory",
    "xfs_free_space": "iosonde.layers.xfs.printed_db:XfsFreeSpace",
    "xfs_grown": "iosonde.layers.xfs.printed:XfsGrown",
    "xfs_info": "iosonde.layers.xfs.printed:XfsInfo",
    "xfs_log": "iosonde.layers.xfs.printed_db:XfsLog",
    "xfs_quota_report": "iosonde.layers.xfs.printed_quota:XfsQuotaReport",
    "xfs_quota_state": "iosonde.layers.xfs.printed_quota:XfsQuotaState",
    "xfs_repair": "iosonde.layers.xfs.printed_repair:XfsRepair",
    "xfs_scrub": "iosonde.layers.xfs.printed_scrub:XfsScrub",
    "xfs_stat": "iosonde.layers.xfs.printed_stat:XfsStat",
    "xfs_superblock": "iosonde.layers.xfs.printed_db:XfsSuperblock",
}
RULES = {
    "log_sectors": "iosonde.layers.xfs.findings:RULES",
}
KERNEL_MESSAGES = {
    "xfs": "iosonde.layers.xfs.kernel_log:MESSAGES",
}
