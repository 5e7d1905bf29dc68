"""LVM2: physical volumes, groups and logical volumes.

Source: lvm(8) of lvm2 2.03.
"""
