"""LVM2: physical volumes, groups and logical volumes.

Source: lvm(8) of lvm2 2.03.
"""

OUTPUTS = {
    "lvm": "iosonde.layers.lvm.printed:LvmOutput",
    "lvm_backup": "iosonde.layers.lvm.printed_backup:LvmBackup",
    "lvm_bare": "iosonde.layers.lvm.printed_separated:LvmBare",
    "lvm_conf": "iosonde.layers.lvm.printed_conf:LvmConf",
    "lvm_devices": "iosonde.layers.lvm.printed_devices:LvmDevices",
    "lvm_display": "iosonde.layers.lvm.printed_display:LvmDisplay",
    "lvm_json": "iosonde.layers.lvm.printed_json:LvmJson",
    "lvm_messages": "iosonde.layers.lvm.printed_messages:LvmMessages",
    "lvm_pairs": "iosonde.layers.lvm.printed_fields:LvmPairs",
    "lvm_scans": "iosonde.layers.lvm.printed_scans:LvmScans",
    "lvm_separated": "iosonde.layers.lvm.printed_separated:LvmSeparated",
}
RULES = {
    "lvm_missing": "iosonde.layers.lvm.findings_missing:RULES",
    "lvm_raid": "iosonde.layers.lvm.findings:RULES",
    "space": "iosonde.layers.lvm.findings_space:RULES",
}
