"""What the kernel's log says of storage: technologies name their messages, here they are read."""

OUTPUTS = {
    "kernel_log": "iosonde.layers._kernel_log.printed:KernelLog",
    "process_stack": "iosonde.layers._kernel_log.printed_stack:ProcessStack",
}
