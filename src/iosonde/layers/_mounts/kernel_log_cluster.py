"""What the kernel's log says of file systems of clusters: GFS2, OCFS2 and Lustre.

Source: Linux 6.12 fs/gfs2/util.h, fs_err(), and util.c, gfs2_withdraw() (before 5.x "GFS2: fsid=");
    fs/ocfs2/super.c, __ocfs2_error() and ocfs2_handle_error(); fs/ocfs2/cluster/tcp.c,
    masklog.c, __mlog_printk(), and quorum.c, o2quo_fence_self(); Lustre 2.15
    lustre/obdclass/obd_mount.c, lustre/ptlrpc/import.c, ptlrpc_set_import_discon(), and client.c,
    ptlrpc_expire_one_request(); libcfs/libcfs/tracefile.c (pid:extern_pid:(file:line:function())).
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage
from iosonde.layers._mounts.kernel_log import filesystem_messages

_OBD = r"(?P<name>[\w.-]{2,80}?(?:-(?:OST|MDT)[\da-f]{4}|MGS|MGC[\w.@-]{3,60}))(?:-\w{2,20}){0,3}"
_PLACE = r"\d{1,9}:\d{1,9}:\((?P<places>[\w.-]{3,40}:\d{1,6}:\w{3,60}\(\))\) "

MESSAGES = (
    *filesystem_messages(
        "fsid=", r"(?:gfs2|GFS2): fsid=(?P<name>[\w.:-]{1,80}?)(?:\.(?P<journals>\d{1,3}|s))?: ",
        ("read_only_remounts", r"(?:about to withdraw|File system withdrawn|withdrawn).{0,60}"),
        ("filesystem_errors", r"fatal: (?!I/O).{2,160}"),
        ("transfer_errors", r"fatal: I/O error.{0,160}"),
        ("mounts", r"(?:first mount done|Joined cluster|Now mounting FS).{0,80}"),
    ),
    KernelMessage(
        "OCFS2: ERROR (device",
        r"OCFS2: ERROR \(device (?P<name>[\w!-]{1,32})\): (?P<failures>\S.{2,160})",
        "filesystem", "filesystem_errors", "damage",
    ),
    KernelMessage(
        "OCFS2: File system is now read-only", r"OCFS2: File system is now read-only", "host",
        "ocfs2_stops", "damage",
    ),
    KernelMessage(
        "o2net: No longer connected to ",
        r"o2net: No longer connected to node (?P<name>[\w.-]{1,64}) \(num \d{1,3}\) at "
        r"(?P<addresses>[\da-f.:]{3,60})", "filesystem", "lost_connections",
    ),
    KernelMessage(
        "has been idle for ",
        r"o2net: Connection to node (?P<name>[\w.-]{1,64}) \(num \d{1,3}\) at "
        r"(?P<addresses>[\da-f.:]{3,60})\S{0,8} has been idle for "
        r"(?P<idle_seconds>\d{1,6}(?:\.\d{1,6})?) secs",
        "filesystem", "unanswered_calls", "unanswered",
    ),
    KernelMessage(
        "ocfs2 is very sorry to be fencing",
        r"\*{3} ocfs2 is very sorry to be fencing this system by (?P<fenced_by>\w{4,12})", "host",
        "fenced_by_ocfs2",
    ),
    KernelMessage(
        "in progress operations using this service will",
        rf"Lustre: {_OBD}: Connection to (?P<services>[\w.-]{{2,80}}) "
        r"\(at (?P<addresses>[\w.:@-]{3,80})\) was lost; in progress operations using this "
        r"service will (?P<outcomes>wait|fail)",
        "filesystem", "unanswered_calls", "unanswered",
    ),
    KernelMessage(
        ": Connection restored to ",
        rf"Lustre: {_OBD}: Connection restored to (?P<services>\S{{2,80}})",
        "filesystem", "restored_connections",
    ),
    KernelMessage(
        ": operation ",
        rf"LustreError: \d{{1,6}}-\d: {_OBD}: operation (?P<operations>\w{{3,40}}) to node "
        r"(?P<addresses>[\w.:@-]{3,80}) failed: rc = (?P<errors>-\d{1,5})", "filesystem",
        "failed_operations",
    ),
    KernelMessage(
        "@@@ Request sent has ",
        rf"Lustre: {_PLACE}@@@ Request sent has (?P<failures>(?:timed out|failed)[\w ]{{0,60}})",
        "host", "unanswered_lustre_requests", "unanswered",
    ),
    *(
        KernelMessage(
            f"{begin}: ", rf"{begin}: (?:{_PLACE})?(?P<notices>\S.{{2,160}})", "host",
            f"{begin.lower()}_messages",
        )
        for begin in ("LustreError", "Lustre", "LNetError", "LNet")
    ),
)  # fmt: skip
