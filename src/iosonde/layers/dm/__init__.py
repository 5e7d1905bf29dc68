"""Device-mapper: any mapped device that no technology of its own claims.

What all that maps by it share lies in `_mapper`.
"""

OUTPUTS = {
    "dmraid_answers": "iosonde.layers.dm.printed_deps:DmraidAnswers",
    "dmraid_drives": "iosonde.layers.dm.printed_dmraid:DmraidDrives",
    "dmraid_missing": "iosonde.layers.dm.printed_dmraid:DmraidMissing",
    "dmraid_sets": "iosonde.layers.dm.printed_dmraid:DmraidSets",
    "dmsetup": "iosonde.layers.dm.printed:Dmsetup",
    "dmsetup_deps": "iosonde.layers.dm.printed_deps:DmsetupDeps",
    "dmsetup_info": "iosonde.layers.dm.printed_info:DmsetupInfo",
    "dmsetup_targets": "iosonde.layers.dm.printed_deps:DmsetupTargets",
    "integritysetup": "iosonde.layers.dm.printed_headers:HeaderDump",
    "stratis": "iosonde.layers.dm.printed_stratis:Stratis",
    "vdo_statistics": "iosonde.layers.dm.printed_vdo:VdoStatistics",
    "vdo_status": "iosonde.layers.dm.printed_vdo:VdoStatus",
    "vdo_table": "iosonde.layers.dm.printed_vdo:VdoTable",
}
RULES = {
    "error_target": "iosonde.layers.dm.findings:RULES",
}
KERNEL_MESSAGES = {
    "dm": "iosonde.layers.dm.kernel_log:MESSAGES",
}
