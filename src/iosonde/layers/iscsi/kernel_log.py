"""What the kernel's log says of iSCSI, of the initiator and of LIO's target.

Source: Linux 6.12 drivers/scsi/scsi_transport_iscsi.c, iscsi_conn_error_event() ("detected conn
error"), session_recovery_timedout(); drivers/scsi/libiscsi.c, iscsi_check_transport_timeouts()
("ping timeout of"); drivers/target/iscsi/iscsi_target.c and iscsi_target_login.c.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

MESSAGES = (
    KernelMessage(
        "detected conn error",
        r" ?(?P<name>connection\d+:\d+): detected conn error \((?P<errors>(?!1020)\d{1,5})\)",
        "iscsi", "connection_errors", "device",
    ),
    KernelMessage(
        "detected conn error (1020)",  # ISCSI_ERR_TCP_CONN_CLOSE: after a logout, too
        r" ?(?P<name>connection\d+:\d+): detected conn error \(1020\)", "iscsi",
        "closed_connections",
    ),
    KernelMessage(
        ": ping timeout of ",
        r" ?(?P<name>connection\d+:\d+): ping timeout of (?P<ping_seconds>\d{1,6}) secs expired, "
        r"recv timeout (?P<receive_seconds>\d{1,6})", "iscsi", "ping_timeouts", "device",
    ),
    KernelMessage(
        "session recovery timed out",
        r" ?(?P<name>session\d+): session recovery timed out after (?P<waited_seconds>\d{1,9}) "
        r"secs",
        "iscsi", "lost_sessions", "data",
    ),
    KernelMessage(
        "iSCSI Login negotiation failed", r"iSCSI Login negotiation failed", "iscsi_target",
        "failed_logins",
    ),
    KernelMessage(
        "iSCSI Login timeout", r"iSCSI Login timeout on Network Portal (?P<name>\S{3,60})",
        "iscsi_target", "failed_logins",
    ),
    KernelMessage(
        "Did not receive response to NOPIN",
        r"Did not receive response to NOPIN on CID: (?P<connections>\d{1,6}), failing connection",
        "iscsi_target", "failed_connections", "device",
    ),
)  # fmt: skip
