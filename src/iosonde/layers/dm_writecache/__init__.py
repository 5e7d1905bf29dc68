"""dm-writecache: a cache for writes alone.

Source: Linux Documentation/admin-guide/device-mapper/writecache.rst.
"""

OUTPUTS = {
    "dm_writecache": "iosonde.layers.dm_writecache.printed:DmWritecacheOutput",
}
RULES = {
    "dm_writecache": "iosonde.layers.dm_writecache.findings:RULES",
}
