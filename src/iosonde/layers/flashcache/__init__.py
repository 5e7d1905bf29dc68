"""flashcache, Facebook's cache of device-mapper, as old hosts and texts have it."""

OUTPUTS = {
    "flashcache": "iosonde.layers.flashcache.printed:FlashcacheOutput",
}
RULES = {
    "whole_blocks": "iosonde.layers.flashcache.findings_blocks:RULES",
}
