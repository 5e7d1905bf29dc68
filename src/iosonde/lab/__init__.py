"""The lab: virtual hosts with Debian's kernel, in which declared stacks are built and broken.

Nodes are QEMU machines without privileges: a root file system they share, read-only, below an
overlay in memory; sparse files as disks; a private network; ssh over loopback.
"""
