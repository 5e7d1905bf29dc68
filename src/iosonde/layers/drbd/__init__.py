"""DRBD 8.4 and 9: a volume that is written on several hosts.

Source: drbdsetup(8), drbd.conf(5), /proc/drbd.
"""
