"""What the kernel's log says of network block devices.

Source: Linux 6.12 drivers/block/nbd.c, nbd_xmit_timeout(), nbd_handle_cmd(), sock_xmit(),
nbd_disconnect().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_NBD = r"block (?P<name>nbd\d+): "

MESSAGES = (
    KernelMessage(
        ": Connection timed out", rf"{_NBD}Connection timed out", "nbd", "timeouts", "device"
    ),
    KernelMessage(
        ": Possible stuck request", rf"{_NBD}Possible stuck request", "nbd", "stuck_requests",
        "device",
    ),
    KernelMessage(
        "control failed (result",
        rf"{_NBD}(?P<failures>(?:Receive|Send) control) failed \(result (?P<errors>-\d{{1,5}})\)",
        "nbd", "connection_errors", "device",
    ),
    KernelMessage(
        "Dead connection, failed to find a fallback",
        rf"{_NBD}Dead connection, failed to find a fallback", "nbd", "lost_connections", "gone",
    ),
    KernelMessage("NBD_DISCONNECT", rf"{_NBD}NBD_DISCONNECT", "nbd", "disconnections"),
    KernelMessage(
        "shutting down sockets", rf"{_NBD}shutting down sockets", "nbd", "closed_connections"
    ),
)  # fmt: skip
