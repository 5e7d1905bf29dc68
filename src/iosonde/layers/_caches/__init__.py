"""What caches of block devices share: a fast device in front of a slow one."""
