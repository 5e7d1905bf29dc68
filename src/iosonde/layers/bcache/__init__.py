"""bcache, the kernel's block cache.

Source: Linux Documentation/admin-guide/bcache.rst; bcache-tools.
"""

OUTPUTS = {
    "bcache": "iosonde.layers.bcache.printed:BcacheOutput",
    "bcache_made": "iosonde.layers.bcache.printed_make:MakeBcache",
    "bcache_show": "iosonde.layers.bcache.printed_make:BcacheShow",
    "bcache_tools": "iosonde.layers.bcache.printed_tools:BcacheTools",
}
RULES = {
    "bcache_state": "iosonde.layers.bcache.findings_state:RULES",
}
KERNEL_MESSAGES = {
    "bcache": "iosonde.layers.bcache.kernel_log:MESSAGES",
}
