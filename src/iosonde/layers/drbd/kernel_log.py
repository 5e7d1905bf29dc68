"""What the kernel's log says of DRBD: peers that did not answer, and how disks and links change.

Source: drbd 9.2 and 8.4, drbd_receiver.c ("PingAck did not arrive in time.",
    "Split-Brain detected but unresolved, dropping connection!"), drbd_state.c,
    print_st_err() and print_state_change() ("disk( UpToDate -> Failed )").
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_RESOURCE = (
    r"(?:drbd|block) (?P<name>[\w.-]{1,64})(?:/\d+)?(?: drbd\d+)?(?: (?P<other>[\w.-]{1,64}))?: "
)

MESSAGES = (
    KernelMessage(
        "Split-Brain detected", rf"{_RESOURCE}Split-Brain detected but unresolved, dropping "
        "connection", "drbd", "split_brains",
    ),
    KernelMessage(
        "PingAck did not arrive", rf"{_RESOURCE}PingAck did not arrive in time", "drbd",
        "unanswered_pings",
    ),
    KernelMessage(
        "disk( ", rf"{_RESOURCE}.{{0,120}}?\b(?<!p)disk\( (?P<disk_changes>\w+ -> \w+) \)", "drbd",
        "disk_state_changes",
    ),
    KernelMessage(
        "conn( ", rf"{_RESOURCE}.{{0,120}}?\bconn\( (?P<connection_changes>\w+ -> \w+) \)", "drbd",
        "connection_state_changes",
    ),
)  # fmt: skip
