"""Rules over several technologies."""

RULES = {
    "alignment": "iosonde.layers._rules.alignment:RULES",
    "blocked_processes": "iosonde.layers._rules.blocked_processes:RULES",
    "database_pages": "iosonde.layers._rules.database_pages:RULES",
    "dirty_limits": "iosonde.layers._rules.dirty_limits:RULES",
    "misspelt": "iosonde.layers._rules.misspelt:RULES",
    "targets": "iosonde.layers._rules.targets:RULES",
}
