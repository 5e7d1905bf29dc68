"""What the kernel's log says of storage: technologies name their messages, here they are read."""

OUTPUTS = {
    "kernel_log": "iosonde.layers._kernel_log.printed:KernelLog",
    "process_stack": "iosonde.layers._kernel_log.printed_stack:ProcessStack",
}
RULES = {
    "kernel_log": "iosonde.layers._kernel_log.findings:RULES",
    "kernel_log_memory": "iosonde.layers._kernel_log.findings_memory:RULES",
}
KERNEL_MESSAGES = {
    "host": "iosonde.layers._kernel_log.host:MESSAGES",
}
