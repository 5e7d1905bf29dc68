"""Network block devices: nbd-server and the kernel's client."""

KERNEL_MESSAGES = {
    "nbd": "iosonde.layers.nbd.kernel_log:MESSAGES",
}
