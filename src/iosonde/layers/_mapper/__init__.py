"""Device-mapper, by which several technologies map: its tables, its devices, its listings."""
