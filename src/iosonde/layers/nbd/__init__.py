"""Network block devices: nbd-server and the kernel's client."""
