"""Device-mapper: any mapped device that no technology of its own claims."""
