"""Partitions of a disk."""
