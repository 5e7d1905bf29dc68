"""What the kernel's log says of NFS: servers that did not answer, and answered again.

Source: Linux 6.12 net/sunrpc/clnt.c, rpc_check_timeout() and rpc_check_connected();
    fs/lockd/clntproc.c ("lockd: server").
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_SERVER = r"(?:nfs\d?|lockd|rpc): server (?P<name>[\w.:%-]{1,80}) "

MESSAGES = (
    KernelMessage(
        "not responding, still trying", rf"{_SERVER}not responding, still trying$",
        "nfs", "unanswered_calls",
    ),
    KernelMessage(
        "not responding, timed out", rf"{_SERVER}not responding, timed out$",
        "nfs", "timed_out_calls",
    ),
    KernelMessage(": server ", rf"{_SERVER}OK$", "nfs", "answers_again"),
    KernelMessage(
        "-second grace period",
        r"NFSD: starting (?P<grace_seconds>\d{1,6})-second grace period", "nfs",
        "started_grace_periods",
    ),
    KernelMessage(
        "bad sequence-id error",
        r"NFS: v4 server (?:(?P<name>[\w.:%-]{1,80}) )? ?returned a bad sequence-id error", "nfs",
        "bad_sequence_ids",
    ),
)  # fmt: skip
