"""What the kernel's log says of disks: failed requests, links that were reset, timeouts.

Requests that only discard or zero carry no data: they are not counted.

Source:
    Linux 6.12 block/blk-mq.c, blk_print_req_error(); block/blk-core.c, blk_errors[] (before 5.17
    with "blk_update_request: " or "print_req_error: ", before 4.1 "end_request: "); fs/buffer.c,
    buffer_io_error(); drivers/ata/libata-eh.c, ata_eh_link_report() and ata_eh_reset();
    drivers/nvme/host/pci.c, nvme_timeout(); kernel/hung_task.c, check_hung_task().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_REQUEST = r"(?:blk_update_request: |print_req_error: |end_request: )?"
_SECTOR = r" error, dev (?P<name>[\w!-]{1,32}), sector \d+\b(?! op 0x[39]:)"
_TIMEOUT = r"nvme (?P<name>nvme\d+): I/O (?:tag )?\d+ .{0,60}QID \d+ timeout"

MESSAGES = (
    KernelMessage(
        "critical medium error, dev", rf"{_REQUEST}critical medium{_SECTOR}",
        "disk", "medium_errors", "data",
    ),
    KernelMessage(
        "I/O error, dev", rf"{_REQUEST}I/O{_SECTOR}", "disk", "io_errors", "data"
    ),
    KernelMessage(
        "critical target error, dev", rf"{_REQUEST}critical target{_SECTOR}",
        "disk", "target_errors", "data",
    ),
    KernelMessage(
        "timeout error, dev", rf"{_REQUEST}timeout{_SECTOR}", "disk", "timeout_errors", "data"
    ),
    KernelMessage(
        "Buffer I/O error on dev",
        r"Buffer I/O error on dev(?:ice)? (?P<name>[\w!-]{1,32}), logical block \d+",
        "disk", "buffer_errors", "data",
    ),
    KernelMessage(
        "exception Emask", r"(?P<name>ata\d+(?:\.\d+)?): exception Emask 0x[0-9a-f]+ SAct",
        "disk", "link_exceptions", "device",
    ),
    KernelMessage(
        "hard resetting link", r"(?P<name>ata\d+(?:\.\d+)?): hard resetting link",
        "disk", "link_resets", "device",
    ),
    KernelMessage(
        "limiting SATA link speed",
        r"(?P<name>ata\d+(?:\.\d+)?): limiting SATA link speed to [\d.]+ Gbps",
        "disk", "link_slowdowns", "device",
    ),
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
        "controller is down; will reset", r"nvme (?P<name>nvme\d+): controller is down; will reset",
        "disk", "controller_resets", "device",
    ),
    KernelMessage(
        "blocked for more than", r"INFO: task (?P<other>.{1,32}):\d+ blocked for more than \d+ sec",
        "host", "hung_tasks", "stall",
    ),
)  # fmt: skip
