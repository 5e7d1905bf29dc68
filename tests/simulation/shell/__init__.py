"""A POSIX shell in memory, as far as the scripts of a host need it; what it does not know it refuses.

It runs the scripts themselves, text by text, on the state of a simulated host, some thousand times
as fast as processes could. docs/validation/simulation.md says how it is held against the real one.
"""
