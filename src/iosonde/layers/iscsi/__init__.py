"""iSCSI: a LUN exported by Linux's LIO, and the session of open-iscsi that imports it.

    target.py      the exporting side, in configfs
    initiator.py   the importing side: node record and session of iscsiadm

Source: RFC 7143 (iSCSI), RFC 7145 (iSER); Linux Documentation/target; drivers/target/iscsi/
iscsi_target_configfs.c, drivers/target/target_core_configfs.c (6.1); iscsiadm(8), iscsid(8).
"""
