"""Readers of strangers' bytes against damaged and invented input; `python -m tests.fuzz --help`."""
