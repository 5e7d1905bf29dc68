"""A POSIX shell in memory, as far as the scripts of a host need it; it refuses what it lacks.

It runs the text of the scripts on the state of a simulated host, without a process for each tool.
docs/validation/simulation.md says how it is held against the real one.
"""
