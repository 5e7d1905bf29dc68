"""NFS: server, exports, clients and their mounts."""

OUTPUTS = {
    "exportfs_answers": "iosonde.layers.nfs.printed_exportfs:ExportfsAnswers",
    "exports": "iosonde.layers.nfs.printed_exports:ExportsOutput",
    "mountstats": "iosonde.layers.nfs.printed_mountstats:Mountstats",
    "nfs_conf": "iosonde.layers.nfs.printed_conf:NfsConf",
    "nfsd": "iosonde.layers.nfs.printed_nfsd:NfsdOutput",
    "nfsiostat": "iosonde.layers.nfs.printed_nfsiostat:NfsIostat",
    "nfsstat": "iosonde.layers.nfs.printed_nfsstat:Nfsstat",
    "pool_stats": "iosonde.layers.nfs.printed_pool_stats:PoolStats",
    "showmount": "iosonde.layers.nfs.printed_showmount:Showmount",
}
RULES = {
    "nfs": "iosonde.layers.nfs.findings:RULES",
    "nfs_calls": "iosonde.layers.nfs.findings_calls:RULES",
    "nfs_waiting": "iosonde.layers.nfs.findings_waiting:RULES",
    "nfsd": "iosonde.layers.nfs.findings_server:RULES",
}
KERNEL_MESSAGES = {
    "nfs": "iosonde.layers.nfs.kernel_log:MESSAGES",
}
