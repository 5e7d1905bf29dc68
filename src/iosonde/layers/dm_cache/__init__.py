"""dm-cache: a cache with a policy, on its own or made by LVM.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst.
"""
