"""What the kernel's log says of NVMe drives.

Source:
    Linux 6.12 drivers/nvme/host/pci.c, nvme_timeout(), abort_endio() and nvme_reset_work();
    nvme_alloc_host_mem(); before 6.2 nvme_remove_dead_ctrl(); drivers/nvme/host/core.c,
    nvme_wait_ready(), nvme_log_error() and nvme_keep_alive_end_io(); drivers/nvme/host/fabrics.c,
    nvmf_log_connect_error(); drivers/nvme/host/tcp.c, rdma.c and fc.c, *_timeout(),
    *_error_recovery(), *_reconnect_or_remove(); drivers/nvme/host/multipath.c,
    nvme_ns_head_submit_bio().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_NVME = r"nvme (?P<name>nvme\d+): "
_NAMESPACE = r"(?P<name>nvme\d+(?:c\d+)?n\d+)"
_TIMEOUT = (
    rf"{_NVME}I/O (?:tag )?(?P<tags>\d{{1,6}}) (?:\([\da-f]{{4}}\) )?(?:type \d{{1,3}} )?"
    r"(?:opcode (?P<opcodes>0x[\da-f]{1,2}(?: \([\w /-]{2,30}\))?) )?.{0,60}"
    r"QID (?P<queues>\d{1,5}) timeout"
)

MESSAGES = (
    KernelMessage(
        "timeout, aborting", rf"{_TIMEOUT}, aborting", "disk", "timeouts", "device"
    ),
    KernelMessage(
        "timeout, reset controller", rf"{_TIMEOUT}, reset controller",
        "disk", "controller_resets", "device",
    ),
    KernelMessage(
        "timeout, completion polled", rf"{_TIMEOUT}, completion polled",
        "disk", "polled_completions", "device",
    ),
    KernelMessage(
        "controller is down; will reset",
        rf"{_NVME}controller is down; will reset(?:: CSTS=(?P<csts>0x[\da-f]{{1,8}}), "
        r"PCI_STATUS=(?P<pci_statuses>0x[\da-f]{1,4}))?",
        "disk", "controller_resets", "device",
    ),
    KernelMessage(
        "Abort status: ", rf"{_NVME}Abort status: (?P<abort_statuses>0x[\da-f]{{1,8}})",
        "disk", "finished_aborts",
    ),
    KernelMessage(
        "Device not ready; aborting",
        rf"{_NVME}Device not ready; aborting (?:reset|initiali[sz]ation)",
        "disk", "failed_controller_resets", "gone",
    ),
    KernelMessage(
        "after probe failure",
        rf"{_NVME}Removing after probe failure status: (?P<statuses>-?\d{{1,6}})",
        "disk", "removals", "gone",
    ),
    KernelMessage(
        "Disabling device after reset failure",
        rf"{_NVME}Disabling device after reset failure: (?P<statuses>-?\d{{1,6}})",
        "disk", "removals", "gone",
    ),
    KernelMessage(
        " QID ", rf"{_TIMEOUT}$", "disk", "timeouts", "device",
    ),
    KernelMessage(
        ": timeout request 0x", rf"{_NVME}queue (?P<queues>\d{{1,5}}): timeout request 0x[\da-f]+",
        "disk", "timeouts", "device",
    ),
    KernelMessage(
        "starting error recovery", rf"{_NVME}starting error recovery", "disk", "error_recoveries",
        "device",
    ),
    KernelMessage(
        " digest error: recv",
        rf"{_NVME}(?:queue \d{{1,5}}: )?(?P<digests>data|header) digest error: recv",
        "disk", "digest_errors", cause="digest",
    ),
    KernelMessage(
        "Reconnecting in ", rf"{_NVME}Reconnecting in (?P<wait_seconds>\d{{1,6}}) seconds",
        "disk", "waits_to_reconnect",
    ),
    KernelMessage(
        "Failed reconnect attempt", rf"{_NVME}Failed reconnect attempt (?P<attempts>\d{{1,6}})",
        "disk", "failed_reconnects", "device",
    ),
    KernelMessage(
        "Reconnect attempt failed",
        rf"{_NVME}NVME-FC\{{\d+\}}: reset: Reconnect attempt failed \((?P<errors>-?\d{{1,5}})\)",
        "disk", "failed_reconnects", "device",
    ),
    KernelMessage(
        "uccessfully reconnected",
        rf"{_NVME}Successfully reconnected \((?P<attempts>\d{{1,6}}) att",
        "disk", "reconnects",
    ),
    KernelMessage(
        "failed to connect socket: ",
        rf"{_NVME}failed to connect socket: (?P<errors>-\d{{1,5}})", "disk", "failed_connections",
    ),
    KernelMessage(
        "failed to connect queue: ",
        rf"{_NVME}failed to connect queue: (?P<queues>\d{{1,5}}) ret=(?P<errors>-?\d{{1,6}})",
        "disk", "failed_connections",
    ),
    KernelMessage(
        "Connect command failed, ",
        rf"{_NVME}Connect command failed, (?P<failures>[a-zA-Z/][\w/ ]{{2,40}}: -?\d{{1,6}})",
        "disk", "failed_connections",
    ),
    KernelMessage(
        "connection establishment failed",
        rf"{_NVME}rdma connection establishment failed \((?P<errors>-\d{{1,5}})\)",
        "disk", "failed_connections",
    ),
    KernelMessage(
        "nvme_keep_alive_end_io error",
        rf"{_NVME}failed nvme_keep_alive_end_io error=(?P<errors>\d{{1,6}})",
        "disk", "failed_keep_alives", "device",
    ),
    KernelMessage(
        ": new ctrl: ",
        rf'{_NVME}(?:NVME-FC\{{\d+\}}: )?new ctrl: (?:NQN )?"(?P<nqns>[^"]{{3,223}})"'
        r"(?:, addr (?P<addresses>[\w.:\[\]%-]{3,60}))?", "disk", "connections",
    ),
    KernelMessage(
        ": Removing ctrl: ", rf'{_NVME}Removing ctrl: NQN "(?P<nqns>[^"]{{3,223}})"',
        "disk", "disconnections",
    ),
    KernelMessage(
        "default/read/poll queues",
        rf"{_NVME}(?:mapped )?(?P<queue_counts>\d{{1,5}}/\d{{1,5}}/\d{{1,5}}) default/read/poll "
        r"queues",
        "disk", "configured_queues",
    ),
    KernelMessage(
        "I/O queues.", rf"{_NVME}creating (?P<io_queues>\d{{1,5}}) I/O queues\.",
        "disk", "configured_queues",
    ),
    KernelMessage(
        ": pci function ",
        rf"{_NVME}pci function (?P<pci_functions>[\da-f]{{4,8}}:[\da-f]{{2}}:[\da-f]{{2}}\.\d)",
        "disk", "described_controllers",
    ),
    KernelMessage(
        "Shutdown timeout set to ",
        rf"{_NVME}Shutdown timeout set to (?P<shutdown_seconds>\d{{1,6}}) seconds",
        "disk", "described_controllers",
    ),
    KernelMessage(
        "host memory buffer",
        rf"{_NVME}allocated (?P<host_memory_buffers>\d{{1,6}} MiB) host memory buffer",
        "disk", "described_controllers",
    ),
    KernelMessage(
        "requeuing I/O", rf"block {_NAMESPACE}: no (?:usable path|path available) - requeuing I/O",
        "disk", "requests_without_path",
    ),
    KernelMessage(
        "failing I/O", rf"block {_NAMESPACE}: no available path - failing I/O",
        "disk", "requests_failed_without_path", "data",
    ),
    KernelMessage(
        " @ LBA ",
        rf"{_NAMESPACE}: (?P<commands>[A-Z][A-Za-z ]{{2,40}}\(0x[\da-f]{{1,2}}\)) @ LBA "
        r"(?P<lbas>\d{1,20}), \d{1,9} blocks, (?P<statuses>[A-Z][\w/ -]{3,60}) \(sct 0x",
        "disk", "command_errors",
    ),
    KernelMessage(
        " default/read queues",
        rf"{_NVME}mapped (?P<queue_counts>\d{{1,5}}/\d{{1,5}}) default/read queues\.", "disk",
        "configured_queues",
    ),
    KernelMessage(
        "Duplicate cntlid ",
        rf"{_NVME}Duplicate cntlid (?P<controller_ids>\d{{1,5}}) with (?P<other>nvme\d+), ",
        "disk", "refused_controllers",
    ),
)  # fmt: skip
