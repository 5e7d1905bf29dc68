"""Disks and SSDs, as the block layer shows them."""
