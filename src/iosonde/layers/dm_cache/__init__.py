"""dm-cache: a cache with a policy, on its own or made by LVM.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst.
"""

OUTPUTS = {
    "dm_cache": "iosonde.layers.dm_cache.printed:DmCacheOutput",
    "lvmcache_stats": "iosonde.layers.dm_cache.printed_stats:LvmcacheStats",
}
RULES = {
    "dm_cache": "iosonde.layers.dm_cache.findings:RULES",
}
