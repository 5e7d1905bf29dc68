"""ZFS, as far as the output of its tools says: pools, their devices and datasets."""
