"""The trial, its loops and its statistics."""
