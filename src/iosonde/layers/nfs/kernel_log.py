"""What the kernel's log says of NFS: servers that did not answer, and answered again.

Source: Linux 6.12 net/sunrpc/clnt.c, rpc_check_timeout() and rpc_check_connected();
    fs/lockd/clntproc.c ("lockd: server"); fs/nfs/nfs4state.c, nfs4_state_manager() and
    nfs4_discover_server_trunking(); net/sunrpc/svcsock.c, svc_tcp_sendto(); net/sunrpc/svc.c,
    __svc_register(); fs/nfsd/nfs4recover.c and nfs4state.c, nfs4_state_start_net().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_SERVER = r"(?:nfs\d?|lockd|rpc): server (?P<name>[\w.:%-]{1,80}) "

MESSAGES = (
    KernelMessage(
        "not responding, still trying", rf"{_SERVER}not responding, still trying$",
        "nfs", "unanswered_calls", "unanswered",
    ),
    KernelMessage(
        "not responding, timed out", rf"{_SERVER}not responding, timed out$",
        "nfs", "timed_out_calls", "unanswered",
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
    KernelMessage(
        "NFS: state manager",
        r"NFS: state manager:? ?(?P<steps>[a-z][a-z ]{2,40}?)? ?failed on NFSv4 server "
        r"(?P<name>[\w.:%-]{1,80}) with error (?P<errors>\d{1,5})", "nfs", "failed_recoveries",
    ),
    KernelMessage(
        " unhandled error ",
        r"NFS: (?P<functions>nfs4?\d?\w{3,60}) unhandled error (?P<errors>-\d{1,5})", "nfs",
        "unhandled_errors",
    ),
    KernelMessage(
        ": got error -",
        r"rpc-srv/tcp: nfsd: (?:got error|sent) (?P<errors>-\d{1,5}) when sending \d{1,9} bytes",
        "nfs", "cut_connections",
    ),
    KernelMessage(
        "svc: failed to register",
        r"svc: failed to register (?P<services>\w{3,20}) RPC service \(errno (?P<errors>\d{1,5})\)",
        "nfs", "failed_registrations",
    ),
    KernelMessage(
        "skipping NFSv4 grace period",
        r"NFSD: no clients to reclaim, skipping NFSv4 grace period", "nfs",
        "skipped_grace_periods",
    ),
    KernelMessage(
        "client tracking operations",
        r"NFSD: Using (?P<client_trackers>\S[\w /.-]{2,60}?) client tracking operations", "nfs",
        "chosen_client_trackers",
    ),
)  # fmt: skip
