"""A campaign on real hosts: what a strategy asks for is set, measured, stored and put back."""
