"""dm-writecache: a cache for writes alone.

Source: Linux Documentation/admin-guide/device-mapper/writecache.rst.
"""
