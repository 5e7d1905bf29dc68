"""A campaign on real hosts: what a strategy asks is set, measured, told, stored and put back."""
