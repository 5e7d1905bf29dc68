"""dm-multipath: several paths to one LUN."""

OUTPUTS = {
    "esxcfg_mpath": "iosonde.layers.multipath.printed_esxi_paths:EsxcfgMpath",
    "esxcfg_scsidevs": "iosonde.layers.multipath.printed_esxcfg:EsxcfgScsidevs",
    "esxcli": "iosonde.layers.multipath.printed_esxi:EsxcliLists",
    "esxcli_policies": "iosonde.layers.multipath.printed_esxi_policies:EsxcliPolicies",
    "esxcli_round_robin": "iosonde.layers.multipath.printed_esxi_policies:EsxcliRoundRobin",
    "esxcli_settings": "iosonde.layers.multipath.printed_esxi_settings:EsxcliSettings",
    "esxcli_tables": "iosonde.layers.multipath.printed_esxi_tables:EsxcliTables",
    "esxcli_vsan": "iosonde.layers.multipath.printed_esxi_vsan:EsxcliVsan",
    "esxcli_vsan_tables": "iosonde.layers.multipath.printed_esxi_vsan:EsxcliVsanTables",
    "mpclaim": "iosonde.layers.multipath.printed_mpclaim:Mpclaim",
    "multipath": "iosonde.layers.multipath.printed:MultipathOutput",
    "multipath_complaints": "iosonde.layers.multipath.printed_complaints:MultipathComplaints",
    "multipath_conf": "iosonde.layers.multipath.printed_conf:MultipathConf",
    "multipath_json": "iosonde.layers.multipath.printed_json:MultipathJson",
    "multipath_paths": "iosonde.layers.multipath.printed_paths:MultipathPaths",
    "multipath_tables": "iosonde.layers.multipath.printed_tables:MultipathTables",
    "multipath_verbose": "iosonde.layers.multipath.printed_verbose:MultipathVerbose",
    "multipathd": "iosonde.layers.multipath.printed_paths:MultipathdLog",
    "powermt": "iosonde.layers.multipath.printed_powermt:Powermt",
    "vmkfstools": "iosonde.layers.multipath.printed_esxcfg:Vmkfstools",
}
RULES = {
    "esxi": "iosonde.layers.multipath.findings_esxi:RULES",
    "esxi_vsan": "iosonde.layers.multipath.findings_vsan:RULES",
    "multipath": "iosonde.layers.multipath.findings:RULES",
    "multipath_conf": "iosonde.layers.multipath.findings_conf:RULES",
}
KERNEL_MESSAGES = {
    "esxi": "iosonde.layers.multipath.kernel_log_esxi:MESSAGES",
    "multipath": "iosonde.layers.multipath.kernel_log:MESSAGES",
}
