"""iSCSI: a LUN exported by Linux's LIO, and the session of open-iscsi that imports it.

    target.py      the exporting side, in configfs
    initiator.py   the importing side: node record and session of iscsiadm

Source: RFC 7143 (iSCSI), RFC 7145 (iSER); Linux Documentation/target; drivers/target/iscsi/
iscsi_target_configfs.c, drivers/target/target_core_configfs.c (6.1); iscsiadm(8), iscsid(8).
"""

OUTPUTS = {
    "iscsi_answers": "iosonde.layers.iscsi.printed_answers:IscsiAnswers",
    "iscsi_node": "iosonde.layers.iscsi.printed_node:IscsiNode",
    "iscsi_sessions": "iosonde.layers.iscsi.printed_session:IscsiSessions",
    "iscsid": "iosonde.layers.iscsi.printed_iscsid:IscsidLog",
    "targetcli": "iosonde.layers.iscsi.printed_targetcli:Targetcli",
    "targetcli_config": "iosonde.layers.iscsi.printed_saveconfig:TargetConfig",
    "targetcli_messages": "iosonde.layers.iscsi.printed_target_messages:TargetcliMessages",
    "tgtadm": "iosonde.layers.iscsi.printed_tgt:Tgtadm",
}
RULES = {
    "iscsi_logins": "iosonde.layers.iscsi.findings_logins:RULES",
    "iscsi_open": "iosonde.layers.iscsi.findings_open:RULES",
    "iscsi_rounds": "iosonde.layers.iscsi.findings:RULES",
}
KERNEL_MESSAGES = {
    "iscsi": "iosonde.layers.iscsi.kernel_log:MESSAGES",
}
