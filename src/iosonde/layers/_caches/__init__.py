"""What caches of block devices share: a fast device in front of a slow one."""

RULES = {
    "caches": "iosonde.layers._caches.findings:RULES",
    "hit_rates": "iosonde.layers._caches.findings_hits:RULES",
}
