"""DRBD 8.4 and 9: a volume that is written on several hosts.

Source: drbdsetup(8), drbd.conf(5), /proc/drbd.
"""

OUTPUTS = {
    "drbd": "iosonde.layers.drbd.printed:DrbdOutput",
    "drbd_answers": "iosonde.layers.drbd.printed_answers:DrbdAnswers",
    "drbd_conf": "iosonde.layers.drbd.printed_conf:DrbdConf",
    "drbd_events": "iosonde.layers.drbd.printed_events:DrbdEvents",
    "drbd_json": "iosonde.layers.drbd.printed_json:DrbdStatusJson",
    "drbd_states": "iosonde.layers.drbd.printed_answers:DrbdStates",
    "drbd_table": "iosonde.layers.drbd.printed_table:DrbdTable",
    "pacemaker_status": "iosonde.layers.drbd.printed_pacemaker:PacemakerStatus",
}
RULES = {
    "drbd": "iosonde.layers.drbd.findings:RULES",
    "drbd_pacemaker": "iosonde.layers.drbd.findings_pacemaker:RULES",
}
KERNEL_MESSAGES = {
    "drbd": "iosonde.layers.drbd.kernel_log:MESSAGES",
}
