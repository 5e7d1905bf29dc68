"""Tools that need hardware nobody has here, as small programs with a state of their own."""
