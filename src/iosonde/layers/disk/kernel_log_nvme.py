"""What the kernel's log says of NVMe drives.

Source:
    Linux 6.12 drivers/nvme/host/pci.c, nvme_timeout(), abort_endio() and nvme_reset_work();
    before 6.2 nvme_remove_dead_ctrl(); drivers/nvme/host/core.c, nvme_wait_ready().
"""

from __future__ import annotations

from iosonde.layers._kernel_log.events import KernelMessage

_NVME = r"nvme (?P<name>nvme\d+): "
_TIMEOUT = rf"{_NVME}I/O (?:tag )?\d+ .{{0,60}}QID (?P<queues>\d{{1,5}}) timeout"

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
        "controller is down; will reset", rf"{_NVME}controller is down; will reset",
        "disk", "controller_resets", "device",
    ),
    KernelMessage(
        "Abort status: ", rf"{_NVME}Abort status: (?P<abort_statuses>0x[\da-f]{{1,8}})",
        "disk", "aborts",
    ),
    KernelMessage(
        "Device not ready; aborting",
        rf"{_NVME}Device not ready; aborting (?:reset|initiali[sz]ation)",
        "disk", "failed_resets", "device",
    ),
    KernelMessage(
        "after probe failure",
        rf"{_NVME}Removing after probe failure status: (?P<statuses>-?\d{{1,6}})",
        "disk", "removals", "device",
    ),
    KernelMessage(
        "Disabling device after reset failure",
        rf"{_NVME}Disabling device after reset failure: (?P<statuses>-?\d{{1,6}})",
        "disk", "removals", "device",
    ),
)  # fmt: skip
