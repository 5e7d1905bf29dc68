"""What the kernel's log says of disks: failed requests, hung tasks, warnings of the block layer.

Requests that only discard or zero carry no data: they are not counted.

Source:
    Linux 6.12 block/blk-mq.c, blk_print_req_error(); block/blk-core.c, blk_errors[] (before 5.17
    with "blk_update_request: " or "print_req_error: ", before 4.1 "end_request: "); fs/buffer.c,
    buffer_io_error() and end_buffer_async_write() (before 4.x "lost page write");
    block/genhd.c, set_capacity_and_notify(); lib/ratelimit.c, ___ratelimit();
    drivers/mmc/host/sdhci.c, __sdhci_add_host(); kernel/hung_task.c, check_hung_task();
    kernel/panic.c, __warn().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_REQUEST = r"(?:blk_update_request: |print_req_error: |end_request: )?"
_SECTOR = (
    r" error, dev (?P<name>[\w!-]{1,32}), sector (?P<sectors>\d{1,18})\b"
    r"(?! op(?: 0x[39]:|$))"  # a mail breaks the line there: what is below says of what
    r"(?: op 0x[\da-f]{1,2}:\((?P<operations>\w{1,20})\))?"
    r"(?: flags (?P<request_flags>0x[\da-f]{1,8}))?"
)
_WARNED = (
    r"(?:\.\./)?(?:(?:block|drivers/(?:ata|block|dax|md|mmc|mtd|nvdimm|nvme|scsi|target)|fs"
    r"|net/sunrpc)/[\w./-]{1,80}|mm/(?:filemap|page-writeback|slab_common|slub|zsmalloc|zswap)\.c"
    r"|lib/(?:iov_iter|sbitmap)\.c):\d+"
)
"""Where warnings stand that may be about storage."""

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
        "device offline error, dev", rf"{_REQUEST}device offline{_SECTOR}",
        "disk", "offline_errors", "data",
    ),
    KernelMessage(
        "Buffer I/O error on dev",
        r"Buffer I/O error on dev(?:ice)? (?P<name>[\w!-]{1,32}), "
        r"logical block (?P<logical_blocks>\d{1,18})",
        "disk", "buffer_errors", "data",
    ),
    KernelMessage(
        "lost page write due to I/O error",
        r"lost page write due to I/O error on (?P<name>[\w!-]{1,32})",
        "disk", "lost_page_writes", "data",
    ),
    KernelMessage(
        "blocked for more than",
        r"INFO: task (?P<tasks>(?P<other>.{1,32}):\d+) "
        r"blocked for more than (?P<blocked_seconds>\d{1,9}) sec",
        "host", "hung_tasks", "stall",
    ),
    KernelMessage(
        "ainted",
        r" *(?:(?:CPU: \d+ (?:UID: \d+ )?)?PID: \d+,? [Cc]omm: .{1,32}? )?"
        r"(?:Not tainted |Tainted:[A-Z() ]+)\(?(?P<kernels>\d+\.\d+\S{0,60}?)\)?(?: #\d|$)",
        "", "tainted",
    ),
    KernelMessage(
        "WARNING: CPU:", rf"WARNING: CPU: \d+ PID: \d+ at (?P<warned_at>{_WARNED})",
        "host", "kernel_warnings", "warned",
    ),
    KernelMessage(
        ", CPU#", rf"WARNING: (?P<warned_at>{_WARNED}) at \S{{1,100}}, CPU#\d", "host",
        "kernel_warnings", "warned",
    ),
    KernelMessage(
        "callbacks suppressed",
        r"(?:blk_update_request|print_req_error|blk_print_req_error|buffer_io_error|end_request): "
        r"(?P<suppressed>\d{1,9}) callbacks suppressed", "host", "suppressions",
    ),
    KernelMessage(
        "detected capacity change",
        r"(?:[a-z]+ [\d:]+: \[)?(?P<name>[a-z][\w!-]{1,31})\]?: "
        r"detected capacity change from \d+ to (?P<capacities>\d{1,20})",
        "disk", "capacity_changes",
    ),
    KernelMessage(
        "SDHCI controller on", r"(?P<name>mmc\d+): SDHCI controller on \S{1,60}", "disk",
        "controllers",
    ),
)  # fmt: skip
