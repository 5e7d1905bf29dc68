"""md, Linux software RAID.

Source: md(4), mdadm(8), Linux Documentation/admin-guide/md.rst.
"""

OUTPUTS = {
    "geom_status": "iosonde.layers.md.printed_gmirror:GeomStatus",
    "lsraid": "iosonde.layers.md.printed_lsraid:Lsraid",
    "mdadm": "iosonde.layers.md.printed:Mdadm",
    "mdadm_ddf": "iosonde.layers.md.printed_ddf:MdadmDdf",
    "mdadm_events": "iosonde.layers.md.printed_events:MdadmEvents",
    "mdadm_imsm": "iosonde.layers.md.printed_members:Imsm",
    "mdadm_lines": "iosonde.layers.md.printed_members:MdadmLines",
    "mdadm_members": "iosonde.layers.md.printed_members:MdadmTable",
    "mdadm_messages": "iosonde.layers.md.printed_messages:MdadmMessages",
    "mdadm_partitions": "iosonde.layers.md.printed_partitions:MdadmPartitions",
    "mdadm_query": "iosonde.layers.md.printed_query:MdadmQuery",
    "mdadm_scan": "iosonde.layers.md.printed_scan:MdadmScan",
    "mdstat": "iosonde.layers.md.printed:Mdstat",
    "mdstat_lines": "iosonde.layers.md.printed_mdstat_lines:MdstatLines",
    "metastat": "iosonde.layers.md.printed_metastat:Metastat",
}
RULES = {
    "md_members": "iosonde.layers.md.findings_members:RULES",
    "resync": "iosonde.layers.md.findings:RULES",
}
KERNEL_MESSAGES = {
    "md": "iosonde.layers.md.kernel_log:MESSAGES",
}
