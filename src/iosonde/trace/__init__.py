"""Block traces: read in any of their formats, recorded, described, converted."""
