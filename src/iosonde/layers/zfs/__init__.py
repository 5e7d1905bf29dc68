"""What ZFS prints of its pools, their devices, datasets and memory.

Pools are kind `zpool`, their devices `zpool_device`, file systems and volumes `dataset`; what the
module counts is kind `zfs`, its parameters are kind `module`.

Nothing is asked of a live host, and nothing is built. No rule speaks of hit rates of the ARC, of
fragmentation, or of properties of datasets such as recordsize and sync.
"""
