"""What the kernel's log says of Ceph's clients: libceph, the file system and RBD.

Source: Linux 6.12 net/ceph/mon_client.c, osdmap.c, ceph_common.c, messenger.c,
ceph_con_process_message() and con_fault(); fs/ceph/mds_client.c;
drivers/block/rbd.c.
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_MON = (
    r"libceph: (?:\([\da-f-]{36} \d+\): )?(?P<name>mon\d+) "
    r"(?:\(\d\))?(?P<addresses>[\w.:\[\]%-]{3,60}) "
)
_PEER = (
    r"libceph: (?:\([\da-f-]{36} \d+\): )?(?P<name>(?:mon|osd|mds)\d+) "
    r"(?:\(\d\))?(?P<addresses>[\w.:\[\]%-]{3,60}) "
)

MESSAGES = (
    KernelMessage("session established", rf"{_MON}session established", "ceph", "monitor_sessions"),
    KernelMessage(
        "session lost, hunting for new mon", rf"{_MON}session lost, hunting for new mon", "ceph",
        "lost_monitor_sessions",
    ),
    KernelMessage("libceph: osd", r"libceph: (?P<name>osd\d+) down$", "ceph", "downs"),
    KernelMessage(
        "libceph: osd",
        r"libceph: (?P<name>osd\d+) (?P<osd_states>up|weight \S{1,20}(?: \(\w+\))?)$",
        "ceph", "osd_state_changes",
    ),
    KernelMessage(
        "libceph: client", r"libceph: client\d{1,18} fsid (?P<name>[\da-f-]{36})", "ceph",
        "clients",
    ),
    *(
        KernelMessage(
            said,
            rf"ceph: (?:\[[\da-f-]{{36}} \d+\]: )?(?P<name>mds\d+) (?P<mds_messages>{said})",
            "ceph", "mds_session_changes",
        )
        for said in ("caps stale", "closed our session", "reconnect start", "reconnect success",
                     "reconnect denied", "recovery completed", "hung", "came back", "caps renewed")
    ),
    KernelMessage(
        ": breaking header lock owned by",
        r"rbd: (?:image )?(?P<name>\S{1,64}): breaking header lock owned by "
        r"(?P<other>client\d{1,18})",
        "ceph", "broken_locks",
    ),
    KernelMessage(
        "failed to acquire exclusive lock",
        r"rbd: (?P<name>rbd\d+): failed to acquire exclusive lock: (?P<errors>-\d{1,5})", "ceph",
        "failed_locks",
    ),
    KernelMessage(
        "rbd: ",
        r"rbd: (?P<name>rbd\d+): (?P<commands>write|read|discard|zeroout)(?: at objno \d+ \S+)? "
        r"result (?P<errors>-\d{1,5})", "ceph", "failed_requests", "data",
    ),
    KernelMessage(
        "capacity ", r"rbd: (?P<name>rbd\d+): capacity (?P<capacities>\d{1,20}) features "
        r"(?P<features>0x[\da-f]{1,16})", "ceph", "mapped_images",
    ),
    KernelMessage(
        " socket closed (con state OPEN)",  # also of a connection that was idle
        rf"{_PEER}(?P<connection_failures>socket closed \(con state OPEN\))", "ceph",
        "closed_connections",
    ),
    *(
        KernelMessage(
            f" {said}", rf"{_PEER}(?P<connection_failures>{said}"
            r"(?: on (?:read|write)| \(con state \w{3,24}\))?)", "ceph", "lost_connections",
        )
        for said in ("socket closed", "socket error", "connect error", "wrong peer at address")
    ),
)  # fmt: skip
