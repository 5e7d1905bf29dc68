"""md, Linux software RAID.

Source: md(4), mdadm(8), Linux Documentation/admin-guide/md.rst.
"""
