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
