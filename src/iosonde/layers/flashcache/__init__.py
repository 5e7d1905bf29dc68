"""flashcache, Facebook's cache of device-mapper, as old hosts and texts have it."""

OUTPUTS = {
    "flashcache": "iosonde.layers.flashcache.printed:FlashcacheOutput",
}
