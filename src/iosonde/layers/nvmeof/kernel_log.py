"""What the kernel's log says of an NVMe-oF target.

Source: Linux 6.12 drivers/nvme/target/core.c, nvmet_keep_alive_timer(),
nvmet_fatal_error_handler(), nvmet_ns_enable(); drivers/nvme/target/fabrics-cmd.c,
nvmet_execute_admin_connect() (before 6.0 "creating controller", since then "creating nvm
controller"); drivers/nvme/target/tcp.c and rdma.c, nvmet_*_add_port(); tcp.c,
nvmet_tcp_try_recv_ddgst() and nvmet_tcp_verify_hdgst().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

MESSAGES = (
    KernelMessage(
        "nvmet: adding nsid ",
        r"nvmet: adding nsid (?P<namespaces>\d{1,10}) to subsystem (?P<name>\S{1,223})",
        "nvmeof_target", "added_namespaces",
    ),
    KernelMessage(
        " for NQN ",
        r"nvmet: [Cc]reat(?:ing|ed) (?:nvm |discovery )?controller (?P<controllers>\d{1,6}) for "
        r"subsystem (?P<name>\S{1,223}) for NQN (?P<other>\S{1,222}?)[. ]?(?: |$)", "nvmeof_target",
        "controllers_created",
    ),
    KernelMessage(
        "keep-alive timer (",
        r"nvmet: ctrl (?P<controllers>\d{1,6}) keep-alive timer \((?P<keep_alive_seconds>\d{1,6}) "
        r"seconds\) expired", "nvmeof_target", "expired_keep_alives", "device",
    ),
    KernelMessage(
        "fatal error occurred", r"nvmet: ctrl (?P<controllers>\d{1,6}) fatal error occurred",
        "nvmeof_target", "fatal_errors", "device",
    ),
    KernelMessage(
        " digest error: recv",
        r"nvmet_tcp: queue (?P<queues>\d{1,5}): (?:cmd \d{1,6} pdu \(\d{1,6}\) )?"
        r"(?P<digests>data|header) digest error: recv", "nvmeof_target", "digest_errors",
        cause="digest",
    ),
    KernelMessage(
        ": enabling port ",
        r"nvmet_(?P<transports>tcp|rdma|fc): enabling port (?P<ports>\d{1,6}) "
        r"\((?P<addresses>[\w.:\[\]%-]{3,60})\)", "nvmeof_target", "enabled_ports",
    ),
)  # fmt: skip
