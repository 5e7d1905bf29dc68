"""bcache, the kernel's block cache.

Source: Linux Documentation/admin-guide/bcache.rst; bcache-tools.
"""
