"""What the kernel's log says of storage: technologies name their messages, here they are read."""
