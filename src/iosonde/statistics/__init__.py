"""Statistics: arrays and figures in, figures out. Nothing here knows a host or a store."""
