"""flashcache, Facebook's cache of device-mapper, as old hosts and texts have it."""
